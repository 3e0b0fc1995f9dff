//! A filter for records.

use tenter_contract::Timestamp;
use tenter_protocol::v1::record::RecordV1;

use super::read::Content;

/// Which records to show. A field that is not set allows all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this session.
    pub session: Option<String>,
    /// Of this event, by its canonical name.
    pub event: Option<String>,
    /// With a run of this hook: `layer/name` or the bare name.
    pub hook: Option<String>,
    /// Of calls of this tool, by its canonical name or the agent's own, in any case.
    pub tool: Option<String>,
    /// With this verdict: `abstain`, `allow`, `ask` or `deny`. The verdict of an answered question is that of the answer;
    /// `ask` means that the question was left to the agent's own prompt.
    pub verdict: Option<String>,
    /// With a question to the user, whatever the answer was.
    pub asked: bool,
    /// With a failed hook, or a payload that could not be parsed.
    pub failed: bool,
    /// At this time or later.
    pub since: Option<Timestamp>,
    /// Before this time.
    pub until: Option<Timestamp>,
    /// Only this many of the last ones.
    pub last: Option<usize>,
}

impl Filter {
    /// Whether a line matches, except for `last`. A line that is not a record matches every filter, because its fields are
    /// unknown.
    pub fn matches(&self, content: &Content) -> bool {
        let Content::Record(record) = content else { return true };
        let wanted =
            |wanted: &Option<String>, value: &str| wanted.as_ref().is_none_or(|wanted| wanted == value);
        wanted(&self.session, &record.session_id)
            && wanted(&self.event, &record.event)
            && self.hook.as_ref().is_none_or(|hook| has_run(record, hook))
            && self.tool.as_ref().is_none_or(|tool| is_of_tool(record, tool))
            && self.verdict.as_ref().is_none_or(|verdict| has_verdict(record, verdict))
            && (!self.asked || was_asked(record))
            && (!self.failed || something_failed(record))
            && self.in_time(record)
    }

    /// Whether no field but `last` is set.
    pub fn is_empty(&self) -> bool {
        *self == Self { last: self.last, ..Self::default() }
    }

    /// A record with an unreadable time matches every time.
    fn in_time(&self, record: &RecordV1) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let Some(at) = Timestamp::parse(&record.timestamp) else { return true };
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }
}

/// The list of runs has addresses, but an injection or a failure names its hook without the layer.
fn has_run(record: &RecordV1, wanted: &str) -> bool {
    let is_run = |address: &str| address == wanted || bare(address) == Some(wanted);
    let is_named = |name: &str| is_run(name) || bare(wanted) == Some(name);
    record.hook_name.as_deref().is_some_and(is_named) || record.hooks.iter().any(|run| is_run(&run.hook))
}

/// The name in `layer/name`.
fn bare(address: &str) -> Option<&str> {
    address.split_once('/').map(|(_, name)| name)
}

fn is_of_tool(record: &RecordV1, wanted: &str) -> bool {
    let Some(tool) = &record.tool else { return false };
    let native = tool.native_name.as_deref();
    tool.name.eq_ignore_ascii_case(wanted) || native.is_some_and(|name| name.eq_ignore_ascii_case(wanted))
}

fn has_verdict(record: &RecordV1, wanted: &str) -> bool {
    record.decision.as_ref().is_some_and(|decision| decision.verdict == wanted)
}

/// Whether it is an event with a question, or the withdrawal of a question whose event has no record because tenter was
/// killed.
fn was_asked(record: &RecordV1) -> bool {
    let killed = record.event == "approval:withdrawn"
        && record.approval.as_ref().is_some_and(|approval| approval.ms.is_none());
    let decision = record.decision.as_ref();
    killed || decision.is_some_and(|decision| decision.verdict == "ask" || decision.answer.is_some())
}

fn something_failed(record: &RecordV1) -> bool {
    record.failure.is_some()
        || record.problem.is_some()
        || record.hooks.iter().any(|hook| hook.failure.is_some())
}
