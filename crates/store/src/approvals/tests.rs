//! Questions in a folder: answered, orphaned and late.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::json;
use tenter_contract::{
    AgentName, ApprovalAnswer, ApprovalPrompt, ApprovalQuestion, Choice, EventKind, Grant, GrantScope,
    HookId, HookQuestion, Layer, Pattern, Policy, Rule, SessionGrant, Timestamp, ToolCall, ToolKind,
};

use super::questions::QuestionFile;
use super::*;

struct Approver {
    _home: tempfile::TempDir,
    register: ApprovalFolder,
}

impl Approver {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let register = ApprovalFolder::new(&StateFolder::new(home.path().join("tenter")));
        Self { _home: home, register }
    }

    fn open(&self, prompt: &str) -> Box<dyn EnteredRequest> {
        let mut entered = self.register.enter(request(prompt)).unwrap();
        entered.open().unwrap();
        entered
    }

    /// As if the process that asked had been killed: its lock is gone, and so is the process.
    fn kill(&self, entered: Box<dyn EnteredRequest>) {
        let id = entered.request().id.clone();
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
        let mut record = |request: &ApprovalRequest, why: &str| {
            all.push(format!("{}: {why}", request.question.prompt()));
            true
        };
        self.register.withdraw_orphans(&mut record).unwrap();
        all.iter().map(|line| without_pid(line)).collect()
    }

    fn granted(&self) -> usize {
        self.register.saved_answers(&event()).unwrap().grants.len()
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

fn request(prompt: &str) -> ApprovalRequest {
    let query = ApprovalPrompt {
        prompt: prompt.to_owned(),
        options: ["Allow once", "Allow always", "Deny"].map(Choice::named).to_vec(),
        timeout: None,
        default: Policy::Deny,
    };
    let hook = HookId::new(Layer::User, "deploy");
    let hook_question = HookQuestion { hook, definition: "00".to_owned(), query };
    let asked = crate::clock::now();
    ApprovalRequest {
        id: String::new(),
        approver: "watch".to_owned(),
        question: ApprovalQuestion::new(vec![hook_question]).unwrap(),
        event: Arc::new(Event { at: asked, ..event() }),
        asked,
        until: after(60_000),
    }
}

/// So many milliseconds from now.
fn after(ms: u64) -> Timestamp {
    Timestamp::from_unix_ms(crate::clock::now().unix_ms + ms)
}

fn grants(request: &ApprovalRequest) -> Vec<SessionGrant> {
    let hook_question = &request.question.asked_by[0];
    let covers = GrantScope::new(&request.event, Grant::Session).unwrap();
    vec![SessionGrant::new(
        &request.id,
        &event().session_or_shared(),
        hook_question,
        &request.event,
        covers,
        Timestamp::from_unix_ms(2),
    )]
}

fn timed_out() -> ApprovalAnswer {
    ApprovalAnswer::TimedOut { after: Duration::from_mins(1) }
}

/// Answers as another process would, while the owner goes on.
fn answer_in_thread(approver: &Approver, id: &str, option: &str) -> thread::JoinHandle<String> {
    let (register, id, option) = (approver.register.clone(), id.to_owned(), option.to_owned());
    thread::spawn(move || match register.answer(&id, &option) {
        Ok(chosen) => format!("ok: {}", chosen.choice.label),
        Err(why) => format!("{why:?}"),
    })
}

fn wait_for(entered: &dyn EnteredRequest) -> ApprovalAnswer {
    loop {
        if let Some(answer) = entered.answer() {
            return answer;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn question_is_visible_while_it_is_open() {
    let approver = Approver::new();
    let mut entered = approver.register.enter(request("Deploy?")).unwrap();
    assert_eq!(approver.register.open_questions().unwrap(), []);
    entered.open().unwrap();
    let open = approver.register.open_questions().unwrap();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].request, *entered.request());
    entered.settle(timed_out()).unwrap();
    assert_eq!(approver.register.open_questions().unwrap(), []);
    entered.close(&[]).unwrap();
    assert_eq!(crate::place::names_in(&approver.register.questions()).unwrap(), Vec::<String>::new());
    assert_eq!(approver.withdrawn(), Vec::<String>::new());
}

#[test]
fn question_is_readable_for_its_owner_only() {
    let approver = Approver::new();
    let entered = approver.open("Deploy?");
    let folder = approver.register.questions().join(&entered.request().id);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&approver.register.path), 0o700);
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join(questions::QUESTION)), 0o600);
}

