//! What holds of questions in a folder, whoever answers, dies or comes too late.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::json;
use tenter_contract::{
    AgentName, Asker, Choice, Covers, EventKind, Grants, HookId, HumanAnswer, Layer, Pattern, Policy, Query,
    Question, Rule, SessionGrant, Timestamp, ToolCall, ToolKind,
};

use super::questions::QuestionFile;
use super::*;

struct Desk {
    _home: tempfile::TempDir,
    register: ApprovalFolder,
}

impl Desk {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let register = ApprovalFolder::new(&StateFolder::new(home.path().join("tenter")));
        Self { _home: home, register }
    }

    fn open(&self, prompt: &str) -> Box<dyn EnteredInquiry> {
        let mut entered = self.register.enter(inquiry(prompt)).unwrap();
        entered.open().unwrap();
        entered
    }

    /// As if the process that asked had been killed: its lock is gone, and so is the process.
    fn kill(&self, entered: Box<dyn EnteredInquiry>) {
        let id = entered.inquiry().id.clone();
        drop(entered);
        let questions = self.register.questions();
        let folders = [questions.join(&id), questions.join(format!("{}{id}", questions::CLOSED))];
        for folder in folders {
            for file in [questions::QUESTION, questions::DRAFT] {
                let path = folder.join(file);
                let Ok(text) = fs::read(&path) else { continue };
                let mut question: QuestionFile = serde_json::from_slice(&text).unwrap();
                question.owner.started = question.owner.started.map(|ticks| ticks + 1);
                fs::write(&path, serde_json::to_vec(&question).unwrap()).unwrap();
            }
        }
    }

    fn withdrawn(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut record = |inquiry: &Inquiry, why: &str| {
            all.push(format!("{}: {why}", inquiry.question.prompt()));
            true
        };
        self.register.withdraw_orphans(&mut record).unwrap();
        all.iter().map(|line| without_pid(line)).collect()
    }

    fn granted(&self) -> usize {
        self.register.standing(&event()).unwrap().grants.len()
    }
}

/// Without the number of the process.
fn without_pid(text: &str) -> String {
    text.replace(&format!("process {}", std::process::id()), "process N")
}

fn event() -> Event {
    let session = SessionId::parse("s1").unwrap();
    let mut event =
        Event::new(EventKind::ToolPre, AgentName::new("claude"), session, Timestamp::from_unix_ms(1));
    let input = json!({ "command": "make deploy" }).as_object().cloned().unwrap();
    let call = ToolCall::new("Bash", ToolKind::Shell, input);
    event.tool = Some(ToolCall { call_id: Some("t1".to_owned()), ..call });
    event
}

fn inquiry(prompt: &str) -> Inquiry {
    let query = Query {
        prompt: prompt.to_owned(),
        options: ["Allow once", "Allow always", "Deny"].map(Choice::named).to_vec(),
        timeout: None,
        default: Policy::Deny,
    };
    let hook = HookId::new(Layer::User, "deploy");
    let asker = Asker { hook, definition: "00".to_owned(), query };
    let asked = deadline::now();
    Inquiry {
        id: String::new(),
        desk: "watch".to_owned(),
        question: Question::of(vec![asker]).unwrap(),
        event: Arc::new(Event { at: asked, ..event() }),
        asked,
        until: after(60_000),
    }
}

/// So many milliseconds from now.
fn after(ms: u64) -> Timestamp {
    Timestamp::from_unix_ms(deadline::now().unix_ms + ms)
}

fn grants(inquiry: &Inquiry) -> Vec<SessionGrant> {
    let asker = &inquiry.question.askers[0];
    let covers = Covers::of(&inquiry.event, Grants::Session).unwrap();
    vec![SessionGrant::of(&inquiry.id, asker, &inquiry.event, covers, Timestamp::from_unix_ms(2))]
}

fn timed_out() -> HumanAnswer {
    HumanAnswer::TimedOut { after: Duration::from_mins(1) }
}

/// Answers as another process would, while the owner goes on.
fn answer_beside(desk: &Desk, id: &str, option: &str) -> thread::JoinHandle<String> {
    let (register, id, option) = (desk.register.clone(), id.to_owned(), option.to_owned());
    thread::spawn(move || match register.answer(&id, &option) {
        Ok(chosen) => format!("ok: {}", chosen.choice.label),
        Err(why) => format!("{why:?}"),
    })
}

