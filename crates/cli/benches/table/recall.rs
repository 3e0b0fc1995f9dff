//! What an agent waits for that remembers: a prompt with recall over ten thousand experiences, and the beginning of a
//! session.

use std::fmt::Write as _;
use std::io::BufReader;
use std::time::Duration;

use tenter_memory::Project;
use tenter_store::StateFolder;

use crate::Result;
use crate::hook_files::and_at;
use crate::process::answered;
use crate::progress;
use crate::samples::Samples;
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

/// Measures both rows.
pub(crate) fn measure(world: &World, rounds: usize) -> Result<Vec<Row>> {
    let asked = remembering(world, "recall", "prompt:submit", "name: recall, builtin: memory.recall")?;
    let begun = remembering(world, "begun", "session:start", "name: start, builtin: memory.session_start")?;
    let others = world.home("recall-others")?;
    let [mut bin_true, mut prompts, mut sessions] =
        [Samples::default(), Samples::default(), Samples::default()];
    for round in 0..=rounds {
        let number = round * 97 % EXPERIENCES;
        let prompt = format!(
            r#"{{"hook_event_name": "UserPromptSubmit", "session_id": "recall-{round}", "cwd": "/tmp", "prompt": "Fix the {} {} test of part {number}. Is the {} too slow for the {}?"}}"#,
            word(number, 1),
            word(number, 5),
            word(number, 7),
            word(number, 11)
        );
        let start = format!(
            r#"{{"hook_event_name": "SessionStart", "session_id": "begun-{round}", "cwd": "/tmp", "source": "startup"}}"#
        );
        let (plain, _) = answered(&mut others.command("/bin/true".as_ref(), &[]), &prompt)?;
        let (recalled, said) = answered(&mut asked.hook(&world.build.hook), &prompt)?;
        if !said.contains("Relevant Context") {
            return Err(format!("this is no recalled context: {said}").into());
        }
        let (began, said) = answered(&mut begun.hook(&world.build.hook), &start)?;
        if !said.contains("Session Context") {
            return Err(format!("this is no beginning of a session: {said}").into());
        }
        // The first start is not counted.
        if round > 0 {
            bin_true.push(plain);
            prompts.push(recalled);
            sessions.push(began);
        }
    }
    progress::said(&format!("recall: {rounds} rounds"));
    let bin_true = bin_true.times();
    Ok(vec![
        Row::times("prompt:submit with recall over 10,000 experiences", prompts.times(), bin_true.p50)
            .at_most_times(10.0),
        Row::times("session:start with lessons and work of 10,000", sessions.times(), bin_true.p50)
            .at_most(Amount::Time(BEGINNING)),
    ])
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
            r#"{{"id": "ghap_20260101_000000_{number:06x}", "session_id": "s{}", "created_at": "2026-01-01T00:00:00Z", "domain": "debugging", "strategy": "check-assumptions", "goal": "Fix the {} {} test of part {number}", "hypothesis": "The {} is too slow for the {}", "action": "Look at the {}", "prediction": "The test passes", "outcome": {{"status": "confirmed", "result": "The {} tests pass", "captured_at": "2026-01-01T01:00:00Z"}}, "lesson": {{"what_worked": "A {} of its own", "takeaway": "Give each {} its own {} in part {number}"}}, "confidence_tier": "silver"}}"#,
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
    let project = Project::of(&home.project);
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
