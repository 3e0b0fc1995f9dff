//! The context windows that providers document.

/// Families and their context windows in tokens; the first match counts. The window is the input limit where a provider
/// states input and output separately.
const FAMILIES: [(&str, u64); 17] = [
    ("claude", 200_000),
    ("gpt-5-chat", 128_000),
    ("gpt-5", 272_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("chatgpt-4o", 128_000),
    ("gpt-4-turbo", 128_000),
    ("gpt-4-32k", 32_768),
    ("gpt-4", 8_192),
    ("gpt-3.5-turbo", 16_385),
    ("o1-mini", 128_000),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4-mini", 200_000),
    ("gemini-1.5-pro", 2_097_152),
    ("gemini-1.5", 1_048_576),
    ("gemini", 1_048_576),
];

/// The context window of a model. A server may prefix the provider: `anthropic/claude-sonnet-4.5`.
pub(super) fn context_window(model: &str) -> Option<u64> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let belongs_to = |family: &str| {
        let rest = name.strip_prefix(family);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.', ':', '@']))
    };
    FAMILIES.iter().find(|(family, _)| belongs_to(family)).map(|(_, window)| *window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_name_selects_the_window() {
        for (model, window) in [
            ("claude-sonnet-4-5", Some(200_000)),
            ("anthropic/claude-sonnet-4.5", Some(200_000)),
            ("gpt-5", Some(272_000)),
            ("gpt-5.1-codex", Some(272_000)),
            ("gpt-5-chat-latest", Some(128_000)),
            ("gpt-4o-mini", Some(128_000)),
            ("gpt-4-0613", Some(8_192)),
            ("o3-mini", Some(200_000)),
            ("models/gemini-2.5-pro", Some(1_048_576)),
            ("gpt-oss:20b", None),
            ("o10", None),
            ("llama3.2", None),
            ("scripted", None),
        ] {
            assert_eq!(context_window(model), window, "{model}");
        }
    }
}
