//! `git.status`: branch, changed files and last commits.
//!
//! A repository may be foreign, its `.git/config` included, and git runs programs from that file: a file system monitor,
//! filters, signature checkers, transports for missing objects. All of these are turned off, and submodules with their
//! own configurations are ignored. `safe.directory` still applies.

use std::ffi::OsString;
use std::path::PathBuf;

use tenter_contract::HookOutput;

use super::builtin_run::{BuiltinResult, BuiltinRun, no_reply};
use super::display::{counted, on_one_line};
use super::tool_process::{ToolOutput, ToolProcess, crashed};

const COMMITS: usize = 5;
const FILES: usize = 30;
const LONGEST: usize = 160;
const FILTERS: &str =
    r"config --show-scope --includes --name-only -z --get-regexp ^filter\..*\.(clean|process|smudge)$";
const STATUS: &str = "status --porcelain=v2 --branch -z --untracked-files=normal --ignore-submodules=all";
const LOG: &str = "--no-show-signature --no-decorate -z --format=%h%x20%s";

/// Settings that override the configuration of a repository.
const HARMLESS: [&str; 9] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "log.showSignature=false",
    "status.submoduleSummary=false",
    "submodule.recurse=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "core.alternateRefsCommand=",
];

/// Variables with the place of the user's configuration. Other inherited variables of git, as in a git hook, belong to
/// the process that started the agent and could select another repository.
const KEPT: [&str; 5] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_EXEC_PATH",
];

pub(super) fn run(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    let folder = call.folder()?;
    let git = call.required_program("git")?;
    adjust_environment(call);
    let mut git = Git { call, program: git, folder, filters: Vec::new() };
    if !git.prepare()? {
        return no_reply();
    }
    let status = git.status()?;
    let commits = match git.call.options.count("commits", COMMITS) {
        0 => Vec::new(),
        wanted => git.commits(wanted)?,
    };
    let limit = git.call.options.count("limit", FILES);
    Ok(call.report(describe(&status, limit, &commits), call.hook.strategy))
}

fn adjust_environment(call: &mut BuiltinRun<'_>) {
    let hook = call.hook;
    let of_hook = |name: &str| hook.env.iter().any(|(set, _)| set == name);
    call.environment.retain(|name, _| {
        let name = name.to_string_lossy();
        !name.starts_with("GIT_") || KEPT.contains(&&*name) || of_hook(&name)
    });
    for (name, value) in [
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_PAGER", "cat"),
        ("LC_ALL", "C"),
    ] {
        call.environment.insert(name.into(), value.into());
    }
}

struct Git<'c, 'a> {
    call: &'c mut BuiltinRun<'a>,
    program: PathBuf,
    folder: PathBuf,
    /// Settings that switch the repository's own filters off.
    filters: Vec<OsString>,
}

impl Git<'_, '_> {
    fn git(&mut self, line: &str) -> Result<ToolOutput, HookOutput> {
        let mut all: Vec<OsString> = vec!["--no-pager".into(), "--no-optional-locks".into()];
        let settings = HARMLESS.iter().map(OsString::from).chain(self.filters.iter().cloned());
        all.extend(settings.flat_map(|setting| ["-c".into(), setting]));
        all.extend(line.split(' ').map(OsString::from));
        self.call.start(&ToolProcess { program: &self.program, arguments: all, folder: &self.folder })
    }

    /// Finds the filters of the repository; false if there is no repository.
    fn prepare(&mut self) -> Result<bool, HookOutput> {
        let inside = self.git("rev-parse --is-inside-work-tree")?;
        if inside.code != 0 {
            let complaint = inside.stderr.lines().next().unwrap_or_default();
            if !complaint.contains("not a git repository") {
                let complaint = on_one_line(complaint, LONGEST);
                self.call.add_notice(format!("git refuses this repository: {complaint}"));
            }
            return Ok(false);
        }
        if inside.stdout.trim() != "true" {
            return Ok(false);
        }
        let known = self.git(FILTERS)?;
        if known.code > 1 {
            return Err(crashed(&known));
        }
        let mut words = known.stdout.split('\0');
        while let (Some(scope), Some(name)) = (words.next(), words.next()) {
            if matches!(scope, "local" | "worktree") {
                self.filters.push(format!("{name}=").into());
            }
        }
        Ok(true)
    }

