//! The words of a hook's command line: its commands, with marks where the shell fills in a value, and everything that
//! may name a file.

use std::collections::BTreeSet;

use tenter_shell::{Body, Expansion, ExpansionKind, Flaw, RedirectOperator, Word, parse};

/// Marks a part of a word that is known only when the line runs.
pub(super) const DYNAMIC: char = '\u{1}';

/// Marks a wildcard.
pub(super) const WILD: char = '\u{2}';

/// Lines within lines (`sh -c "sh -c '…'"`) are read to this depth.
const DEEPEST: usize = 4;

/// Variables that lead into the project or home: a path behind them is known.
const KNOWN: [&str; 6] =
    ["PWD", "HOME", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "TENTER_PROJECT_ROOT"];

const KNOWN_LINES: [&str; 2] = ["pwd", "git rev-parse --show-toplevel"];

/// One command of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SimpleCommand {
    /// Its words without quotes, with [`DYNAMIC`] and [`WILD`].
    pub(super) words: Vec<String>,
    /// Another command writes its input.
    pub(super) piped: bool,
    /// The files and texts that it reads as its input.
    pub(super) inputs: Vec<String>,
    /// The files it writes its output to.
    pub(super) outputs: Vec<String>,
}

/// The commands of a line, those of substitutions and here-documents among them.
pub(super) fn commands(line: &str) -> Vec<SimpleCommand> {
    let mut found = Vec::new();
    add_commands(line, DEEPEST, &mut found);
    found
}

fn add_commands(line: &str, levels: usize, found: &mut Vec<SimpleCommand>) {
    let script = parse(line);
    if script.flaw == Some(Flaw::TooDeep) {
        found.push(SimpleCommand { words: vec![DYNAMIC.to_string()], ..SimpleCommand::default() });
    }
    let commands = script.list.commands();
    for visit in commands.iter().filter(|it| !KNOWN_LINES.contains(&it.command.texts().join(" ").as_str())) {
        let command = visit.command;
        let mut simple = SimpleCommand { piped: visit.piped, ..SimpleCommand::default() };
        let is_function = command.words.first().is_some_and(|word| word.is_bare("function"));
        if !is_function || command.body == Body::None {
            simple.words = command.words.iter().map(mark_expansions).collect();
        }
        for redirect in &command.redirects {
            let target = mark_expansions(&redirect.target);
            match redirect.operator {
                RedirectOperator::Read | RedirectOperator::HereString => simple.inputs.push(target),
                operator if operator.writes() => simple.outputs.push(target),
                _ => {}
            }
        }
        if !(simple.words.is_empty() && simple.inputs.is_empty() && simple.outputs.is_empty()) {
            found.push(simple);
        }
        for document in command.input_texts(false).filter(|_| levels > 0) {
            add_commands(document, levels - 1, found);
        }
    }
}

/// The text of a word up to its first dynamic part.
pub(super) fn known_part(word: &str) -> &str {
    word.split(DYNAMIC).next().unwrap_or_default()
}

fn mark_expansions(word: &Word) -> String {
    word.replace_expansions(|text, expansion, raw| match expansion.kind {
        ExpansionKind::Glob => text.extend([WILD.to_string().as_str(), raw]),
        _ => text.push(if is_known(expansion, raw) { '.' } else { DYNAMIC }),
    })
}

fn is_known(expansion: &Expansion, raw: &str) -> bool {
    match expansion.kind {
        ExpansionKind::Command => {
            let inner = raw.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
            inner.is_some_and(|line| KNOWN_LINES.contains(&line.trim()))
        }
        ExpansionKind::Variable => {
            let inner = raw.trim_start_matches(['$', '{']).trim_end_matches('}');
            let end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(inner.len());
            let (name, default) = inner.split_at(end);
            KNOWN.contains(&name) && ["", ":-.", "-.", ":-$PWD", ":?"].contains(&default)
        }
        _ => false,
    }
}

/// Everything in a line that could be a path: the words as the shell reads them, and every piece of the text between
/// the shell's signs and between quotes. A word too many costs less than one too few.
pub(super) fn possible_paths(line: &str) -> Vec<String> {
    let is_sign = |c: char| c.is_whitespace() || ";|&()<>{}$`=,:'\"".contains(c);
    let unquoted = unquoted_words(line);
    let raw = std::iter::once(line).chain(line.split(['\'', '"'])).chain(line.split(is_sign));
    let pieces = unquoted.iter().flat_map(|word| word.split(is_sign).chain([word.as_str()]));
    let unique: BTreeSet<&str> = raw.chain(pieces).filter(|word| !word.is_empty()).collect();
    unique.into_iter().map(str::to_owned).collect()
}

/// The words in their order, without quotes, and those of lines that are one word of another line.
pub(super) fn unquoted_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    add_words(line, DEEPEST, &mut words);
    words
}

