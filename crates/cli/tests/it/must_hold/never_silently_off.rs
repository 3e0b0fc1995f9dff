//! Ways in which a guard could be off, or its word lost, without anybody hearing of it.

use std::fs;
use std::os::unix::fs::symlink;

use crate::world::{World, bash};

const GUARD: &str = "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, deny: \"no\" }\n";

#[test]
fn a_hook_file_that_is_a_link_to_nowhere_is_told() {
    let world = World::with_hooks(GUARD);
    let file = world.config().join("tenter/hooks.yaml");
    fs::remove_file(&file).unwrap();
    symlink("/nowhere/at/all", &file).unwrap();
    let told = world.claude(&bash("ls")).run();
    assert!(told.stdout.contains("the hook file cannot be read"), "{told:?}");
    assert_eq!(world.tenter(&["hooks", "list"]).run().code, Some(1));
}

#[test]
fn without_a_home_the_agent_is_told_that_no_hook_file_was_looked_for() {
    let world = World::with_hooks(GUARD);
    let told = world.claude(&bash("ls")).without("HOME").without("XDG_CONFIG_HOME").run();
    assert!(told.stdout.contains("hook files cannot be looked for"), "{told:?}");
}

#[test]
fn an_input_too_deep_to_be_read_does_not_pass_a_guard() {
    let world = World::with_hooks(GUARD);
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let payload = format!(
        r#"{{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"ls","x":{deep}}}}}"#
    );
    let refused = world.claude(&payload).run();
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn a_deny_that_cannot_be_written_still_stops_the_call() {
    let world = World::with_hooks(GUARD);
    let line = format!("{} hook claude >/dev/full", env!("CARGO_BIN_EXE_tenter"));
    let refused = world.sh_with(&line, &bash("ls"));
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("the answer could not be written"), "{refused:?}");
}

#[test]
fn a_listing_cut_short_by_a_full_disk_is_no_success() {
    let world = World::with_hooks(GUARD);
    let listed = world.sh_with(&format!("{} hooks list >/dev/full", env!("CARGO_BIN_EXE_tenter")), "");
    assert_eq!(listed.code, Some(3), "{listed:?}");
}

#[test]
fn another_agents_payload_does_not_pass_a_guard() {
    let world = World::with_hooks(GUARD);
    let refused = world.hook("gemini", &bash("ls")).run();
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("is one of another agent"), "{refused:?}");
}

#[test]
fn a_lost_record_is_told_where_the_agent_shows_no_messages() {
    let world = World::with_hooks(GUARD);
    fs::create_dir_all(world.state().join("tenter")).unwrap();
    fs::write(world.state().join("tenter/audit"), "in the way").unwrap();
    let payload = r#"{"session_id":"s","hook_event_name":"PreCompact","trigger":"manual"}"#;
    let told = world.claude(payload).run();
    assert_eq!(told.stdout, "", "{told:?}");
    assert!(told.stderr.contains("not in the audit trail"), "{told:?}");
}
