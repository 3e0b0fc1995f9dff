//! `approvals`: the desk that gets questions which nobody else takes.

use tenter_contract::{Layer, NamedDesk};

use crate::fields::{Field, Fields, Keys};
use crate::problem::{Findings, ProblemKind};
use crate::values;

const KEYS: Keys = Keys { known: &["desk", "folder"] };

/// The desk that is named. Only the user and the owner of the machine may: whoever answers decides.
pub(crate) fn read(field: &Field<'_>, layer: Layer, findings: &mut Findings) -> Option<NamedDesk> {
    let may = matches!(layer, Layer::Managed | Layer::User);
    if !may {
        findings.add(field.key_place, ProblemKind::DeskRefused { layer });
    }
    let fields = findings.keep(Fields::of(field, "approvals"))?;
    fields.check(&KEYS, findings);
    let desks: Vec<(&str, usize)> =
        NamedDesk::SPELLED.iter().enumerate().map(|(place, (spelling, _))| (*spelling, place)).collect();
    let desk = fields.read("desk", findings, |field| values::word(field, &desks));
    let folder = fields.read("folder", findings, values::filled_text).map(str::to_owned);
    let named = desk.map(|place| NamedDesk::SPELLED[place].1.clone());
    let named = match (named, folder) {
        (Some(NamedDesk::File { .. }) | None, Some(folder)) => Some(NamedDesk::File { folder: Some(folder) }),
        (Some(_), Some(_)) => {
            findings.add(field.key_place, ProblemKind::FolderWithoutDesk);
            None
        }
        (named, None) => named,
    };
    named.filter(|_| may)
}
