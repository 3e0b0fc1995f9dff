//! A test or build run that is in a command line.

/// What runs the tests or the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    /// `pytest`
    Pytest,
    /// `python -m unittest`, and what prints as it does
    Unittest,
    /// `cargo test`, `cargo build`, `cargo check`
    Cargo,
    /// `cargo nextest run`
    Nextest,
    /// `jest`
    Jest,
    /// `vitest`
    Vitest,
    /// `mocha`
    Mocha,
    /// `node --test`
    NodeTest,
    /// `go test`, `go build`
    Go,
    /// `npm test`, `pnpm run build`, `yarn test`: a script that runs something else
    Script,
    /// `make test`, `make build`
    Make,
    /// `tsc`
    Tsc,
    /// `gradle`
    Gradle,
    /// `mvn`
    Maven,
    /// `dotnet test`, `dotnet build`
    Dotnet,
    /// `rspec`
    Rspec,
    /// `phpunit`
    Phpunit,
    /// `ctest`
    Ctest,
    /// `cmake --build`
    Cmake,
    /// `bats`
    Bats,
    /// A command that the user's `matchers` name.
    Other,
}

impl Runner {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Cargo => "cargo",
            Self::Nextest => "nextest",
            Self::Jest => "jest",
            Self::Vitest => "vitest",
            Self::Mocha => "mocha",
            Self::NodeTest => "node --test",
            Self::Go => "go",
            Self::Script => "package script",
            Self::Make => "make",
            Self::Tsc => "tsc",
            Self::Gradle => "gradle",
            Self::Maven => "maven",
            Self::Dotnet => "dotnet",
            Self::Rspec => "rspec",
            Self::Phpunit => "phpunit",
            Self::Ctest => "ctest",
            Self::Cmake => "cmake",
            Self::Bats => "bats",
            Self::Other => "own command",
        }
    }
}

/// What it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Tests.
    Test,
    /// A build.
    Build,
}

impl Kind {
    /// As a sentence begins with it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Test => "Test",
            Self::Build => "Build",
        }
    }
}

/// One run of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is known or not on its own")]
pub struct Run {
    /// What runs.
    pub runner: Runner,
    /// What it is about.
    pub kind: Kind,
    /// The command, without what it is wrapped in.
    pub words: Vec<String>,
    /// If the whole line ends with 0, this run has passed.
    pub zero_means_passed: bool,
    /// If the whole line does not end with 0, this run has failed.
    pub nonzero_means_failed: bool,
    /// The last lines that it prints are in the output.
    pub end_shown: bool,
    /// What the printed text of the line is to it.
    pub printed: Printed,
    /// Another program chooses what it runs, and may choose nothing: `git diff --name-only | xargs pytest`.
    pub fed: bool,
}

/// What the printed text of a line is to one of its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Printed {
    /// All of it, or its end.
    Own,
    /// Lines that were chosen by what they say, or its beginning.
    Filtered,
    /// Other commands of the line print text too.
    Shared,
    /// Another program's: the run's own went elsewhere, or was rewritten.
    Foreign,
}
