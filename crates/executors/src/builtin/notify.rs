//! `notify`: a desktop notification, or a message in the agent without a desktop.

use std::ffi::OsString;
use std::path::PathBuf;

use tenter_contract::ports::ClaimOutcome;
use tenter_contract::{Cause, HookOutput, HookReply, Level, SessionClaim};

use super::builtin_run::{BuiltinResult, BuiltinRun, message};
use super::display::on_one_line;
use super::tool_process::ToolProcess;

const LONGEST: usize = 500;
/// The texts are arguments of a fixed script, so they are never read as code.
const SCRIPT: [&str; 3] =
    ["on run argv", "display notification (item 1 of argv) with title (item 2 of argv)", "end run"];

pub(super) fn run(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    let filled = |key: &str| call.options.template(key).map(|template| template.plain(call.event));
    let title = filled("title").filter(|title| !title.trim().is_empty());
    let title = title.unwrap_or_else(|| format!("tenter: {}", call.event.agent));
    let text = filled("text").or_else(|| call.event.message.clone()).filter(|text| !text.trim().is_empty());
    let text = text.unwrap_or_else(|| call.event.kind.to_string());
    let (title, text) = (on_one_line(&title, LONGEST), on_one_line(&text, LONGEST));
    let Some((program, arguments)) = notifier(call, &title, &text) else {
        return Ok(message_instead(call, &text, "neither `notify-send` nor `osascript` was found"));
    };
    let folder = call.folder().unwrap_or_else(|_| "/".into());
    match call.start(&ToolProcess { program: &program, arguments, folder: &folder }) {
        Ok(ran) if ran.code == 0 => Ok(HookReply::default()),
        Ok(ran) => {
            let why = ran.stderr.lines().next().unwrap_or("it failed").to_owned();
            Ok(message_instead(call, &text, &on_one_line(&why, LONGEST)))
        }
        Err(HookOutput::Failure(failure)) => Ok(message_instead(call, &text, &failure.to_string())),
        Err(other) => Err(other),
    }
}

fn notifier(call: &BuiltinRun<'_>, title: &str, text: &str) -> Option<(PathBuf, Vec<OsString>)> {
    let urgency = call.options.text("urgency").unwrap_or("normal");
    if let Some(program) = call.program("notify-send") {
        let options = ["--app-name=tenter", "--urgency"].map(OsString::from);
        let texts = [urgency, "--", title, &without_markup(text)].map(OsString::from);
        return Some((program, options.into_iter().chain(texts).collect()));
    }
    let program = call.program("osascript")?;
    let mut arguments: Vec<OsString> = SCRIPT.iter().flat_map(|line| ["-e".into(), line.into()]).collect();
    arguments.extend(["--", text, title].map(OsString::from));
    Some((program, arguments))
}

/// Desktops read the text as markup.
fn without_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The text as a message; the reason is added once per session.
fn message_instead(call: &mut BuiltinRun<'_>, text: &str, why: &str) -> HookReply {
    call.add_notice(format!("no notification on the desktop: {why}"));
    let what = SessionClaim::Notified(Cause::Builtin("no desktop notification".to_owned()));
    let first = !matches!(call.sessions.claim(call.event.session.as_ref(), &what), Ok(ClaimOutcome::Taken));
    let text =
        if first { format!("{text}\n(no notification on the desktop: {why})") } else { text.to_owned() };
    let level = if call.options.text("urgency") == Some("critical") { Level::Warning } else { Level::Info };
    message(text, level)
}
