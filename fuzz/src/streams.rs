//! What a model's server streams: no bytes make a reader panic, and every call of a reply has its own id.

use tenter_models::client::Reply;

/// Reads a stream as every API would.
pub fn stream(bytes: &[u8]) {
    for reply in read(bytes) {
        assert!(reply.calls().all(|call| !call.id.is_empty() && !call.name.is_empty()), "{reply:?}");
    }
}

#[cfg(fuzzing)]
fn read(bytes: &[u8]) -> Vec<Reply> {
    tenter_models::Api::ALL.into_iter().filter_map(|api| tenter_models::client::read_stream(api, bytes)).collect()
}

/// Without cargo-fuzz nothing is read: the seeds are only copied.
#[cfg(not(fuzzing))]
fn read(_: &[u8]) -> Vec<Reply> {
    Vec::new()
}
