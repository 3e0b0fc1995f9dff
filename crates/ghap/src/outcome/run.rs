//! Test and build runs in a command line.

macro_rules! runners {
    ($($runner:ident = $name:literal,)*) => {
        /// The program that runs the tests or the build.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Runner { $(#[doc = $name] $runner,)* }

        impl Runner {
            /// The name for messages.
            pub fn name(self) -> &'static str {
                match self { $(Self::$runner => $name,)* }
            }
        }
    };
}

runners! {
    Pytest = "pytest",
    Unittest = "unittest",
    Cargo = "cargo",
    Nextest = "nextest",
    Jest = "jest",
    Vitest = "vitest",
    Mocha = "mocha",
    NodeTest = "node --test",
    Go = "go",
    Script = "package script",
    Make = "make",
    Tsc = "tsc",
    Gradle = "gradle",
    Maven = "maven",
    Dotnet = "dotnet",
    Rspec = "rspec",
    Phpunit = "phpunit",
    Ctest = "ctest",
    Cmake = "cmake",
    Bats = "bats",
    Other = "own command",
}

/// Whether a run tests or builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Tests.
    Test,
    /// A build.
    Build,
}

impl Kind {
    /// The first word of a message.
    pub fn word(self) -> &'static str {
        match self {
            Self::Test => "Test",
            Self::Build => "Build",
        }
    }
}

/// One run in a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is known or not on its own")]
pub struct Run {
    /// The program.
    pub runner: Runner,
    /// Tests or a build.
    pub kind: Kind,
    /// The command without its wrappers.
    pub words: Vec<String>,
    /// Exit code 0 of the whole line means that this run passed.
    pub zero_means_passed: bool,
    /// Another exit code of the whole line means that this run failed.
    pub nonzero_means_failed: bool,
    /// The output has the last lines of this run.
    pub end_shown: bool,
    /// How much of the output is from this run.
    pub printed: Printed,
    /// Another program selects the tests, and may select none: `git diff --name-only | xargs pytest`.
    pub fed: bool,
}

/// How much of the output of a line is from one of its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Printed {
    /// All of it, or the end of it.
    Own,
    /// Lines that a filter selected, or the beginning of it.
    Filtered,
    /// Other commands of the line print too.
    Shared,
    /// None: the output of the run went elsewhere, or a program rewrote it.
    Foreign,
}