    fn status(&mut self) -> Result<Status, HookOutput> {
        let ran = self.git(STATUS)?;
        if ran.code != 0 {
            return Err(crashed(&ran));
        }
        let root = on_one_line(&self.folder.to_string_lossy(), LONGEST);
        Ok(Status { root, ..parse(&ran.stdout) })
    }

    /// A repository without a commit is no failure.
    fn commits(&mut self, wanted: usize) -> Result<Vec<String>, HookOutput> {
        let ran = self.git(&format!("log --max-count={wanted} {LOG}"))?;
        let lines = ran.stdout.split('\0').filter(|line| !line.trim().is_empty());
        Ok(lines.map(|line| on_one_line(line.trim(), LONGEST)).collect())
    }
}

/// The output of `git status`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Status {
    root: String,
    branch: String,
    upstream: Option<String>,
    ahead_behind: Option<(u64, u64)>,
    /// Two letters and a path, as `git status --short` has them.
    changes: Vec<(String, String)>,
}

/// Parses the second porcelain format with NUL between entries. A rename has two paths; the new one is named.
fn parse(text: &str) -> Status {
    let mut status = Status::default();
    let mut entries = text.split('\0');
    while let Some(entry) = entries.next() {
        let Some((kind, rest)) = entry.split_once(' ') else { continue };
        match kind {
            "#" => parse_header(rest, &mut status),
            "1" => status.changes.extend(parse_change(rest, 7)),
            "2" => {
                status.changes.extend(parse_change(rest, 8));
                entries.next();
            }
            "u" => status.changes.extend(parse_change(rest, 9)),
            "?" => status.changes.push(("??".to_owned(), rest.to_owned())),
            _ => {}
        }
    }
    status
}

fn parse_header(line: &str, status: &mut Status) {
    let Some((key, value)) = line.split_once(' ') else { return };
    match key {
        "branch.head" => value.clone_into(&mut status.branch),
        "branch.upstream" => status.upstream = Some(value.to_owned()),
        "branch.ab" => {
            let mut numbers = value.split(' ').filter_map(|number| number[1..].parse().ok());
            status.ahead_behind = numbers.next().zip(numbers.next());
        }
        _ => {}
    }
}

/// The letters come first and the path after this many fields.
fn parse_change(rest: &str, fields: usize) -> Option<(String, String)> {
    let letters = rest.split(' ').next()?.replace('.', " ");
    let path = rest.splitn(fields + 1, ' ').nth(fields)?;
    Some((letters, path.to_owned()))
}

fn describe(status: &Status, limit: usize, commits: &[String]) -> String {
    let mut lines = vec![format!("Git status: {}", branch(status))];
    match status.changes.len() {
        0 => lines.push("No changed files.".to_owned()),
        count => {
            lines.push(format!("{} in {}:", counted(count, "changed file"), status.root));
            let named = status.changes.iter().take(limit);
            lines.extend(named.map(|(letters, path)| format!("{letters} {}", on_one_line(path, LONGEST))));
            if count > limit {
                lines.push(format!("… and {} more", count - limit));
            }
        }
    }
    if !commits.is_empty() {
        lines.push("Last commits:".to_owned());
        lines.extend_from_slice(commits);
    }
    lines.join("\n")
}

fn branch(status: &Status) -> String {
    let name = on_one_line(&status.branch, LONGEST);
    let name =
        if name == "(detached)" { "no branch (detached)".to_owned() } else { format!("branch {name}") };
    let Some(upstream) = &status.upstream else { return name };
    let upstream = on_one_line(upstream, LONGEST);
    match status.ahead_behind {
        Some((0, 0)) => format!("{name}, level with {upstream}"),
        Some((ahead, 0)) => format!("{name}, {ahead} ahead of {upstream}"),
        Some((0, behind)) => format!("{name}, {behind} behind {upstream}"),
        Some((ahead, behind)) => format!("{name}, {ahead} ahead of and {behind} behind {upstream}"),
        None => format!("{name}, whose upstream {upstream} is gone"),
    }
}

#[cfg(test)]
mod tests;
