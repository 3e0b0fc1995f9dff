use super::*;
use serde_json::json;
use tenter_contract::{
    AgentName, EventKind, Handler, HookId, Layer, SessionId, Timestamp, ToolCall, ToolKind,
};

fn hook(inherit_env: EnvInheritance, env: &[(&str, &str)]) -> HookSpec {
    let mut hook =
        HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, Handler::Script("x".to_owned()));
    hook.inherit_env = inherit_env;
    hook.env = env.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    hook
}

fn write_of(path: &str) -> Event {
    let session = SessionId::parse("s1").unwrap();
    let mut event =
        Event::new(EventKind::ToolPre, AgentName::from_static("claude"), session, Timestamp::default());
    let input = json!({"file_path": path}).as_object().cloned().unwrap();
    event.tool = Some(ToolCall::new("Write", ToolKind::Write, input));
    event.project_root = Some("/p".to_owned());
    event
}

/// The variables as one line of text, and the number of notices.
fn seen(hook: &HookSpec, event: &Event, path: Option<&str>, ours: &[(&str, &str)]) -> (String, usize) {
    let ours: Vec<_> = ours.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    let mut notices = Vec::new();
    let all = build(hook, event, path, &ours, &mut notices);
    let words = all.iter().map(|(name, value)| format!("{}={}", name.display(), value.display()));
    (words.collect::<Vec<_>>().join(" "), notices.len())
}

const OF_EVENT: &str = "TENTER_AGENT=claude TENTER_EVENT=tool:pre TENTER_PROJECT_ROOT=/p \
                        TENTER_SESSION_ID=s1 TENTER_TOOL_NAME=Write TENTER_TOOL_PATH=a";

#[test]
fn inherit_env_selects_variables() {
    let ours = [("LC_ALL", "C"), ("PATH", "/bin"), ("TOKEN", "t"), ("XDG_X", "x")];
    let named = EnvInheritance::Named(vec!["TOKEN".to_owned()]);
    for (inherit, expected) in [
        (EnvInheritance::All, format!("CLAUDE_PROJECT_DIR=/p LC_ALL=C PATH=/bin {OF_EVENT} TOKEN=t XDG_X=x")),
        (EnvInheritance::Minimal, format!("CLAUDE_PROJECT_DIR=/p LC_ALL=C PATH=/bin {OF_EVENT} XDG_X=x")),
        (named, format!("CLAUDE_PROJECT_DIR=/p LC_ALL=C PATH=/bin {OF_EVENT} TOKEN=t XDG_X=x")),
    ] {
        assert_eq!(seen(&hook(inherit, &[]), &write_of("a"), None, &ours), (expected, 0));
    }
}

#[test]
fn hook_file_env_wins() {
    let ours = [("CLAUDE_PROJECT_DIR", "/theirs"), ("TENTER_EVENT", "old")];
    let hook = hook(EnvInheritance::All, &[("TENTER_AGENT", "me"), ("A", "1"), ("A", "2")]);
    let expected = format!("A=2 CLAUDE_PROJECT_DIR=/theirs {OF_EVENT}").replace("=claude", "=me");
    assert_eq!(seen(&hook, &write_of("a"), None, &ours), (expected, 0));
}

#[test]
fn project_dir_falls_back_to_cwd() {
    let mut event = write_of("a");
    (event.project_root, event.cwd) = (None, Some("/w".to_owned()));
    let (seen, _) = seen(&hook(EnvInheritance::Minimal, &[]), &event, None, &[]);
    assert!(
        seen.starts_with("CLAUDE_PROJECT_DIR=/w TENTER_AGENT") && !seen.contains("PROJECT_ROOT"),
        "{seen}"
    );
}

#[test]
fn path_variable_has_the_current_path() {
    let (seen, _) = seen(&hook(EnvInheritance::Minimal, &[]), &write_of("a"), Some("b"), &[]);
    assert!(seen.ends_with("TENTER_TOOL_PATH=b"), "{seen}");
}

#[test]
fn unusable_values_are_left_out() {
    let long = "x".repeat(200_000);
    for path in ["a\0b", &long] {
        let got = seen(&hook(EnvInheritance::Minimal, &[]), &write_of(path), None, &[]);
        let expected = OF_EVENT.replace(" TENTER_TOOL_PATH=a", "");
        assert_eq!(got, (format!("CLAUDE_PROJECT_DIR=/p {expected}"), 1));
    }
    let odd = hook(EnvInheritance::Minimal, &[("", "x"), ("A=B", "x"), ("A\0", "x"), ("A", "\0")]);
    assert_eq!(seen(&odd, &write_of("a"), None, &[]).1, 4);
}

#[test]
fn loading_variables_need_a_name() {
    let ours = [
        ("BASH_ENV", "x"),
        ("BASH_FUNC_jq%%", "() { :; }"),
        ("GIT_EXTERNAL_DIFF", "x"),
        ("LD_PRELOAD", "x"),
        ("NODE_OPTIONS", "-r x"),
        ("PERL5OPT", "-Mx"),
        ("PYTHONPATH", "x"),
        ("TOKEN", "t"),
    ];
    let (all, _) = seen(&hook(EnvInheritance::All, &[]), &write_of("a"), None, &ours);
    assert_eq!(all, format!("CLAUDE_PROJECT_DIR=/p {OF_EVENT} TOKEN=t"));
    let named = EnvInheritance::Named(vec!["PYTHONPATH".to_owned()]);
    let (named, _) = seen(&hook(named, &[("LD_PRELOAD", "mine")]), &write_of("a"), None, &ours);
    assert_eq!(named, format!("CLAUDE_PROJECT_DIR=/p LD_PRELOAD=mine PYTHONPATH=x {OF_EVENT}"));
}

#[test]
fn user_hooks_have_no_project_folder_in_path() {
    let ours = [("PATH", "/p/bin:.::bin:/bin:/p/../p/node_modules/.bin")];
    let mut of_user = hook(EnvInheritance::Minimal, &[]);
    for (layer, expected) in [
        (Layer::User, "PATH=/bin "),
        (Layer::Managed, "PATH=/bin "),
        (Layer::Profile, "PATH=/bin "),
        (Layer::Project, "PATH=/p/bin:.::bin:/bin:/p/../p/node_modules/.bin "),
    ] {
        of_user.id.layer = layer;
        let (seen, _) = seen(&of_user, &write_of("a"), None, &ours);
        assert!(seen.contains(expected), "{layer:?}: {seen}");
    }
    of_user.id.layer = Layer::User;
    let (seen, _) = seen(&of_user, &write_of("a"), None, &[("PATH", "/p/bin")]);
    assert!(seen.contains("PATH=/usr/local/bin:/usr/bin:/bin "), "{seen}");
}
