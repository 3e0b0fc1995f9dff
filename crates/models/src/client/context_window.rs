//! The context windows that providers document.

/// Context windows in tokens and their model families; the first match counts. The window is the input limit where a
/// provider states input and output separately.
const WINDOWS: [(u64, &str); 9] = [
    (128_000, "gpt-5-chat gpt-4o chatgpt-4o gpt-4-turbo o1-mini"),
    (200_000, "claude o1 o3 o4-mini"),
    (272_000, "gpt-5"),
    (1_047_576, "gpt-4.1"),
    (32_768, "gpt-4-32k"),
    (8_192, "gpt-4"),
    (16_385, "gpt-3.5-turbo"),
    (2_097_152, "gemini-1.5-pro"),
    (1_048_576, "gemini"),
];

/// The context window of a model. A server may prefix the provider: `anthropic/claude-sonnet-4.5`.
pub(super) fn context_window(model: &str) -> Option<u64> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let belongs_to = |family: &str| {
        let rest = name.strip_prefix(family);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.', ':', '@']))
    };
    WINDOWS.iter().find(|(_, families)| families.split(' ').any(belongs_to)).map(|(window, _)| *window)
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
