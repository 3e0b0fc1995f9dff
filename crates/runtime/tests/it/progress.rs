//! Progress observers see each hook of an event start and finish.

use std::sync::{Arc, Mutex};

use tenter_contract::ports::ProgressObserver;
use tenter_contract::*;

use crate::kit::{Trail, hook, inject, runtime};

#[derive(Clone, Default)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    fn record_step(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

impl ProgressObserver for Diary {
    fn begins(&self, event: &Event, hooks: usize) {
        self.record_step(format!("{} begins with {hooks}", event.kind));
    }

    fn started(&self, _: &Event, hook: &HookId) {
        self.record_step(format!("{hook} started"));
    }

    fn finished(&self, _: &Event, hook: &HookId) {
        self.record_step(format!("{hook} finished"));
    }

    fn ends(&self, event: &Event) {
        self.record_step(format!("{} ends", event.kind));
    }
}

#[test]
fn progress_reports_each_hook() {
    let trail = Arc::new(Trail::default());
    let elsewhere = HookSpec { event: EventKind::ToolPost, ..hook("elsewhere") };
    let alone =
        runtime(vec![hook("one"), hook("two"), elsewhere], &trail, |hook, _| match hook.id.name.as_str() {
            "one" => panic!("a hook that panics has finished too"),
            _ => inject("a"),
        });
    let diary = Diary::default();
    let runtime = {
        let mut runtime = alone;
        runtime.runner.progress = Some(Box::new(diary.clone()));
        runtime
    };
    let agent = AgentName::from_static("adapter");
    runtime.emit(Event::new(EventKind::ToolPre, agent, None, Timestamp::default()));
    let noted = diary.0.lock().unwrap().clone();
    assert_eq!(
        noted,
        [
            "tool:pre begins with 2",
            "one started",
            "one finished",
            "two started",
            "two finished",
            "tool:pre ends"
        ]
    );
}
