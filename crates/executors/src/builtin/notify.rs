//! `notify`: a notification on the desktop. Where there is none, the user is told in the agent.

use std::ffi::OsString;
use std::path::PathBuf;

use tenter_contract::ports::ClaimOutcome;
use tenter_contract::{HookReply, Level, Said};

use super::call::{Answer, Call, tell};
use super::programs::Run;
use super::wording::on_one_line;

const LONGEST: usize = 500;
/// The texts come as arguments of a script that never changes, so that they are never read as one.
const SCRIPT: [&str; 3] =
    ["on run argv", "display notification (item 1 of argv) with title (item 2 of argv)", "end run"];

pub(super) fn run(call: &mut Call<'_>) -> Answer {
    let filled = |key: &str| call.options.template(key).map(|template| template.plain(call.event));
    let title = filled("title").filter(|title| !title.trim().is_empty());
    let title = title.unwrap_or_else(|| format!("tenter: {}", call.event.agent));
    let text = filled("text").or_else(|| call.event.message.clone()).filter(|text| !text.trim().is_empty());
    let text = text.unwrap_or_else(|| call.event.kind.to_string());
    let (title, text) = (on_one_line(&title, LONGEST), on_one_line(&text, LONGEST));
    let Some((program, arguments)) = notifier(call, &title, &text) else {
        return Ok(told_instead(call, &text, "neither `notify-send` nor `osascript` was found"));
    };
    let folder = call.folder().unwrap_or_else(|_| "/".into());
    match call.start(&Run { program: &program, arguments, folder: &folder }) {
        Ok(ran) if ran.code == 0 => Ok(HookReply::default()),
        Ok(ran) => {
            let why = ran.stderr.lines().next().unwrap_or("it failed").to_owned();
            Ok(told_instead(call, &text, &on_one_line(&why, LONGEST)))
        }
        Err(Said::Failure(failure)) => Ok(told_instead(call, &text, &failure.to_string())),
        Err(other) => Err(other),
    }
}

fn notifier(call: &Call<'_>, title: &str, text: &str) -> Option<(PathBuf, Vec<OsString>)> {
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

/// The text as a message; why it is no notification is said once per session.
fn told_instead(call: &mut Call<'_>, text: &str, why: &str) -> HookReply {
    call.note(format!("no notification on the desktop: {why}"));
    let first =
        !matches!(call.sessions.claim(&call.event.session, "notify told why"), Ok(ClaimOutcome::Taken));
    let text =
        if first { format!("{text}\n(no notification on the desktop: {why})") } else { text.to_owned() };
    let level = if call.options.text("urgency") == Some("critical") { Level::Warning } else { Level::Info };
    tell(text, level)
}
