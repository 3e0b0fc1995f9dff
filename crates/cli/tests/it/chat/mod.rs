//! Our own agent through the real program: in a script, on a terminal, and when the world is unkind to it.

mod once;
mod on_a_terminal;
mod specification;
mod use_cases;

use std::fs;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

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
        let kind = Path::new(terminal);
        let call = self.call(arguments).env("TERM", kind).env("NO_COLOR", Path::new("1"));
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

/// Somebody who talks.
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

    /// Ctrl-C, as the terminal sends it to whoever works.
    fn interrupts(&self) {
        let pid = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    }

    fn leaves(mut self) -> String {
        self.says("/quit");
        self.terminal.comes("goes on");
        assert!(self.process.wait().unwrap().success(), "{}", self.terminal.seen);
        std::mem::take(&mut self.terminal.seen)
    }
}

/// A test that fails leaves nobody talking.
impl Drop for Talking {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Waits until something is so.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let patience = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < patience, "never: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
