//! Recognises the commands that run tests or builds.
//!
//! A command that only prints information (`pytest --version`, `cargo test -- --list`) is no run.

use tenter_shell::{Reach, contains_word, program_name, unwrap_command};

use super::run::{Kind, Runner};

type KnownRun = Option<(Runner, Kind)>;

/// The command after assignments, wrappers, `python -m` and `coverage run -m`.
pub(super) fn real_command<'a, 'w>(words: &'a [&'w str]) -> &'a [&'w str] {
    let command = unwrap_command(words, Reach::Environment);
    python_module(command).map_or(command, real_command)
}

fn python_module<'a, 'w>(words: &'a [&'w str]) -> Option<&'a [&'w str]> {
    let (program, arguments) = words.split_first()?;
    let arguments = match program_name(program) {
        "coverage" => arguments.split_first().filter(|(first, _)| **first == "run")?.1,
        name if is_python(name) => arguments,
        _ => return None,
    };
    // `-X dev` takes a value; a script ends the search.
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        match *word {
            "-m" | "--module" => return arguments.get(at + 1..).filter(|rest| !rest.is_empty()),
            "-X" | "-W" | "--source" | "--rcfile" | "--omit" | "--include" | "--data-file" => at += 2,
            option if option.starts_with('-') => at += 1,
            _ => return None,
        }
    }
    None
}

