//! Snapshots of commands: standard output, standard error and exit code. Review them like
//! documentation.

mod demo;
mod help;
mod init;
mod uninstall;
mod doctor;
mod doctor_of_agents;
mod doctor_of_state;
mod switched_off;
mod hooks;
mod hooks_at_a_glance;
mod explain_hook;
mod context;
mod trust;
mod switches;
mod hook;
mod import;
mod emit;
mod accept;
mod audit;
mod replay;
mod prove;
mod model;
mod schema;

use crate::placeholders::steady;
use crate::world::World;

/// A sequence of commands on one machine, with their output.
struct Dialogue {
    world: World,
    text: String,
    /// Whether `PATH` is that of the machine, including its agents.
    programs: bool,
}

impl Dialogue {
    /// A machine without configuration.
    fn new() -> Self {
        Self::in_world(World::new())
    }

    /// A machine with a hook file.
    fn with_hooks(yaml: &str) -> Self {
        Self::in_world(World::with_hooks(yaml))
    }

    fn in_world(world: World) -> Self {
        Self { world, text: String::new(), programs: true }
    }

    /// No program is on `PATH`.
    fn without_programs(self) -> Self {
        Self { programs: false, ..self }
    }

    /// Runs a command with an empty stdin.
    fn run(self, arguments: &[&str]) -> Self {
        self.run_with_stdin(arguments, "")
    }

    /// Runs a command with this stdin.
    fn run_with_stdin(mut self, arguments: &[&str], stdin: &str) -> Self {
        let typed = self.world.tenter(arguments).stdin(stdin);
        let ran = if self.programs { typed } else { typed.env("PATH", self.world.home().join("bin")) }.run();
        let piped = if stdin.is_empty() { String::new() } else { format!("echo '{stdin}' | ") };
        let ended = |text: &str| if text.is_empty() || text.ends_with('\n') { "" } else { "(no newline)\n" };
        let stderr = if ran.stderr.is_empty() { String::new() } else { format!("(stderr)\n{}", ran.stderr) };
        let code = ran.code.map_or("none".to_owned(), |code| code.to_string());
        let line = format!(
            "$ {piped}tenter {}\n{}{}{stderr}{}(exit code {code})\n",
            arguments.join(" "),
            ran.stdout,
            ended(&ran.stdout),
            ended(&ran.stderr)
        );
        self.text.push_str(&steady(&line, &self.world));
        self
    }

    /// An action between two commands.
    fn step(mut self, description: &str, action: impl FnOnce(&World)) -> Self {
        action(&self.world);
        self.text.extend(["(", description, ")\n"]);
        self
    }
}

/// Compares a dialogue with its snapshot.
macro_rules! assert_dialogue {
    ($dialogue:expr) => {
        insta::assert_snapshot!($dialogue.text)
    };
}
use assert_dialogue;
