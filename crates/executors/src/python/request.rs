//! Encodes a request to a worker; the head of `worker.py` describes the format.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// One call of a function.
pub(super) struct Request<'a> {
    /// `package.module.function`.
    pub(super) function: &'a str,
    /// The first folder of the module path.
    pub(super) folder: &'a Path,
    pub(super) cwd: &'a Path,
    pub(super) variables: &'a BTreeMap<OsString, OsString>,
    pub(super) left: Duration,
    /// Whether its processes may outlive it.
    pub(super) detached: bool,
    /// Whether compiled files in the folder are ignored.
    pub(super) from_source: bool,
    /// The event as JSON.
    pub(super) event: &'a [u8],
}

impl Request<'_> {
    /// Three lengths, fields, variables, event. `None` if one is too large, or a field has a NUL byte.
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
