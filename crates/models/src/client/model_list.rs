//! Lists of models, and which of these models chat.

use serde_json::Value;

/// Parts of the names of models for embeddings and reranking.
const OF_NO_TALKER: [&str; 3] = ["embed", "rerank", "minilm"];
/// Families of such models, as words of their names.
const FAMILIES_OF_NO_TALKER: [&str; 4] = ["bge", "gte", "e5", "colbert"];

/// The names in a list of models, as OpenAI's API has them, or Ollama's own.
pub(super) fn names(body: &[u8]) -> Vec<String> {
    let list: Value = serde_json::from_slice(body).unwrap_or_default();
    let of = |list: &Value, key: &str| -> Vec<String> {
        let models = list.as_array().into_iter().flatten();
        models.filter_map(|model| model[key].as_str()).map(str::to_owned).collect()
    };
    let names = of(&list["data"], "id");
    if names.is_empty() { of(&list["models"], "name") } else { names }
}

/// Whether a model of this name chats. No server states it otherwise.
pub(super) fn talks(name: &str) -> bool {
    let name = name.to_lowercase();
    let is_word = |family: &&str| name.split(|c: char| !c.is_alphanumeric()).any(|word| word == *family);
    !OF_NO_TALKER.iter().any(|part| name.contains(part)) && !FAMILIES_OF_NO_TALKER.iter().any(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_makes_numbers_or_an_order_does_not_talk() {
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
            assert_eq!(talks(name), expected, "{name}");
        }
    }

    #[test]
    fn both_forms_of_a_list_are_read() {
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
