//! What a process inherits from whoever started it, put right.

/// Lets the exit codes of hooks reach us.
///
/// A parent that ignores SIGCHLD hands that on, and then the kernel reaps our hooks before we can: an exit
/// code 2, which denies, would read as no exit code at all. Called once, before any thread or child exists.
#[expect(unsafe_code, reason = "setting a signal's disposition has no safe interface")]
pub fn hear_of_children() {
    // SAFETY: SIG_DFL and SIG_IGN are no handlers of ours, so nothing runs in signal context; there is no other thread.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        // Under `ulimit -f` a write must fail, and not end the process: the agent would go on without an answer.
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Does what the standard library does before it calls `main`, for a program that has a `main` of its own: a pipe
/// that nobody reads is an error and not the end of us, and nothing that is opened later takes the place of a
/// standard stream that was closed. Called once, before anything else.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "setting a signal's disposition has no safe interface")]
pub fn stand_on_our_feet() {
    // SAFETY: SIG_IGN is no handler of ours, so nothing runs in signal context; there is no other thread.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
    let open = |fd: i32| {
        // SAFETY: only asks for the flags of a descriptor.
        (unsafe { libc::fcntl(fd, libc::F_GETFD) }) >= 0
    };
    // The lowest free number is given out first. An answer that nobody can read is an error, not a success.
    for (fd, path) in [(0, "/dev/null"), (1, "/dev/full"), (2, "/dev/null")] {
        if !open(fd)
            && let Ok(file) = std::fs::OpenOptions::new().read(true).write(true).open(path)
        {
            let fd = std::os::fd::IntoRawFd::into_raw_fd(file);
            // The full program must find it too: in its place the standard library would put one that takes everything.
            // SAFETY: sets the flags of a descriptor that belongs to nobody else.
            unsafe { libc::fcntl(fd, libc::F_SETFD, 0) };
        }
    }
}

/// Takes a process out of the hands of the agent that its parent belongs to: out of its session, so that no signal to
/// a group or from a terminal reaches it, and off everything that was left open for us by mistake, so that nobody
/// waits for an end that does not come. Called once, before any file is open.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "closing what one does not know has no safe interface")]
pub fn leave_the_agent() {
    // It fails if we lead a group already, as only somebody who plays with us makes us.
    let _ = rustix::process::setsid();
    // SAFETY: nothing was opened yet, so nobody in this process holds one of these descriptors. Where the system
    // does not know the call, they stay open.
    unsafe {
        libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0);
    }
}
