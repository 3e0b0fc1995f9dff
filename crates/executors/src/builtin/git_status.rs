//! `git.status`: branch, changed files and last commits.
//!
//! A repository is other people's work, its `.git/config` included if it came as an archive, and git runs
//! what that file names: a file system monitor, filters, signature checkers, transports for objects that are
//! missing. All of these are switched off, and submodules, which have configurations of their own, are left
//! alone. Whose repositories git looks at (`safe.directory`) is still for git to say.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tenter_contract::Said;

use super::call::{Answer, Call, missing, silence};
use super::programs::{Ran, Run, crashed};
use super::wording::{counted, on_one_line};

const COMMITS: usize = 5;
const FILES: usize = 30;
const LONGEST: usize = 160;

/// What no configuration of a repository may turn on.
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

/// Variables that say where the user's own configuration lies; every other variable of git's that we inherit
/// belongs to whoever started the agent, as in a git hook, and would send us elsewhere.
const KEPT: [&str; 5] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_EXEC_PATH",
];

pub(super) fn run(call: &mut Call<'_>) -> Answer {
    let folder = call.folder()?;
    let git = call.program("git").ok_or_else(|| missing("`git` was not found".to_owned()))?;
    settle(call);
    let mut git = Git { call, program: git, folder, filters: Vec::new() };
    if !git.prepare()? {
        return silence();
    }
    let Some(status) = git.status()? else { return silence() };
    let commits = match git.call.options.count("commits", COMMITS) {
        0 => Vec::new(),
        wanted => git.commits(wanted)?,
    };
    let limit = git.call.options.count("limit", FILES);
    Ok(call.report(told(&status, limit, &commits), call.hook.strategy))
}

fn settle(call: &mut Call<'_>) {
    let of_hook = |name: &str| call.hook.env.iter().any(|(set, _)| set == name);
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
    call: &'c mut Call<'a>,
    program: PathBuf,
    folder: PathBuf,
    /// Settings that switch the repository's own filters off.
    filters: Vec<OsString>,
}

impl Git<'_, '_> {
    fn git(&mut self, arguments: &[&str]) -> Result<Ran, Said> {
        let mut all: Vec<OsString> = vec!["--no-pager".into(), "--no-optional-locks".into()];
        let settings = HARMLESS.iter().map(OsString::from).chain(self.filters.iter().cloned());
        all.extend(settings.flat_map(|setting| ["-c".into(), setting]));
        all.extend(arguments.iter().map(OsString::from));
        self.call.start(&Run { program: &self.program, arguments: all, folder: &self.folder })
    }

    /// Finds out which filters the repository itself brings; false if there is no repository to look at.
    fn prepare(&mut self) -> Result<bool, Said> {
        let inside = self.git(&["rev-parse", "--is-inside-work-tree"])?;
        if inside.code != 0 {
            let complaint = inside.stderr.lines().next().unwrap_or_default();
            if !complaint.contains("not a git repository") {
                let complaint = on_one_line(complaint, LONGEST);
                self.call.note(format!("git does not look at this repository: {complaint}"));
            }
            return Ok(false);
        }
        if inside.stdout.trim() != "true" {
            return Ok(false);
        }
        let known = self.git(&[
            "config",
            "--show-scope",
            "--includes",
            "--name-only",
            "-z",
            "--get-regexp",
            r"^filter\..*\.(clean|process|smudge)$",
        ])?;
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

    fn status(&mut self) -> Result<Option<Status>, Said> {
        let ran = self.git(&[
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=normal",
            "--ignore-submodules=all",
        ])?;
        if ran.code != 0 {
            return Err(crashed(&ran));
        }
        let mut status = read(&ran.stdout);
        status.root = on_one_line(&shown_folder(&self.folder), LONGEST);
        Ok(Some(status))
    }

    /// A repository without a commit has none, which is no failure.
    fn commits(&mut self, wanted: usize) -> Result<Vec<String>, Said> {
        let count = format!("--max-count={wanted}");
        let ran =
            self.git(&["log", &count, "--no-show-signature", "--no-decorate", "-z", "--format=%h %s"])?;
        let lines = ran.stdout.split('\0').filter(|line| !line.trim().is_empty());
        Ok(lines.map(|line| on_one_line(line.trim(), LONGEST)).collect())
    }
}

fn shown_folder(folder: &Path) -> String {
    folder.to_string_lossy().into_owned()
}

/// What `git status` says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Status {
    root: String,
    branch: String,
    upstream: Option<String>,
    ahead_behind: Option<(u64, u64)>,
    /// Two letters and a path, as `git status --short` has them.
    changes: Vec<(String, String)>,
}

/// Reads the second porcelain form with NUL between entries. A rename has two paths; the new one is named.
fn read(text: &str) -> Status {
    let mut status = Status::default();
    let mut entries = text.split('\0');
    while let Some(entry) = entries.next() {
        let Some((kind, rest)) = entry.split_once(' ') else { continue };
        match kind {
            "#" => header(rest, &mut status),
            "1" => status.changes.extend(changed(rest, 7)),
            "2" => {
                status.changes.extend(changed(rest, 8));
                entries.next();
            }
            "u" => status.changes.extend(changed(rest, 9)),
            "?" => status.changes.push(("??".to_owned(), rest.to_owned())),
            _ => {}
        }
    }
    status
}

fn header(line: &str, status: &mut Status) {
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

/// The letters come first and the path behind so many fields.
fn changed(rest: &str, fields: usize) -> Option<(String, String)> {
    let letters = rest.split(' ').next()?.replace('.', " ");
    let path = rest.splitn(fields + 1, ' ').nth(fields)?;
    Some((letters, path.to_owned()))
}

fn told(status: &Status, limit: usize, commits: &[String]) -> String {
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
