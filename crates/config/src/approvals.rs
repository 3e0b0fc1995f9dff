//! `approvals`: the approver that gets questions that no other approver takes.

use tenter_contract::{ApproverName, Layer};

use crate::fields::{Field, Fields};
use crate::problem::{Findings, ProblemKind};
use crate::values;

const KEYS: &str = "approver folder";

/// The approver that is named. Only the user and the owner of the machine may name one: an approver decides.
pub(crate) fn read(field: &Field<'_>, layer: Layer, findings: &mut Findings) -> Option<ApproverName> {
    let may = matches!(layer, Layer::Managed | Layer::User);
    if !may {
        findings.add(field.key_place, ProblemKind::ApproverRefused { layer });
    }
    let fields = findings.keep(Fields::from_field(field, "approvals"))?;
    fields.check(KEYS, findings);
    let approvers: Vec<(&str, usize)> =
        ApproverName::SPELLED.iter().enumerate().map(|(place, (spelling, _))| (*spelling, place)).collect();
    let approver = fields.read("approver", findings, |field| values::word(field, &approvers));
    let folder = fields.read("folder", findings, values::filled_text).map(str::to_owned);
    let named = approver.map(|place| ApproverName::SPELLED[place].1.clone());
    let named = match (named, folder) {
        (Some(ApproverName::File { .. }) | None, Some(folder)) => {
            Some(ApproverName::File { folder: Some(folder) })
        }
        (Some(_), Some(_)) => {
            findings.add(field.key_place, ProblemKind::FolderWithoutApprover);
            None
        }
        (named, None) => named,
    };
    named.filter(|_| may)
}
