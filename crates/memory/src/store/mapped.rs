//! Memory-mapped files.

use std::io;
use std::ops::Deref;
use std::path::Path;

use tenter_store::open_to_read;

/// Bytes in memory or in a mapped file.
#[derive(Debug)]
pub(super) enum Bytes {
    Here(Vec<u8>),
    InFile(memmap2::Mmap),
}

impl Bytes {
    /// Maps a file that is never changed, only replaced by a rename.
    pub(super) fn of_file(path: &Path) -> io::Result<Self> {
        let file = open_to_read(path)?;
        // SAFETY: only tenter writes the file (mode 0600), always by a rename, so the mapped file neither changes nor
        // becomes shorter.
        #[expect(unsafe_code, reason = "reading a hundred thousand vectors takes longer than comparing them")]
        let mapped = unsafe { memmap2::Mmap::map(&file) };
        mapped.map(Self::InFile)
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Here(bytes) => bytes,
            Self::InFile(mapped) => mapped,
        }
    }
}
