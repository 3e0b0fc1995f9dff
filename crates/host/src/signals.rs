//! Corrects signals and streams that a process inherits from its parent.

/// Restores the signal by which exit codes of hooks arrive.
///
/// A parent that ignores SIGCHLD hands that on, and then the kernel reaps our hooks before we can: an exit
/// code 2, which denies, would read as no exit code at all. Called once, before any thread or child exists.
#[expect(unsafe_code, reason = "setting a signal's disposition has no safe interface")]
pub fn restore_child_signals() {
    // SAFETY: SIG_DFL and SIG_IGN are no handlers of ours, so nothing runs in signal context; there is no other thread.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        // Under `ulimit -f` a write must fail, and not end the process: the agent would go on without an answer.
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Does what the standard library does before it calls `main`, for a program that has a `main` of its own: a pipe
/// without a reader is an error and does not end the process, and no file that is opened later takes the place of a
/// closed standard stream. Called once, before anything else.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "setting a signal's disposition has no safe interface")]
pub fn prepare_standard_streams() {
    // SAFETY: SIG_IGN is no handler of ours, so nothing runs in signal context; there is no other thread.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
    let open = |fd: i32| {
        // SAFETY: only asks for the flags of a descriptor.
        (unsafe { libc::fcntl(fd, libc::F_GETFD) }) >= 0
    };
    // The lowest free number is given out first. An answer that cannot be read is an error.
    for (fd, path) in [(0, "/dev/null"), (1, "/dev/full"), (2, "/dev/null")] {
        if !open(fd)
            && let Ok(file) = std::fs::OpenOptions::new().read(true).write(true).open(path)
        {
            let fd = std::os::fd::IntoRawFd::into_raw_fd(file);
            // The full program must find it too: in its place the standard library would put one that takes everything.
            // SAFETY: sets the flags of a descriptor that was just opened here.
            unsafe { libc::fcntl(fd, libc::F_SETFD, 0) };
        }
    }
}

/// Detaches a process from the agent of its parent: it leaves the session, so that no signal to a group or from a terminal
/// reaches it, and closes inherited descriptors, so that no process waits for their end. Called once, before any file is open.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "closing what one does not know has no safe interface")]
pub fn detach_from_agent() {
    // It fails only if this process already leads a group.
    let _ = rustix::process::setsid();
    // SAFETY: nothing was opened yet, so no value in this process owns one of these descriptors. Where the system
    // does not know the call, they stay open.
    unsafe {
        libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0);
    }
}
