//! Names that a line puts together while it runs: `sh scripts/$x.sh`. The file is unknown before.

use tenter_shell::{Reach, contains_word, is_assignment, is_shell, unwrap_command};

use super::line_words::{DYNAMIC, SimpleCommand, WILD, commands, known_part};
use super::runners::is_interpreter;

/// Lines within lines (`sh -c "sh -c '…'"`) are read to this depth.
const DEEPEST: usize = 4;

/// Programs that run others on the files they find.
const FEEDERS: &str = "fd find parallel xargs entr";

/// Programs that read a program of their own from the file behind `-f`.
const WITH_PROGRAM: &str = "awk gawk mawk nawk sed jq bc";

/// Whether a line runs a file, or one in a folder, whose name is known only when it runs.
pub(super) fn runs_dynamic_name(line: &str, is_folder: &dyn Fn(&str) -> bool) -> bool {
    Search { is_folder }.line(line, DEEPEST)
}

/// The words of a line that name a program, those behind `env` and its like among them.
pub(super) fn programs(line: &str) -> Vec<String> {
    let program = |command: SimpleCommand| unwrap_command(&command.words, Reach::Process).first().cloned();
    commands(line).into_iter().filter_map(program).collect()
}

struct Search<'s> {
    is_folder: &'s dyn Fn(&str) -> bool,
}

impl Search<'_> {
    fn line(&self, line: &str, levels: usize) -> bool {
        levels > 0 && commands(line).iter().any(|command| self.command(command, levels))
    }

    fn command(&self, whole: &SimpleCommand, levels: usize) -> bool {
        let command = unwrap_command(&whole.words, Reach::Process);
        let wrappers = &whole.words[..whole.words.len() - command.len()];
        // An unquoted variable may become several words, a program among them.
        let mut own = wrappers.iter().filter(|word| !is_assignment(word));
        if own.clone().any(|word| is_dynamic(word)) || own.any(|word| self.is_below_folder(word)) {
            return true;
        }
        let Some((program, arguments)) = command.split_first() else { return false };
        if is_dynamic(program) || program == "{}" {
            return true;
        }
        let name = program.rsplit('/').next().unwrap_or_default();
        let runs_dynamic = match name {
            "for" | "case" | "select" => false,
            "cd" | "pushd" | "." | "source" => first_operand(arguments).is_some_and(|word| is_dynamic(word)),
            "eval" => {
                arguments.iter().any(|word| is_dynamic(word)) || self.line(&arguments.join(" "), levels - 1)
            }
            "trap" => arguments.iter().any(|word| self.line(word, levels - 1)),
            _ if is_shell(name) => self.shell(whole, arguments, levels),
            _ if is_interpreter(name) => runs_piped_text(whole, arguments) || runs_dynamic_file(arguments),
            _ if contains_word(FEEDERS, name) => feeds_interpreter(arguments),
            _ if contains_word(WITH_PROGRAM, name) => reads_dynamic_program(arguments),
            _ => false,
        };
        runs_dynamic || arguments.iter().any(|word| self.is_below_folder(word))
    }

    fn shell(&self, whole: &SimpleCommand, arguments: &[String], levels: usize) -> bool {
        let is_line = |word: &&String| word.contains(|c: char| c.is_whitespace() || ";|&$`".contains(c));
        runs_piped_text(whole, arguments)
            || whole.inputs.iter().any(|file| is_dynamic(file))
            || runs_dynamic_file(arguments)
            || arguments.iter().filter(is_line).any(|word| self.line(word, levels - 1))
    }

    /// `scripts/$x.sh` at any place, for a folder of the project.
    fn is_below_folder(&self, word: &str) -> bool {
        let folder = known_part(word).rsplit_once('/').map_or("", |(folder, _)| folder);
        word.contains(DYNAMIC)
            && !folder.is_empty()
            && ([".", ".."].contains(&folder) || (self.is_folder)(folder))
    }
}

/// `… | sh` runs the text that the other command writes.
fn runs_piped_text(whole: &SimpleCommand, arguments: &[String]) -> bool {
    let has_none = first_operand(arguments).is_none();
    whole.piped && (has_none || arguments.iter().any(|word| word == "-s" || word == "-"))
}

/// Whether the file that an interpreter runs is dynamic. The words behind it are for the program.
fn runs_dynamic_file(arguments: &[String]) -> bool {
    let end = arguments.iter().position(|word| !is_option(word)).map_or(arguments.len(), |at| at + 1);
    arguments[..end].iter().any(|word| is_dynamic(word) || word == "{}")
}