fn is_python(name: &str) -> bool {
    let version = ["python", "pypy"].iter().find_map(|own| name.strip_prefix(own));
    version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// Programs that only run tests, and the options with which they run none.
const TEST_RUNNERS: [(&str, Runner, &str); 8] = [
    (
        "pytest py.test",
        Runner::Pytest,
        "--collect-only --co --fixtures --markers --cache-show --setup-plan -V",
    ),
    ("unittest", Runner::Unittest, ""),
    ("jest", Runner::Jest, "--listTests --showConfig --init --clearCache -v"),
    ("mocha _mocha", Runner::Mocha, "--dry-run --list-files --list-reporters -V"),
    ("rspec", Runner::Rspec, "--dry-run --init -v"),
    (
        "phpunit phpunit.phar",
        Runner::Phpunit,
        "--list-tests --list-suites --list-groups --list-tests-xml --generate-configuration",
    ),
    ("ctest", Runner::Ctest, "-N --show-only --print-labels"),
    ("bats", Runner::Bats, "--count -c -v"),
];

/// The run of a command without wrappers.
pub(super) fn recognise_run(command: &[&str]) -> KnownRun {
    let (program, arguments) = command.split_first()?;
    let (name, arguments) = (program_name(program), Arguments(arguments));
    let unless = |options: &str, runner: Runner, kind: Kind| {
        (!arguments.asks() && !arguments.has(options)).then_some((runner, kind))
    };
    if let Some((_, runner, asking)) = TEST_RUNNERS.iter().find(|(names, ..)| contains_word(names, name)) {
        return unless(asking, *runner, Kind::Test);
    }
    match name {
        "cargo" => cargo(arguments),
        "cargo-nextest" => nextest(arguments.behind("nextest").unwrap_or(arguments)),
        "react-scripts" => (arguments.first() == Some("test")).then_some((Runner::Jest, Kind::Test)),
        "vitest" => match arguments.first() {
            Some("list" | "init" | "bench") => None,
            _ => unless("-v", Runner::Vitest, Kind::Test),
        },
        "node" | "tsx" => unless("-v", Runner::NodeTest, Kind::Test).filter(|_| arguments.has("--test")),
        "go" => go(arguments),
        "npm" => npm(arguments),
        "pnpm" | "yarn" | "bun" => package_manager(arguments),
        "make" | "gmake" => make(arguments),
        "tsc" => unless("--init --showConfig -v --all -w", Runner::Tsc, Kind::Build),
        "gradle" | "gradlew" | "gradlew.bat" => gradle(arguments),
        "mvn" | "mvnw" | "mvnd" | "mvnw.cmd" => maven(arguments),
        "dotnet" => dotnet(arguments),
        "php" => recognise_run(arguments.script()),
        "ruby" => recognise_run(arguments.script()).filter(|(runner, _)| *runner == Runner::Rspec),
        "cmake" => cmake(arguments),
        "manage.py" => django_test(arguments),
        name if is_python(name) => django(arguments),
        _ => None,
    }
}

/// Whether an unknown command only prints help or a version, or watches files.
pub(super) fn only_asks(command: &[&str]) -> bool {
    Arguments(command.get(1..).unwrap_or_default()).asks()
}

/// The words after the name of a program.
#[derive(Clone, Copy)]
struct Arguments<'a>(&'a [&'a str]);

impl<'a> Arguments<'a> {
    fn first(self) -> Option<&'a str> {
        self.0.first().copied()
    }

    /// Whether one of these options is there, before `--`, with or without `=value`.
    fn has(self, options: &str) -> bool {
        self.own().any(|word| contains_word(options, word.split('=').next().unwrap_or(word)))
    }

    /// Whether the command only prints help or a version, or watches files until it is stopped.
    fn asks(self) -> bool {
        self.has("--help --version -h -help")
            || self.own().any(|word| contains_word("--watch --watchAll --watch-all --watch=true", word))
    }

    /// The subcommand and its arguments; none if it only prints help. `valued` are options that take a value.
    fn subcommand(self, valued: &str) -> Option<(&'a str, Self)> {
        let (command, rest) = self.without_options(valued).0.split_first()?;
        let rest = Self(rest);
        (!rest.asks()).then_some((*command, rest))
    }

    /// The words before `--`.
    fn own(self) -> impl Iterator<Item = &'a str> {
        self.0.iter().copied().take_while(|word| *word != "--")
    }

    /// The words after this first one.
    fn behind(self, first: &str) -> Option<Self> {
        (self.first() == Some(first)).then(|| Self(&self.0[1..]))
    }

    /// The words from the first operand on; `valued` are options that take a value.
    fn without_options(self, valued: &str) -> Self {
        let mut rest = self.0;
        while let Some(first) = rest.first().filter(|word| word.starts_with('-')) {
            rest = rest.get(1 + usize::from(contains_word(valued, first))..).unwrap_or_default();
        }
        Self(rest)
    }

    /// The words that are neither options nor their values.
    fn operands(self, valued: &str) -> Vec<&'a str> {
        let mut found = Vec::new();
        let mut words = self.own();
        while let Some(word) = words.next() {
            if contains_word(valued, word) {
                words.next();
            } else if !word.starts_with('-') {
                found.push(word);
            }
        }
        found
    }

    /// The script that an interpreter runs, and its arguments.
    fn script(self) -> &'a [&'a str] {
        self.without_options("-d -c -I -r").0
    }
}

fn cargo(arguments: Arguments<'_>) -> KnownRun {
    let rest = match arguments.0.split_first() {
        Some((toolchain, rest)) if toolchain.starts_with('+') => Arguments(rest),
        _ => arguments,
    };
    let (command, rest) = rest.subcommand("--color --config --manifest-path -C -Z")?;
    let lists = rest.0.iter().any(|word| ["--list", "--help"].contains(word));
    match command {
        "test" | "t" if rest.has("--no-run") => Some((Runner::Cargo, Kind::Build)),
        "test" | "t" => (!lists).then_some((Runner::Cargo, Kind::Test)),
        "nextest" => nextest(rest),
        "build" | "b" | "check" | "c" | "rustc" => Some((Runner::Cargo, Kind::Build)),
        _ => None,
    }
}

fn nextest(arguments: Arguments<'_>) -> KnownRun {
    let (command, rest) = arguments.subcommand("--manifest-path --color --config-file")?;
    contains_word("run r", command).then_some(if rest.has("--no-run") {
        (Runner::Cargo, Kind::Build)
    } else {
        (Runner::Nextest, Kind::Test)
    })
}

