//! The arguments of the process, for programs whose `main` the C library calls: with musl the standard library knows
//! them only if it started the program itself.

use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

static KEPT: OnceLock<Vec<OsString>> = OnceLock::new();

/// Keeps the words that the C library gave to `main`.
///
/// # Safety
/// There must be `count` pointers at `words`, each to a text that ends with a zero, as `main` gets them.
#[expect(unsafe_code, reason = "the C library gives pointers")]
pub unsafe fn keep(count: c_int, words: *const *const c_char) {
    let count = usize::try_from(count).unwrap_or(0);
    let read = |at| {
        // SAFETY: `at` is below `count`, and the caller promises that many texts.
        let word = unsafe { CStr::from_ptr(*words.add(at)) };
        OsStr::from_bytes(word.to_bytes()).to_owned()
    };
    let _ = KEPT.set((0..count).map(read).collect());
}

/// The words after the program's name.
pub fn of_process() -> impl Iterator<Item = OsString> {
    let words = KEPT.get().cloned().unwrap_or_else(|| std::env::args_os().collect());
    words.into_iter().skip(1)
}
