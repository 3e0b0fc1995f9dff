//! An approver for programs: it lists open questions, waits for new ones, and takes answers by their ids.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tenter_contract::ports::{Acceptance, Approver, Waiting};
use tenter_contract::{ApprovalAnswer, ApprovalRequest, ApproverName, Choice};

use super::ask::LONGEST_WAIT;

/// How often a waiting request checks whether the question was answered elsewhere.
const TICK: Duration = Duration::from_millis(50);

/// Questions that a program answers: a server, an editor, your own agent.
///
/// Share it (`Arc<ApiApprover>`): one half goes into the runtime's approvers, where hooks ask and wait; the other half
/// stays with the part of the program that answers, on another thread.
#[derive(Debug, Default)]
pub struct ApiApprover {
    open: Mutex<Vec<Open>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Open {
    request: ApprovalRequest,
    answer: Option<ApprovalAnswer>,
    /// Later answers do not count, also if the waiting request has not noticed the time yet.
    until: Instant,
}

impl Open {
    fn waits(&self) -> bool {
        self.answer.is_none() && Instant::now() < self.until
    }
}

/// Why an answer did not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAnswered {
    /// The question does not exist, or was answered, timed out or withdrawn.
    Unknown,
    /// The question has no such option.
    NoSuchOption {
        /// The options it has.
        options: Vec<Choice>,
    },
}

impl std::fmt::Display for NotAnswered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown => f.write_str("no such question is open; it may have been answered or timed out"),
            Self::NoSuchOption { options } => {
                let labels: Vec<&str> = options.iter().map(|option| option.label.as_str()).collect();
                write!(f, "the options are {}", labels.join(", "))
            }
        }
    }
}

impl std::error::Error for NotAnswered {}

impl ApiApprover {
    /// An approver without questions.
    pub fn new() -> Self {
        Self::default()
    }

    /// The open questions, oldest first.
    pub fn questions(&self) -> Vec<ApprovalRequest> {
        self.open().iter().filter(|open| open.waits()).map(|open| open.request.clone()).collect()
    }

    /// The oldest question that is open, waiting for one if there is none, but not longer than this.
    pub fn next_question(&self, patience: Duration) -> Option<ApprovalRequest> {
        let until = Instant::now() + patience.min(LONGEST_WAIT);
        let mut open = self.open();
        loop {
            if let Some(waiting) = open.iter().find(|open| open.waits()) {
                return Some(waiting.request.clone());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            open = self.changed.wait_timeout(open, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Answers a question with one of its options, by label or by number. The first answer counts, if there is
    /// time left.
    pub fn answer(&self, id: &str, option: &str) -> Result<(), NotAnswered> {
        let mut all = self.open();
        let open = all.iter_mut().find(|open| open.request.id == id && open.waits());
        let open = open.ok_or(NotAnswered::Unknown)?;
        let question = &open.request.question;
        let choice = question.choice(option);
        let choice = choice.ok_or_else(|| NotAnswered::NoSuchOption { options: question.options.clone() })?;
        open.answer = Some(choice.answer());
        self.changed.notify_all();
        Ok(())
    }

    fn open(&self) -> MutexGuard<'_, Vec<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, id: &str, waiting: &dyn Waiting) -> ApprovalAnswer {
        let mut all = self.open();
        loop {
            if let Some(answer) =
                all.iter().find(|open| open.request.id == id).and_then(|it| it.answer.clone())
            {
                return answer;
            }
            if let Some(answer) = waiting.elsewhere() {
                return answer;
            }
            let left = waiting.until().saturating_duration_since(Instant::now());
            if left.is_zero() {
                return waiting.timed_out();
            }
            all = self.changed.wait_timeout(all, left.min(TICK)).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Approver for ApiApprover {
    fn name(&self) -> &'static str {
        "api"
    }

    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::Yes
    }

    fn ask(
        &self,
        request: &ApprovalRequest,
        _: Option<&ApproverName>,
        waiting: &dyn Waiting,
    ) -> ApprovalAnswer {
        self.open().push(Open { request: request.clone(), answer: None, until: waiting.until() });
        self.changed.notify_all();
        let answer = self.wait(&request.id, waiting);
        // A late answer finds nothing to answer.
        self.open().retain(|open| open.request.id != request.id);
        answer
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tenter_contract::{
        AgentName, ApprovalPrompt, Event, EventKind, Handler, HookId, HookQuestion, HookSpec, Layer,
    };
    use tenter_contract::{ApprovalQuestion, SessionId, Timestamp};

    use super::*;

    /// An approver with a question that is still waited for, although its time may be over.
    fn approver(until: Instant) -> ApiApprover {
        let hook = HookSpec::new(HookId::new(Layer::User, "guard"), EventKind::ToolPre, Handler::InProcess);
        let event = Event::new(
            EventKind::ToolPre,
            AgentName::new("mine"),
            SessionId::parse("s").unwrap(),
            Timestamp::default(),
        );
        let request = ApprovalRequest {
            id: "q1".to_owned(),
            approver: "api".to_owned(),
            question: ApprovalQuestion::new(vec![HookQuestion::new(&hook, ApprovalPrompt::new("Deploy?"))])
                .unwrap(),
            event: Arc::new(event),
            asked: Timestamp::default(),
            until: Timestamp::default(),
        };
        let approver = ApiApprover::new();
        approver.open().push(Open { request, answer: None, until });
        approver
    }

    #[test]
    fn expired_question_takes_no_answer() {
        let over = approver(Instant::now());
        assert_eq!(over.questions(), []);
        assert_eq!(over.next_question(Duration::ZERO), None);
        assert_eq!(over.answer("q1", "Allow"), Err(NotAnswered::Unknown));
        assert!(over.open().iter().all(|open| open.answer.is_none()));

        let open = approver(Instant::now() + LONGEST_WAIT);
        assert_eq!(open.questions().len(), 1);
        assert_eq!(open.next_question(Duration::MAX).map(|request| request.id), Some("q1".to_owned()));
        assert_eq!(open.answer("q1", "Allow"), Ok(()));
        assert_eq!(open.answer("q1", "Deny"), Err(NotAnswered::Unknown), "the first one counts");
    }
}
