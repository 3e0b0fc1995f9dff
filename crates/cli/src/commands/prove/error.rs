//! Why an agent cannot be put to the proof: what is missing, and what to type next.

use std::fmt;

use strum::{IntoStaticStr, VariantNames};

use crate::listing::{columns, typed};

/// An expected error.
#[derive(Debug, IntoStaticStr, VariantNames)]
pub(crate) enum ProofError {
    /// None of those that can be proven is on `PATH`.
    NobodyHere(Vec<Provable>),
    /// The one that was named is not.
    NotHere(Provable),
    /// There is no such file as the one that was named.
    NoFile { agent: Provable, file: String },
    /// An agent that is known from its documents alone.
    Documented { title: &'static str, name: String },
}

/// An agent that can be proven, and how one gets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Provable {
    /// What people call it.
    pub(crate) title: &'static str,
    /// What they type.
    pub(crate) name: &'static str,
    /// Its program, as `PATH` has it.
    pub(crate) program: &'static str,
    /// The npm package that brings the program.
    pub(crate) package: &'static str,
}

impl Provable {
    fn install(&self) -> String {
        format!("npm install --global {}", self.package)
    }
}

impl ProofError {
    /// What to type next.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::NobodyHere(all) => {
                let row = |it: &Provable| vec![format!("  {}", it.name), it.title.to_owned(), it.install()];
                let rows: Vec<Vec<String>> = all.iter().map(row).collect();
                format!(
                    "install one of these, or name its program: `tenter prove NAME --agent-path FILE`\n{}",
                    columns(&rows).join("\n")
                )
            }
            Self::NotHere(agent) => format!(
                "`{}` installs it; if it lies elsewhere, `tenter prove {} --agent-path FILE`",
                agent.install(),
                agent.name
            ),
            Self::NoFile { agent, .. } => format!(
                "name the file of its program; `tenter prove {}` takes the `{}` on PATH",
                agent.name, agent.program
            ),
            Self::Documented { name, .. } => format!(
                "`tenter doctor` says whether its settings call tenter; to see hooks fire, run it after `tenter init {0}` and read `tenter audit show`",
                typed(name)
            ),
        }
    }
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NobodyHere(_) => f.write_str("no agent that can be proven is on PATH"),
            Self::NotHere(Provable { title, program, .. }) => {
                write!(f, "{title} is not here: there is no `{program}` on PATH")
            }
            Self::NoFile { agent, file } => {
                write!(f, "{} is not there: there is no file `{file}`", agent.title)
            }
            Self::Documented { title, .. } => write!(
                f,
                "{title} is not proven: tenter knows it from its documents alone; a proof needs payloads that it really sent, and a run of it, without a person and without a key, against a scripted model"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::error::CliError;

    #[test]
    fn every_error_says_what_happened_and_what_to_type_next() {
        let agent = |title, name, package| Provable { title, name, program: name, package };
        let claude = || agent("Claude Code", "claude", "@anthropic-ai/claude-code");
        let all = [
            ProofError::NobodyHere(vec![claude(), agent("Codex CLI", "codex", "@openai/codex")]),
            ProofError::NotHere(claude()),
            ProofError::NoFile { agent: claude(), file: "missing".to_owned() },
            ProofError::Documented { title: "Cursor", name: "cursor".to_owned() },
        ];
        let shown: BTreeSet<&str> = all.iter().map(Into::into).collect();
        assert_eq!(shown, ProofError::VARIANTS.iter().copied().collect(), "an error has no snapshot");
        let text = all.map(CliError::Proof).map(|error| format!("[exit {}] {error}", error.exit_code()));
        insta::assert_snapshot!(text.join("\n"));
    }
}
