//! The payloads on a page, joined with their overflow pages.

use super::pages::{Pages, four, two};
use super::record::varint;

/// The first page begins with the header of the file.
const FILE_HEADER: usize = 100;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Rows of a table with rowids.
    TableLeaf,
    /// Rows of an index, or of a table without rowids.
    IndexLeaf,
    IndexInterior,
}

/// Calls back with every complete payload of a page.
pub(super) fn visit_payloads(pages: &Pages, number: u32, found: &mut dyn FnMut(&[u8])) {
    let Some(page) = pages.page(number) else { return };
    let begin = if number == 1 { FILE_HEADER } else { 0 };
    let (kind, header) = match page.get(begin) {
        Some(0x0d) => (Kind::TableLeaf, 8),
        Some(0x0a) => (Kind::IndexLeaf, 8),
        Some(0x02) => (Kind::IndexInterior, 12),
        _ => return,
    };
    // A damaged count may be too large; each cell is checked separately.
    for cell in 0..usize::from(two(page, begin + 3).unwrap_or(0)) {
        let Some(at) = two(page, begin + header + cell * 2) else { return };
        if let Some(payload) = payload(pages, page, kind, usize::from(at)) {
            found(&payload);
        }
    }
}

fn payload(pages: &Pages, page: &[u8], kind: Kind, at: usize) -> Option<Vec<u8>> {
    let cell = page.get(at..pages.usable)?;
    let cell = if kind == Kind::IndexInterior { cell.get(4..)? } else { cell };
    let (length, rest) = varint(cell)?;
    let rest = if kind == Kind::TableLeaf { varint(rest)?.1 } else { rest };
    let length = usize::try_from(length).ok()?;
    // No payload is longer than the file.
    if length / pages.usable > usize::try_from(pages.count).ok()? {
        return None;
    }
    let here = bytes_on_page(pages.usable, length, kind);
    let mut payload = rest.get(..here)?.to_vec();
    let mut next = if here < length { four(rest, here)? } else { 0 };
    for _ in 0..pages.count {
        if payload.len() >= length {
            break;
        }
        let over = pages.page(next)?.get(..pages.usable)?;
        let wanted = (length - payload.len()).min(over.len() - 4);
        payload.extend_from_slice(over.get(4..4 + wanted)?);
        next = four(over, 0)?;
    }
    (payload.len() == length).then_some(payload)
}

/// The bytes of a payload on its first page.
fn bytes_on_page(usable: usize, length: usize, kind: Kind) -> usize {
    let most = match kind {
        Kind::TableLeaf => usable - 35,
        Kind::IndexLeaf | Kind::IndexInterior => (usable - 12) * 64 / 255 - 23,
    };
    if length <= most {
        return length;
    }
    let least = (usable - 12) * 32 / 255 - 23;
    let some = least + (length - least) % (usable - 4);
    if some <= most { some } else { least }
}
