//! The text of one file for the agent: under its name, and within the limit of an injection.

use std::fs::File;
use std::io::Read;

use tenter_contract::Layer;
use tenter_contract::limits::INJECTION_LIMIT;

use super::{ContextFile, Why};
use crate::command::text::clean;

/// A text for the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Under its name; empty for an empty file.
    pub content: String,
    /// A notice for the record if the file is cut.
    pub notice: Option<String>,
}

/// The first line: the file, and the layer of the hook file.
pub(super) fn heading(file: &ContextFile, layer: Layer) -> String {
    format!("Context file {} ({}):\n", file.shown, layer.as_str())
}

/// Reads a file. A long one is cut, with a pointer to the rest.
pub(super) fn read(file: &ContextFile, layer: Layer) -> Result<Text, Why> {
    let mut bytes = Vec::new();
    // One byte above the limit shows that it is too long.
    let bound = INJECTION_LIMIT as u64 + 1;
    File::open(&file.path)
        .and_then(|opened| opened.take(bound).read_to_end(&mut bytes))
        .map_err(|error| Why::Unreadable(error.to_string()))?;
    let text = clean(decoded(&bytes, bytes.len() as u64 == bound).ok_or(Why::NotText)?);
    let text = text.trim_start_matches('\u{feff}').trim_end();
    let mut content = heading(file, layer);
    if content.len() + text.len() <= INJECTION_LIMIT && bytes.len() as u64 != bound {
        if text.is_empty() {
            content.clear();
        }
        content.push_str(text);
        return Ok(Text { content, notice: None });
    }
    let rest =
        format!("\n… cut here: the file has {} bytes; the rest is in {}", file.bytes, file.path.display());
    let room = INJECTION_LIMIT.saturating_sub(content.len() + rest.len());
    let head = &text[..text.floor_char_boundary(room)];
    // A whole last line reads better, unless the lines are very long.
    let head = head.rfind('\n').filter(|end| *end > room / 2).map_or(head, |end| &head[..end]);
    content.push_str(head);
    content.push_str(&rest);
    let notice =
        format!("`{}` has {} bytes, of which the first {} are injected", file.shown, file.bytes, head.len());
    Ok(Text { content, notice: Some(notice) })
}

/// The bytes as text; `None` if they are no text. A cut may divide the last character.
fn decoded(bytes: &[u8], cut: bool) -> Option<&str> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if cut && error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    (!text.contains('\0')).then_some(text)
}
