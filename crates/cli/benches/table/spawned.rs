//! Measures a process per event, of tenter and of others.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::Result;
use crate::contest::{BenchPart, Contestant, Entry, contest};
use crate::hook_files::{self, TWENTY};
use crate::peer;
use crate::process::{find, find_python};
use crate::programs::Build;
use crate::samples::Times;
use crate::table::Row;
use crate::world::{Home, World};

/// Medians that other rows are compared with.
pub(crate) struct Spawned {
    /// `/bin/true`.
    pub(crate) bin_true: Duration,
    /// The default build with twenty hooks, none of which matches.
    pub(crate) no_match: Duration,
}

/// The same hook in other languages: it reads the payload, decides nothing, and says nothing.
const PYTHON: &str = "import sys, json; json.load(sys.stdin)";
const NODE: &str = "JSON.parse(require('fs').readFileSync(0, 'utf8'))";

/// What the static build may cost beyond starting a program at all, where `/bin/true` starts faster.
const OVER_NOTHING: Duration = Duration::from_micros(300);
/// How far one call in twenty may be from the usual `/bin/true`.
const SLOWEST: f64 = 3.0;

const NOT_BUILT: &str = "not built; `just bench` builds it";

/// Measures every row.
pub(crate) fn measure(world: &World, rounds: usize) -> Result<(Spawned, Vec<Row>)> {
    let homes = Homes::create(world)?;
    let contestants = contest(contestants(world, &homes)?, rounds, &world.payload)?;
    for home in homes.ours() {
        check(home, rounds)?;
    }
    if !homes.one_match.trail()?.contains(r#""exit_code":0"#) {
        return Err("the hook `one-that-matches` did not run".into());
    }
    if homes.cached.trail()?.matches(r#""cache":"hit""#).count() != rounds {
        return Err("the answer of `one-that-is-kept` did not come from the cache".into());
    }
    rows(contestants)
}

/// A home for each row of ours, so that each trail can be counted afterwards.
struct Homes {
    others: Home,
    no_match: Home,
    no_file: Home,
    thousand: Home,
    installed: Home,
    one_match: Home,
    cached: Home,
    python: Option<Home>,
    statically: Option<Static>,
}

/// The static build, and its homes.
struct Static {
    build: Build,
    no_match: Home,
    installed: Home,
}

impl Homes {
    fn create(world: &World) -> Result<Self> {
        Ok(Self {
            others: world.home("others")?,
            no_match: world.home_with("no-match", TWENTY)?,
            no_file: world.home("no-file")?,
            thousand: world.home_with("thousand", &hook_files::thousand()?)?,
            installed: world.home_with("installed", TWENTY)?,
            one_match: world.home_with("one-match", &hook_files::and_one())?,
            cached: world.home_with("cached", &hook_files::and_a_cached_one())?,
            python: find_python().map(|_| Self::python(world)).transpose()?,
            statically: Build::statically().map(|build| Static::create(world, build)).transpose()?,
        })
    }

    fn python(world: &World) -> Result<Home> {
        let home = world.home_with("python", &hook_files::and_a_python_function())?;
        let (name, text) = hook_files::MODULE;
        home.write(name, text)?;
        Ok(home)
    }

    fn ours(&self) -> impl Iterator<Item = &Home> {
        let always =
            [&self.no_match, &self.no_file, &self.thousand, &self.installed, &self.one_match, &self.cached];
        let statically = self.statically.iter().flat_map(|it| [&it.no_match, &it.installed]);
        always.into_iter().chain(&self.python).chain(statically)
    }
}

impl Static {
    fn create(world: &World, build: Build) -> Result<Self> {
        let no_match = world.home_with("static", TWENTY)?;
        Ok(Self { build, no_match, installed: world.home_with("static-installed", TWENTY)? })
    }
}