fn go(arguments: Arguments<'_>) -> KnownRun {
    let (command, rest) = arguments.subcommand("-C")?;
    match command {
        "test" if rest.has("-list --list -n") => None,
        // Only benchmarks.
        "test" if rest.has("-bench") && rest.has("-run") => None,
        "test" if rest.has("-c") => Some((Runner::Go, Kind::Build)),
        "test" => Some((Runner::Go, Kind::Test)),
        "build" if !rest.has("-n") => Some((Runner::Go, Kind::Build)),
        _ => None,
    }
}

const NODE_VALUED: &str = "--prefix -w --workspace -C --dir --cwd --filter -F --loglevel";

fn npm(arguments: Arguments<'_>) -> KnownRun {
    let (command, rest) = arguments.subcommand(NODE_VALUED)?;
    match command {
        "test" | "t" | "tst" => Some((Runner::Script, Kind::Test)),
        "run" | "run-script" | "rum" | "urn" => script(rest.without_options(NODE_VALUED).first()?),
        // npm has no such command, but people type it, and the specification lists it.
        "build" => Some((Runner::Script, Kind::Build)),
        _ => None,
    }
}

/// pnpm, yarn and bun run scripts, and the programs of a package, under their plain names.
fn package_manager(arguments: Arguments<'_>) -> KnownRun {
    let mut rest = arguments.without_options(NODE_VALUED);
    if rest.first() == Some("workspace") {
        rest = Arguments(rest.0.get(2..).unwrap_or_default());
    }
    if rest.first() == Some("workspaces") {
        let run = rest.0.iter().position(|word| *word == "run")?;
        rest = Arguments(&rest.0[run..]);
    }
    if let Some(behind) = rest.behind("run") {
        rest = behind.without_options(NODE_VALUED);
    }
    let (name, behind) = rest.0.split_first()?;
    if Arguments(behind).asks() {
        return None;
    }
    match *name {
        "t" => Some((Runner::Script, Kind::Test)),
        name => script(name).or_else(|| recognise_run(rest.0)),
    }
}

/// `test`, `test:unit`, `unit-test`; `build`, `build:prod`.
fn script(name: &str) -> KnownRun {
    target(name).map(|kind| (Runner::Script, kind))
}

/// The kind of a script or target by its name. `test` wins over `build`: `test-build` tests.
fn target(name: &str) -> Option<Kind> {
    // `pretest` and `posttest` are no tests. `test-data` counts as a test by mistake.
    let has_part =
        |wanted: &str| name.split([':', '-', '_', '.', '/']).any(|part| contains_word(wanted, part));
    if name.contains("watch") || name.contains("clean") || name.contains("help") || has_part(NO_PROGRAM) {
        None
    } else if has_part("test tests unittest unittests") {
        Some(Kind::Test)
    } else {
        has_part("build compile").then_some(Kind::Build)
    }
}

/// Builds of these do not build the program.
const NO_PROGRAM: &str =
    "doc docs documentation book site website storybook image images docker changelog readme";

fn make(arguments: Arguments<'_>) -> KnownRun {
    // `-nk`
    let only_shows = |word: &str| {
        word.strip_prefix('-').is_some_and(|letters| {
            letters.contains(['n', 'q', 't'])
                && letters.bytes().all(|letter| b"bBdeiknpqrRsStvw".contains(&letter))
        })
    };
    let shows = arguments.own().any(only_shows)
        || arguments.has("--just-print --dry-run --recon --question --touch -p -v");
    if shows || arguments.asks() {
        return None;
    }
    let operands = arguments.operands("-C --directory -f --file --makefile -I -o -W");
    let targets: Vec<&&str> = operands.iter().filter(|word| is_target(word)).collect();
    if targets.is_empty() {
        // The first target of a Makefile usually builds.
        return Some((Runner::Make, Kind::Build));
    }
    let kinds: Vec<Kind> =
        targets.iter().filter_map(|name| target(name).or_else(|| by_convention(name))).collect();
    kind_of_several(&kinds).map(|kind| (Runner::Make, kind))
}

