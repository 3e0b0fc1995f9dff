//! How questions have ended. The trail says so: anyone who asks records it before anything else happens.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use tenter_contract::ApprovalRequest;
use tenter_protocol::v1::approval::RecordedApproval;
use tenter_protocol::v1::record::RecordV1;
use tenter_protocol::v1::watch::EndingV1;
use tenter_store::StateFolder;
use tenter_store::audit::follow::Follower;
use tenter_store::audit::read::Content;

/// How long is waited for a record. A question is closed a moment before its end is recorded, and one whose owner
/// has died is withdrawn by anyone who looks next.
const RECORDED_WITHIN: Duration = Duration::from_secs(3);

pub(crate) struct Ended {
    pub(crate) request: ApprovalRequest,
    pub(crate) how: EndingV1,
    pub(crate) option: Option<String>,
    pub(crate) why: String,
}

/// The questions that were open, and what the trail says of them.
pub(crate) struct Endings {
    /// None if the trail cannot be followed; then no one knows.
    trail: Option<Follower>,
    known: BTreeMap<String, Known>,
    here: BTreeSet<String>,
}

struct Known {
    request: ApprovalRequest,
    gone: Option<Instant>,
    recorded: Option<(String, RecordedApproval)>,
}

impl Endings {
    pub(crate) fn new(state: &StateFolder) -> Self {
        Self { trail: Follower::at_end(state).ok(), known: BTreeMap::new(), here: BTreeSet::new() }
    }

    pub(crate) fn answered_here(&mut self, id: &str) {
        self.here.insert(id.to_owned());
    }

    /// Those that have ended, now that these are open.
    pub(crate) fn among(&mut self, open: &[ApprovalRequest]) -> Vec<Ended> {
        for request in open {
            let new = || Known { request: request.clone(), gone: None, recorded: None };
            self.known.entry(request.id.clone()).or_insert_with(new);
        }
        self.read_on();
        let now = Instant::now();
        let mut over = Vec::new();
        for (id, known) in &mut self.known {
            if open.iter().any(|request| request.id == *id) {
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
    let Known { request, recorded, .. } = known;
    let Some((event, approval)) = recorded else {
        // Its owner is stopped or asleep, or cannot write.
        let why = "closed, but its process has not recorded how; `tenter audit show --asked` shows it later"
            .to_owned();
        return Ended { request, how: EndingV1::Unknown, option: None, why };
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
            let does = if request.question.default.as_str() == "allow" { "allowed" } else { "denied" };
            (EndingV1::Timeout, format!("{decision}; {does} by default"))
        }
        _ => (EndingV1::Withdrawn, decision),
    };
    Ended { request, how, option: approval.option, why }
}
