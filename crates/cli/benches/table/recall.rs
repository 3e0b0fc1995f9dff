//! Measures the memory: a prompt with recall over ten thousand experiences, and the start of a session.

use std::fmt::Write as _;
use std::io::BufReader;
use std::time::Duration;

use tenter_memory::Project;
use tenter_store::StateFolder;

use crate::Result;
use crate::hook_files::and_at;
use crate::process::answered;
use crate::programs::Build;
use crate::progress;
use crate::samples::{Samples, Times};
use crate::table::{Amount, Row};
use crate::world::{Home, World};

/// So much is remembered.
const EXPERIENCES: usize = 10_000;
/// How long the beginning of a session may take.
const BEGINNING: Duration = Duration::from_millis(30);

/// Words of which experiences are made.
const WORDS: [&str; 24] = [
    "cache",
    "timeout",
    "session",
    "login",
    "parser",
    "index",
    "queue",
    "socket",
    "thread",
    "schema",
    "cookie",
    "router",
    "buffer",
    "locale",
    "vector",
    "migration",
    "token",
    "worker",
    "header",
    "packet",
    "config",
    "replica",
    "cursor",
    "widget",
];

/// One build of ours, with a full memory for each of its rows.
struct Remembering<'a> {
    build: &'a Build,
    /// The suffix of its row names.
    which: &'static str,
    asked: Home,
    begun: Home,
    prompts: Samples,
    sessions: Samples,
}

/// Measures both rows, of the default build and of what `just dist` has built.
pub(crate) fn measure(world: &World, rounds: usize) -> Result<Vec<Row>> {
    let statically = Build::statically();
    let mut all = vec![Remembering::create(world, &world.build, "default", "")?];
    if let Some(build) = &statically {
        all.push(Remembering::create(world, build, "static", ", static (`just dist`)")?);
    }
    let others = world.home("recall-others")?;
    let mut bin_true = Samples::default();
    for round in 0..=rounds {
        let number = round * 97 % EXPERIENCES;
        let prompt = format!(
            r#"{{"hook_event_name": "UserPromptSubmit", "session_id": "recall-{round}", "cwd": "/tmp", "prompt": "Fix the {} {} test of part_{number}. Is the {} too slow for the {}?"}}"#,
            word(number, 1),
            word(number, 5),
            word(number, 7),
            word(number, 11)
        );
        let start = format!(
            r#"{{"hook_event_name": "SessionStart", "session_id": "begun-{round}", "cwd": "/tmp", "source": "startup"}}"#
        );
        let (plain, _) = answered(&mut others.command("/bin/true".as_ref(), &[]), &prompt)?;
        // The first start is not counted.
        let counts = round > 0;
        if counts {
            bin_true.push(plain);
        }
        for one in &mut all {
            one.run(&prompt, &start, counts)?;
        }
    }
    progress::report(&format!("recall: {rounds} rounds"));
    let bin_true = bin_true.times();
    Ok(all.into_iter().flat_map(|one| one.rows(bin_true)).collect())
}

impl<'a> Remembering<'a> {
    fn create(world: &World, build: &'a Build, name: &str, which: &'static str) -> Result<Self> {
        let home = |row: &str, event, hook| remembering(world, &format!("{row}-{name}"), event, hook);
        Ok(Self {
            build,
            which,
            asked: home("recall", "prompt:submit", "name: recall, builtin: memory.recall")?,
            begun: home("begun", "session:start", "name: start, builtin: memory.session_start")?,
            prompts: Samples::default(),
            sessions: Samples::default(),
        })
    }

    fn run(&mut self, prompt: &str, start: &str, counts: bool) -> Result<()> {
        let (recalled, said) = answered(&mut self.asked.hook(&self.build.hook), prompt)?;
        if !said.contains("Relevant Context") {
            return Err(format!("this is no recalled context: {said}").into());
        }
        let (began, said) = answered(&mut self.begun.hook(&self.build.hook), start)?;
        if !said.contains("Session Context") {
            return Err(format!("this is no beginning of a session: {said}").into());
        }
        if counts {
            self.prompts.push(recalled);
            self.sessions.push(began);
        }
        Ok(())
    }

    fn rows(self, bin_true: Times) -> [Row; 2] {
        let (prompts, sessions, which) = (self.prompts.times(), self.sessions.times(), self.which);
        [
            Row::times(
                format!("prompt:submit with recall over 10,000 experiences{which}"),
                prompts,
                bin_true.p50,
            )
            .at_most_times(10.0),
            Row::times(
                format!("session:start with lessons and work of 10,000{which}"),
                sessions,
                bin_true.p50,
            )
            .at_most(Amount::Time(BEGINNING)),
        ]
    }
}

/// A word of an experience.
fn word(number: usize, step: usize) -> &'static str {
    WORDS[(number * step + number / WORDS.len()) % WORDS.len()]
}

/// A home with a hook and a full memory.
fn remembering(world: &World, name: &str, event: &str, hook: &str) -> Result<Home> {
    let home = world.home_with(name, &and_at(event, hook))?;
    let memory = tenter_host::memory::open(StateFolder::new(home.path("state/tenter")));
    let mut lines = String::new();
    for number in 0..EXPERIENCES {
        let word = |step| word(number, step);
        writeln!(
            lines,
            r#"{{"id": "ghap_20260101_000000_{number:06x}", "session_id": "s{}", "created_at": "2026-01-01T00:00:00Z", "domain": "debugging", "strategy": "check-assumptions", "goal": "Fix the {} {} test of part_{number}", "hypothesis": "The {} is too slow for the {}", "action": "Look at the {}", "prediction": "The test passes", "outcome": {{"status": "confirmed", "result": "The {} tests pass", "captured_at": "2026-01-01T01:00:00Z"}}, "lesson": {{"what_worked": "A {} of its own", "takeaway": "Give each {} its own {} in part_{number}"}}, "confidence_tier": "silver"}}"#,
            number / 10,
            word(1),
            word(5),
            word(7),
            word(11),
            word(13),
            word(17),
            word(19),
            word(5),
            word(23),
        )?;
    }
    let project = Project::from_folder(&home.project);
    let imported = memory
        .import(&mut BufReader::new(lines.as_bytes()), Some(&project))
        .map_err(|error| error.to_string())?;
    if imported.taken != EXPERIENCES {
        return Err(format!(
            "only {} experiences were taken over: {:?}",
            imported.taken,
            imported.refused.first()
        )
        .into());
    }
    Ok(home)
}
