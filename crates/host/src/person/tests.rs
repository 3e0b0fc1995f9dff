use tenter_store::AgentProcess;

use super::*;

/// A process: number, name, parent, session, terminal, start, arguments, variables.
struct Row(u32, &'static str, u32, u32, i64, u64, &'static str, &'static str);

/// Processes as they could be on a machine.
struct Tree(Vec<Row>);

impl Tree {
    fn ancestry(&self) -> Vec<(u32, ProcessStat)> {
        let mut id = self.0[0].0;
        let mut all = Vec::new();
        while let Some(Row(id_, name, parent, session, terminal, began, ..)) =
            self.0.iter().find(|row| row.0 == id)
        {
            let (name, ended) = ((*name).to_owned(), false);
            all.push((
                *id_,
                ProcessStat {
                    name,
                    parent: *parent,
                    group: 0,
                    session: *session,
                    terminal: *terminal,
                    began: *began,
                    ended,
                },
            ));
            id = *parent;
        }
        all
    }

    /// The agent has number 50 and began at 500.
    fn check(&self, agent_runs: bool) -> Result<(), NoPerson> {
        let process: AgentProcess = serde_json::from_str(r#"{"id": 50, "began": 500, "boot": ""}"#).unwrap();
        let agent = RunningAgent {
            agent: "claude".into(),
            session: "s".into(),
            process,
            prompts: true,
            in_turn: true,
        };
        let running = if agent_runs { vec![agent] } else { Vec::new() };
        examine(&self.ancestry(), &running, self)
    }
}

impl Facts for Tree {
    fn arguments(&self, id: u32) -> Vec<String> {
        let row = self.0.iter().find(|row| row.0 == id).unwrap();
        row.6.split_whitespace().map(str::to_owned).collect()
    }

    fn variables(&self, id: u32) -> Option<Vec<(String, String)>> {
        let row = self.0.iter().find(|row| row.0 == id).unwrap();
        Some(row.7.split_whitespace().map(|name| (name.to_owned(), "1".to_owned())).collect())
    }

    fn shares_state(&self, variables: Option<&[(String, String)]>) -> bool {
        !variables.into_iter().flatten().any(|(name, _)| name == "OTHER_HOME")
    }
}

const INIT: Row = Row(1, "systemd", 0, 1, 0, 1, "systemd", "");

fn agent() -> NoPerson {
    NoPerson::Agent("claude".into())
}

#[test]
fn a_persons_shell_counts_whether_an_agent_runs_or_not() {
    let shell = |terminal: &'static str| {
        Tree(vec![
            Row(90, "tenter", 80, 80, 34816, 900, "tenter trust", ""),
            Row(80, "bash", 70, 80, 34816, 800, "bash", ""),
            Row(70, terminal, 1, 70, 0, 700, terminal, ""),
            INIT,
        ])
    };
    for terminal in ["sshd", "tmux: server", "gnome-terminal-"] {
        assert_eq!(shell(terminal).check(true), Ok(()), "{terminal}");
        assert_eq!(shell(terminal).check(false), Ok(()), "{terminal}");
    }
    // An agent that is suspended in the same terminal is no ancestor.
    assert_eq!(shell("unknown-terminal").check(false), Ok(()));
    // A container's terminal has no parent.
    let container = Tree(vec![
        Row(90, "tenter", 80, 80, 34816, 900, "tenter trust", ""),
        Row(80, "bash", 0, 80, 34816, 800, "bash", ""),
    ]);
    assert_eq!(container.check(true), Ok(()));
}

#[test]
fn without_a_terminal_it_counts_if_no_agent_runs() {
    let script = || {
        Tree(vec![
            Row(90, "tenter", 80, 70, 0, 900, "tenter trust", ""),
            Row(80, "sh", 1, 70, 0, 800, "sh ci", ""),
            INIT,
        ])
    };
    assert_eq!(script().check(false), Ok(()));
    assert_eq!(script().check(true), Err(NoPerson::NoTerminal("claude".into())));
}

#[test]
fn an_agents_descendants_are_not_a_person() {
    // A terminal of its own changes nothing.
    for terminal in [0, 34816, 34817] {
        let tree = Tree(vec![
            Row(90, "tenter", 80, 80, terminal, 900, "tenter hooks accept", ""),
            Row(80, "bash", 60, 80, terminal, 800, "bash -c x", ""),
            Row(60, "script", 50, 40, 34816, 600, "script -qc x", ""),
            Row(50, "node", 40, 40, 34816, 500, "node agent", ""),
            Row(40, "bash", 1, 40, 34816, 400, "bash", ""),
            INIT,
        ]);
        assert_eq!(tree.check(true), Err(agent()), "{terminal}");
    }
}

#[test]
fn known_agents_are_recognized_without_the_register() {
    for (name, arguments, variables, expected) in [
        ("claude", "claude", "", Err(agent())),
        ("node", "node /usr/bin/claude", "", Err(agent())),
        ("node", "node /usr/bin/claude.js -p", "", Err(agent())),
        // That agent works with another tenter.
        ("claude", "claude", "OTHER_HOME", Ok(())),
        ("vim", "vim claude.md", "", Ok(())),
        ("node", "node server.js", "", Ok(())),
    ] {
        let tree = Tree(vec![
            Row(90, "tenter", 50, 40, 34816, 900, "tenter trust", ""),
            Row(50, name, 40, 40, 34816, 500, arguments, variables),
            Row(40, "bash", 1, 40, 34816, 400, "bash", ""),
            INIT,
        ]);
        assert_eq!(tree.check(false), expected, "{arguments}");
    }
}

#[test]
fn hooks_are_not_a_person_by_their_ancestors() {
    for (arguments, variables) in [
        ("tenter-hook claude", ""),
        ("/opt/tenter hook claude", ""),
        ("tenter --color=never emit tool:pre", ""),
        ("tenter chat", ""),
        // `env -u TENTER_RUN tenter approvals allow` clears the variable of the command, not of the hook's shell.
        ("sh hook.sh", "TENTER_RUN"),
    ] {
        let tree = Tree(vec![
            Row(90, "tenter", 80, 40, 34816, 900, "tenter approvals allow", ""),
            Row(80, "x", 40, 40, 34816, 800, arguments, variables),
            Row(40, "bash", 1, 40, 34816, 400, "bash", ""),
            INIT,
        ]);
        assert_eq!(tree.check(false), Err(NoPerson::Hook), "{arguments}");
    }
}

#[test]
fn processes_that_an_agent_left_behind_are_not_a_person() {
    // Forked twice: the terminal is the agent's, the leader of its session is no ancestor.
    let forked = Tree(vec![Row(90, "tenter", 1, 40, 34816, 900, "tenter trust", ""), INIT]);
    assert_eq!(forked.check(true), Err(NoPerson::NoTerminal("claude".into())));
    // `setsid`: no terminal.
    let alone = Tree(vec![Row(90, "tenter", 1, 90, 0, 900, "tenter trust", ""), INIT]);
    assert_eq!(alone.check(true), Err(NoPerson::NoTerminal("claude".into())));
    // `setsid script -qc …`: a terminal whose holder is an orphan that began after the agent.
    let scripted = |name, variables, began| {
        Tree(vec![
            Row(90, "tenter", 80, 80, 34820, 900, "tenter trust", ""),
            Row(80, "sh", 70, 80, 34820, 800, "sh -c x", ""),
            Row(70, name, 1, 70, 0, began, name, variables),
            INIT,
        ])
    };
    let refused = Err(NoPerson::AgentsTerminal("claude".into()));
    assert_eq!(scripted("script", "", 700).check(true), refused);
    assert_eq!(scripted("python3", "", 700).check(true), refused);
    assert_eq!(scripted("tmux: server", "CLAUDECODE", 700).check(true), refused);
    // `systemd-run --pty`
    let unit = Tree(vec![Row(90, "tenter", 1, 90, 34820, 900, "tenter trust", ""), INIT]);
    assert_eq!(unit.check(true), refused);
    // What began before the agent is not the agent's.
    assert_eq!(scripted("own-terminal", "", 300).check(true), Ok(()));
}

/// An agent that is not in the list could run commands that need a person.
#[test]
fn installer_programs_are_known() {
    for installer in tenter_adapters::all().iter().filter_map(|agent| agent.installer()) {
        let Some(program) = installer.program() else { continue };
        let known = AGENTS.split_whitespace().chain(TERMINALS.split_whitespace()).any(|name| name == program);
        assert!(known, "{}: add `{program}` to AGENTS", installer.title());
    }
}
