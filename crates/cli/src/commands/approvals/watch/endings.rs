//! How questions have ended. The trail says so: whoever asks records it before anything else happens.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use tenter_contract::Inquiry;
use tenter_protocol::v1::approval::RecordedApproval;
use tenter_protocol::v1::record::RecordV1;
use tenter_protocol::v1::watch::EndingV1;
use tenter_store::StateFolder;
use tenter_store::audit::follow::Follower;
use tenter_store::audit::read::Content;

/// How long is waited for a record. A question is closed a moment before its end is recorded, and one whose owner
/// has died is withdrawn by whoever looks next.
const RECORDED_WITHIN: Duration = Duration::from_secs(3);

/// A question that is over.
pub(super) struct Ended {
    pub(super) inquiry: Inquiry,
    pub(super) how: EndingV1,
    /// What was chosen, if somebody answered.
    pub(super) option: Option<String>,
    /// In words.
    pub(super) why: String,
}

/// The questions that were open, and what the trail says of them.
pub(super) struct Endings {
    /// None if the trail cannot be followed; then nobody knows.
    trail: Option<Follower>,
    known: BTreeMap<String, Known>,
    /// Those that were answered here.
    here: BTreeSet<String>,
}

struct Known {
    inquiry: Inquiry,
    /// Since when it is not open any more.
    gone: Option<Instant>,
    /// What was recorded of its end.
    recorded: Option<(String, RecordedApproval)>,
}

impl Endings {
    /// From now on.
    pub(super) fn new(state: &StateFolder) -> Self {
        Self { trail: Follower::at_end(state).ok(), known: BTreeMap::new(), here: BTreeSet::new() }
    }

    /// This one was answered here.
    pub(super) fn answered_here(&mut self, id: &str) {
        self.here.insert(id.to_owned());
    }

    /// Those that have ended, now that these are open.
    pub(super) fn among(&mut self, open: &[Inquiry]) -> Vec<Ended> {
        for inquiry in open {
            let new = || Known { inquiry: inquiry.clone(), gone: None, recorded: None };
            self.known.entry(inquiry.id.clone()).or_insert_with(new);
        }
        self.read_on();
        let now = Instant::now();
        let mut over = Vec::new();
        for (id, known) in &mut self.known {
            if open.iter().any(|inquiry| inquiry.id == *id) {
                continue;
            }
            let gone = *known.gone.get_or_insert(now);
            if known.recorded.is_some() || now.duration_since(gone) >= RECORDED_WITHIN {
                over.push(id.clone());
            }
        }
        let end = |id: &String| {
            let place = if self.here.remove(id) { "here" } else { "elsewhere" };
            self.known.remove(id).map(|known| ended(known, place))
        };
        over.iter().filter_map(end).collect()
    }

    fn read_on(&mut self) {
        let Some(Ok(more)) = self.trail.as_mut().map(Follower::more) else { return };
        for content in more {
            let Content::Record(record) = content else { continue };
            let RecordV1 { event, approval: Some(approval), .. } = *record else { continue };
            let known = approval.id.as_ref().and_then(|id| self.known.get_mut(id));
            if let Some(known) = known.filter(|_| approval.decision.is_some()) {
                known.recorded = Some((event, approval));
            }
        }
    }
}

fn ended(known: Known, place: &str) -> Ended {
    let Known { inquiry, recorded, .. } = known;
    let Some((event, approval)) = recorded else {
        // Its owner is stopped or asleep, or cannot write.
        let why = "over, and whoever asked has not recorded how; `tenter audit show --asked` has it when it goes on"
            .to_owned();
        return Ended { inquiry, how: EndingV1::Unknown, option: None, why };
    };
    let decision = approval.decision.unwrap_or_default();
    let chosen = |does: &str| match &approval.option {
        Some(option) => format!("answered {place}: {does} ({option})"),
        None => decision.clone(),
    };
    let (how, why) = match event.as_str() {
        "approval:granted" => (EndingV1::Granted, chosen("allowed")),
        "approval:denied" => (EndingV1::Denied, chosen("denied")),
        "approval:timeout" => {
            let does = if inquiry.question.default.as_str() == "allow" { "allowed" } else { "denied" };
            (EndingV1::Timeout, format!("{decision}; {does} by default"))
        }
        _ => (EndingV1::Withdrawn, decision),
    };
    Ended { inquiry, how, option: approval.option, why }
}
