//! The enums of an entry. They are spelled as in the journals of the system that introduced them.

/// An enum whose values have one spelling, in files, in parameters and in messages.
#[macro_export]
macro_rules! spelled_words {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$word_doc:meta])* $word:ident = $spelling:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$word_doc])* #[doc = concat!("`", $spelling, "`")] $word,)* }

        impl $name {
            /// Every value, in the order in which messages list them.
            pub const ALL: &'static [Self] = &[$(Self::$word,)*];
            /// The name of the type in messages.
            pub const WHAT: &'static str = $what;

            /// The spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$word => $spelling,)* }
            }

            /// Reads the spelling.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.as_str() == text)
            }

            /// Reads a value that a user typed; the error lists all values.
            pub fn read(text: &str) -> Result<Self, $crate::GhapError> {
                Self::parse(text.trim()).ok_or_else(|| {
                    let all = Self::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", ");
                    // Long input is not repeated in full.
                    let typed: String = text.chars().take(60).collect();
                    $crate::GhapError::validation(format!("`{typed}` is no {}", $what))
                        .with_hint(format!("there are: {all}"))
                })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <String as ::serde::Deserialize>::deserialize(from)?;
                Self::parse(&text).ok_or_else(|| ::serde::de::Error::custom(format!("`{text}` is no {}", $what)))
            }
        }
    };
}

spelled_words! {
    /// The kind of work.
    Domain, "domain" {
        Debugging = "debugging",
        Refactoring = "refactoring",
        Feature = "feature",
        Testing = "testing",
        Configuration = "configuration",
        Documentation = "documentation",
        Performance = "performance",
        Security = "security",
        Integration = "integration",
    }
}

spelled_words! {
    /// The strategy of the agent.
    Strategy, "strategy" {
        SystematicElimination = "systematic-elimination",
        TrialAndError = "trial-and-error",
        ResearchFirst = "research-first",
        DivideAndConquer = "divide-and-conquer",
        RootCauseAnalysis = "root-cause-analysis",
        CopyFromSimilar = "copy-from-similar",
        CheckAssumptions = "check-assumptions",
        ReadTheError = "read-the-error",
        AskUser = "ask-user",
    }
}

spelled_words! {
    /// The status of a resolved entry.
    Status, "outcome" {
        Confirmed = "confirmed",
        Falsified = "falsified",
        Abandoned = "abandoned",
    }
}

spelled_words! {
    /// The kind of cause of a wrong prediction.
    Category, "root cause category" {
        WrongAssumption = "wrong-assumption",
        MissingKnowledge = "missing-knowledge",
        Oversight = "oversight",
        EnvironmentIssue = "environment-issue",
        MisleadingSymptom = "misleading-symptom",
        IncompleteFix = "incomplete-fix",
        WrongScope = "wrong-scope",
        TestIsolation = "test-isolation",
        TimingIssue = "timing-issue",
    }
}

spelled_words! {
    /// The evidence for the outcome of an entry.
    Tier, "confidence tier" {
        /// The last test or build run that tenter compared with the prediction agrees.
        Gold = "gold",
        /// The agent's word, with a description.
        Silver = "silver",
        /// The agent's word without a description, of another session, or against a run that tenter saw.
        Bronze = "bronze",
        /// Abandoned.
        Abandoned = "abandoned",
    }
}

impl Tier {
    /// The weight in search results.
    pub const fn weight(self) -> f32 {
        match self {
            Self::Gold => 1.0,
            Self::Silver => 0.8,
            Self::Bronze => 0.5,
            Self::Abandoned => 0.2,
        }
    }
}
