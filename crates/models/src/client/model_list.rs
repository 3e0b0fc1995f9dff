//! Lists of models, and which of these models chat.

use serde_json::Value;

/// Parts of the names of models for embeddings and reranking.
const OTHER_NAMES: [&str; 3] = ["embed", "rerank", "minilm"];
/// Families of such models, as words of their names.
const OTHER_FAMILIES: [&str; 4] = ["bge", "gte", "e5", "colbert"];

/// The names in a list of models, in the format of OpenAI or Ollama.
pub(super) fn names(body: &[u8]) -> Vec<String> {
    let list: Value = serde_json::from_slice(body).unwrap_or_default();
    let formats = [("data", "id"), ("models", "name")].into_iter();
    let models = formats.flat_map(|(models, name)| {
        list[models].as_array().into_iter().flatten().filter_map(move |model| model[name].as_str())
    });
    models.map(str::to_owned).collect()
}

/// Whether a model with this name chats. Servers do not state it.
pub(super) fn can_chat(name: &str) -> bool {
    let name = name.to_lowercase();
    let is_word = |family: &&str| name.split(|c: char| !c.is_alphanumeric()).any(|word| word == *family);
    !OTHER_NAMES.iter().any(|part| name.contains(part)) && !OTHER_FAMILIES.iter().any(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedding_models_cannot_chat() {
        for (name, expected) in [
            ("qwen3:8b", true),
            ("gpt-oss-20b", true),
            ("llama-3.2-e50", true),
            ("text-embedding-3-small", false),
            ("nomic-embed-text:latest", false),
            ("Qwen/Qwen3-Reranker-0.6B", false),
            ("BAAI/bge-m3", false),
            ("intfloat/e5-large-v2", false),
            ("all-minilm", false),
        ] {
            assert_eq!(can_chat(name), expected, "{name}");
        }
    }

    #[test]
    fn both_list_formats_are_read() {
        for (list, expected) in [
            (r#"{"data": [{"id": "a"}, {"id": "b"}]}"#, vec!["a", "b"]),
            (r#"{"models": [{"name": "a"}]}"#, vec!["a"]),
            (r#"{"data": null}"#, vec![]),
            ("<html>", vec![]),
        ] {
            assert_eq!(names(list.as_bytes()), expected, "{list}");
        }
    }
}
