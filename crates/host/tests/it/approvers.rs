//! Every approver with the same requests: the user's answer is returned, a timeout ends the wait, and
//! an answer elsewhere ends it too.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tenter_contract::ports::{Acceptance, ApprovalRegister, Approver, EnteredRequest, Waiting};
use tenter_contract::*;
use tenter_host::approvers::{FileApprover, PolicyApprover, WatchApprover, WatchWhen};
use tenter_runtime::ApiApprover;
use tenter_store::approvals::Watcher;
use tenter_store::{ApprovalFolder, StateFolder};

/// An approver, how a user answers at it, and the approver a hook file names for it.
struct Case {
    approver: Arc<dyn Approver>,
    named: Option<ApproverName>,
    answer: Answering,
}

/// Answers the question of this id with this option.
type Answering = Box<dyn Fn(&str, &str) + Send + Sync>;

struct World {
    home: tempfile::TempDir,
    register: ApprovalFolder,
    watcher: Mutex<Option<Watcher>>,
}

impl World {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let register = ApprovalFolder::new(&StateFolder::new(home.path().join("state")));
        Self { home, register, watcher: Mutex::new(None) }
    }

    fn open_watcher(&self) {
        *self.watcher.lock().unwrap() = Some(self.register.watch().unwrap());
    }

    fn close_watchers(&self) {
        *self.watcher.lock().unwrap() = None;
    }

    fn cases(&self) -> Vec<(&'static str, Case)> {
        self.open_watcher();
        let by_register = || {
            let register = self.register.clone();
            move |id: &str, option: &str| drop(register.answer(id, option))
        };
        let watch = |when, named| Case {
            approver: Arc::new(WatchApprover::new(self.register.clone(), when)),
            named,
            answer: Box::new(by_register()),
        };
        let folder = self.home.path().join("served");
        let served = folder.clone();
        let file = Case {
            approver: Arc::new(FileApprover::new(folder)),
            named: Some(ApproverName::File { folder: None }),
            answer: Box::new(move |id, option| serve(&served, id, option)),
        };
        let api = Arc::new(ApiApprover::new());
        let answering = Arc::clone(&api);
        let api = Case {
            approver: api,
            named: None,
            answer: Box::new(move |id, option| {
                while answering.answer(id, option).is_err() {
                    thread::sleep(Duration::from_millis(1));
                }
            }),
        };
        vec![
            ("watch", watch(WatchWhen::Watched, None)),
            ("watch, named", watch(WatchWhen::Named, Some(ApproverName::Watch))),
            ("file", file),
            ("api", api),
        ]
    }
}

/// Answers as a program that serves the folder would.
fn serve(folder: &Path, id: &str, option: &str) {
    let question = folder.join(format!("{id}.question.json"));
    while !question.exists() {
        thread::sleep(Duration::from_millis(1));
    }
    let text = fs::read_to_string(&question).unwrap();
    assert!(text.contains("\"prompt\": \"Deploy?\""), "{text}");
    let draft = folder.join("draft");
    fs::write(&draft, json!({ "option": option }).to_string()).unwrap();
    fs::rename(draft, folder.join(format!("{id}.answer.json"))).unwrap();
}

fn request() -> ApprovalRequest {
    let query = ApprovalPrompt {
        prompt: "Deploy?".to_owned(),
        options: vec![
            Choice::named("Allow once"),
            Choice::granting("Ship it", Grant::Session).unwrap(),
            Choice::named("Not now"),
        ],
        timeout: None,
        default: Policy::Deny,
    };
    let hook_question =
        HookQuestion { hook: HookId::new(Layer::User, "guard"), definition: "00".to_owned(), query };
    let session = SessionId::parse("s1").unwrap();
    ApprovalRequest {
        id: String::new(),
        approver: "any".to_owned(),
        question: ApprovalQuestion::new(vec![hook_question]).unwrap(),
        event: Arc::new(Event::new(
            EventKind::ToolPre,
            AgentName::new("claude"),
            session,
            Timestamp::default(),
        )),
        asked: Timestamp::default(),
        // The waiting side decides on the timeout.
        until: Timestamp::from_unix_ms(4_102_444_800_000),
    }
}

/// The runtime's side of the wait.
struct Asking {
    entered: Mutex<Box<dyn EnteredRequest>>,
    gone: AtomicBool,
    until: Instant,
}

