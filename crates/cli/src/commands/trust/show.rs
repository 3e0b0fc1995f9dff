//! What a project would run, as people and as programs read it.

use serde_json::{Value, json};
use tenter_contract::{EnvInheritance, HookSpec, Timestamp};
use tenter_host::trust::{ProjectHooks, Standing};
use tenter_store::TrustedFile;

use crate::commands::hooks::show::runs;
use crate::commands::{json_line, settings};
use crate::error::exit;
use crate::listing::{columns, indented, on_one_line, visible};
use crate::printer::{Printer, Tone};

/// `tenter trust show`: exit code 1 if there is something that is not trusted.
pub(super) fn run(project: &ProjectHooks, json: bool, printer: &Printer) -> u8 {
    if json {
        printer.line(json_line(&as_json(project)));
    } else {
        tell(project, printer);
    }
    match project.standing {
        Standing::Nothing | Standing::Trusted => 0,
        Standing::Never | Standing::Changed(_) => exit::FINDING,
    }
}

/// Everything that trust would cover, and what is different since the last time.
pub(super) fn tell(project: &ProjectHooks, printer: &Printer) {
    let title = |text: &str| printer.line(printer.tone(Tone::Heading, text));
    title(&visible(&format!("the hooks of {}", project.root().display())));
    let (tone, standing) = match &project.standing {
        Standing::Nothing => (Tone::Quiet, "there are none".to_owned()),
        Standing::Trusted => (Tone::Good, format!("trusted {}", when(project.trusted_at()))),
        Standing::Never => (Tone::Caution, "never trusted: none of them runs".to_owned()),
        Standing::Changed(before) => {
            (Tone::Bad, format!("changed since you trusted them ({})", when(Some(before.at))))
        }
    };
    printer.line(format!("  {}", printer.tone(tone, standing)));
    if matches!(project.standing, Standing::Nothing) && project.set.problems.is_empty() {
        return;
    }
    printer.line(format!("  content {}", project.content));
    if !project.set.hooks.is_empty() {
        title("what would run");
        let rows: Vec<Vec<String>> = project.set.hooks.iter().map(row).collect();
        for line in columns(&rows) {
            printer.line(line);
        }
    }
    title("what that covers");
    let rows: Vec<Vec<String>> = project.files.iter().map(file_row).collect();
    for line in columns(&rows) {
        printer.line(line);
    }
    let unpinned: Vec<&str> = project.pins.unpinned().collect();
    if !unpinned.is_empty() {
        title("what cannot be pinned: it does what the project says at the time");
        for command in unpinned {
            printer.line(printer.tone(Tone::Caution, visible(&format!("  {command}"))));
        }
    }
    if let Standing::Changed(before) = &project.standing {
        title("what changed");
        for (path, old, new) in changes(&before.files, &project.files) {
            settings::show(&settings::diff(path, &old, &new), printer);
        }
    }
    for problem in &project.set.problems {
        printer.line(indented(&visible(&problem.text), "  "));
    }
}

fn row(hook: &HookSpec) -> Vec<String> {
    let sees = match &hook.inherit_env {
        EnvInheritance::Minimal => String::new(),
        EnvInheritance::All => "  and sees your whole environment".to_owned(),
        EnvInheritance::Named(names) => format!("  and sees {}", names.join(", ")),
    };
    let one_line = on_one_line(&runs(hook));
    vec![format!("  {}", hook.id.address()), hook.event.to_string(), format!("{one_line}{sees}")]
}

fn file_row(file: &TrustedFile) -> Vec<String> {
    let hash = file.sha256.as_deref().map_or("not there", |hash| hash.get(..16).unwrap_or(hash));
    vec![format!("  {}", file.path.replace('\n', "⏎")), hash.to_owned()]
}

/// Files that are not what they were, with both texts; what is no text is told by its hash.
fn changes<'f>(before: &'f [TrustedFile], now: &'f [TrustedFile]) -> Vec<(&'f str, String, String)> {
    let mut paths: Vec<&str> = before.iter().chain(now).map(|file| file.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let of = |files: &'f [TrustedFile], path: &str| files.iter().find(|file| file.path == path);
    let text = |file: Option<&TrustedFile>| match file {
        None => String::new(),
        Some(TrustedFile { text: Some(text), .. }) => text.clone(),
        Some(TrustedFile { sha256: Some(hash), .. }) => format!("(no text that is kept: {hash})\n"),
        Some(_) => "(not there)\n".to_owned(),
    };
    let differ =
        |path: &&str| of(before, path).map(|file| &file.sha256) != of(now, path).map(|file| &file.sha256);
    paths.into_iter().filter(differ).map(|path| (path, text(of(before, path)), text(of(now, path)))).collect()
}

fn when(at: Option<u64>) -> String {
    at.map_or("before".to_owned(), |at| format!("at {}", Timestamp::from_unix_ms(at)))
}

fn as_json(project: &ProjectHooks) -> Value {
    let (standing, before) = match &project.standing {
        Standing::Nothing => ("nothing", None),
        Standing::Trusted => ("trusted", project.trusted_at()),
        Standing::Never => ("never", None),
        Standing::Changed(before) => ("changed", Some(before.at)),
    };
    let hooks = project
        .set
        .hooks
        .iter()
        .map(|hook| json!({"hook": hook.id.address(), "event": hook.event.as_str(), "runs": runs(hook)}));
    let files = project.files.iter().map(|file| json!({"path": file.path, "sha256": file.sha256}));
    json!({
        "project": project.root().display().to_string(),
        "standing": standing,
        "content": (!matches!(project.standing, Standing::Nothing)).then_some(&project.content),
        "trusted_at": before.map(|at| Timestamp::from_unix_ms(at).to_string()),
        "hooks": hooks.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
        "runners": project.pins.runners,
        "unpinned": project.pins.unpinned().collect::<Vec<_>>(),
    })
}
