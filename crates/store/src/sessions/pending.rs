//! Texts that wait for the next event of their session: `pending/`, one file per event that left some.
//!
//! A file gets its name there only when it is complete, and whoever renames it away has it: of many
//! processes exactly one. A session that never left anything has no such folder, and looking costs one call.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tenter_contract::ports::CarriedText;
use tenter_contract::{Injection, Role, Strategy};

use super::folder::SessionFolder;
use super::ruling::Author;
use super::shelf::read_if_there;

/// Leaves these texts in a file of their own. Names sort by time.
pub(super) fn put(folder: &SessionFolder<'_>, texts: &[CarriedText]) -> io::Result<()> {
    let wire: Vec<Wire> = texts.iter().map(Wire::of).collect();
    let (draft, mut file) = folder.draft()?;
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let draft_name = draft.file_name().unwrap_or_default().to_string_lossy();
    let path = folder.pending().join(format!("{since_1970:020}-{draft_name}"));
    let placed = serde_json::to_vec(&wire)
        .map_err(io::Error::from)
        .and_then(|bytes| file.write_all(&bytes))
        .and_then(|()| place(folder, &draft, &path));
    // An error means that nothing is kept; the first one is the one to tell.
    placed.inspect_err(|_| drop(fs::remove_file(&draft)))
}

fn place(folder: &SessionFolder<'_>, draft: &Path, path: &Path) -> io::Result<()> {
    match fs::rename(draft, path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => {
            folder.make(&folder.pending())?;
            fs::rename(draft, path)
        }
        placed => placed,
    }
}

/// Takes everything that waits, oldest first. A file that cannot be read is told, and stays aside as
/// `unread-…`, for people. What is behind it waits for the next time, so that nothing is lost with it.
pub(super) fn take(folder: &SessionFolder<'_>) -> io::Result<Vec<CarriedText>> {
    let pending = folder.pending();
    let entries = match fs::read_dir(&pending) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
    names.sort();
    let mut texts = Vec::new();
    for name in names {
        let waiting = pending.join(&name);
        let ours = folder.beside(&format!("unread-{}", name.to_string_lossy()));
        let taken = fs::rename(&waiting, &ours).and_then(|()| read(&ours));
        match taken {
            Ok(taken) => {
                texts.extend(taken);
                // Nobody looks at it again, so what cannot be removed is only litter.
                drop(fs::remove_file(&ours));
            }
            Err(cause) if cause.kind() == ErrorKind::NotFound => {}
            Err(cause) if texts.is_empty() => return Err(cause),
            // What was read must get to the agent first.
            Err(_) => {
                drop(fs::rename(&ours, &waiting));
                return Ok(texts);
            }
        }
    }
    Ok(texts)
}

fn read(path: &Path) -> io::Result<Vec<CarriedText>> {
    let text = read_if_there(path)?.unwrap_or_else(|| "[]".to_owned());
    let wire: Vec<Wire> = serde_json::from_str(&text)?;
    let read: Option<Vec<CarriedText>> = wire.into_iter().map(Wire::text).collect();
    read.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "it names a layer, role or place nobody knows"))
}

/// A text as it lies in the file.
#[derive(Serialize, Deserialize)]
struct Wire {
    by: Author,
    content: String,
    role: String,
    strategy: String,
    ephemeral: bool,
}

impl Wire {
    fn of(text: &CarriedText) -> Self {
        let Injection { content, role, strategy, ephemeral } = &text.injection;
        Self {
            by: Author::of(&text.by),
            content: content.clone(),
            role: role.as_str().to_owned(),
            strategy: strategy.as_str().to_owned(),
            ephemeral: *ephemeral,
        }
    }

    fn text(self) -> Option<CarriedText> {
        let by = self.by.source()?;
        let role = Role::parse(&self.role)?;
        let strategy = Strategy::parse(&self.strategy)?;
        let injection = Injection { content: self.content, role, strategy, ephemeral: self.ephemeral };
        Some(CarriedText { by, injection })
    }
}