// The register's side is used by one thread at a time.
struct Shared<'a>(&'a Asking);

impl Waiting for Shared<'_> {
    fn elsewhere(&self) -> Option<ApprovalAnswer> {
        let gone = self.0.gone.load(Ordering::SeqCst);
        let withdrawn = || ApprovalAnswer::Withdrawn { why: "gone".to_owned() };
        self.0.entered.lock().unwrap().answer().or_else(|| gone.then(withdrawn))
    }

    fn until(&self) -> Instant {
        self.0.until
    }

    fn timed_out(&self) -> ApprovalAnswer {
        ApprovalAnswer::TimedOut { after: Duration::ZERO }
    }
}

/// Puts a question at an approver and runs something in the meantime.
fn ask(
    world: &World,
    case: &Case,
    patience: Duration,
    meanwhile: impl FnOnce(&str, &AtomicBool) + Send,
) -> ApprovalAnswer {
    let mut entered = world.register.enter(request()).unwrap();
    entered.open().unwrap();
    let put = entered.request().clone();
    // Makes the folder of an approver that has one.
    case.approver.takes(&put, case.named.as_ref());
    let asking = Asking {
        entered: Mutex::new(entered),
        gone: AtomicBool::new(false),
        until: Instant::now() + patience,
    };
    let answer = thread::scope(|scope| {
        let gone = &asking.gone;
        let id = put.id.clone();
        scope.spawn(move || meanwhile(&id, gone));
        case.approver.ask(&put, case.named.as_ref(), &Shared(&asking))
    });
    let mut entered = asking.entered.into_inner().unwrap();
    let answer = entered.settle(answer).unwrap();
    entered.close(&[]).unwrap();
    answer
}

const LONG: Duration = Duration::from_secs(30);

#[test]
fn chosen_option_is_returned() {
    let world = World::new();
    for (name, case) in world.cases() {
        for (typed, expected) in [
            ("Allow once", ApprovalAnswer::Granted { option: "Allow once".to_owned(), grants: Grant::Once }),
            ("ship IT", ApprovalAnswer::Granted { option: "Ship it".to_owned(), grants: Grant::Session }),
            ("3", ApprovalAnswer::Denied { option: "Not now".to_owned() }),
        ] {
            let answer = ask(&world, &case, LONG, |id, _| (case.answer)(id, typed));
            assert_eq!(answer, expected, "{name}: {typed}");
        }
    }
}

#[test]
fn timeout_ends_the_wait() {
    let world = World::new();
    for (name, case) in world.cases() {
        let answer = ask(&world, &case, Duration::from_millis(30), |_, _| ());
        assert_eq!(answer, ApprovalAnswer::TimedOut { after: Duration::ZERO }, "{name}");
    }
}

#[test]
fn answer_elsewhere_ends_the_wait() {
    let world = World::new();
    for (name, case) in world.cases() {
        let register = world.register.clone();
        let answer = ask(&world, &case, LONG, move |id, _| drop(register.answer(id, "Allow once")));
        assert_eq!(
            answer,
            ApprovalAnswer::Granted { option: "Allow once".to_owned(), grants: Grant::Once },
            "{name}"
        );
        let answer = ask(&world, &case, LONG, |_, gone| gone.store(true, Ordering::SeqCst));
        assert_eq!(answer, ApprovalAnswer::Withdrawn { why: "gone".to_owned() }, "{name}");
    }
}

/// Otherwise, tenter would wait for the timeout.
#[test]
fn request_ends_with_its_last_watcher() {
    let world = World::new();
    for (name, case) in world.cases() {
        world.open_watcher();
        let patience = if name == "watch" { LONG } else { Duration::from_millis(30) };
        let answer = ask(&world, &case, patience, |_, _| world.close_watchers());
        match name {
            "watch" => {
                let ApprovalAnswer::ApproverGone { why } = answer else { panic!("{answer:?}") };
                assert!(why.starts_with("the user stopped `tenter approvals watch`"), "{why}");
            }
            _ => assert_eq!(answer, ApprovalAnswer::TimedOut { after: Duration::ZERO }, "{name}"),
        }
    }
}

