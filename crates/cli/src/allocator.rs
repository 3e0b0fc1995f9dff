//! The allocator of the static build. Its C library asks the system for nearly every allocation; this allocator took a
//! hook process from 1.32 to 1.0 times `/bin/true` (median of 400, 20 hooks, none matches).

use std::alloc::{GlobalAlloc, Layout};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dlmalloc::{Allocator, Dlmalloc};

#[global_allocator]
static MEMORY: Memory = Memory(Mutex::new(Dlmalloc::new_with_allocator(Pages)));

/// A hook call needs one piece of this size.
const PIECE: usize = 64 * 1024;

struct Memory(Mutex<Dlmalloc<Pages>>);

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Dlmalloc<Pages>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[expect(unsafe_code, reason = "an allocator returns uninitialized memory")]
// SAFETY: every call is passed on unchanged, by one thread at a time.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promised.
        unsafe { self.lock().malloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { self.lock().free(at, layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promised.
        unsafe { self.lock().calloc(layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promised.
        unsafe { self.lock().realloc(at, layout.size(), layout.align(), size) }
    }
}

/// Memory from the system. The first piece is populated at once: a call touches nine of its sixteen pages, with one
/// fault each.
struct Pages;

#[expect(unsafe_code, reason = "the system gives memory by address")]
// SAFETY: every returned mapping is new, and only returned mappings are freed.
unsafe impl Allocator for Pages {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let at_once = if size <= PIECE { libc::MAP_POPULATE } else { 0 };
        let flags = libc::MAP_ANONYMOUS | libc::MAP_PRIVATE | at_once;
        // SAFETY: a new mapping without other references.
        let at =
            unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if at == libc::MAP_FAILED { (ptr::null_mut(), 0, 0) } else { (at.cast(), size, 0) }
    }

    fn remap(&self, at: *mut u8, size: usize, new: usize, can_move: bool) -> *mut u8 {
        let flags = if can_move { libc::MREMAP_MAYMOVE } else { 0 };
        // SAFETY: a mapping of ours, of this size.
        let at = unsafe { libc::mremap(at.cast(), size, new, flags) };
        if at == libc::MAP_FAILED { ptr::null_mut() } else { at.cast() }
    }

    fn free_part(&self, at: *mut u8, size: usize, new: usize) -> bool {
        // SAFETY: the end of a mapping of ours.
        unsafe { libc::munmap(at.add(new).cast(), size - new) == 0 }
    }

    fn free(&self, at: *mut u8, size: usize) -> bool {
        // SAFETY: a mapping of ours, of this size.
        unsafe { libc::munmap(at.cast(), size) == 0 }
    }

    fn can_release_part(&self, _flags: u32) -> bool {
        true
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        4096
    }
}
