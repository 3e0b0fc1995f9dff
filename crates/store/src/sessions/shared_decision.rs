//! A shared decision as it lies in the file of its call. Its JSON names all fields, so that one of another build is
//! unreadable and the hooks are asked again.

use std::io;

use serde::{Deserialize, Serialize};
use tenter_contract::ports::SharedDecision;
use tenter_contract::{HookId, Layer, Source};

/// One line of JSON. Without the end of the line, the rest is missing.
pub(super) fn write(shared_decision: &SharedDecision) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(shared_decision)?;
    line.push(b'\n');
    Ok(line)
}

/// Reads it, if it is complete and this build knows all of it.
pub(super) fn read(bytes: &[u8]) -> Option<SharedDecision> {
    serde_json::from_slice(bytes.strip_suffix(b"\n")?).ok()
}

/// The author of a text in `pending/`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Author {
    Hook(HookWire),
    Approver,
    Tenter,
}

#[derive(Serialize, Deserialize)]
pub(super) struct HookWire {
    layer: String,
    name: String,
}

impl HookWire {
    fn of(HookId { layer, name }: &HookId) -> Self {
        Self { layer: layer.as_str().to_owned(), name: name.clone() }
    }

    fn id(self) -> Option<HookId> {
        Some(HookId::new(Layer::parse(&self.layer)?, self.name))
    }
}

impl Author {
    pub(super) fn of(source: &Source) -> Self {
        match source {
            Source::Hook(hook) => Self::Hook(HookWire::of(hook)),
            Source::Approver => Self::Approver,
            Source::Tenter => Self::Tenter,
        }
    }

    pub(super) fn source(self) -> Option<Source> {
        Some(match self {
            Self::Hook(hook) => Source::Hook(hook.id()?),
            Self::Approver => Source::Approver,
            Self::Tenter => Source::Tenter,
        })
    }
}
