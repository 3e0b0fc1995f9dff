//! Names that a line makes up while it runs: `sh scripts/$x.sh`. Which file that is, nobody knows before.

use super::runners::{interpreter, is_shell};
use super::shell::{MADE, Simple, WILD, commands, known_part};

/// Lines within lines (`sh -c "sh -c '…'"`) are looked through so deep.
const DEEPEST: usize = 4;

/// Words of the shell's grammar that stand before a command.
const GRAMMAR: [&str; 10] = ["if", "then", "elif", "else", "do", "while", "until", "!", "{", "}"];

/// Programs that run the one that is named behind them.
const WRAPPERS: [&str; 16] = [
    "builtin",
    "caffeinate",
    "chronic",
    "command",
    "doas",
    "env",
    "exec",
    "ionice",
    "nice",
    "nohup",
    "setsid",
    "stdbuf",
    "strace",
    "sudo",
    "time",
    "timeout",
];

/// Programs that run others on whatever they find.
const FEEDERS: [&str; 5] = ["fd", "find", "parallel", "xargs", "entr"];

/// Programs that read a program of their own from the file behind `-f`.
const WITH_PROGRAM: [&str; 7] = ["awk", "gawk", "mawk", "nawk", "sed", "jq", "bc"];

/// Whether a line runs a file, or one in a folder, whose name it makes up itself.
pub(super) fn makes_up_a_name(line: &str, is_folder: &dyn Fn(&str) -> bool) -> bool {
    Judge { is_folder }.line(line, DEEPEST)
}

/// The words of a line that name a program, those behind `env` and the like among them.
pub(super) fn programs(line: &str) -> Vec<String> {
    let is_before = |word: &&String| {
        let passed = GRAMMAR.contains(&word.as_str()) || WRAPPERS.contains(&word.as_str());
        passed || is_assignment(word) || is_option(word) || word.starts_with(|c: char| c.is_ascii_digit())
    };
    let of = |command: Simple| command.words.iter().find(|word| !is_before(word)).cloned();
    commands(line).into_iter().filter_map(of).collect()
}

struct Judge<'j> {
    is_folder: &'j dyn Fn(&str) -> bool,
}

impl Judge<'_> {
    fn line(&self, line: &str, levels: usize) -> bool {
        levels > 0 && commands(line).iter().any(|command| self.command(command, &command.words, levels))
    }

    fn command(&self, whole: &Simple, words: &[String], levels: usize) -> bool {
        let before = |word: &String| GRAMMAR.contains(&word.as_str()) || is_assignment(word);
        let Some(start) = words.iter().position(|word| !before(word)) else { return false };
        let (program, arguments) = (&words[start], &words[start + 1..]);
        let name = program.rsplit('/').next().unwrap_or_default();
        if made(program) || program == "{}" {
            return true;
        }
        let nested = match name {
            "for" | "case" | "select" => false,
            "cd" | "pushd" | "." | "source" => first_plain(arguments).is_some_and(|word| made(word)),
            "eval" => arguments.iter().any(|word| made(word)) || self.line(&arguments.join(" "), levels - 1),
            "trap" => arguments.iter().any(|word| self.line(word, levels - 1)),
            _ if is_shell(name) => self.shell(whole, arguments, levels),
            _ if interpreter(name) => reads_what_is_piped(whole, arguments) || runs_made(arguments),
            _ if WRAPPERS.contains(&name) => {
                let of_wrapper = |word: &String| {
                    word.starts_with(['-', '+']) || word.starts_with(|c: char| c.is_ascii_digit())
                };
                let inner = arguments.iter().position(|word| !of_wrapper(word)).unwrap_or(arguments.len());
                self.command(whole, &arguments[inner..], levels)
            }
            _ if FEEDERS.contains(&name) => feeds_an_interpreter(arguments),
            _ if WITH_PROGRAM.contains(&name) => program_is_made(arguments),
            _ => false,
        };
        nested || arguments.iter().any(|word| self.below_a_folder(word))
    }

    fn shell(&self, whole: &Simple, arguments: &[String], levels: usize) -> bool {
        let is_line = |word: &&String| word.contains(|c: char| c.is_whitespace() || ";|&$`".contains(c));
        reads_what_is_piped(whole, arguments)
            || whole.inputs.iter().any(|file| made(file))
            || runs_made(arguments)
            || arguments.iter().filter(is_line).any(|word| self.line(word, levels - 1))
    }

    /// `scripts/$x.sh` in whatever place: of a folder that the project has.
    fn below_a_folder(&self, word: &str) -> bool {
        let folder = known_part(word).rsplit_once('/').map_or("", |(folder, _)| folder);
        word.contains(MADE)
            && !folder.is_empty()
            && ([".", ".."].contains(&folder) || (self.is_folder)(folder))
    }
}

/// `… | sh`: what it runs is what the other writes.
fn reads_what_is_piped(whole: &Simple, arguments: &[String]) -> bool {
    let none = first_plain(arguments).is_none();
    whole.piped && (none || arguments.iter().any(|word| word == "-s" || word == "-"))
}

/// Whether what an interpreter is to run is made up. What follows it is for the program that it runs.
fn runs_made(arguments: &[String]) -> bool {
    let upto = arguments.iter().position(|word| !is_option(word)).map_or(arguments.len(), |at| at + 1);
    arguments[..upto].iter().any(|word| made(word) || word == "{}")
}

fn feeds_an_interpreter(arguments: &[String]) -> bool {
    let mut before = "";
    arguments.iter().any(|word| {
        let name = word.rsplit('/').next().unwrap_or_default();
        let starts =
            before.starts_with("-exec") || before.starts_with("-ok") || before == "-x" || before == "-X";
        before = word;
        is_shell(name) || interpreter(name) || (starts && (made(word) || word == "{}"))
    })
}

fn program_is_made(arguments: &[String]) -> bool {
    let behind = arguments.iter().zip(arguments.iter().skip(1));
    let mut behind = behind.filter(|(option, _)| ["-f", "--file", "--from-file"].contains(&option.as_str()));
    behind.any(|(_, file)| made(file)) || arguments.iter().any(|word| word.starts_with("-f") && made(word))
}

fn first_plain(arguments: &[String]) -> Option<&String> {
    arguments.iter().find(|word| !is_option(word))
}

fn is_option(word: &str) -> bool {
    word.starts_with('-') || word.starts_with('+')
}

fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    word.split_once('=').is_some_and(|(name, _)| is_name(name.trim_end_matches('+')))
}

/// A wildcard behind a folder is looked up there (`walk.rs`); one without may be meant anywhere.
fn made(word: &str) -> bool {
    word.contains(MADE) || (word.contains(WILD) && !word.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_made_up_is_told_from_one_that_stands_there() {
        let makes_up = |line: &str| makes_up_a_name(line, &|folder| folder == "scripts");
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
            "f() { \"$@\"; }; f scripts/c.sh",
        ] {
            assert!(makes_up(line), "{line}");
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
            assert!(!makes_up(line), "{line}");
        }
    }
}
