//! The names of the agents that tenter knows, and other words for them.

/// Every agent, with the other words that people use for it.
static AGENTS: &[(&str, &[&str])] = &[
    ("claude", &["claude-code"]),
    ("cline", &["cline-cli"]),
    ("codex", &["codex-cli"]),
    ("copilot", &["copilot-cli"]),
    ("gemini", &["gemini-cli"]),
    ("kilo", &["kilo-code", "kilocode"]),
    ("opencode", &["open-code"]),
    ("qwen", &["qwen-code"]),
    ("cursor", &["cursor-agent"]),
    ("vscode", &["vs-code", "code"]),
    ("kiro", &["kiro-cli"]),
    ("amazonq", &["amazon-q", "q"]),
    ("factory", &["droid"]),
    ("augment", &["auggie"]),
    ("crush", &[]),
    ("goose", &[]),
    ("kimi", &["kimi-cli"]),
    ("windsurf", &["cascade"]),
    ("devin", &["devin-cli"]),
    ("antigravity", &["agy"]),
    ("amp", &[]),
];

/// The name of the agent that a person means. Case does not count, and `_` is `-`.
pub fn resolve(word: &str) -> Option<&'static str> {
    let wanted = word.to_ascii_lowercase().replace('_', "-");
    let is_meant = |(name, others): &&(&str, &[&str])| *name == wanted || others.contains(&wanted.as_str());
    AGENTS.iter().find(is_meant).map(|(name, _)| *name)
}

/// The agent that a person surely means by a word that no agent has as its name: another word for it, or its name with
/// a letter too many, one too few, or two swapped. A replaced letter makes another word too often: a sub-agent may be
/// called `coder`.
pub fn meant_by(word: &str) -> Option<&'static str> {
    let plain = word.to_ascii_lowercase().replace(['_', ' '], "-");
    if matches!(plain.as_str(), "code" | "q") {
        return None;
    }
    let meant = resolve(&plain).filter(|name| *name != plain);
    meant.or_else(|| AGENTS.iter().map(|(name, _)| *name).find(|name| is_slip_of(&plain, name)))
}

fn is_slip_of(word: &str, name: &str) -> bool {
    if name.len() < 4 || !word.is_ascii() || word.len().abs_diff(name.len()) > 1 || word == name {
        return false;
    }
    let without = |text: &str, at: usize| format!("{}{}", &text[..at], &text[at + 1..]);
    let swapped = |at: usize| {
        let mut bytes = word.as_bytes().to_vec();
        bytes.swap(at, at + 1);
        bytes == name.as_bytes()
    };
    match word.len() {
        longer if longer > name.len() => (0..longer).any(|at| without(word, at) == name),
        shorter if shorter < name.len() => (0..name.len()).any(|at| without(name, at) == word),
        same => (0..same - 1).any(swapped),
    }
}

/// All words that mean an agent.
#[cfg(test)]
fn words() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().flat_map(|(name, others)| std::iter::once(*name).chain(others.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_words_are_unique() {
        let mut all: Vec<&str> = words().collect();
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{all:?}");
    }

    #[test]
    fn typos_in_agent_names_are_found() {
        for (word, meant) in [
            ("claude-code", Some("claude")),
            ("Claude Code", Some("claude")),
            ("clade", Some("claude")),
            ("cluade", Some("claude")),
            ("claudee", Some("claude")),
            ("codx", Some("codex")),
            ("Gemini_CLI", Some("gemini")),
            ("open-code", Some("opencode")),
            ("claude", None),
            ("Claude", None),
            ("coder", None),
            ("code", None),
            ("reviewer", None),
            ("app", None),
            ("a1", None),
            ("", None),
            ("clаude", None),
        ] {
            assert_eq!(meant_by(word), meant, "{word}");
        }
    }
}
