//! What a process inherits from whoever started it, put right.

/// Lets the exit codes of hooks reach us.
///
/// A parent that ignores SIGCHLD hands that on, and then the kernel reaps our hooks before we can: an exit
/// code 2, which denies, would read as no exit code at all. Called once, before any thread or child exists.
#[expect(unsafe_code, reason = "setting a signal's disposition has no safe interface")]
pub fn hear_of_children() {
    // SAFETY: SIG_DFL is no handler of ours, so nothing runs in signal context; there is no other thread.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
    }
}
