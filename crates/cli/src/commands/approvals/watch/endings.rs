//! Finds out from the trail how questions have ended.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use tenter_contract::ApprovalRequest;
use tenter_protocol::v1::approval::RecordedApproval;
use tenter_protocol::v1::record::RecordV1;
use tenter_protocol::v1::watch::EndingV1;
use tenter_store::StateFolder;
use tenter_store::audit::follow::Follower;
use tenter_store::audit::read::Content;

/// How long to wait for the record of an ending, which is written shortly after the question closes.
const RECORDED_WITHIN: Duration = Duration::from_secs(3);

pub(crate) struct Ended {
    pub(crate) request: ApprovalRequest,
    pub(crate) how: EndingV1,
    pub(crate) option: Option<String>,
    pub(crate) why: String,
}

/// The known questions and their endings.
pub(crate) struct Endings {
    /// `None` if the trail cannot be read.
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

    /// Returns the known questions that are not open any more.
    pub(crate) fn update(&mut self, open: &[ApprovalRequest]) -> Vec<Ended> {
        for request in open {
            let new = || Known { request: request.clone(), gone: None, recorded: None };
            self.known.entry(request.id.clone()).or_insert_with(new);
        }
        self.read_records();
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

    fn read_records(&mut self) {
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
