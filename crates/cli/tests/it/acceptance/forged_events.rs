//! Events from a command of the agent, not from the agent itself: they end no turn, so a hook file change stays held.

use crate::world::{World, after, bash, event};

const GUARD: &str = "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, when: { command: \"git push*\" }, deny: \"not now\" }\n";

const CHANGE: &str = "printf '# nothing\\nversion: 1\\n' > \"$XDG_CONFIG_HOME/tenter/hooks.yaml\"";

fn during_turn() -> World {
    let world = World::with_hooks(GUARD);
    world.claude(&event("SessionStart")).run();
    world.claude(&event("UserPromptSubmit")).run();
    assert!(push(&world, "toolu_0").contains("not now"));
    world
}

fn push(world: &World, id: &str) -> String {
    world.claude(&bash("git push").replace("toolu_1", id)).run().stdout
}

/// Runs a script in a tool call. Payloads are in files named after their events.
fn call_tool(world: &World, script: &str) {
    for kind in ["Stop", "SessionEnd", "UserPromptSubmit"] {
        std::fs::write(world.project().join(kind), event(kind)).unwrap();
    }
    world.claude(&bash("true")).run();
    let hook = env!("CARGO_BIN_EXE_tenter-hook");
    let ran = world.sh(&format!("HOOK={hook}; TENTER={}; {script}", env!("CARGO_BIN_EXE_tenter")));
    assert_eq!(ran.code, Some(0), "{script}: {ran:?}");
    world.claude(&after("true")).run();
}

#[test]
fn forged_turn_end_accepts_no_change() {
    for ends in [
        "$HOOK claude < Stop",
        "cat Stop | $HOOK claude",
        "$TENTER hook claude < Stop",
        "sh -c \"$HOOK claude\" < Stop",
        "env -i PATH=$PATH HOME=$HOME XDG_CONFIG_HOME=$XDG_CONFIG_HOME XDG_STATE_HOME=$XDG_STATE_HOME $HOOK claude < Stop",
        "H=$HOOK python3 -c 'import os, subprocess; subprocess.run([os.environ[\"H\"], \"claude\"], stdin=open(\"Stop\"))'",
        "setsid -w $HOOK claude < Stop",
        "$HOOK claude < SessionEnd",
    ] {
        let world = during_turn();
        call_tool(&world, &format!("{ends}; {CHANGE}; $HOOK claude < UserPromptSubmit"));
        assert!(push(&world, "toolu_2").contains("not now"), "{ends}");
        // The agent itself ends its turn; the change stays held.
        world.claude(&event("Stop")).run();
        world.claude(&event("UserPromptSubmit")).run();
        assert!(push(&world, "toolu_3").contains("not now"), "{ends}");
    }
}

/// A process in the background acts between two tool calls, when no event of the agent says that it is in a turn.
#[test]
fn change_is_held_without_agent_register() {
    for removal in [
        "rm -r agents",
        "rm agents/*.turn",
        "rm -r agents; touch agents",
        "for f in agents/*; do : > $f; done; rm agents/*.turn",
    ] {
        let world = during_turn();
        call_tool(&world, "true");
        world.sh(&format!("cd \"$XDG_STATE_HOME/tenter\"; {removal}; {CHANGE}"));
        assert!(push(&world, "toolu_2").contains("not now"), "{removal}");
    }
}

#[test]
fn real_turn_end_accepts_change() {
    let world = during_turn();
    for line in ["exec $HOOK claude < Stop", "[ -x $HOOK ] || exit 0; exec $HOOK claude < Stop"] {
        std::fs::write(world.project().join("Stop"), event("Stop")).unwrap();
        world.sh(&format!("HOOK={}; {line}", env!("CARGO_BIN_EXE_tenter-hook")));
    }
    std::fs::write(world.config().join("tenter/hooks.yaml"), "# nothing\nversion: 1\n").unwrap();
    world.claude(&event("UserPromptSubmit")).run();
    assert!(!push(&world, "toolu_2").contains("not now"), "a person changed the file between turns");
}
