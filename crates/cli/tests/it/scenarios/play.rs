//! Plays a scenario on a machine of its own.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use regex_lite::Regex;
use serde_json::Value;

use super::markdown::{Block, Kind, Scenario};
use crate::records;
use crate::world::{Call, Ran, World};

/// Longer runs of one letter are shortened.
const TOO_LONG: usize = 100;

/// Runs a scenario; the error names the block, the expected and the actual output.
pub(super) fn play(scenario: &Scenario) -> Result<(), String> {
    let world = World::new();
    let mut last = None;
    let mut server = None;
    let mut environment: Vec<(String, String)> = Vec::new();
    let at = |call: Call, environment: &[(String, String)]| {
        environment.iter().fold(call, |call, (name, value)| call.env(name, value)).run()
    };
    for block in &scenario.blocks {
        let text = filled(&block.text, &world);
        let text = server.as_ref().map_or(text.clone(), |it: &Server| text.replace("{port}", &it.port));
        match &block.kind {
            Kind::Hooks { extension } => world.write_hooks(extension, &text),
            Kind::Files | Kind::Check => succeed(block, &world.sh(&text), &world)?,
            Kind::Payload { agent } => last = Some(at(world.hook(agent, &text), &environment)),
            Kind::Emit { event } => {
                let call = world.tenter(&["emit", event]).stdin(&text);
                last = Some(without_its_number(at(call, &environment)));
            }
            Kind::Server => server = Some(Server::start(&world, &text)?),
            Kind::Environment => {
                let pairs = text.lines().filter_map(|line| line.split_once('='));
                environment = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            }
            Kind::JsonAnswer | Kind::TextAnswer | Kind::Refusal => {
                let ran = last.as_ref().ok_or("an answer without a payload")?;
                compare(block, &expected_answer(block, &text, &world)?, &answered(ran, &block.kind, &world))?;
            }
            Kind::Records => {
                let lines: Vec<String> = records::read(&world).iter().map(records::line).collect();
                compare(block, block.text.trim_end(), &named(&lines.join("\n"), &world))?;
            }
        }
    }
    let verified = world.tenter(&["audit", "verify"]).run();
    if verified.code == Some(0) { Ok(()) } else { Err(format!("the trail does not verify: {verified:?}")) }
}

/// Removes the record number, which varies.
fn without_its_number(mut ran: Ran) -> Ran {
    if let Ok(Value::Object(mut outcome)) = serde_json::from_str(&ran.stdout) {
        outcome.remove("seq");
        // The metadata contains a time; `chat/guards.rs` tests it.
        for text in outcome.get_mut("inject").and_then(Value::as_array_mut).into_iter().flatten() {
            text.as_object_mut().map(|text| text.remove("metadata"));
        }
        ran.stdout = Value::Object(outcome).to_string();
    }
    ran
}

/// A server of a scenario; it ends with it.
struct Server {
    process: Child,
    port: String,
}

impl Server {
    fn start(world: &World, program: &str) -> Result<Self, String> {
        let file = world.home().join("server.py");
        fs::write(&file, program).unwrap();
        let mut process = Command::new("python3");
        process.arg(file).current_dir(world.project()).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = process.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let server = Self { process, port: line.trim().to_owned() };
        let is_port = server.port.parse::<u16>().is_ok();
        if is_port { Ok(server) } else { Err(format!("the server's first line is no port: {line:?}")) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Fills the paths of this machine into a text; `named` is the reverse.
fn filled(text: &str, world: &World) -> String {
    text.replace("{tenter}", env!("CARGO_BIN_EXE_tenter"))
        .replace("{tenter-hook}", env!("CARGO_BIN_EXE_tenter-hook"))
        .replace("{project}", world.project().to_str().unwrap())
        .replace("{home}", world.home().to_str().unwrap())
        .replace("{config}", world.config().to_str().unwrap())
        .replace("{state}", world.state().to_str().unwrap())
}

fn named(text: &str, world: &World) -> String {
    let text = text
        .replace(world.project().to_str().unwrap(), "{project}")
        .replace(world.home().to_str().unwrap(), "{home}")
        .replace(world.config().to_str().unwrap(), "{config}")
        .replace(world.state().to_str().unwrap(), "{state}");
    shortened(&text)
}

/// Long texts in scenarios repeat one letter, which is written `a…`. The part that an agent receives
/// depends on the length of paths, so its size is `…` too.
fn shortened(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let runs = letters.chunk_by(|one, next| one == next).map(|run| match run {
        [letter, ..] if run.len() >= TOO_LONG => format!("{letter}…"),
        run => run.iter().collect(),
    });
    let kept = Regex::new(r"([\[(])\d+ of (\d+) (characters|bytes)").unwrap();
    kept.replace_all(&runs.collect::<String>(), "${1}… of $2 $3").into_owned()
}

fn expected_answer(block: &Block, text: &str, world: &World) -> Result<String, String> {
    let trimmed = named(text.trim_end(), world);
    Ok(match block.kind {
        Kind::JsonAnswer => {
            let json: Value = serde_json::from_str(&trimmed)
                .map_err(|error| format!("line {}: this is no JSON: {error}", block.line))?;
            shown(0, &pretty(&json), "")
        }
        Kind::Refusal => shown(2, "", &trimmed),
        _ => shown(0, &trimmed, ""),
    })
}

fn answered(ran: &Ran, kind: &Kind, world: &World) -> String {
    let stdout = match (kind, serde_json::from_str::<Value>(&ran.stdout)) {
        (Kind::JsonAnswer, Ok(json)) => pretty(&json),
        (Kind::Refusal, Ok(json)) if is_deny_only(&json, ran.stderr.trim_end()) => String::new(),
        _ => ran.stdout.trim_end().to_owned(),
    };
    named(&shown(ran.code.unwrap_or(-1), &stdout, ran.stderr.trim_end()), world)
}

/// Whether an answer with an exit code contains only a deny for this reason.
fn is_deny_only(json: &Value, reason: &str) -> bool {
    let known = |value: &Value| ["deny", "block", reason].iter().any(|word| value == word);
    json.as_object().is_some_and(|answer| answer.values().all(known))
}

/// Sorts keys, because their order has no meaning.
fn pretty(json: &Value) -> String {
    let mut json = json.clone();
    json.sort_all_objects();
    serde_json::to_string_pretty(&json).unwrap()
}

fn shown(code: i32, stdout: &str, stderr: &str) -> String {
    let errors = if stderr.is_empty() { String::new() } else { format!("\n(stderr)\n{stderr}") };
    format!("(exit code {code})\n{stdout}{errors}")
}

fn succeed(block: &Block, ran: &Ran, world: &World) -> Result<(), String> {
    let actual = named(&format!("(exit code {:?})\n{}{}", ran.code, ran.stdout, ran.stderr), world);
    if ran.code == Some(0) { Ok(()) } else { Err(differs(block, "(exit code 0)", &actual)) }
}

fn compare(block: &Block, expected: &str, actual: &str) -> Result<(), String> {
    if expected == actual { Ok(()) } else { Err(differs(block, expected, actual)) }
}

fn differs(block: &Block, expected: &str, actual: &str) -> String {
    let indented = |text: &str| text.replace('\n', "\n    ");
    let Block { line, kind, .. } = block;
    format!(
        "line {line}, {kind:?}\n  expected:\n    {}\n  actual:\n    {}\n",
        indented(expected),
        indented(actual)
    )
}