/// Excludes variables (`V=1`) and the number after `-j`.
fn is_target(word: &str) -> bool {
    !word.contains('=') && !word.bytes().all(|byte| byte.is_ascii_digit())
}

/// By convention `make check` tests and `make all` builds.
fn by_convention(name: &str) -> Option<Kind> {
    match name {
        "check" => Some(Kind::Test),
        "all" => Some(Kind::Build),
        _ => None,
    }
}

fn kind_of_several(kinds: &[Kind]) -> Option<Kind> {
    kinds.iter().copied().find(|kind| *kind == Kind::Test).or(kinds.first().copied())
}

fn gradle(arguments: Arguments<'_>) -> KnownRun {
    if arguments.asks() || arguments.has("-m --dry-run -v -t --continuous") {
        return None;
    }
    let valued = "-p --project-dir -b --build-file -x --exclude-task --tests -c -I -g";
    let kinds: Vec<Kind> = arguments
        .operands(valued)
        .iter()
        .filter_map(|task| match task.rsplit(':').next().unwrap_or(task) {
            "check" => Some(Kind::Test),
            "build" | "jar" => Some(Kind::Build),
            task if task.starts_with("compile")
                || task.starts_with("assemble")
                || task.ends_with("lasses") =>
            {
                Some(Kind::Build)
            }
            task if task.ends_with("Test") || task.starts_with("test") => Some(Kind::Test),
            _ => None,
        })
        .collect();
    kind_of_several(&kinds).map(|kind| (Runner::Gradle, kind))
}

fn maven(arguments: Arguments<'_>) -> KnownRun {
    if arguments.asks() || arguments.has("-v -V") && arguments.operands("").is_empty() {
        return None;
    }
    let valued = "-f --file -pl --projects -P -s --settings -rf -T -D";
    let skips =
        arguments.own().any(|word| word.starts_with("-DskipTests") || word.starts_with("-Dmaven.test.skip"));
    let kinds: Vec<Kind> = arguments
        .operands(valued)
        .iter()
        .filter_map(|phase| match *phase {
            "test" | "verify" | "integration-test" | "surefire:test" | "failsafe:integration-test"
                if !skips =>
            {
                Some(Kind::Test)
            }
            "compile" | "test-compile" | "package" | "install" | "test" | "verify" => Some(Kind::Build),
            _ => None,
        })
        .collect();
    kind_of_several(&kinds).map(|kind| (Runner::Maven, kind))
}

fn dotnet(arguments: Arguments<'_>) -> KnownRun {
    let (command, rest) = arguments.subcommand("")?;
    match command {
        "test" | "vstest" => (!rest.has("--list-tests -t")).then_some((Runner::Dotnet, Kind::Test)),
        "build" | "msbuild" => Some((Runner::Dotnet, Kind::Build)),
        _ => None,
    }
}

fn cmake(arguments: Arguments<'_>) -> KnownRun {
    let at = arguments.0.iter().position(|word| *word == "--build")?;
    let behind = Arguments(&arguments.0[at + 1..]);
    let tests = behind
        .0
        .windows(2)
        .any(|pair| matches!(pair[0], "--target" | "-t") && target(pair[1]) == Some(Kind::Test));
    Some((Runner::Cmake, if tests { Kind::Test } else { Kind::Build }))
}

/// `python manage.py test`
fn django(arguments: Arguments<'_>) -> KnownRun {
    let script = arguments.without_options("-X -W");
    let (program, rest) = script.0.split_first()?;
    match program_name(program) {
        "manage.py" => django_test(Arguments(rest)),
        // A virtual environment's own script, by its path.
        "pytest" | "py.test" => recognise_run(script.0),
        _ => None,
    }
}

fn django_test(arguments: Arguments<'_>) -> KnownRun {
    let rest = arguments.behind("test")?;
    (!rest.asks()).then_some((Runner::Unittest, Kind::Test))
}