fn wait_for(entered: &dyn EnteredInquiry) -> HumanAnswer {
    loop {
        if let Some(answer) = entered.answer() {
            return answer;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_question_is_seen_when_it_is_opened_and_gone_when_it_is_closed() {
    let desk = Desk::new();
    let mut entered = desk.register.enter(inquiry("Deploy?")).unwrap();
    assert_eq!(desk.register.open_questions().unwrap(), []);
    entered.open().unwrap();
    let open = desk.register.open_questions().unwrap();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].inquiry, *entered.inquiry());
    entered.settle(timed_out()).unwrap();
    assert_eq!(desk.register.open_questions().unwrap(), []);
    entered.close(&[]).unwrap();
    assert_eq!(names_in(&desk.register.questions()).unwrap(), Vec::<String>::new());
    assert_eq!(desk.withdrawn(), Vec::<String>::new());
}

#[test]
fn only_the_owner_of_the_machine_account_can_read_it() {
    let desk = Desk::new();
    let entered = desk.open("Deploy?");
    let folder = desk.register.questions().join(&entered.inquiry().id);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&desk.register.path), 0o700);
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join(questions::QUESTION)), 0o600);
}

#[test]
fn the_answer_of_somebody_else_counts_once() {
    let desk = Desk::new();
    let mut entered = desk.open("Deploy?");
    let id = entered.inquiry().id.clone();
    let said = answer_beside(&desk, &id, "allow ALWAYS");
    let answer = wait_for(&*entered);
    assert_eq!(answer, HumanAnswer::Granted { option: "Allow always".to_owned(), grants: Grants::Session });
    let again = desk.register.answer(&id, "Deny");
    assert!(matches!(again, Err(NotAnswered::Answered { option }) if option == "Allow always"));
    assert_eq!(desk.register.open_questions().unwrap(), [], "nobody is asked what was answered");
    assert_eq!(entered.settle(timed_out()).unwrap(), answer);
    assert_eq!(said.join().unwrap(), "ok: Allow always");
    entered.close(&[]).unwrap();
    assert!(matches!(desk.register.answer(&id, "Deny"), Err(NotAnswered::Unknown)));
}

#[test]
fn an_answer_after_the_time_is_refused() {
    let desk = Desk::new();
    let mut entered = desk.open("Deploy?");
    let id = entered.inquiry().id.clone();
    assert_eq!(entered.settle(timed_out()).unwrap(), timed_out());
    assert!(matches!(desk.register.answer(&id, "Allow once"), Err(NotAnswered::Unknown)));
    entered.close(&[]).unwrap();
}

/// Its owner was stopped, or the machine slept, and nobody has closed it.
#[test]
fn a_question_whose_time_is_up_is_not_open_and_takes_no_answer() {
    let desk = Desk::new();
    // A little while ago: the times of files are some milliseconds behind the clock.
    let until = Timestamp::from_unix_ms(deadline::now().unix_ms - 50);
    let asked = Inquiry { until, ..inquiry("Deploy?") };
    let mut entered = desk.register.enter(asked).unwrap();
    entered.open().unwrap();
    let id = entered.inquiry().id.clone();
    assert!(entered.time_is_up());
    assert_eq!(desk.register.open_questions().unwrap(), []);
    assert!(matches!(desk.register.answer(&id, "Allow always"), Err(NotAnswered::TooLate)));
    // One that was put there all the same, by somebody whose clock is another.
    let late = questions::AnswerFile { option: "Allow always".to_owned() };
    write_json(&desk.register.questions().join(&id).join(questions::ANSWER), &late).unwrap();
    assert_eq!(entered.answer(), None);
    assert_eq!(entered.settle(timed_out()).unwrap(), timed_out());
    entered.close(&[]).unwrap();
    assert_eq!(desk.granted(), 0);
}

/// An answer in time counts, however late its owner comes to look.
#[test]
fn an_answer_in_time_counts_for_an_owner_that_comes_late() {
    let desk = Desk::new();
    let asked = Inquiry { until: after(700), ..inquiry("Deploy?") };
    let mut entered = desk.register.enter(asked).unwrap();
    entered.open().unwrap();
    let given = questions::AnswerFile { option: "Allow once".to_owned() };
    write_json(&desk.register.questions().join(&entered.inquiry().id).join(questions::ANSWER), &given)
        .unwrap();
    while !entered.time_is_up() {
        thread::sleep(Duration::from_millis(20));
    }
    let answer = HumanAnswer::Granted { option: "Allow once".to_owned(), grants: Grants::Once };
    assert_eq!(entered.answer(), Some(answer.clone()));
    assert_eq!(entered.settle(timed_out()).unwrap(), answer);
}

