//! What an agent waits for: a process per event, ours beside those of others.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::Result;
use crate::process::{find, find_python, timed};
use crate::samples::Samples;
use crate::table::Row;
use crate::world::{Home, TWENTY, World};

/// Medians that other rows are compared with.
pub(crate) struct Spawned {
    /// `/bin/true`.
    pub(crate) bin_true: Duration,
    /// `tenter hook claude` with twenty hooks, none of which matches.
    pub(crate) no_match: Duration,
}

/// The same hook in other languages: it reads the payload, decides nothing, and says nothing.
const PYTHON: &str = "import sys, json; json.load(sys.stdin)";
const NODE: &str = "JSON.parse(require('fs').readFileSync(0, 'utf8'))";

const BIN_TRUE: &str = "/bin/true";
const SH: &str = "sh -c true";
const BASH_HOOK: &str = "a hook that does nothing, in bash";
const PYTHON_HOOK: &str = "the same in Python";
const NODE_HOOK: &str = "the same in Node";
const NO_MATCH: &str = "tenter hook: 20 hooks, none matches";
const NO_FILE: &str = "tenter hook: no hook file";
const STATIC: &str = "the static build (`just dist`): 20 hooks, none matches";
const ONE_MATCH: &str = "tenter hook: 20 hooks, and one `true` that matches (a)";

/// One program of the loop, if it is installed.
struct Contestant {
    name: &'static str,
    command: Option<Command>,
    samples: Samples,
}

impl Contestant {
    fn new(name: &'static str, command: Option<Command>) -> Self {
        Self { name, command, samples: Samples::default() }
    }

    fn run(&mut self) -> Result<()> {
        if let Some(command) = &mut self.command {
            self.samples.push(timed(command)?);
        }
        Ok(())
    }
}

/// Starts every program once per round, each round in another order, so that none of them always comes
/// after the one that has just emptied the caches.
pub(crate) fn measure(world: &World, rounds: usize) -> Result<(Spawned, Vec<Row>)> {
    let others = world.home("others")?;
    let no_match = world.home_with("no-match", TWENTY)?;
    let no_file = world.home("no-file")?;
    let one_match = world.home_with("one-match", &twenty_and_one())?;
    let statically = world.home_with("static", TWENTY)?;
    let ours = |name, home: &Home| Contestant::new(name, Some(home.hook()));
    let theirs = |name, program: Option<PathBuf>, arguments: &[&str]| {
        Contestant::new(name, program.map(|program| others.command(&program, arguments)))
    };
    let mut contestants = [
        theirs(BIN_TRUE, Some(PathBuf::from("/bin/true")), &[]),
        theirs(SH, find("sh"), &["-c", "true"]),
        theirs(BASH_HOOK, find("bash"), &["-c", "cat >/dev/null"]),
        theirs(PYTHON_HOOK, find_python(), &["-c", PYTHON]),
        theirs(NODE_HOOK, find("node"), &["-e", NODE]),
        ours(NO_MATCH, &no_match),
        ours(NO_FILE, &no_file),
        ours(ONE_MATCH, &one_match),
        Contestant::new(
            STATIC,
            static_build().map(|program| statically.command(&program, &["hook", "claude"])),
        ),
    ];
    for contestant in &mut contestants {
        contestant.run()?;
        contestant.samples = Samples::default();
    }
    let mut order: Vec<&mut Contestant> = contestants.iter_mut().collect();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for _ in 0..rounds {
        dice.shuffle(&mut order);
        for contestant in &mut order {
            contestant.run()?;
        }
    }
    check(&no_match, rounds)?;
    check(&no_file, rounds)?;
    check(&one_match, rounds)?;
    if !one_match.trail()?.contains(r#""exit_code":0"#) {
        return Err("the hook `one-that-matches` did not run".into());
    }
    rows(contestants)
}

/// What `just dist` has built, if it has.
fn static_build() -> Option<PathBuf> {
    let ours = PathBuf::from(env!("CARGO_BIN_EXE_tenter"));
    let built = ours.parent()?.parent()?.join("dist/tenter");
    built.is_file().then_some(built)
}

/// The twenty, and one for every Bash call; so the difference to [`NO_MATCH`] is that hook alone.
fn twenty_and_one() -> String {
    let one = "  tool:pre:\n    - name: one-that-matches\n      matcher: Bash\n      command: \"true\"\n";
    TWENTY.replacen("  tool:pre:\n", one, 1)
}

/// A fast run that recorded nothing would be no achievement.
fn check(home: &Home, rounds: usize) -> Result<()> {
    let expected = u64::try_from(rounds + 1)?;
    match home.intact_records()? {
        Some(records) if records == expected => Ok(()),
        found => Err(format!("a trail must have {expected} records and has {found:?}").into()),
    }
}

fn rows(contestants: [Contestant; 9]) -> Result<(Spawned, Vec<Row>)> {
    let all = contestants.map(|it| (it.name, it.command.is_some().then(|| it.samples.times())));
    let median = |wanted: &str| {
        let found = all.iter().find(|(name, _)| *name == wanted).and_then(|(_, times)| *times);
        found.map(|times| times.p50).ok_or_else(|| format!("`{wanted}` is needed and not installed"))
    };
    let spawned = Spawned { bin_true: median(BIN_TRUE)?, no_match: median(NO_MATCH)? };
    let parts = spawned.no_match + median(SH)?;
    let row = |(name, times)| match (name, times) {
        (STATIC, None) => Row::skipped(STATIC, "not built"),
        (name, None) => Row::skipped(name, "not installed"),
        (NO_MATCH, Some(times)) => Row::times(NO_MATCH, times, spawned.bin_true).at_most_times(2.0),
        (STATIC, Some(times)) => Row::times(STATIC, times, spawned.bin_true).at_most_times(1.0),
        (ONE_MATCH, Some(times)) => Row::times(ONE_MATCH, times, parts).at_most_times(1.3),
        (name, Some(times)) => Row::times(name, times, spawned.bin_true),
    };
    let rows = all.into_iter().map(row).collect();
    Ok((spawned, rows))
}

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let thrown = usize::try_from(self.0 >> 33).unwrap_or_default();
            items.swap(last, thrown % (last + 1));
        }
    }
}
