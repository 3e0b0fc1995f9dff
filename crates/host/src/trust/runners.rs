//! Programs whose behaviour the project decides: they read files of the project by themselves.

use tenter_shell::{contains_word, is_shell};

const RUNNERS: &str = "\
    ansible-playbook ant ava babel bazel bazelisk buck buck2 bun bundle bunx cabal cargo cmake commitlint \
    composer conda cpanm ctest cypress deno detekt devbox direnv docker docker-compose doit dotnet drush earthly \
    eslint fastlane flake8 flutter gmake go golangci-lint gradle gradlew grunt gulp hatch ipython jasmine jekyll \
    jest julia just karma ktlint lefthook lein lerna lint-staged make meson mise mkdocs mocha mvn mvnw mypy \
    nimble ninja nix nix-build nix-shell nodemon nox npm npx nuxt nx nyc opam overcommit pdm perlcritic phpcs \
    phpstan phpunit pipenv pixi playwright pnpm pnpx podman poetry pre-commit prettier psalm pulumi pylint \
    pytest rails rake rebar3 rector remake rollup Rscript rspec rubocop run-parts sbt scons skaffold snakemake \
    spago sphinx-build stylelint task terraform tox ts-node tsc tsx turbo uv uvx vagrant vite vitest webpack \
    xmake yarn zig";

/// These names are everyday words too: they count only at the place of a program.
const RUNNERS_BY_PLACE: &str = "\
    act bb coverage crystal dart dune elm fab gem helm husky inv invoke jake lage mage mask mill mix moon next \
    pants prove R rush shards stack standard swift tap tilt xo";

/// Whether a word names such a program. A path to a file of the project is that file, unless it is a launcher of the
/// real program.
pub(super) fn is_runner(word: &str, is_file_here: bool) -> bool {
    let name = name(word);
    let is_launcher = ["gradlew", "mvnw"].contains(&name);
    contains_word(RUNNERS, name) && (!is_file_here || !word.contains('/') || is_launcher)
}

/// The same for a word at the place of a program.
pub(super) fn is_runner_here(word: &str) -> bool {
    contains_word(RUNNERS_BY_PLACE, name(word)) && !word.contains('/')
}

/// Whether an interpreter loads code by a name, or runs text that may: `python3 -m checks`, `node -e …`, `perl -MFoo`,
/// `python3 folder`. The files are known only when it runs.
pub(super) fn loads_by_name(words: &[String], is_folder: impl Fn(&str) -> bool) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let Some((short, long)) = loading_options(word) else { return false };
        let mut before = word.as_str();
        for word in &words[at + 1..] {
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
                // The script: the words behind it are its arguments.
                return false;
            }
            before = word;
        }
        false
    })
}

/// The letters and the long names of the options with which an interpreter loads code by a name.
fn loading_options(word: &str) -> Option<(&'static [char], &'static [&'static str])> {
    match without_version(name(word)) {
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

/// Whether a program runs a file or text of its arguments, by its name.
pub(super) fn is_interpreter(name: &str) -> bool {
    const OTHERS: &str =
        "bun clojure deno elixir escript expect groovy guile java osascript pwsh tclsh ts-node tsx";
    let name = without_version(name);
    loading_options(name).is_some() || is_shell(name) || contains_word(OTHERS, name)
}

pub(super) fn python(words: &[String]) -> Vec<PythonStart> {
    let is_python = |word: &&String| ["python", "pypy", "py"].contains(&without_version(name(word)));
    let starts = words.iter().enumerate().filter(|(_, word)| is_python(word));
    starts
        .map(|(at, _)| {
            let options = words[at + 1..].iter().take_while(|word| word.starts_with('-') && *word != "-");
            let letters: String =
                options.filter(|word| !word.starts_with("--")).map(|word| &word[1..]).collect();
            let isolated = letters.contains('I');
            PythonStart {
                own_folder: !isolated && !letters.contains('P'),
                obeys_variables: isolated || !letters.contains('E'),
            }
        })
        .collect()
}

/// The folders from which a Python process loads modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PythonStart {
    /// It loads modules from the folder of its program.
    pub(super) own_folder: bool,
    /// It obeys the variable that keeps it from compiled files, or loads no modules of the project.
    pub(super) obeys_variables: bool,
}

fn without_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::line_words::unquoted_words;

    #[test]
    fn interpreters_that_load_by_name_are_found() {
        let loads = |line: &str| loads_by_name(&unquoted_words(line), |word| word == "checks");
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
    fn python_options_decide_module_folders() {
        let start = |line: &str| {
            python(&unquoted_words(line)).into_iter().next().map(|it| (it.own_folder, it.obeys_variables))
        };
        assert_eq!(start("python3 x.py -I"), Some((true, true)));
        assert_eq!(start("env python3.12 -uP x.py"), Some((false, true)));
        assert_eq!(start("python3 -I -E x.py"), Some((false, true)));
        assert_eq!(start("python3 -E x.py"), Some((true, false)));
        assert_eq!(start("ruff check x.py"), None);
    }

    #[test]
    fn project_file_does_not_hide_runner() {
        assert!(is_runner("make", false) && is_runner("make", true) && is_runner("/usr/bin/make", false));
        assert!(is_runner("./gradlew", true) && !is_runner("scripts/task", true));
    }
}
