use std::time::Duration;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{
    AgentName, ApprovalPrompt, Ask, Choice, Effect, Event, EventKind, Handler, HookId, HookOutput, HookReply,
    HookSpec, Injection, Layer, Level, Message, Policy, Repeat, ReplyDefaults, Role, Strategy, Template,
    Timestamp, ToolCall, ToolKind, Verdict,
};

use super::FixedExecutor;

fn template(text: &str) -> Template {
    Template::parse(text).unwrap()
}

fn write_of(paths: &[&str]) -> Event {
    let agent = AgentName::from_static("claude");
    let mut event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
    let mut tool = ToolCall::new("Write", ToolKind::Write, serde_json::Map::new());
    tool.paths = paths.iter().map(|&path| path.to_owned()).collect();
    event.tool = Some(tool);
    event
}

fn check(handler: Handler, paths: &[&str], verdict: Verdict, effects: Vec<Effect>) {
    let hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler);
    let report = FixedExecutor.run(&hook, &write_of(paths));
    assert_eq!(report.output, HookOutput::Reply(HookReply { verdict, effects }), "{:?}", hook.handler);
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
    Verdict::Ask(ApprovalPrompt { prompt, options, timeout, default: Policy::Allow })
}

#[test]
fn each_kind_replies_from_its_file() {
    let injected = vec![Effect::Inject(Injection::text("see a.py"))];
    check(inject("see {tool.path}"), &["a.py"], Verdict::Abstain, injected);
    let message = Handler::Message { text: template("wrote {tool.path}"), level: Level::Warning };
    let notice = Message { text: "wrote a.py".to_owned(), level: Level::Warning };
    check(message, &["a.py"], Verdict::Abstain, vec![Effect::Notify(notice)]);
    check(ask("Change {tool.path}?"), &["a.py"], asked("Change a.py?"), vec![]);
    let denied = Verdict::Deny { reason: "not a.py".to_owned() };
    check(Handler::Deny(template("not {tool.path}")), &["a.py"], denied, vec![]);
}

#[test]
fn blank_texts_have_defaults() {
    check(inject(" "), &[], Verdict::Abstain, vec![]);
    check(ask("{tool.path}"), &[], asked("Allow this operation?"), vec![]);
    let denied = Verdict::Deny { reason: "no reason given".to_owned() };
    check(Handler::Deny(template(" ")), &[], denied, vec![]);
}

#[test]
fn question_shows_all_paths() {
    check(ask("Change {tool.path}?"), &["a", "b\0"], asked("Change a, b?"), vec![]);
}

#[test]
fn hook_defaults_apply() {
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
    let expected = HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects });
    assert_eq!(FixedExecutor.run(&hook, &write_of(&[])).output, expected);
}

#[test]
fn missing_value_skips_only_texts() {
    let run = |handler| {
        let hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler);
        FixedExecutor.run(&hook, &write_of(&[])).output
    };
    let skipped = HookOutput::Skipped { why: "the event has no tool.path".to_owned() };
    assert_eq!(run(inject("see {tool.path}")), skipped);
    let message = Handler::Message { text: template("wrote {tool.path}"), level: Level::Info };
    assert_eq!(run(message), skipped);
    assert!(matches!(run(Handler::Deny(template("not {tool.path}"))), HookOutput::Reply(_)));
    assert!(matches!(run(ask("Change {tool.path}?")), HookOutput::Reply(_)));
}

#[test]
fn long_values_show_both_ends() {
    let mut event = write_of(&["a"]);
    event.tool.as_mut().unwrap().paths = vec![format!("begin{}end", "ä".repeat(1_000_000))];
    for handler in [ask("Change {tool.path}?"), Handler::Deny(template("not {tool.path}"))] {
        let hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler);
        let HookOutput::Reply(reply) = FixedExecutor.run(&hook, &event).output else { panic!("no reply") };
        let text = match reply.verdict {
            Verdict::Ask(query) => query.prompt,
            Verdict::Deny { reason } => reason,
            verdict => panic!("{verdict:?}"),
        };
        assert!(text.contains(" begin") && text.contains("end"), "both ends are shown");
        assert!(text.len() < 70_000 && text.contains(" bytes are not shown] …"), "{} bytes", text.len());
    }
}
