use std::time::Duration;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{
    AgentName, Ask, Choice, Effect, Event, EventKind, Handler, HookId, HookReply, HookSpec, Injection, Layer,
    Level, Message, Policy, Query, Repeat, ReplyDefaults, Role, Said, SessionId, Strategy, Template,
    Timestamp, ToolCall, ToolKind, Verdict,
};

use super::FixedExecutor;

fn template(text: &str) -> Template {
    Template::parse(text).unwrap()
}

fn write_of(paths: &[&str]) -> Event {
    let agent = AgentName::from_static("claude");
    let mut event = Event::new(EventKind::ToolPre, agent, SessionId::unknown(), Timestamp::default());
    let mut tool = ToolCall::new("Write", ToolKind::Write, serde_json::Map::new());
    tool.paths = paths.iter().map(|&path| path.to_owned()).collect();
    event.tool = Some(tool);
    event
}

fn check(handler: Handler, paths: &[&str], verdict: Verdict, effects: Vec<Effect>) {
    let hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler);
    let report = FixedExecutor.run(&hook, &write_of(paths));
    assert_eq!(report.said, Said::Reply(HookReply { verdict, effects }), "{:?}", hook.handler);
    assert_eq!(report.transcript, tenter_contract::Transcript::default());
}

fn inject(text: &str) -> Handler {
    Handler::Inject(template(text))
}

fn ask(prompt: &str) -> Handler {
    let timeout = Some(Duration::from_mins(1));
    Handler::Ask(Ask {
        prompt: template(prompt),
        options: vec![Choice::named("Yes")],
        timeout,
        default: Policy::Allow,
    })
}

fn asked(prompt: &str) -> Verdict {
    let timeout = Some(Duration::from_mins(1));
    let (prompt, options) = (prompt.to_owned(), vec![Choice::named("Yes")]);
    Verdict::Ask(Query { prompt, options, timeout, default: Policy::Allow })
}

#[test]
fn each_kind_says_what_its_file_says() {
    let injected = vec![Effect::Inject(Injection::text("see a.py"))];
    check(inject("see {tool.path}"), &["a.py"], Verdict::Abstain, injected);
    let message = Handler::Message { text: template("wrote {tool.path}"), level: Level::Warning };
    let told = Message { text: "wrote a.py".to_owned(), level: Level::Warning };
    check(message, &["a.py"], Verdict::Abstain, vec![Effect::Tell(told)]);
    check(ask("Change {tool.path}?"), &["a.py"], asked("Change a.py?"), vec![]);
    let denied = Verdict::Deny { reason: "not a.py".to_owned() };
    check(Handler::Deny(template("not {tool.path}")), &["a.py"], denied, vec![]);
}

#[test]
fn what_comes_out_empty_is_no_empty_reply() {
    check(inject(" "), &[], Verdict::Abstain, vec![]);
    check(ask("{tool.path}"), &[], asked("Allow this operation?"), vec![]);
    let denied = Verdict::Deny { reason: "no reason given".to_owned() };
    check(Handler::Deny(template(" ")), &[], denied, vec![]);
}

#[test]
fn who_is_asked_about_several_files_sees_all_of_them() {
    check(ask("Change {tool.path}?"), &["a", "b\0"], asked("Change a, b?"), vec![]);
}

#[test]
fn the_hooks_defaults_apply() {
    let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, inject("x"));
    (hook.role, hook.strategy) = (Role::User, Strategy::ToolResult);
    hook.defaults = ReplyDefaults { ephemeral: true, suppress_output: true, repeat: Repeat::Never };
    let injection = Injection {
        role: Role::User,
        strategy: Strategy::ToolResult,
        ephemeral: true,
        repeat: Repeat::Never,
        ..Injection::text("x")
    };
    let effects = vec![Effect::Inject(injection), Effect::SuppressOutput];
    let expected = Said::Reply(HookReply { verdict: Verdict::Abstain, effects });
    assert_eq!(FixedExecutor.run(&hook, &write_of(&[])).said, expected);
}

#[test]
fn texts_whose_placeholder_has_no_value_are_skipped_and_guards_are_not() {
    let run = |handler| {
        let hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler);
        FixedExecutor.run(&hook, &write_of(&[])).said
    };
    let skipped = Said::Skipped { why: "the event has no tool.path".to_owned() };
    assert_eq!(run(inject("see {tool.path}")), skipped);
    let message = Handler::Message { text: template("wrote {tool.path}"), level: Level::Info };
    assert_eq!(run(message), skipped);
    assert!(matches!(run(Handler::Deny(template("not {tool.path}"))), Said::Reply(_)));
    assert!(matches!(run(ask("Change {tool.path}?")), Said::Reply(_)));
}

#[test]
fn questions_and_reasons_show_both_ends_of_a_long_value() {
    let mut event = write_of(&["a"]);
    event.tool.as_mut().unwrap().paths = vec![format!("begin{}end", "ä".repeat(1_000_000))];
    for handler in [ask("Change {tool.path}?"), Handler::Deny(template("not {tool.path}"))] {
        let hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler);
        let Said::Reply(reply) = FixedExecutor.run(&hook, &event).said else { panic!("no reply") };
        let text = match reply.verdict {
            Verdict::Ask(query) => query.prompt,
            Verdict::Deny { reason } => reason,
            verdict => panic!("{verdict:?}"),
        };
        assert!(text.contains(" begin") && text.contains("end"), "both ends are shown");
        assert!(text.len() < 70_000 && text.contains(" bytes are not shown] …"), "{} bytes", text.len());
    }
}