#[test]
fn answer_of_another_process_counts_once() {
    let approver = Approver::new();
    let mut entered = approver.open("Deploy?");
    let id = entered.request().id.clone();
    let said = answer_in_thread(&approver, &id, "allow ALWAYS");
    let answer = wait_for(&*entered);
    assert_eq!(answer, ApprovalAnswer::Granted { option: "Allow always".to_owned(), grants: Grant::Session });
    let again = approver.register.answer(&id, "Deny");
    assert!(matches!(again, Err(NotAnswered::Answered { option }) if option == "Allow always"));
    assert_eq!(approver.register.open_questions().unwrap(), [], "an answered question is not open");
    assert_eq!(entered.settle(timed_out()).unwrap(), answer);
    assert_eq!(said.join().unwrap(), "ok: Allow always");
    entered.close(&[]).unwrap();
    assert!(matches!(approver.register.answer(&id, "Deny"), Err(NotAnswered::Unknown)));
}

#[test]
fn late_answer_is_refused() {
    let approver = Approver::new();
    let mut entered = approver.open("Deploy?");
    let id = entered.request().id.clone();
    assert_eq!(entered.settle(timed_out()).unwrap(), timed_out());
    assert!(matches!(approver.register.answer(&id, "Allow once"), Err(NotAnswered::Unknown)));
    entered.close(&[]).unwrap();
}

/// Its owner was stopped, or the machine slept, and no one has closed it.
#[test]
fn question_past_its_deadline_takes_no_answer() {
    let approver = Approver::new();
    // A little while ago: the times of files are some milliseconds behind the clock.
    let until = Timestamp::from_unix_ms(crate::clock::now().unix_ms - 50);
    let asked = ApprovalRequest { until, ..request("Deploy?") };
    let mut entered = approver.register.enter(asked).unwrap();
    entered.open().unwrap();
    let id = entered.request().id.clone();
    assert!(entered.time_is_up());
    assert_eq!(approver.register.open_questions().unwrap(), []);
    assert!(matches!(approver.register.answer(&id, "Allow always"), Err(NotAnswered::TooLate)));
    // One that was put there all the same, by someone whose clock is another.
    let late = questions::AnswerFile { option: "Allow always".to_owned() };
    write_json(&approver.register.questions().join(&id).join(questions::ANSWER), &late).unwrap();
    assert_eq!(entered.answer(), None);
    assert_eq!(entered.settle(timed_out()).unwrap(), timed_out());
    entered.close(&[]).unwrap();
    assert_eq!(approver.granted(), 0);
}

/// An answer in time counts, however late its owner comes to look.
#[test]
fn timely_answer_counts_for_a_late_owner() {
    let approver = Approver::new();
    let asked = ApprovalRequest { until: after(700), ..request("Deploy?") };
    let mut entered = approver.register.enter(asked).unwrap();
    entered.open().unwrap();
    let given = questions::AnswerFile { option: "Allow once".to_owned() };
    write_json(&approver.register.questions().join(&entered.request().id).join(questions::ANSWER), &given)
        .unwrap();
    while !entered.time_is_up() {
        thread::sleep(Duration::from_millis(20));
    }
    let answer = ApprovalAnswer::Granted { option: "Allow once".to_owned(), grants: Grant::Once };
    assert_eq!(entered.answer(), Some(answer.clone()));
    assert_eq!(entered.settle(timed_out()).unwrap(), answer);
}

