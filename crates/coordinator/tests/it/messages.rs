//! Messages to the user, and hidden output of hooks.

use std::sync::Arc;

use serde_json::json;
use tenter_contract::{
    Effect, EventKind, Handler, HookId, HookOutput, HookReport, HookSet, HookSpec, Layer, Template,
    Transcript,
};
use tenter_coordinator::{HookReply, Level, Lines, Shown, UserDisplay};
use tenter_runtime::kit::FunctionExecutor;

use crate::kit::{test_session, test_session_with};

#[test]
fn message_has_level_and_source() {
    let test = test_session();
    for (name, level) in [("linter", Level::Warning), ("stats", Level::Info), ("types", Level::Error)] {
        test.register_reply(EventKind::ToolPost, name, HookReply::default().notify(level, "3 problems"));
    }
    test.session.emit(test.write(EventKind::ToolPost, "a")).unwrap();
    assert_eq!(
        test.shown(),
        [
            "[hook:linter] warning: 3 problems",
            "[hook:stats] info: 3 problems",
            "[hook:types] error: 3 problems",
        ]
    );
    assert_eq!(test.conversation(), []);
}

#[test]
fn context_and_message_are_separate() {
    let test = test_session();
    let reply = HookReply::default().inject("for the agent").notify(Level::Info, "for the user");
    test.register_reply(EventKind::ToolPost, "linter", reply);
    test.session.emit(test.write(EventKind::ToolPost, "a")).unwrap();
    assert_eq!(test.conversation(), [("system", "for the agent".to_owned())]);
    assert_eq!(test.shown(), ["[hook:linter] info: for the user"]);
}

/// Two programs with output; one of them hides it.
fn writers(hidden: bool) -> (HookSet, impl tenter_contract::ports::HookExecutor) {
    let hook = |name: &str| {
        let handler = Handler::Inject(Template::parse("x").unwrap());
        HookSpec::new(HookId::new(Layer::User, name), EventKind::ToolPost, handler)
    };
    let executor = FunctionExecutor(move |hook: &HookSpec, _: &tenter_contract::Event| {
        let mut reply = HookReply::default().notify(Level::Info, "done");
        if hidden && hook.id.name == "quiet" {
            reply = reply.and(Effect::SuppressOutput);
        }
        let stdout = format!("{} wrote this", hook.id.name);
        HookReport {
            output: HookOutput::Reply(reply),
            transcript: Transcript { stdout, ..Transcript::default() },
        }
    });
    (HookSet::new(vec![hook("loud"), hook("quiet")]), executor)
}

#[test]
fn hook_hides_only_its_output() {
    for (hidden, expected) in
        [(false, vec!["loud wrote this", "quiet wrote this"]), (true, vec!["loud wrote this"])]
    {
        let (hooks, executor) = writers(hidden);
        let test = test_session_with(|builder| builder.hooks(hooks).executor(executor));
        let mut event = test.write(EventKind::ToolPost, "a");
        event.tool.as_mut().unwrap().output = Some(json!({ "stdout": "the tool's own" }));
        let emitted = test.session.emit(event).unwrap();
        let output: Vec<&str> = emitted.hook_output().map(|(_, wrote)| wrote.stdout.as_str()).collect();
        assert_eq!(output, expected);
        // A hook cannot hide the tool's output, its message or the record.
        let output = emitted.event().tool.as_ref().unwrap().output.clone();
        assert_eq!(output, Some(json!({ "stdout": "the tool's own" })));
        assert_eq!(test.shown(), ["[hook:loud] info: done", "[hook:quiet] info: done"]);
        assert_eq!(emitted.outcome.runs[1].transcript.stdout, "quiet wrote this");
    }
}

#[test]
fn message_lines_are_indented() {
    let lines = Lines::to(Vec::new());
    let shown =
        |text: &str, level, source: &str| Shown { text: text.to_owned(), level, source: source.to_owned() };
    lines.show(&shown("3 problems", Level::Warning, "hook:linter"));
    lines.show(&shown("fine\n[hook:guard] error: all is lost", Level::Info, "hook:liar"));
    lines.show(&shown("went on without it", Level::Error, "tenter"));
    assert_eq!(
        String::from_utf8(lines.into_inner()).unwrap(),
        "[hook:linter] warning: 3 problems\n\
         [hook:liar] fine\n    [hook:guard] error: all is lost\n\
         [tenter] error: went on without it\n"
    );
    let _: Arc<dyn UserDisplay> = Arc::new(Lines::to(std::io::stderr()));
}
