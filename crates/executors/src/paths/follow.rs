//! Follows the links of a path, one after another.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use tenter_contract::PathBase;
use tenter_contract::canonical_path::{joined, normalized};
use tenter_store::process::ancestry;

/// No kernel follows more links than 40; a path may have several readings at each.
const MOST_STEPS: usize = 160;
/// How many processes above this one may be the agent.
const MOST_ANCESTORS: usize = 8;

/// The names of a path by its links.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// Its name at each link.
    pub(super) names: Vec<String>,
    /// Its names without any link.
    pub(super) ends: Vec<String>,
    /// Whether there were too many links.
    pub(super) unfinished: bool,
}

/// Follows a spelling by both meanings of `..`: that of the text, which many agents resolve first, and that of the
/// kernel, for which `link/..` is the folder around the link's target.
pub(super) fn follow(spelling: &str, base: &PathBase) -> Followed {
    let mut followed = Followed::default();
    let mut seen = BTreeSet::new();
    let mut open = vec![spelling.to_owned()];
    while let Some(path) = open.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        if seen.len() > MOST_STEPS {
            followed.unfinished = true;
            break;
        }
        let plain = normalized(&path);
        open.extend(process_names(&plain, base));
        open.extend(process_names(&squeezed(&path), base));
        followed.names.push(plain.clone());
        match next_link(&path) {
            Walk::Link(next) => open.push(next),
            Walk::End(end) => {
                followed.names.push(end.clone());
                followed.ends.push(end);
            }
        }
        if plain != path {
            open.push(plain);
        }
    }
    followed
}

enum Walk {
    /// The path with its first link replaced by its target.
    Link(String),
    /// The path has no link.
    End(String),
}

/// Walks down a path as the kernel does, up to the first link.
fn next_link(path: &str) -> Walk {
    let mut walked = PathBuf::from("/");
    let mut parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    while let Some(part) = parts.next() {
        if part == ".." {
            walked.pop();
            continue;
        }
        let here = walked.join(part);
        if let Ok(target) = fs::read_link(&here) {
            // The target of a link in `/proc` may have no path: `socket:[1]`.
            let target = if target.is_absolute() { target } else { walked.join(target) };
            let rest: Vec<&str> = parts.collect();
            return Walk::Link(joined(&target.to_string_lossy(), &rest.join("/")));
        }
        walked = here;
    }
    Walk::End(walked.to_string_lossy().into_owned())
}

/// The path without empty components and `.`. `..` stays: after `/proc/self/cwd` it does not follow the text.
fn squeezed(path: &str) -> String {
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    parts.flat_map(|part| ["/", part]).collect()
}

/// The names of a file in `/proc`. `/proc/self` of the agent is another one than that of tenter.
fn process_names(path: &str, base: &PathBase) -> Vec<String> {
    let fd = |rest: &str| {
        let (number, rest) = rest.split_once('/').unwrap_or((rest, ""));
        ancestors().map(|process| joined(&format!("/proc/{process}/fd/{number}"), rest)).collect()
    };
    if let Some(rest) = path.strip_prefix("/dev/fd/") {
        return fd(rest);
    }
    let Some(rest) = path.strip_prefix("/proc/") else { return Vec::new() };
    let (process, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let own = matches!(process, "self" | "thread-self");
    if !own && !process.bytes().all(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let rest = match rest.strip_prefix("task/") {
        Some(rest) => rest.split_once('/').map_or("", |(_, rest)| rest),
        None => rest,
    };
    let (what, rest) = rest.split_once('/').unwrap_or((rest, ""));
    match what {
        "root" => vec![format!("/{rest}")],
        "cwd" => [&base.cwd, &base.root].into_iter().flatten().map(|folder| joined(folder, rest)).collect(),
        "fd" if own => fd(rest),
        _ => Vec::new(),
    }
}

/// The processes above this one, of which one is the agent.
fn ancestors() -> impl Iterator<Item = u32> {
    let above = ancestry().into_iter().skip(1).map(|(process, _)| process);
    above.take_while(|process| *process > 1).take(MOST_ANCESTORS)
}
