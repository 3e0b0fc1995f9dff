//! Reading JSON into types that are flattened or untagged.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a value first, and the type from it. Numbers keep their spelling (`arbitrary_precision`), and serde cannot read
/// such a number from text directly into a flattened or untagged type.
pub(crate) fn typed<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_value(serde_json::from_slice::<Value>(bytes)?)
}
