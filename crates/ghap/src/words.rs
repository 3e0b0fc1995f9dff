//! The fixed words of an entry. They are spelled as in the files of the system that introduced them, so that its
//! journals can be read.

/// An enum whose values have one spelling, in files, in parameters and in messages.
#[macro_export]
macro_rules! spelled_words {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$word_doc:meta])* $word:ident = $spelling:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$word_doc])* $word,)* }

        impl $name {
            /// Every value, in the order in which messages list them.
            pub const ALL: &'static [Self] = &[$(Self::$word,)*];
            /// What such a value is called in messages.
            pub const WHAT: &'static str = $what;

            /// The spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$word => $spelling,)* }
            }

            /// Reads the spelling.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.as_str() == text)
            }

            /// Reads what a user typed; the error lists what there is.
            pub fn read(text: &str) -> Result<Self, $crate::GhapError> {
                Self::parse(text.trim()).ok_or_else(|| {
                    let all = Self::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", ");
                    // A client that sends a whole text need not read it again.
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
    /// What kind of work it is.
    Domain, "domain" {
        /// Finding out why something does not work.
        Debugging = "debugging",
        /// Changing the form and not what it does.
        Refactoring = "refactoring",
        /// Something new for users.
        Feature = "feature",
        /// Work on tests.
        Testing = "testing",
        /// Settings, builds, machines.
        Configuration = "configuration",
        /// Words for people.
        Documentation = "documentation",
        /// Making it faster or smaller.
        Performance = "performance",
        /// Making it safe.
        Security = "security",
        /// Making parts work together.
        Integration = "integration",
    }
}

spelled_words! {
    /// How the agent goes about it.
    Strategy, "strategy" {
        /// One possible cause after the other is ruled out.
        SystematicElimination = "systematic-elimination",
        /// Changes are tried until one helps.
        TrialAndError = "trial-and-error",
        /// Reading before changing.
        ResearchFirst = "research-first",
        /// The problem is cut in halves.
        DivideAndConquer = "divide-and-conquer",
        /// Asking why until there is nothing to ask.
        RootCauseAnalysis = "root-cause-analysis",
        /// Something that works is taken as the model.
        CopyFromSimilar = "copy-from-similar",
        /// What everybody believes is checked again.
        CheckAssumptions = "check-assumptions",
        /// The message is taken at its word.
        ReadTheError = "read-the-error",
        /// The person is asked.
        AskUser = "ask-user",
    }
}

spelled_words! {
    /// How an entry ended.
    Status, "outcome" {
        /// What was predicted came true.
        Confirmed = "confirmed",
        /// It did not.
        Falsified = "falsified",
        /// It is unknown.
        Abandoned = "abandoned",
    }
}

spelled_words! {
    /// Why a prediction was wrong.
    Category, "root cause category" {
        /// Something was believed that is not so.
        WrongAssumption = "wrong-assumption",
        /// Something was not known.
        MissingKnowledge = "missing-knowledge",
        /// Something was there to be seen.
        Oversight = "oversight",
        /// The machine, the network, the versions.
        EnvironmentIssue = "environment-issue",
        /// What was seen had another cause than it seemed.
        MisleadingSymptom = "misleading-symptom",
        /// A part of the cause remained.
        IncompleteFix = "incomplete-fix",
        /// The change was made in the wrong place.
        WrongScope = "wrong-scope",
        /// One test depended on another.
        TestIsolation = "test-isolation",
        /// It depended on what came first.
        TimingIssue = "timing-issue",
    }
}

spelled_words! {
    /// How far what an entry says can be relied upon.
    Tier, "confidence tier" {
        /// Resolved as the last test or build run came out that tenter itself saw and could compare with the prediction.
        Gold = "gold",
        /// Resolved by the agent's word, with something to say about it.
        Silver = "silver",
        /// Resolved by the agent's word with next to nothing stated, by another session than the one that began it, or
        /// against what tenter saw.
        Bronze = "bronze",
        /// Not resolved.
        Abandoned = "abandoned",
    }
}

impl Tier {
    /// How much an entry of this tier counts next to a gold one.
    pub const fn weight(self) -> f32 {
        match self {
            Self::Gold => 1.0,
            Self::Silver => 0.8,
            Self::Bronze => 0.5,
            Self::Abandoned => 0.2,
        }
    }
}
