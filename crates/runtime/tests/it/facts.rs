//! Facts for conditions are gathered only if a hook of the event needs them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tenter_contract::ports::FactFinder;
use tenter_contract::{EventKind, Facts, HookSpec, Pattern, WantedFacts};

use crate::kit::{TestAdapter, Trail, answer, hook, inject, only_stdout, runtime};

#[derive(Default)]
struct Lookout {
    looks: Arc<AtomicUsize>,
    wanted: Arc<Mutex<WantedFacts>>,
}

impl FactFinder for Lookout {
    fn find(&self, wanted: &WantedFacts, _: Option<&str>) -> Facts {
        self.looks.fetch_add(1, Ordering::SeqCst);
        *self.wanted.lock().unwrap() = wanted.clone();
        Facts { branch: Some("main".to_owned()), ..Facts::default() }
    }

    fn fingerprint(&self, _: &[String], _: Option<&str>) -> Option<String> {
        None
    }
}

fn on_branch(name: &str, branch: &str) -> HookSpec {
    let mut hook = hook(name);
    hook.when.branch = vec![Pattern::parse(branch).unwrap()];
    hook
}

fn asked(hooks: Vec<HookSpec>) -> (String, usize, WantedFacts) {
    let trail = Arc::new(Trail::default());
    let lookout = Lookout::default();
    let (looks, wanted) = (Arc::clone(&lookout.looks), Arc::clone(&lookout.wanted));
    let blind = runtime(hooks, &trail, |hook, _| inject(&hook.id.name));
    let runtime = {
        let mut runtime = blind;
        runtime.catalog.facts = Arc::new(lookout);
        runtime
    };
    let (code, stdout, stderr) = answer(&runtime, &TestAdapter::default(), "ls");
    assert_eq!((code, stderr), (0, String::new()));
    let wanted = wanted.lock().unwrap().clone();
    (stdout, looks.load(Ordering::SeqCst), wanted)
}

#[test]
fn no_condition_reads_no_facts() {
    let elsewhere = HookSpec { event: EventKind::ToolPost, ..on_branch("after", "main") };
    let (stdout, looks, _) = asked(vec![hook("plain"), elsewhere]);
    assert_eq!((stdout.as_str(), looks), (only_stdout("context: plain\n").1.as_str(), 0));
}

#[test]
fn facts_are_read_once() {
    let mut with_more = on_branch("more", "main");
    with_more.when.file_exists = vec!["absent".to_owned()];
    let (stdout, looks, wanted) = asked(vec![on_branch("yes", "main"), on_branch("no", "dev"), with_more]);
    assert_eq!((stdout.as_str(), looks), ("context: yes\n", 1));
    assert_eq!(
        wanted,
        WantedFacts {
            branch: true,
            variables: Vec::new(),
            files: vec!["absent".to_owned()],
            ..WantedFacts::default()
        }
    );
}
