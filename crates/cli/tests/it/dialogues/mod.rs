//! What people see: command, standard output, standard error and exit code, as snapshots. Review them like
//! text: their reader has a problem and no time.

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

/// Commands typed one after another on one machine, and what came of each.
struct Dialogue {
    world: World,
    text: String,
    /// Whether `PATH` is that of the machine, with the agents that happen to be there.
    programs: bool,
}

impl Dialogue {
    /// Nothing is set up.
    fn nowhere() -> Self {
        Self::on(World::new())
    }

    /// Somebody has this hook file.
    fn with_hooks(yaml: &str) -> Self {
        Self::on(World::with_hooks(yaml))
    }

    fn on(world: World) -> Self {
        Self { world, text: String::new(), programs: true }
    }

    /// No program is on `PATH`.
    fn without_programs(self) -> Self {
        Self { programs: false, ..self }
    }

    /// Types a command; stdin is empty.
    fn says(self, arguments: &[&str]) -> Self {
        self.says_with(arguments, "")
    }

    /// Types a command that reads something.
    fn says_with(mut self, arguments: &[&str], stdin: &str) -> Self {
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

    /// Something that happens beside the conversation.
    fn meanwhile(mut self, what: &str, does: impl FnOnce(&World)) -> Self {
        does(&self.world);
        self.text.extend(["(", what, ")\n"]);
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
