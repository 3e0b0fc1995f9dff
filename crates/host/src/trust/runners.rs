//! Programs whose behaviour the project decides: what they do is written in files they look for themselves.

const RUNNERS: [&str; 32] = [
    "ant",
    "bazel",
    "bundle",
    "cargo",
    "composer",
    "ctest",
    "deno",
    "dotnet",
    "eslint",
    "go",
    "gradle",
    "gradlew",
    "jest",
    "just",
    "make",
    "mvn",
    "mvnw",
    "nox",
    "npm",
    "npx",
    "nx",
    "pnpm",
    "poetry",
    "pre-commit",
    "pytest",
    "rake",
    "task",
    "tox",
    "tsc",
    "turbo",
    "uv",
    "yarn",
];

/// Whether a word names such a program. One with a slash that is a file of the project is that file, unless it is
/// one of those that only start the real one.
pub(super) fn is_runner(word: &str, is_file_here: bool) -> bool {
    let name = name(word);
    let starts_another = ["gradlew", "mvnw"].contains(&name);
    RUNNERS.contains(&name) && (!is_file_here || !word.contains('/') || starts_another)
}

/// Whether an interpreter is told to load code by a name, or is given a program that may: `python3 -m checks`,
/// `node -e …`, `perl -MFoo`, `python3 folder`. Which files that reads is known when it runs.
pub(super) fn loads_by_name(spoken: &[String], is_folder: impl Fn(&str) -> bool) -> bool {
    spoken.iter().enumerate().any(|(at, word)| {
        let Some((short, long)) = loading_options(word) else { return false };
        let mut before = word.as_str();
        for word in &spoken[at + 1..] {
            if let Some(option) = word.strip_prefix("--") {
                if long.contains(&option.split('=').next().unwrap_or_default()) {
                    return true;
                }
            } else if let Some(letters) = word.strip_prefix('-') {
                if letters.contains(short) {
                    return true;
                }
            } else if before != "-I" && is_folder(word) {
                return true;
            } else if !before.starts_with('-') {
                // The script: what follows is for it.
                return false;
            }
            before = word;
        }
        false
    })
}

/// The letters and the long names of the options with which an interpreter loads code by a name.
fn loading_options(word: &str) -> Option<(&'static [char], &'static [&'static str])> {
    let name = name(word).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match name {
        "python" | "pypy" => Some((&['m', 'c'], &[])),
        "node" | "nodejs" | "bun" => Some((
            &['e', 'p', 'r'],
            &["eval", "print", "require", "import", "loader", "experimental-loader", "run", "test"],
        )),
        "perl" => Some((&['M', 'm', 'e', 'E'], &[])),
        "ruby" => Some((&['r', 'e'], &["require"])),
        "php" | "lua" | "luajit" => Some((&['r', 'l', 'e'], &["run"])),
        _ => None,
    }
}

fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::words;

    #[test]
    fn an_interpreter_that_loads_by_name_is_told_from_one_that_runs_a_file() {
        let loads = |line: &str| loads_by_name(&words::spoken(line), |word| word == "checks");
        for line in [
            "python3 -m checks",
            "/usr/bin/python3.12 -Im x",
            "python3 -W ignore -m x",
            "python3 -c 'import x'",
            "python3 checks",
            "node -e 'require(\"./x\")'",
            "node --require ./x y.js",
            "perl -Iscripts -MFoo -e1",
            "ruby -rfoo x.rb",
            "cd x && sh -c 'python3 -m checks'",
        ] {
            assert!(loads(line), "{line}");
        }
        for line in [
            "python3 x.py -c conf",
            "python3 -u x.py",
            "node x.js",
            "perl x.pl",
            "perl -I checks x.pl",
            "sh -c 'ls -m'",
        ] {
            assert!(!loads(line), "{line}");
        }
    }

    #[test]
    fn a_file_that_has_a_runners_name_hides_no_runner() {
        assert!(is_runner("make", false) && is_runner("make", true) && is_runner("/usr/bin/make", false));
        assert!(is_runner("./gradlew", true) && !is_runner("scripts/task", true));
    }
}