/// An answer counts even if the approver closes at once.
#[test]
fn answer_of_a_closed_approver_counts() {
    let world = World::new();
    let (_, case) = world.cases().into_iter().find(|(name, _)| *name == "watch").unwrap();
    let answer = ask(&world, &case, LONG, |id, _| {
        let questions = world.register.path().join("questions");
        fs::write(questions.join(id).join("answer.json"), r#"{"option": "Ship it"}"#).unwrap();
        world.close_watchers();
    });
    assert_eq!(answer, ApprovalAnswer::Granted { option: "Ship it".to_owned(), grants: Grant::Session });
}

#[test]
fn answered_requests_are_removed() {
    let world = World::new();
    for (_, case) in world.cases() {
        ask(&world, &case, LONG, |id, _| (case.answer)(id, "1"));
        ask(&world, &case, Duration::from_millis(10), |_, _| ());
    }
    let left: Vec<PathBuf> =
        fs::read_dir(world.home.path().join("served")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, Vec::<PathBuf>::new());
    assert_eq!(world.register.open_questions().unwrap(), []);
}

#[test]
fn each_approver_takes_its_own_requests() {
    let world = World::new();
    let watching = WatchApprover::new(world.register.clone(), WatchWhen::Watched);
    let named = WatchApprover::new(world.register.clone(), WatchWhen::Named);
    let file = FileApprover::new(world.home.path().join("served"));
    let approvers: [(&str, &dyn Approver); 4] =
        [("policy", &PolicyApprover), ("watching", &watching), ("watch", &named), ("file", &file)];
    let takers = |hook_file: Option<&ApproverName>| -> Vec<&str> {
        let takes =
            |(_, approver): &&(&str, &dyn Approver)| approver.takes(&request(), hook_file) == Acceptance::Yes;
        approvers.iter().filter(takes).map(|(name, _)| *name).collect()
    };
    assert_eq!(takers(None), Vec::<&str>::new());
    assert_eq!(takers(Some(&ApproverName::Watch)), ["watch"]);
    assert_eq!(takers(Some(&ApproverName::File { folder: None })), ["file"]);
    assert_eq!(takers(Some(&ApproverName::Deny)), ["policy"]);
    let _watcher = world.register.watch().unwrap();
    assert_eq!(takers(None), ["watching"]);
}

#[test]
fn policy_deny_is_not_a_user_deny() {
    let world = World::new();
    for (named, granted) in [(ApproverName::Deny, false), (ApproverName::Allow, true)] {
        let case =
            Case { approver: Arc::new(PolicyApprover), named: Some(named), answer: Box::new(|_, _| ()) };
        let answer = ask(&world, &case, LONG, |_, _| ());
        assert_eq!(matches!(answer, ApprovalAnswer::Granted { .. }), granted);
        assert_eq!(matches!(answer, ApprovalAnswer::NoApprover { .. }), !granted);
    }
}

/// A program that can write the folder can answer, so it must be outside the project.
#[test]
fn writable_folder_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let project = world.home.path().join("project");
    fs::create_dir_all(&project).unwrap();
    let open = world.home.path().join("open");
    fs::create_dir_all(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    let approver = FileApprover::new(world.home.path().join("served"));
    let mut event = (*request().event).clone();
    event.project_root = Some(project.to_string_lossy().into_owned());
    let request = ApprovalRequest { event: Arc::new(event), ..request() };
    for folder in [project.join("approvals"), open, PathBuf::from("relative")] {
        let named = ApproverName::File { folder: Some(folder.to_string_lossy().into_owned()) };
        assert!(
            matches!(approver.takes(&request, Some(&named)), Acceptance::No { .. }),
            "{}",
            folder.display()
        );
    }
}

#[test]
fn invalid_folder_answer_keeps_the_request() {
    let world = World::new();
    let cases = world.cases();
    let (_, case) = cases.into_iter().find(|(name, _)| *name == "file").unwrap();
    let folder = world.home.path().join("served");
    let answer = ask(&world, &case, LONG, |id, _| {
        serve(&folder, id, "yes");
        while !folder.join(format!("{id}.refused.json")).exists() {
            thread::sleep(Duration::from_millis(1));
        }
        serve(&folder, id, "Not now");
    });
    assert_eq!(answer, ApprovalAnswer::Denied { option: "Not now".to_owned() });
}
