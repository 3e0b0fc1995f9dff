//! What there was to choose from when a person was asked, next to what there would be today.

use serde_json::{Value, json};
use tenter_contract::{ApprovalQuestion, Choice, Policy};
use tenter_protocol::v1::approval::RecordedApproval;
use tenter_protocol::v1::approval_request::ChoiceV1;
use tenter_protocol::v1::record::RecordV1;

use crate::commands::replay::compare::same_text;

#[derive(Clone, Debug)]
pub(crate) struct Offer {
    options: Vec<Choice>,
    default: Policy,
}

/// The question that was put on behalf of hooks, as the last of the records about it has it, if there is one.
pub(crate) fn put(beside: &[RecordV1]) -> Option<&RecordedApproval> {
    beside.iter().rev().find_map(|record| record.approval.as_ref())
}

/// Both offers, if they are different. Where not the same hooks ask, that is reported of the hooks.
pub(crate) fn changed(beside: &[RecordV1], today: Option<&ApprovalQuestion>) -> Option<(Offer, Offer)> {
    let (put, today) = (put(beside)?, today?);
    let asked_by: Vec<String> = today.asked_by.iter().map(|asker| asker.hook.address()).collect();
    let then = Offer::recorded(put).filter(|_| put.hooks == asked_by)?;
    let today = Offer { options: today.options.clone(), default: today.default };
    (!then.is_like(&today)).then_some((then, today))
}

impl Offer {
    /// As a record has it.
    pub(crate) fn recorded(put: &RecordedApproval) -> Option<Self> {
        let options = put.options.iter().map(ChoiceV1::choice).collect();
        Some(Self { options, default: Policy::parse(&put.default)? })
    }

    pub(crate) fn into_parts(self) -> (Vec<Choice>, Policy) {
        (self.options, self.default)
    }

    fn is_like(&self, today: &Self) -> bool {
        let same =
            |(then, now): (&Choice, &Choice)| same_text(&then.label, &now.label) && then.grants == now.grants;
        self.default == today.default
            && self.options.len() == today.options.len()
            && self.options.iter().zip(&today.options).all(same)
    }

    pub(crate) fn in_words(&self) -> String {
        let option = |choice: &Choice| match ChoiceV1::new(choice).grant {
            // What a label of its own permits is not to be seen in it.
            Some(grant) if Choice::named(&choice.label) != *choice => {
                format!("{} (grant: {grant})", choice.label)
            }
            _ => choice.label.clone(),
        };
        let options: Vec<String> = self.options.iter().map(option).collect();
        let silence = if self.default == Policy::Allow { "allows" } else { "denies" };
        format!("{}; silence {silence}", options.join(", "))
    }

    pub(crate) fn as_json(&self) -> Value {
        let options: Vec<ChoiceV1> = self.options.iter().map(ChoiceV1::new).collect();
        json!({"options": options, "default": self.default.as_str()})
    }
}