#[test]
fn what_is_no_option_is_no_answer() {
    let desk = Desk::new();
    let entered = desk.open("Deploy?");
    let id = &entered.inquiry().id;
    for typed in ["yes", "0", "4", ""] {
        assert!(
            matches!(desk.register.answer(id, typed), Err(NotAnswered::NoSuchOption { options }) if options.len() == 3)
        );
    }
    for id in ["../rules", "", "nothere"] {
        assert!(matches!(desk.register.answer(id, "1"), Err(NotAnswered::Unknown)));
    }
    assert_eq!(entered.answer(), None);
}

#[test]
fn of_twenty_at_once_each_gets_its_own_answer() {
    let desk = Desk::new();
    let waiting: Vec<_> = (0..20).map(|number| desk.open(&format!("Question {number}?"))).collect();
    let open = desk.register.open_questions().unwrap();
    assert_eq!(open.len(), 20);
    thread::scope(|scope| {
        for question in &open {
            scope.spawn(|| {
                let prompt = question.inquiry.question.prompt();
                let odd = prompt.trim_end_matches('?').chars().next_back().unwrap().to_digit(10).unwrap() % 2;
                let option = if odd == 1 { "Deny" } else { "Allow once" };
                desk.register.answer(&question.inquiry.id, option).unwrap();
            });
        }
        for (number, mut entered) in waiting.into_iter().enumerate() {
            let answer = wait_for(&*entered);
            let denied = matches!(answer, HumanAnswer::Denied { .. });
            assert_eq!(denied, number % 2 == 1, "question {number}");
            assert_eq!(entered.settle(timed_out()).unwrap(), answer);
            entered.close(&[]).unwrap();
        }
    });
    assert_eq!(desk.withdrawn(), Vec::<String>::new());
}

#[test]
fn whoever_dies_at_any_point_leaves_no_grant_and_a_question_to_withdraw() {
    let ended = "Deploy?: tenter (process N) ended";
    let desk = Desk::new();

    desk.kill(desk.register.enter(inquiry("Deploy?")).unwrap());
    assert_eq!(desk.withdrawn(), [format!("{ended} before the question was put")]);

    desk.kill(desk.open("Deploy?"));
    assert_eq!(desk.register.open_questions().unwrap(), []);
    assert_eq!(desk.withdrawn(), [format!("{ended} while it waited for an answer")]);

    let entered = desk.open("Deploy?");
    let id = entered.inquiry().id.clone();
    let said = answer_beside(&desk, &id, "Allow always");
    wait_for(&*entered);
    desk.kill(entered);
    said.join().unwrap();
    assert_eq!(
        desk.withdrawn(),
        [format!(
            "{ended} after `Allow always` was chosen and before the agent heard of it; nothing was granted"
        )]
    );

    let mut entered = desk.open("Deploy?");
    entered.settle(timed_out()).unwrap();
    desk.kill(entered);
    assert_eq!(desk.withdrawn(), [format!("{ended} when the time of the question was up")]);

    // Its grant lies there, but it was not closed.
    let mut entered = desk.open("Deploy?");
    let inquiry = entered.inquiry().clone();
    entered.settle(HumanAnswer::LeftToHost).unwrap();
    super::grants::keep(&desk.register, &inquiry.id, &grants(&inquiry)).unwrap();
    assert_eq!(desk.granted(), 0);
    desk.kill(entered);
    assert_eq!(desk.granted(), 0);
    assert_eq!(desk.withdrawn().len(), 1);
    assert_eq!(desk.granted(), 0);
    assert_eq!(desk.withdrawn(), Vec::<String>::new(), "each is withdrawn once");
}

#[test]
fn a_withdrawal_that_cannot_be_recorded_is_made_later() {
    let desk = Desk::new();
    desk.kill(desk.open("Deploy?"));
    desk.register.withdraw_orphans(&mut |_, _| false).unwrap();
    assert_eq!(desk.withdrawn().len(), 1);
}

#[test]
fn an_answer_to_the_dead_is_refused() {
    let desk = Desk::new();
    let entered = desk.open("Deploy?");
    let id = entered.inquiry().id.clone();
    desk.kill(entered);
    assert!(matches!(desk.register.answer(&id, "Allow once"), Err(NotAnswered::OwnerDied)));
}

