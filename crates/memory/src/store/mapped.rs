//! The bytes of a file without reading them: only what is checked comes from the disk.

use std::io;
use std::ops::Deref;
use std::path::Path;

use tenter_store::open_to_read;

/// Bytes that lie in memory, or in a file that seems as if it did.
#[derive(Debug)]
pub(super) enum Bytes {
    Here(Vec<u8>),
    InFile(memmap2::Mmap),
}

impl Bytes {
    /// The bytes of a file that is never changed, only replaced as a whole by another of its name.
    pub(super) fn of_file(path: &Path) -> io::Result<Self> {
        let file = open_to_read(path)?;
        // SAFETY: the file is ours alone to write (mode 0600), and the one that does writes a new one and renames it, so
        // what is mapped here neither changes nor becomes shorter while it is checked.
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
