//! A call goes back to the agent as it came, except for what a hook changed.

use crate::world::{World, bash};

const REWRITE: &str = r#"version: 1
hooks:
  tool:pre:
    - name: rewrite
      command: "echo '{\"modify\":{\"tool_input\":{\"command\":\"ls\"}}}'"
"#;

#[test]
fn unpaired_surrogate_is_returned_unchanged() {
    let world = World::with_hooks(REWRITE);
    let halves = r#""command":"make","t":"a\ud83d","list":["\uDE00b"],"n":1E5"#;
    let call = bash("make").replace(r#""command":"make""#, halves);
    assert!(call.contains("\\ud83d"), "{call}");
    let ran = world.claude(&call).run();
    let expected = r#""updatedInput":{"command":"ls","t":"a\ud83d","list":["\uDE00b"],"n":1E5}"#;
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
}

/// A hook that logs a command must not deny because of what the command quotes.
#[test]
fn logged_command_containing_deny_passes() {
    let world = World::with_hooks(
        "version: 1\nhooks:\n  tool:pre:\n    - { name: log, command: \"echo {tool.command} | tee -a log\" }\n",
    );
    let ran = world.claude(&bash(r#"curl -d {"action":"deny"} http://localhost"#)).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{}", ran.stderr);
}
