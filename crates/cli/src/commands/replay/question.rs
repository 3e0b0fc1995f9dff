//! Compares the options of a recorded question with those of today.

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

/// The recorded question, from the last record about it.
pub(crate) fn recorded(related: &[RecordV1]) -> Option<&RecordedApproval> {
    related.iter().rev().find_map(|record| record.approval.as_ref())
}

/// Both offers, if they differ and the same hooks ask.
pub(crate) fn changed(related: &[RecordV1], today: Option<&ApprovalQuestion>) -> Option<(Offer, Offer)> {
    let (then, today) = (recorded(related)?, today?);
    let hooks: Vec<String> = today.asked_by.iter().map(|it| it.hook.address()).collect();
    let then = Offer::from_record(then).filter(|_| then.hooks == hooks)?;
    let today = Offer { options: today.options.clone(), default: today.default };
    (!then.is_like(&today)).then_some((then, today))
}

impl Offer {
    pub(crate) fn from_record(asked: &RecordedApproval) -> Option<Self> {
        let options = asked.options.iter().map(ChoiceV1::choice).collect();
        Some(Self { options, default: Policy::parse(&asked.default)? })
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
            // A custom label does not show its grant.
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
