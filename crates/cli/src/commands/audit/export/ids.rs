//! The ids of traces and spans. They are made from what a record is, so that exporting it twice gives the same span.

use tenter_protocol::shorten::sha256_hex;
use tenter_protocol::v1::record::RecordV1;

/// One trace per session; what belongs to none has its own.
pub(crate) fn trace(record: &RecordV1) -> String {
    if record.session_id.is_empty() {
        return digits(32, &format!("tenter record {} {}", record.seq, record.prev));
    }
    digits(32, &format!("tenter session {}", record.session_id))
}

/// The span of a record. Its number alone is another record's after a trail was quarantined; the link is not.
pub(crate) fn span(record: &RecordV1) -> String {
    digits(16, &format!("tenter span {} {}", record.seq, record.prev))
}

pub(crate) fn of_hook(record: &RecordV1, place: usize) -> String {
    digits(16, &format!("tenter span {} {} hook {place}", record.seq, record.prev))
}

fn digits(count: usize, what: &str) -> String {
    sha256_hex(what.as_bytes()).chars().take(count).collect()
}
