//! The cache of replies.

use std::sync::Arc;
use std::time::Duration;

use crate::{HookReply, Timestamp};

/// Keeps replies for a while.
///
/// Duties: a reply is found under exactly its key; a damaged or old entry, or one of another user, is not found; a
/// failed write is ignored.
pub trait ReplyCache: Send + Sync {
    /// The reply under a key, if it was kept less than `ttl` before `now`.
    fn find(&self, key: &str, ttl: Duration, now: Timestamp) -> Option<HookReply>;

    /// Keeps a reply.
    fn keep(&self, key: &str, reply: &HookReply, now: Timestamp);
}

impl<C: ReplyCache + ?Sized> ReplyCache for Arc<C> {
    fn find(&self, key: &str, ttl: Duration, now: Timestamp) -> Option<HookReply> {
        (**self).find(key, ttl, now)
    }

    fn keep(&self, key: &str, reply: &HookReply, now: Timestamp) {
        (**self).keep(key, reply, now);
    }
}