fn contestants(world: &World, homes: &Homes) -> Result<Vec<Contestant>> {
    let build = &world.build;
    let name = build.hook.name;
    let others = &homes.others;
    let run = |program: Option<PathBuf>, arguments: &[&str]| -> Entry {
        let program = program.ok_or("not installed")?;
        Ok(others.command(&program, arguments))
    };
    let nothing = |build: Option<&Build>| -> Entry {
        let program = build.and_then(|build| build.nothing.as_deref()).ok_or(NOT_BUILT)?;
        Ok(others.command(program, &[]))
    };
    let statically = homes.statically.as_ref();
    let static_build = statically.map(|it| &it.build);
    let static_name = static_build.map_or(name, |build| build.hook.name);
    let not_built = || NOT_BUILT.to_owned();
    let static_hook = statically.map(|it| it.no_match.hook(&it.build.hook)).ok_or_else(not_built);
    let as_installed = |home: &Home, build: &Build| -> Result<Command> {
        let sh = find("sh").ok_or("`sh` is needed and not installed")?;
        Ok(home.command(&sh, &["-c", &build.hook.installed()?]))
    };
    let installed = as_installed(&homes.installed, build)?;
    let static_installed = statically.map(|it| as_installed(&it.installed, &it.build)).transpose()?;
    let warm = homes.python.as_ref().map(|home| home.hook(&build.hook));
    Ok(vec![
        Contestant::new(BenchPart::BinTrue, "/bin/true", run(Some(PathBuf::from("/bin/true")), &[])),
        Contestant::new(BenchPart::Sh, "sh -c true", run(find("sh"), &["-c", "true"])),
        Contestant::new(
            BenchPart::Other,
            "a program that does nothing, built as tenter is",
            nothing(Some(build)),
        ),
        Contestant::new(
            BenchPart::NothingStatic,
            "the same, static as `just dist` builds",
            nothing(static_build),
        ),
        Contestant::new(
            BenchPart::Other,
            "a hook that does nothing, in bash",
            run(find("bash"), &["-c", "cat >/dev/null"]),
        ),
        Contestant::new(BenchPart::Python, "the same in Python", run(find_python(), &["-c", PYTHON])),
        Contestant::new(BenchPart::Other, "the same in Node", run(find("node"), &["-e", NODE])),
        Contestant::new(BenchPart::Other, peer::NAME, peers_hook(others)),
        Contestant::new(
            BenchPart::NoMatch,
            format!("{name}: 20 hooks, none matches"),
            Ok(homes.no_match.hook(&build.hook)),
        ),
        Contestant::new(
            BenchPart::Other,
            "… as `init` installs it and Claude Code starts it: `sh -c '[ -x …'`",
            Ok(installed),
        ),
        Contestant::new(
            BenchPart::NoFile,
            format!("{name}: no hook file"),
            Ok(homes.no_file.hook(&build.hook)),
        ),
        Contestant::new(
            BenchPart::Thousand,
            format!("{name}: 1,000 hooks, none matches (d)"),
            Ok(homes.thousand.hook(&build.hook)),
        ),
        Contestant::new(
            BenchPart::OneMatch,
            format!("{name}: 20 hooks, and one `true` that matches (a)"),
            Ok(homes.one_match.hook(&build.hook)),
        ),
        Contestant::new(
            BenchPart::Cached,
            format!("{name}: 20 hooks, and one that matches, answered from the cache (e)"),
            Ok(homes.cached.hook(&build.hook)),
        ),
        Contestant::new(
            BenchPart::WarmPython,
            format!("{name}: 20 hooks, and a Python function that waits (`keep`) (f)"),
            warm.ok_or_else(|| "not installed".to_owned()),
        ),
        Contestant::new(
            BenchPart::Static,
            format!("{static_name}, static (`just dist`): 20 hooks, none matches"),
            static_hook,
        ),
        Contestant::new(
            BenchPart::Other,
            "… as `init` installs it and Claude Code starts it",
            static_installed.ok_or_else(not_built),
        ),
    ])
}

fn peers_hook(home: &Home) -> Entry {
    let (node, script) = peer::installed()?;
    let mut command = home.command(&node, &[]);
    command.arg(script).args(peer::ARGUMENTS);
    Ok(command)
}

/// A fast run that recorded nothing would be no achievement.
fn check(home: &Home, rounds: usize) -> Result<()> {
    let expected = u64::try_from(rounds + 1)?;
    match home.intact_records()? {
        Some(records) if records == expected => Ok(()),
        found => Err(format!("a trail must have {expected} records and has {found:?}").into()),
    }
}

fn rows(contestants: Vec<Contestant>) -> Result<(Spawned, Vec<Row>)> {
    let all: Vec<_> = contestants.into_iter().map(Contestant::finish).collect();
    let median = |wanted: BenchPart| {
        let found = all.iter().find(|(part, ..)| *part == wanted);
        found.and_then(|(_, _, times)| times.as_ref().ok()).map(|times| times.p50)
    };
    let needed = |wanted: BenchPart, name: &str| {
        median(wanted).ok_or_else(|| format!("`{name}` is needed and not installed"))
    };
    let bin_true = needed(BenchPart::BinTrue, "/bin/true")?;
    let spawned = Spawned { bin_true, no_match: needed(BenchPart::NoMatch, "tenter")? };
    let parts = spawned.no_match + needed(BenchPart::Sh, "sh")?;
    let no_file = needed(BenchPart::NoFile, "tenter")?;
    let python = median(BenchPart::Python).unwrap_or(bin_true);
    let over_nothing = median(BenchPart::NothingStatic).map(|nothing| nothing + OVER_NOTHING);
    let most_static = over_nothing.unwrap_or_default().max(bin_true);
    let judge = |name, times: Times, most: Duration, budget| {
        let ok = times.p50 <= most && times.p95 <= bin_true.mul_f64(SLOWEST);
        Row::times(name, times, bin_true).judged(budget, ok)
    };
    let row =
        |(part, name, times): (BenchPart, String, std::result::Result<Times, String>)| match (part, times) {
            (_, Err(why)) => Row::skipped(&name, &why),
            (BenchPart::NoMatch, Ok(times)) => judge(name, times, bin_true * 2, "≤ 2.0 ×, p95 ≤ 3 ×"),
            (BenchPart::Static, Ok(times)) => judge(name, times, most_static, "≤ 1.0 × (c), p95 ≤ 3 ×"),
            (BenchPart::Thousand, Ok(times)) => Row::times(name, times, no_file).at_most_times(2.0),
            (BenchPart::OneMatch, Ok(times)) => Row::times(name, times, parts).at_most_times(1.3),
            (BenchPart::Cached, Ok(times)) => Row::times(name, times, spawned.no_match).at_most_times(2.0),
            (BenchPart::WarmPython, Ok(times)) => Row::times(name, times, python).at_most_times(0.1),
            (_, Ok(times)) => Row::times(name, times, bin_true),
        };
    let rows = all.clone().into_iter().map(row).collect();
    Ok((spawned, rows))
}
