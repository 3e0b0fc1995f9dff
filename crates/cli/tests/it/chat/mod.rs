//! `tenter chat` as a real program: in scripts, on a terminal, and with failures.

mod once;
mod served;
mod answers;
mod streams;
mod on_a_terminal;
mod shown;
mod keys;
mod guards;
mod mistakes;
mod specification;
mod use_cases;

use std::fs;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::terminal::{Terminal, side};
use crate::world::World;

/// A machine with a model that plays this script and these hooks.
struct Chat {
    world: World,
}

impl Chat {
    fn new(hooks: &str, turns: &str) -> Self {
        let world = World::with_hooks(&format!("version: 1\nhooks:\n{hooks}"));
        fs::write(world.home().join("script.yaml"), format!("version: 1\nturns:\n{turns}")).unwrap();
        Self { world }
    }

    /// `tenter chat` with that model.
    fn call(&self, arguments: &[&str]) -> crate::world::Call {
        let model = format!("scripted:{}", self.world.home().join("script.yaml").display());
        self.world.tenter(&[&["chat"], arguments].concat()).env("TENTER_MODEL", Path::new(&model))
    }

    /// The same for a person.
    fn talk(&self, arguments: &[&str]) -> Talking {
        self.talk_on("xterm", arguments)
    }

    fn talk_on(&self, terminal: &str, arguments: &[&str]) -> Talking {
        self.talk_with(&[("TERM", terminal), ("NO_COLOR", "1")], arguments)
    }

    fn talk_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Talking {
        let set = |call: crate::world::Call, (name, value): &(&str, &str)| call.env(name, Path::new(value));
        let call = variables.iter().fold(self.call(arguments), set);
        let (terminal, path) = Terminal::open();
        let mut command = call.command();
        let process = command.stdin(side(&path)).stdout(side(&path)).stderr(side(&path)).spawn().unwrap();
        Talking { terminal, process }
    }

    /// All that is kept of sessions.
    fn journals(&self) -> Vec<String> {
        let chats = fs::read_dir(self.world.state().join("tenter/chats")).unwrap();
        let files = chats.map(|entry| entry.unwrap().path());
        let journals = files.filter(|path| path.extension().is_some_and(|it| it == "jsonl"));
        journals.map(|path| fs::read_to_string(path).unwrap()).collect()
    }
}

/// A chat on a terminal.
struct Talking {
    terminal: Terminal,
    process: Child,
}

impl Talking {
    /// Waits until something can be typed, and types it.
    fn says(&mut self, line: &str) {
        self.terminal.comes("> ");
        self.terminal.types(&format!("{line}\r"));
    }

    /// Ctrl-C, as the terminal sends it to the foreground process.
    fn interrupts(&self) {
        send_signal(&self.process, Signal::INT);
    }

    fn leaves(mut self) -> String {
        self.says("/quit");
        self.terminal.comes("goes on");
        assert!(self.process.wait().unwrap().success(), "{}", self.terminal.seen);
        std::mem::take(&mut self.terminal.seen)
    }
}

/// A failed test ends its chat.
impl Drop for Talking {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// As `kill` does.
fn send_signal(program: &Child, signal: Signal) {
    rustix::process::kill_process(Pid::from_child(program), signal).unwrap();
}

/// Waits for a question; its id.
fn question_lies_there(world: &World) -> String {
    let mut id = String::new();
    until("the question lies there", || {
        let listed = world.tenter(&["approvals", "list", "--json"]).run().stdout;
        let listed: serde_json::Value = serde_json::from_str(&listed).unwrap_or_default();
        listed["questions"][0]["id"].as_str().unwrap_or_default().clone_into(&mut id);
        !id.is_empty()
    });
    id
}

/// Answers a question in another terminal.
fn answer_elsewhere(world: &World, option: &str) {
    let id = question_lies_there(world);
    let answered = world.tenter(&["approvals", "answer", &id, option]).run();
    assert_eq!(answered.code, Some(0), "{answered:?}");
}

/// Waits until something is so.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let patience = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < patience, "never: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
