//! When tenter fails, the agent continues, or with `--strict` is denied, and the user is notified.

use serde_json::{Value, json};

use super::{Plugin, step};
use crate::world::World;

/// A script in the place of tenter, and the notice for the user.
const BROKEN: [(&str, &str); 6] = [
    ("cat > /dev/null; exit 101", "tenter has failed (exit code 101)"),
    ("exit 1", "tenter has failed (exit code 1)"),
    ("kill -9 $$", "tenter has failed (SIGKILL)"),
    ("echo hello", "tenter has answered something that is no answer"),
    ("echo '[1]'", "tenter has answered something that is no answer"),
    ("exec sleep 1000", "tenter took more than 0 seconds"),
];

fn steps() -> Vec<Value> {
    vec![
        step("tool.execute.before", "tool.execute.before.bash"),
        step("tool.execute.before", "tool.execute.before.edit"),
        step("chat.message", "chat.message"),
        step("tool.execute.after", "tool.execute.after"),
        json!({"dispose": true}),
    ]
}

fn toasts(taken: &[Value]) -> Vec<String> {
    let seen = taken.iter().flat_map(|step| step["seen"].as_array().into_iter().flatten());
    seen.filter_map(|it| Some(it.get("toast")?["message"].as_str()?.to_owned())).collect()
}

/// Short timeouts for tests.
fn at_once(plugin: Plugin<'_>) -> Plugin<'_> {
    plugin
        .with(":600", ":0")
        .with(":60,", ":0,")
        .with(":5}", ":0}")
        .with("const GRACE = 5000", "const GRACE = 300")
}

#[test]
fn failing_tenter_is_reported_once() {
    for (script, why) in BROKEN {
        let world = World::new();
        let Some(plugin) = Plugin::installed(&world, &[]) else { return };
        let taken = at_once(plugin.calling(script)).play(&[], &json!({}), &steps());
        let threw: Vec<&Value> = taken.iter().filter(|step| step["threw"].is_string()).collect();
        assert_eq!(threw, [&Value::Null; 0], "{script}");
        let notice = format!("tenter: error: {why}; hooks do not run (`tenter doctor` says more)");
        assert_eq!(toasts(&taken), [notice], "{script}");
    }
}

#[test]
fn strict_denies_where_a_deny_has_effect() {
    for (script, why) in BROKEN {
        let world = World::new();
        let Some(plugin) = Plugin::installed(&world, &["--strict"]) else { return };
        let taken = at_once(plugin.calling(script)).play(&[], &json!({}), &steps());
        let threw: Vec<bool> = taken.iter().map(|step| step["threw"].is_string()).collect();
        assert_eq!(threw[..5], [true, true, true, false, false], "{script}");
        let reason = taken[0]["threw"].as_str().unwrap();
        assert_eq!(reason, format!("{why}; what no hook has judged is denied here (`--strict`)"));
        assert_eq!(toasts(&taken).len(), 1, "{taken:?}");
    }
}

#[test]
fn tenter_removed_in_a_session_is_missing() {
    for (options, closed) in [(&[][..], false), (&["--strict"][..], true)] {
        let world = World::new();
        let Some(plugin) = Plugin::installed(&world, options) else { return };
        let plugin = plugin.calling("cat > /dev/null");
        let program = world.home().join("tenter-hook");
        let before = step("tool.execute.before", "tool.execute.before.bash");
        let steps = [before.clone(), json!({"remove": program}), before];
        let taken = plugin.play(&["run", "hello"], &json!({}), &steps);
        assert_eq!((taken[0]["threw"].is_string(), taken[2]["threw"].is_string()), (false, closed));
        let stderr = taken[3].as_str().unwrap();
        let gone = format!("tenter: error: tenter is gone from {}; ", program.display());
        assert!(stderr.starts_with(&gone) && stderr.lines().count() == 1, "{stderr}");
    }
}

/// The agent hands over things that no type describes, and a plugin that throws would deny by accident.
#[test]
fn plugin_never_throws_on_any_input() {
    let world = World::new();
    let Some(plugin) = Plugin::installed(&world, &[]) else { return };
    let steps = [
        json!({"hook": "tool.execute.before", "input": {}, "output": {}}),
        json!({"hook": "tool.execute.after", "input": {"tool": "task", "sessionID": "s", "callID": "c"}}),
        json!({"hook": "chat.message", "input": {"sessionID": "s"}, "output": {}}),
        json!({"hook": "experimental.session.compacting", "input": {"sessionID": "s"}, "output": {}}),
        json!({"event": {"type": "session.created", "properties": {}}}),
        json!({"event": {"type": "session.idle"}}),
        json!({"event": {"type": "message.part.updated", "properties": {"part": {"type": "tool", "callID": "c"}}}}),
        json!({"event": {"type": "toString", "properties": 7}}),
        json!({"event": {}}),
        json!({"dispose": true}),
    ];
    let taken = plugin.play(&[], &json!({}), &steps);
    for (step, asked) in taken.iter().zip(&steps) {
        assert_eq!(step["threw"], Value::Null, "{asked}");
    }
}

/// The script waits for a file that the agent itself writes meanwhile.
#[test]
fn agent_runs_while_tenter_works() {
    let world = World::new();
    let Some(plugin) = Plugin::installed(&world, &[]) else { return };
    let sign = world.home().join("sign");
    let script = format!(
        "cat > /dev/null; until [ -e '{}' ]; do sleep 0.01; done; echo '{{\"decision\":\"deny\",\"reason\":\"after all\"}}'",
        sign.display()
    );
    let step = step("tool.execute.before", "tool.execute.before.bash");
    let taken = plugin.calling(&script).play(&[], &json!({"sign": sign}), &[step]);
    assert_eq!(taken[0]["threw"], "after all");
}

/// What a hook leaves behind keeps the pipe of its answer open.
#[test]
fn response_counts_while_the_pipe_is_open() {
    let world = World::new();
    let Some(plugin) = Plugin::installed(&world, &[]) else { return };
    let script = "cat > /dev/null; echo '{\"decision\":\"deny\",\"reason\":\"no\"}'; sleep 3 & exit 0";
    let step = step("tool.execute.before", "tool.execute.before.bash");
    let taken = plugin.calling(script).play(&[], &json!({}), &[step]);
    assert_eq!(taken[0]["threw"], "no");
}