#[test]
fn a_grant_counts_from_the_end_of_its_question_to_the_end_of_its_session() {
    let desk = Desk::new();
    let mut entered = desk.open("Deploy?");
    let inquiry = entered.inquiry().clone();
    entered.settle(HumanAnswer::LeftToHost).unwrap();
    entered.close(&grants(&inquiry)).unwrap();
    assert_eq!(desk.register.standing(&event()).unwrap().grants, grants(&inquiry));
    assert_eq!(desk.register.grants().unwrap(), grants(&inquiry));
    let other = Event { session: SessionId::parse("s2").unwrap(), ..event() };
    assert_eq!(desk.register.standing(&other).unwrap().grants, []);
    desk.register.end_session(&event().session).unwrap();
    assert_eq!(desk.granted(), 0);
    desk.register.end_session(&event().session).unwrap();
}

#[test]
fn a_grant_ends_with_a_day_in_which_nothing_was_asked() {
    let desk = Desk::new();
    let mut entered = desk.open("Deploy?");
    let inquiry = entered.inquiry().clone();
    entered.settle(HumanAnswer::LeftToHost).unwrap();
    entered.close(&grants(&inquiry)).unwrap();
    let folder = crate::sessions::SessionFolder::new(&desk.register.state, &event().session).beside("grants");
    let file = folder.join(format!("{}.json", inquiry.id));
    let aged = |hours: u64| {
        let then = SystemTime::now() - Duration::from_secs(hours * 3600);
        fs::File::options().write(true).open(&file).unwrap().set_modified(then).unwrap();
    };
    aged(23);
    assert_eq!(desk.granted(), 1);
    aged(24);
    assert_eq!(desk.granted(), 0);
    assert!(!file.exists());
}

#[test]
fn rules_stand_until_they_are_revoked() {
    let desk = Desk::new();
    let rule = Rule {
        id: new_id(),
        policy: Policy::Allow,
        hook: "deploy".to_owned(),
        pattern: Pattern::parse("make *").unwrap(),
        project: Some("/p".to_owned()),
        expires: Some(Timestamp::from_unix_ms(5)),
        at: Timestamp::from_unix_ms(1),
    };
    desk.register.add_rule(&rule).unwrap();
    assert_eq!(desk.register.standing(&event()).unwrap().rules, std::slice::from_ref(&rule));
    assert_eq!(desk.register.revoke_rule("other").unwrap(), None);
    assert_eq!(desk.register.revoke_rule(&rule.id).unwrap(), Some(rule));
    assert_eq!(desk.register.rules().unwrap(), []);
}

#[test]
fn what_an_agent_asks_itself_is_settled_by_the_call_or_by_the_end_of_the_turn() {
    let of = |kind: EventKind| Event { kind, ..event() };
    for (kind, settled) in [
        (EventKind::ToolPre, 0),
        (EventKind::ToolPost, 1),
        (EventKind::ToolError, 1),
        (EventKind::OrchestratorComplete, 1),
        (EventKind::PromptSubmit, 1),
        (EventKind::SessionEnd, 1),
    ] {
        let desk = Desk::new();
        desk.register.left_to_host(&inquiry("Deploy?")).unwrap();
        let mut other = of(EventKind::ToolPost);
        other.tool.as_mut().unwrap().call_id = Some("t2".to_owned());
        assert_eq!(desk.register.settled_by(&other).unwrap().len(), 0);
        let event = of(kind.clone());
        assert_eq!(desk.register.settled_by(&event).unwrap().len(), settled, "{kind}");
        assert_eq!(desk.register.settled_by(&event).unwrap().len(), 0, "{kind}: each once");
    }
}

#[test]
fn somebody_watches_as_long_as_it_lives() {
    let desk = Desk::new();
    assert!(!desk.register.is_watched().unwrap());
    let (one, two) = (desk.register.watch().unwrap(), desk.register.watch().unwrap());
    assert!(desk.register.is_watched().unwrap());
    drop(one);
    assert!(desk.register.is_watched().unwrap());
    drop(two);
    assert!(!desk.register.is_watched().unwrap());
    // What a killed one leaves.
    fs::write(desk.register.path.join("watchers/1-dead"), "").unwrap();
    assert!(!desk.register.is_watched().unwrap());
}
