//! JSON of any form in a derived format: as it is inside JSON, as text inside formats that have no "any".

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) fn serialize<T: Serialize, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    if to.is_human_readable() {
        return value.serialize(to);
    }
    serde_json::to_string(value).map_err(S::Error::custom)?.serialize(to)
}

pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    if from.is_human_readable() {
        return T::deserialize(from);
    }
    serde_json::from_str(&String::deserialize(from)?).map_err(D::Error::custom)
}

/// A list of none or one, because a value may be `null`.
pub(crate) mod optional {
    use super::{Deserialize, DeserializeOwned, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(bound(serialize = "T: Serialize", deserialize = "T: DeserializeOwned"))]
    struct Json<T>(#[serde(with = "super")] T);

    #[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
    pub(crate) fn serialize<T: Serialize, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(value.iter().map(Json))
    }

    pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        Ok(Vec::<Json<T>>::deserialize(from)?.pop().map(|Json(value)| value))
    }
}