fn add_words(line: &str, levels: usize, words: &mut Vec<String>) {
    let is_line = |text: &str| text.contains(|c: char| c.is_whitespace() || ";|&()<>`'\"\\".contains(c));
    for visit in parse(line).list.commands() {
        let redirects = &visit.command.redirects;
        let targets = redirects.iter().map(|redirect| &redirect.target);
        for Word { text, .. } in
            visit.command.words.iter().chain(targets).filter(|word| !word.text.is_empty())
        {
            words.push(text.clone());
            if levels > 0 && text != line && is_line(text) {
                add_words(text, levels - 1, words);
            }
        }
        for document in visit.command.input_texts(false).filter(|_| levels > 0) {
            add_words(document, levels - 1, words);
        }
    }
}

/// The possible values of an option: every end of `-fscripts/c.awk`, as the length of its name is unknown.
pub(super) fn option_values(word: &str) -> impl Iterator<Item = &str> {
    let option = word.strip_prefix('-').unwrap_or_default();
    option.char_indices().skip(1).map(|(at, _)| &option[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands with `?` for dynamic parts.
    fn read(line: &str) -> Vec<String> {
        let shown = |it: &SimpleCommand| {
            let mut words: Vec<String> = it.piped.then(|| "|".to_owned()).into_iter().collect();
            words.extend(it.words.iter().cloned());
            words.extend(it.inputs.iter().map(|file| format!("<{file}")));
            words.extend(it.outputs.iter().map(|file| format!(">{file}")));
            words.join(" ").replace(DYNAMIC, "?").replace(WILD, "")
        };
        commands(line).iter().map(shown).collect()
    }

    #[test]
    fn commands_mark_dynamic_parts() {
        for (line, expected) in [
            ("sh scripts/$x.sh", &["sh scripts/?.sh"][..]),
            ("sh \"$PWD/c\".sh 'a $b'", &["sh ./c.sh a $b"]),
            ("${CLAUDE_PROJECT_DIR:-.}/c.sh ${x}", &["./c.sh ?"]),
            ("cat < in > out 2>> \"e r r\" 2>&1 &", &["cat <in >out >e r r"]),
            ("a && b || c; d | e |& f", &["a", "b", "c", "d", "| e", "| f"]),
            ("echo \"$(sh scripts/$x.sh)\" `date`", &["sh scripts/?.sh", "date", "echo ? ?"]),
            ("cd \"$(git rev-parse --show-toplevel)\" && ls", &["cd .", "ls"]),
            ("sh scripts/{a,b}.sh {tool.path} {}", &["sh scripts/?.sh ? ?"]),
            ("{ sh c; }", &["sh c"]),
            ("ruff check {tool.path} # {x}", &["ruff check ?"]),
            ("sh '{tool.path}' '{ print }'", &["sh ? { print }"]),
            ("sh $'\\x63.sh'", &["sh ?"]),
            ("sh c\\$x \\> y", &["sh c$x > y"]),
            ("f() { sh \"$1\"; }; f x", &["sh ?", "f x"]),
            ("diff <(sh a) b", &["sh a", "diff ? b"]),
            ("sh <<< \"$x\"", &["sh <?"]),
            ("sh <<'E'\nsh $x\nE", &["sh", "sh ?"]),
            ("unclosed \"quote $(and more", &["and more", "unclosed quote ?"]),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
        assert_eq!(commands(&"$(".repeat(50))[0].words, [DYNAMIC.to_string()]);
    }

    #[test]
    fn possible_paths_include_unquoted_words() {
        for (line, word) in [
            ("sh scri\"pts/c\".sh", "scripts/c.sh"),
            ("sh scripts/c\\.sh", "scripts/c.sh"),
            ("sh 'my scripts'/c.sh", "my scripts/c.sh"),
            ("sh scri\\\npts/c.sh", "scripts/c.sh"),
            ("sh -c 'sh scri\"pts/c\".sh'", "scripts/c.sh"),
            ("sh -c \"sh -c 'sh scri\\\"pts/c\\\".sh'\"", "scripts/c.sh"),
            ("echo \"$(sh scripts/c.sh)\"", "scripts/c.sh"),
            ("A=scripts/c.sh; sh $A", "scripts/c.sh"),
            ("cat<scripts/c.sh", "scripts/c.sh"),
            ("sh <<E\nsh scri\"pts/c\".sh\nE", "scripts/c.sh"),
            ("sh $'scripts/\\x63.sh'", "scripts/c.sh"),
        ] {
            assert!(possible_paths(line).iter().any(|found| found == word), "{line}");
        }
    }

    #[test]
    fn option_values_are_all_ends_of_the_option() {
        assert_eq!(option_values("-fa/b").collect::<Vec<_>>(), ["a/b", "/b", "b"]);
        assert_eq!(option_values("fa").count() + option_values("-").count() + option_values("-f").count(), 0);
    }
}
