//! A filter for records.

use tenter_contract::Timestamp;
use tenter_protocol::v1::record::RecordV1;

use super::read::Content;

/// Which records to show. What is not stated does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this session.
    pub session: Option<String>,
    /// Of this event, by its canonical name.
    pub event: Option<String>,
    /// In which this hook had a part: `layer/name` or the bare name.
    pub hook: Option<String>,
    /// Of calls of this tool, by its canonical name or the agent's own, in any case.
    pub tool: Option<String>,
    /// That came to this: `abstain`, `allow`, `ask` or `deny`. A question that was answered to tenter came to what the
    /// answer means; `ask` is one that was left to the agent's own prompt.
    pub verdict: Option<String>,
    /// In which there was a question for a person, whatever came of it.
    pub asked: bool,
    /// In which a hook failed, or a payload could not be understood.
    pub failed: bool,
    /// From this moment on.
    pub since: Option<Timestamp>,
    /// Before this moment.
    pub until: Option<Timestamp>,
    /// Only the last ones, so many.
    pub last: Option<usize>,
}

impl Filter {
    /// Whether a line passes, except for `last`. One that is no record passes every filter: it is unknown whether it
    /// does not belong to what is looked for.
    pub fn lets_through(&self, content: &Content) -> bool {
        let Content::Record(record) = content else { return true };
        let wanted = |wish: &Option<String>, is: &str| wish.as_ref().is_none_or(|wish| wish == is);
        wanted(&self.session, &record.session_id)
            && wanted(&self.event, &record.event)
            && self.hook.as_ref().is_none_or(|hook| had_a_part(record, hook))
            && self.tool.as_ref().is_none_or(|tool| is_of_tool(record, tool))
            && self.verdict.as_ref().is_none_or(|verdict| came_to(record, verdict))
            && (!self.asked || was_asked(record))
            && (!self.failed || something_failed(record))
            && self.in_time(record)
    }

    /// Whether anything is stated.
    pub fn is_empty(&self) -> bool {
        *self == Self { last: self.last, ..Self::default() }
    }

    /// A record whose moment cannot be read may have happened at any.
    fn in_time(&self, record: &RecordV1) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let Some(at) = Timestamp::parse(&record.timestamp) else { return true };
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }
}

/// The list of runs holds addresses, but an injection or a failure names its hook without the layer; there
/// the bare name has to do.
fn had_a_part(record: &RecordV1, wish: &str) -> bool {
    let is_run = |address: &str| address == wish || bare(address) == Some(wish);
    let is_named = |name: &str| is_run(name) || bare(wish) == Some(name);
    record.hook_name.as_deref().is_some_and(is_named) || record.hooks.iter().any(|run| is_run(&run.hook))
}

/// The name in `layer/name`.
fn bare(address: &str) -> Option<&str> {
    address.split_once('/').map(|(_, name)| name)
}

fn is_of_tool(record: &RecordV1, wish: &str) -> bool {
    let Some(tool) = &record.tool else { return false };
    let native = tool.native_name.as_deref();
    tool.name.eq_ignore_ascii_case(wish) || native.is_some_and(|name| name.eq_ignore_ascii_case(wish))
}

fn came_to(record: &RecordV1, wish: &str) -> bool {
    record.decision.as_ref().is_some_and(|decision| decision.verdict == wish)
}

/// An event with a question; or the withdrawal of one whose event has no record, because tenter was killed over it.
/// A record that says how long the event took.
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