#[test]
fn unknown_option_is_no_answer() {
    let approver = Approver::new();
    let entered = approver.open("Deploy?");
    let id = &entered.request().id;
    for typed in ["yes", "0", "4", ""] {
        assert!(
            matches!(approver.register.answer(id, typed), Err(NotAnswered::NoSuchOption { options }) if options.len() == 3)
        );
    }
    for id in ["../rules", "", "nothere"] {
        assert!(matches!(approver.register.answer(id, "1"), Err(NotAnswered::Unknown)));
    }
    assert_eq!(entered.answer(), None);
}

#[test]
fn parallel_questions_get_their_own_answers() {
    let approver = Approver::new();
    let waiting: Vec<_> =
        (0..20).map(|number| approver.open(&format!("ApprovalQuestion {number}?"))).collect();
    let open = approver.register.open_questions().unwrap();
    assert_eq!(open.len(), 20);
    thread::scope(|scope| {
        for question in &open {
            scope.spawn(|| {
                let prompt = question.request.question.prompt();
                let odd = prompt.trim_end_matches('?').chars().next_back().unwrap().to_digit(10).unwrap() % 2;
                let option = if odd == 1 { "Deny" } else { "Allow once" };
                approver.register.answer(&question.request.id, option).unwrap();
            });
        }
        for (number, mut entered) in waiting.into_iter().enumerate() {
            let answer = wait_for(&*entered);
            let denied = matches!(answer, ApprovalAnswer::Denied { .. });
            assert_eq!(denied, number % 2 == 1, "question {number}");
            assert_eq!(entered.settle(timed_out()).unwrap(), answer);
            entered.close(&[]).unwrap();
        }
    });
    assert_eq!(approver.withdrawn(), Vec::<String>::new());
}

#[test]
fn dead_owner_leaves_an_orphan_and_no_grant() {
    let ended = "Deploy?: tenter (process N) ended";
    let approver = Approver::new();

    approver.kill(approver.register.enter(request("Deploy?")).unwrap());
    assert_eq!(approver.withdrawn(), [format!("{ended} before the question was put")]);

    approver.kill(approver.open("Deploy?"));
    assert_eq!(approver.register.open_questions().unwrap(), []);
    assert_eq!(approver.withdrawn(), [format!("{ended} while it waited for an answer")]);

    let entered = approver.open("Deploy?");
    let id = entered.request().id.clone();
    let said = answer_in_thread(&approver, &id, "Allow always");
    wait_for(&*entered);
    approver.kill(entered);
    said.join().unwrap();
    assert_eq!(
        approver.withdrawn(),
        [format!(
            "{ended} after `Allow always` was chosen and before the agent was notified; nothing was granted"
        )]
    );

    let mut entered = approver.open("Deploy?");
    entered.settle(timed_out()).unwrap();
    approver.kill(entered);
    assert_eq!(approver.withdrawn(), [format!("{ended} when the time of the question was up")]);

    // Its grant lies there, but it was not closed.
    let mut entered = approver.open("Deploy?");
    let request = entered.request().clone();
    entered.settle(ApprovalAnswer::LeftToHost).unwrap();
    super::grants::keep(&approver.register, &request.id, &grants(&request)).unwrap();
    assert_eq!(approver.granted(), 0);
    approver.kill(entered);
    assert_eq!(approver.granted(), 0);
    assert_eq!(approver.withdrawn().len(), 1);
    assert_eq!(approver.granted(), 0);
    assert_eq!(approver.withdrawn(), Vec::<String>::new(), "each is withdrawn once");
}

#[test]
fn unrecorded_withdrawal_is_repeated() {
    let approver = Approver::new();
    approver.kill(approver.open("Deploy?"));
    approver.register.withdraw_orphans(&mut |_, _| false).unwrap();
    assert_eq!(approver.withdrawn().len(), 1);
}

#[test]
fn answer_to_a_dead_owner_is_refused() {
    let approver = Approver::new();
    let entered = approver.open("Deploy?");
    let id = entered.request().id.clone();
    approver.kill(entered);
    assert!(matches!(approver.register.answer(&id, "Allow once"), Err(NotAnswered::OwnerDied)));
}

