//! Prints the hooks of a project and their trust, as text or JSON.

use std::path::Path;

use serde_json::{Value, json};
use tenter_contract::{EnvInheritance, Handler, HookSpec, McpTransport, Timestamp};
use tenter_host::trust::pins::variables;
use tenter_host::trust::{ProjectHooks, TrustStatus};
use tenter_store::TrustedFile;

use crate::error::exit;
use crate::hooks::describe::{as_json as as_hook_file, runs};
use crate::install::settings;
use crate::listing::{indented, on_one_line, typed, visible};
use crate::printer::{Printer, Tone, json_line};

/// `tenter trust show`: exit code 1 if something is not trusted.
pub(crate) fn run(project: &ProjectHooks, json: bool, printer: &Printer) -> u8 {
    if json {
        printer.line(json_line(&as_json(project)));
    } else {
        print(project, printer);
    }
    match project.status {
        TrustStatus::Nothing | TrustStatus::Trusted => 0,
        TrustStatus::Never | TrustStatus::Changed(_) | TrustStatus::Damaged => exit::FINDING,
    }
}

/// Prints everything that trust covers, and the changes since it was given.
pub(crate) fn print(project: &ProjectHooks, printer: &Printer) {
    let title = |text: &str| printer.line(printer.tone(Tone::Heading, text));
    title(&visible(&format!("the hooks of {}", project.root().display())));
    let (tone, state) = match &project.status {
        TrustStatus::Nothing => (Tone::Quiet, "there are none".to_owned()),
        TrustStatus::Trusted => (Tone::Good, format!("trusted {}", when(project.trusted_at()))),
        TrustStatus::Never => (Tone::Caution, "never trusted: none of them runs".to_owned()),
        TrustStatus::Changed(before) => {
            (Tone::Bad, format!("changed since you trusted them ({})", when(Some(before.at))))
        }
        TrustStatus::Damaged => (Tone::Bad, "trusted before, but the record of it is damaged".to_owned()),
    };
    printer.line(format!("  {}", printer.tone(tone, state)));
    if matches!(project.status, TrustStatus::Nothing) && project.set.problems.is_empty() {
        return;
    }
    printer.line(format!("  content {}", project.content));
    if !project.set.hooks.is_empty() {
        title("what would run");
        let rows: Vec<Vec<String>> = project.set.hooks.iter().map(|hook| row(hook, project.root())).collect();
        printer.table(&rows);
    }
    title("what that covers");
    let rows: Vec<Vec<String>> = project.files.iter().map(|file| file_row(project, file)).collect();
    printer.table(&rows);
    let runs_scripts = project.files.len() > project.hook_files().len();
    if runs_scripts {
        let text = "  what these files load while they run is covered only if it is listed here; `trust_files` adds files";
        printer.line(printer.tone(Tone::Quiet, text));
    }
    if !project.pins.outside.is_empty() {
        title("what lies outside the project and is not covered");
        for path in &project.pins.outside {
            printer.line(printer.tone(Tone::Caution, visible(&format!("  {}", path.display()))));
        }
    }
    let unpinned: Vec<&str> = project.pins.unpinned().collect();
    if !unpinned.is_empty() {
        title("what cannot be pinned: it does what the project says at the time");
        for command in unpinned {
            printer.line(printer.tone(Tone::Caution, visible(&format!("  {command}"))));
        }
    }
    if let TrustStatus::Changed(before) = &project.status {
        title("what changed");
        for (path, old, new) in changes(&before.files, &project.files) {
            settings::show_change(&settings::diff(path, &old, &new), printer);
        }
    }
    for problem in &project.set.problems {
        printer.line(indented(&visible(&problem.text), "  "));
    }
}

fn row(hook: &HookSpec, root: &Path) -> Vec<String> {
    let sees = match &hook.inherit_env {
        EnvInheritance::Minimal => String::new(),
        EnvInheritance::All => "  and sees your whole environment".to_owned(),
        EnvInheritance::Named(names) => format!("  and sees {}", names.join(", ")),
    };
    let one_line = on_one_line(&format!("{}{}{}{}", runs(hook), by(hook), concerns(hook), sets(hook, root)));
    vec![format!("  {}", hook.id.address()), hook.event.to_string(), format!("{one_line}{sees}")]
}

/// The program or the URL of the server of an MCP hook.
fn by(hook: &HookSpec) -> String {
    let Handler::Mcp(mcp) = &hook.handler else { return String::new() };
    match &mcp.server.transport {
        McpTransport::Stdio { command, .. } => {
            let words: Vec<String> = command.iter().map(|word| typed(word)).collect();
            format!("  by `{}`", words.join(" "))
        }
        McpTransport::Http { url, .. } => format!("  at {url}"),
    }
}

/// The matcher of a hook, and its failure policy if that is not the default.
fn concerns(hook: &HookSpec) -> String {
    let facts = as_hook_file(hook);
    let matcher = facts["matcher"].as_str().filter(|text| !text.is_empty());
    let usual = HookSpec::new(hook.id.clone(), hook.event.clone(), hook.handler.clone()).on_failure;
    let failure = match &facts["on_failure"] {
        _ if hook.on_failure == usual => None,
        Value::String(policy) => Some(policy.clone()),
        each => Some(each.to_string()),
    };
    let matcher = matcher.map(|it| format!("  for {it}"));
    [matcher, failure.map(|it| format!("  on_failure {it}"))].into_iter().flatten().collect()
}

/// The variables of a hook that may name a file; all variables of an MCP server.
fn sets(hook: &HookSpec, root: &Path) -> String {
    let for_server = matches!(hook.handler, Handler::Mcp(_));
    let may_name = |value: &str| for_server || value.contains(['/', '.']) || root.join(value).exists();
    let named = variables(hook).filter(|(_, value)| !value.is_empty() && may_name(value));
    named.map(|(name, value)| format!("  with {name}={value}")).collect::<Vec<_>>().concat()
}

fn file_row(project: &ProjectHooks, file: &TrustedFile) -> Vec<String> {
    let hash = file.sha256.as_deref().map_or("not there", |hash| hash.get(..16).unwrap_or(hash));
    let note = if project.leads_outside(file) {
        let leads = file.text.as_deref().unwrap_or_default();
        format!("{}, out of the project: what lies there is not covered", leads.trim_end())
    } else {
        String::new()
    };
    vec![on_one_line(&format!("  {}", file.path.replace('\n', "⏎"))), hash.to_owned(), on_one_line(&note)]
}

/// Changed files with both texts; binary files have their hash.
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
    let (state, before) = match &project.status {
        TrustStatus::Nothing => ("nothing", None),
        TrustStatus::Trusted => ("trusted", project.trusted_at()),
        TrustStatus::Never => ("never", None),
        TrustStatus::Changed(before) => ("changed", Some(before.at)),
        TrustStatus::Damaged => ("damaged", None),
    };
    let hooks = project.set.hooks.iter().map(|hook| {
        let runs = format!("{}{}", runs(hook), by(hook));
        json!({"hook": hook.id.address(), "event": hook.event.as_str(), "runs": runs})
    });
    let files = project.files.iter().map(|file| json!({"path": file.path, "sha256": file.sha256}));
    json!({
        "project": project.root().display().to_string(),
        "standing": state,
        "content": (!matches!(project.status, TrustStatus::Nothing)).then_some(&project.content),
        "trusted_at": before.map(|at| Timestamp::from_unix_ms(at).to_string()),
        "hooks": hooks.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
        "runners": project.pins.runners,
        "outside": project.pins.outside.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        "unpinned": project.pins.unpinned().collect::<Vec<_>>(),
    })
}
