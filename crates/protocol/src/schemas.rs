//! The JSON schemas of version 1, as `tenter schema` prints them and as they lie in `schemas/`.

use schemars::schema_for;

use crate::v1::approval_request::ApprovalRequestV1;
use crate::v1::event::EventV1;
use crate::v1::outcome::OutcomeV1;
use crate::v1::record::RecordV1;
use crate::v1::reply::ReplyV1;
use crate::v1::watch::WatchLineV1;

/// Every schema: its name and its text as committed.
pub const ALL: [(&str, &str); 6] = [
    ("event", include_str!("../schemas/event.v1.json")),
    ("reply", include_str!("../schemas/reply.v1.json")),
    ("outcome", include_str!("../schemas/outcome.v1.json")),
    ("record", include_str!("../schemas/record.v1.json")),
    ("request", include_str!("../schemas/request.v1.json")),
    ("watch", include_str!("../schemas/watch.v1.json")),
];

/// The schema of that name, generated from the types.
pub fn generate(name: &str) -> Option<String> {
    let schema = match name {
        "event" => schema_for!(EventV1),
        "reply" => schema_for!(ReplyV1),
        "outcome" => schema_for!(OutcomeV1),
        "record" => schema_for!(RecordV1),
        "request" => schema_for!(ApprovalRequestV1),
        "watch" => schema_for!(WatchLineV1),
        _ => return None,
    };
    serde_json::to_string_pretty(&schema).ok().map(|text| text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_schemas_are_the_types() {
        for (name, committed) in ALL {
            let generated = generate(name).unwrap();
            if std::env::var_os("UPDATE_SCHEMAS").is_some() {
                let path = format!("{}/schemas/{name}.v1.json", env!("CARGO_MANIFEST_DIR"));
                std::fs::write(path, &generated).unwrap();
            } else {
                assert_eq!(committed, generated, "schemas/{name}.v1.json is stale; run `just schemas`");
            }
        }
    }
}