fn feeds_interpreter(arguments: &[String]) -> bool {
    let mut before = "";
    arguments.iter().any(|word| {
        let name = word.rsplit('/').next().unwrap_or_default();
        let starts =
            before.starts_with("-exec") || before.starts_with("-ok") || before == "-x" || before == "-X";
        before = word;
        is_interpreter(name) || (starts && (is_dynamic(word) || word == "{}"))
    })
}

fn reads_dynamic_program(arguments: &[String]) -> bool {
    let mut pairs = arguments.iter().zip(arguments.iter().skip(1));
    pairs.any(|(option, file)| contains_word("-f --file --from-file", option) && is_dynamic(file))
        || arguments.iter().any(|word| word.starts_with("-f") && is_dynamic(word))
}

fn first_operand(arguments: &[String]) -> Option<&String> {
    arguments.iter().find(|word| !is_option(word))
}

fn is_option(word: &str) -> bool {
    word.starts_with(['-', '+'])
}

/// A wildcard behind a folder is resolved there (`walk.rs`); one without may mean any folder.
fn is_dynamic(word: &str) -> bool {
    word.contains(DYNAMIC) || (word.contains(WILD) && !word.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dynamic_names_are_found() {
        let is_dynamic = |line: &str| runs_dynamic_name(line, &|folder| folder == "scripts");
        for line in [
            "sh scripts/$x.sh",
            "scripts/$x.sh",
            "./$x",
            "\"$x\"",
            "$(cat which)",
            "sh `cat which`",
            "bash -e \"$x\" a",
            "sh -c 'sh scripts/$x.sh'",
            "sh -c \"sh -c 'sh $x'\"",
            "bash -o pipefail -c 'cd $d; ./c.sh'",
            "python3 \"$x\" a",
            "python3 -u scripts/{a,b}.py",
            "cd $d && sh c.sh",
            ". ./$x",
            "source \"$x\"",
            "eval \"$x\"",
            "eval 'sh scripts/$x.sh'",
            "trap 'sh $x' EXIT",
            "A=1 env -i B=2 timeout 5 sh $x",
            "if true; then sh $x; fi",
            "for f in a b; do sh \"$f\"; done",
            "while read f; do sh $f; done",
            "printf 'sh scri%s' pts/c.sh | sh",
            "cat a | sh -s x",
            "cat a | python3 -",
            "ls scripts | xargs sh",
            "find scripts -name '*.sh' -exec sh {} ';'",
            "find scripts -type f -exec {} +",
            "awk -f \"$x\" a",
            "jq --from-file $x",
            "cat scripts/$x.txt",
            "echo \"$(sh $x)\"",
            "sh {tool.path}",
            "sh '{tool.path}'",
            "sh < $x",
            "sh *.sh",
            "timeout $t c.sh",
            "sudo -u me sh $x",
            "sh <<E\nsh $x\nE",
            "cat a | (sh)",
            "f() { \"$@\"; }; f scripts/c.sh",
        ] {
            assert!(is_dynamic(line), "{line}");
        }
        for line in [
            "sh scripts/c.sh \"$TENTER_TOOL_PATH\"",
            "\"$CLAUDE_PROJECT_DIR\"/scripts/c.sh",
            "cd \"$(git rev-parse --show-toplevel)\" && ./c.sh",
            "cd ${CLAUDE_PROJECT_DIR:-.} && sh c.sh $x",
            "ruff check \"$TENTER_TOOL_PATH\"",
            "ruff check {tool.path}",
            "jq -r .tool_input.file_path | xargs ruff check",
            "echo \"at $(date +%H:%M)\"",
            "echo \"$a/$b\"",
            "sed \"s/a/$b/\" x",
            "awk '{ print $1 }' x",
            "test -n \"$x\" && exit 0",
            "[ \"$x\" = y ] || exit 2",
            "curl -s \"https://example.com/$x\"",
            "git log --oneline -5 > /tmp/$x",
            "sh -c 'echo $HOME; ls *'",
            "sh scripts/*.sh",
            "ls *.md",
            "grep -q force && exit 2 || exit 0",
            "X=$(date) sh scripts/c.sh",
        ] {
            assert!(!is_dynamic(line), "{line}");
        }
    }
}