#[test]
fn grant_counts_from_question_end_to_session_end() {
    let approver = Approver::new();
    let mut entered = approver.open("Deploy?");
    let request = entered.request().clone();
    entered.settle(ApprovalAnswer::LeftToHost).unwrap();
    entered.close(&grants(&request)).unwrap();
    assert_eq!(approver.register.saved_answers(&event()).unwrap().grants, grants(&request));
    assert_eq!(approver.register.grants().unwrap(), grants(&request));
    let other = Event { session: SessionId::parse("s2"), ..event() };
    assert_eq!(approver.register.saved_answers(&other).unwrap().grants, []);
    approver.register.end_session(&event().session_or_shared()).unwrap();
    assert_eq!(approver.granted(), 0);
    approver.register.end_session(&event().session_or_shared()).unwrap();
}

#[test]
fn grant_ends_after_an_idle_day() {
    let approver = Approver::new();
    let mut entered = approver.open("Deploy?");
    let request = entered.request().clone();
    entered.settle(ApprovalAnswer::LeftToHost).unwrap();
    entered.close(&grants(&request)).unwrap();
    let folder =
        crate::sessions::SessionFolder::new(&approver.register.state, &event().session).join("grants");
    let file = folder.join(format!("{}.json", request.id));
    let aged = |hours: u64| {
        let then = SystemTime::now() - Duration::from_secs(hours * 3600);
        fs::File::options().write(true).open(&file).unwrap().set_modified(then).unwrap();
    };
    aged(23);
    assert_eq!(approver.granted(), 1);
    aged(24);
    assert_eq!(approver.granted(), 0);
    assert!(!file.exists());
}

#[test]
fn rules_last_until_they_are_revoked() {
    let approver = Approver::new();
    let rule = Rule {
        id: new_id(),
        policy: Policy::Allow,
        hook: "deploy".to_owned(),
        pattern: Pattern::parse("make *").unwrap(),
        project: Some("/p".to_owned()),
        expires: Some(Timestamp::from_unix_ms(5)),
        at: Timestamp::from_unix_ms(1),
    };
    approver.register.add_rule(&rule).unwrap();
    assert_eq!(approver.register.saved_answers(&event()).unwrap().rules, std::slice::from_ref(&rule));
    assert_eq!(approver.register.revoke_rule("other").unwrap(), None);
    assert_eq!(approver.register.revoke_rule(&rule.id).unwrap(), Some(rule));
    assert_eq!(approver.register.rules().unwrap(), []);
}

#[test]
fn agent_prompt_is_settled_by_the_call_or_the_turn_end() {
    let of = |kind: EventKind| Event { kind, ..event() };
    for (kind, settled) in [
        (EventKind::ToolPre, 0),
        (EventKind::ToolPost, 1),
        (EventKind::ToolError, 1),
        (EventKind::OrchestratorComplete, 1),
        (EventKind::PromptSubmit, 1),
        (EventKind::SessionEnd, 1),
    ] {
        let approver = Approver::new();
        approver.register.left_to_host(&request("Deploy?")).unwrap();
        let mut other = of(EventKind::ToolPost);
        other.tool.as_mut().unwrap().call_id = Some("t2".to_owned());
        assert_eq!(approver.register.settled_by(&other).unwrap().len(), 0);
        let event = of(kind.clone());
        assert_eq!(approver.register.settled_by(&event).unwrap().len(), settled, "{kind}");
        assert_eq!(approver.register.settled_by(&event).unwrap().len(), 0, "{kind}: each once");
    }
}

#[test]
fn watcher_counts_until_it_ends() {
    let approver = Approver::new();
    assert!(!approver.register.is_watched().unwrap());
    let (one, two) = (approver.register.watch().unwrap(), approver.register.watch().unwrap());
    assert!(approver.register.is_watched().unwrap());
    drop(one);
    assert!(approver.register.is_watched().unwrap());
    drop(two);
    assert!(!approver.register.is_watched().unwrap());
    // What a killed one leaves.
    fs::write(approver.register.path.join("watchers/1-dead"), "").unwrap();
    assert!(!approver.register.is_watched().unwrap());
}
