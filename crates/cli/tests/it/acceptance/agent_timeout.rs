//! tenter ends before the agent's timeout, whatever the hooks do.

use crate::world::{World, bash};

const HOOKS: &str = "version: 1
hooks:
  tool:pre:
    - { name: slow, command: \"sleep 60\", timeout: 60s }
    - { name: later, command: \"echo reached > reached\" }
    - { name: guard, command: \"true\", on_failure: deny }
";

#[test]
fn hooks_end_before_agent_timeout() {
    let world = World::with_hooks(HOOKS);
    let ran = world.tenter(&["hook", "claude", "--within", "1s"]).stdin(bash("ls")).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.took.as_secs() < 20, "{ran:?}");
    assert!(ran.stdout.contains("hook `slow` timed out after 0."), "{ran:?}");
    assert!(ran.stdout.contains("hook `later` was not reached within the 1 s"), "{ran:?}");
    assert!(ran.stdout.contains("Operation denied by guard: the hook was not reached"), "{ran:?}");
    assert!(!world.project().join("reached").exists());
}

#[test]
fn deep_hook_recursion_is_stopped() {
    let world = World::with_hooks("version: 1\nhooks:\n  tool:pre:\n    - { name: guard, deny: \"no\" }\n");
    let shallow = world.claude(&bash("ls")).env("TENTER_RUN", "a:b:c").run();
    assert!(shallow.stdout.contains("Operation denied by guard: no"), "{shallow:?}");
    let deep = world.claude(&bash("ls")).env("TENTER_RUN", "a:b:c:d:e:f:g:h").run();
    assert_eq!(deep.code, Some(2), "{deep:?}");
    assert!(deep.stderr.contains("hooks that start agents that start hooks, 8 deep"), "{deep:?}");
}
