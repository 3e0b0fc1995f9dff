//! Measures the tracking of predictions: the count of tool calls, the reminder, and the comparison of a test run with
//! its prediction.

use std::time::Duration;

use tenter_contract::{SessionId, Timestamp};
use tenter_ghap::{ActiveFolder, Cleaner, Domain, Start, Strategy, Who};
use tenter_store::StateFolder;

use crate::Result;
use crate::hook_files::{TWENTY, and_at};
use crate::process::answered;
use crate::progress;
use crate::samples::{Samples, Times};
use crate::table::Row;
use crate::world::{Home, World};

/// What the payload of a tool call says about whose it is.
const SESSION: &str = "00000000-0000-4000-8000-000000000001";
const CALL_ID: &str = "toolu_0001";
/// One call in twenty may be this far from the usual `/bin/true`.
const SLOWEST: f64 = 5.0;

/// What a failing run of pytest sends, in the shape of Claude Code.
const FAILED: &str = "Exit code 1\\n============ FAILURES ============\\n____ test_expiry ____\\n\\n    def test_expiry():\\n>       assert cache.get('a') is None\\nE       AssertionError: assert 1 is None\\n\\ntest_cache.py:7: AssertionError\\n======= short test summary info =======\\nFAILED test_cache.py::test_expiry - AssertionError: assert 1 is None\\n======= 1 failed, 11 passed in 0.31s =======";

/// One program of the loop, and what it must say.
struct Runner<'a> {
    home: Option<&'a Home>,
    payload: &'a str,
    says: Option<&'a str>,
    samples: Samples,
}

/// Measures the three rows.
pub(crate) fn measure(world: &World, rounds: usize) -> Result<Vec<Row>> {
    let tracking = |name: &str, event: &str, hook: &str| -> Result<Home> {
        let home = world.home_with(name, &and_at(event, hook))?;
        let start = Start {
            domain: Domain::Debugging,
            strategy: Strategy::RootCauseAnalysis,
            goal: "Fix the flaky cache test".to_owned(),
            hypothesis: "The timeout is too short".to_owned(),
            action: "Raise it to 60 s".to_owned(),
            prediction: "Test will pass after the timeout is raised".to_owned(),
        };
        let who = Who::new(SessionId::parse(SESSION).ok_or("the recorded session has no id")?);
        let entries = ActiveFolder::new(StateFolder::new(home.path("state/tenter")), Cleaner::default());
        entries.start(&who, None, &start, Timestamp::default()).map_err(|error| error.to_string())?;
        Ok(home)
    };
    let quiet = world.home_with("predictions-none", TWENTY)?;
    let counted = tracking(
        "counted",
        "tool:pre",
        "name: check-in, builtin: { name: memory.check_in, frequency: 1000 }",
    )?;
    let reminded =
        tracking("reminded", "tool:pre", "name: check-in, builtin: { name: memory.check_in, frequency: 1 }")?;
    let compared = tracking("compared", "tool:error", "name: outcome, builtin: memory.outcome")?;
    let ended = ended(&world.payload)?;
    let payload = world.payload.as_str();
    let runner = |home, payload, says| Runner { home, payload, says, samples: Samples::default() };
    let mut all = [
        runner(None, payload, None),
        runner(Some(&quiet), payload, None),
        runner(Some(&counted), payload, None),
        runner(Some(&reminded), payload, Some("GHAP Check-in (")),
        runner(Some(&compared), ended.as_str(), Some("This falsifies your hypothesis.")),
    ];
    for round in 0..=rounds {
        for one in &mut all {
            let took = one.run(world, round)?;
            // The first start is not counted.
            if round > 0 {
                one.samples.push(took);
            }
        }
    }
    progress::report(&format!("predictions: {rounds} rounds"));
    let [bin_true, quiet, counted, reminded, compared] = all.map(|one| one.samples.times());
    let late = |name: &str, times: Times| {
        let ok = times.p95 <= bin_true.p50.mul_f64(SLOWEST);
        Row::times(name, times, bin_true.p50).judged("p95 ≤ 5 ×", ok)
    };
    Ok(vec![
        Row::times("tenter-hook: a tool call is counted, no check-in due (i)", counted, quiet.p50)
            .at_most_times(2.0),
        late("tenter-hook: a check-in that is due", reminded),
        late("tenter-hook: a test run, compared with the prediction", compared),
    ])
}

impl Runner<'_> {
    fn run(&self, world: &World, round: usize) -> Result<Duration> {
        let mut command = match self.home {
            Some(home) => home.hook(&world.build.hook),
            None => world.home("predictions-others")?.command("/bin/true".as_ref(), &[]),
        };
        // Each round another call, since one that comes twice is judged once; and another time, since of what was
        // said last it is only said that nothing has changed.
        let payload = self.payload.replace(CALL_ID, &format!("toolu_{round:04}_"));
        let payload = payload.replace("in 0.31s", &format!("in 0.{round:03}s"));
        let (took, answer) = answered(&mut command, &payload)?;
        match self.says {
            Some(says) if !answer.contains(says) => {
                Err(format!("`{says}` was not said, but: {answer}").into())
            }
            None if !answer.is_empty() => Err(format!("nothing was to be said, and it was: {answer}").into()),
            Some(_) | None => Ok(took),
        }
    }
}

/// The payload of a call that has failed, made of that of the same call before.
fn ended(payload: &str) -> Result<String> {
    let changed = payload.replacen("\"PreToolUse\"", "\"PostToolUseFailure\"", 1).replacen(
        "echo passing",
        "cd app && pytest -q test_cache.py",
        1,
    );
    let open = changed.trim_end().strip_suffix('}').ok_or("the recorded payload is no object")?;
    Ok(format!("{},\"error\":\"{FAILED}\",\"is_interrupt\":false}}", open.trim_end()))
}
