//! What a worker is asked, as bytes: see the head of `worker.py`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// One call of a function.
pub(super) struct Request<'a> {
    /// `package.module.function`.
    pub(super) function: &'a str,
    /// Where modules are looked for first.
    pub(super) folder: &'a Path,
    /// Where it runs.
    pub(super) cwd: &'a Path,
    /// What it sees in its environment.
    pub(super) variables: &'a BTreeMap<OsString, OsString>,
    /// How long it may take.
    pub(super) left: Duration,
    /// Whether processes that it starts may live on.
    pub(super) detached: bool,
    /// Whether nothing but source counts in the folder.
    pub(super) from_source: bool,
    /// The event as JSON.
    pub(super) event: &'a [u8],
}

impl Request<'_> {
    /// Three lengths, fields, variables, event. `None` if something is too large or has a NUL byte where none can
    /// be.
    pub(super) fn to_bytes(&self) -> Option<Vec<u8>> {
        let seconds = format!("{:.3}", self.left.as_secs_f64());
        let flag = |set: bool| if set { "1" } else { "" };
        let fields: [&OsStr; 6] = [
            OsStr::new(self.function),
            self.folder.as_os_str(),
            self.cwd.as_os_str(),
            OsStr::new(&seconds),
            OsStr::new(flag(self.detached)),
            OsStr::new(flag(self.from_source)),
        ];
        if fields.iter().any(|field| field.as_bytes().contains(&0)) {
            return None;
        }
        let fields = fields.map(OsStr::as_bytes).join(&0);
        let mut variables = Vec::new();
        for (name, value) in self.variables {
            variables.extend_from_slice(name.as_bytes());
            variables.push(b'=');
            variables.extend_from_slice(value.as_bytes());
            variables.push(0);
        }
        let mut bytes = Vec::with_capacity(12 + fields.len() + variables.len() + self.event.len());
        for part in [&fields[..], &variables, self.event] {
            bytes.extend_from_slice(&u32::try_from(part.len()).ok()?.to_be_bytes());
        }
        for part in [&fields[..], &variables, self.event] {
            bytes.extend_from_slice(part);
        }
        Some(bytes)
    }
}
