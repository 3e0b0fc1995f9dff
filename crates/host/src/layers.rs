//! Merges the hook files of all layers into the active hooks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenter_contract::{
    ApproverName, Event, EventKind, Handler, HookId, HookSet, HookSpec, Layer, Level, McpTransport, Message,
    Template,
};

use crate::disabled::Disabled;
use crate::file_versions::{ActiveVersion, FileVersions};
use crate::hook_cache::ReadHooks;
use crate::hook_files::{HookFile, HookFiles, Lookup, read_all, read_lookup};
use crate::imports;
use crate::limits;
use crate::pending_changes::PendingChanges;
use crate::places::Places;
use crate::profile;
use crate::trust::ProjectHooks;

/// The hook files of every layer, and the hooks that they make active.
pub struct Layers {
    /// The files that were read.
    pub files: Vec<HookFile>,
    /// The active hooks.
    pub set: HookSet,
    /// The project's own, and whether they are trusted.
    pub project: Option<ProjectHooks>,
    /// Hooks that the user has disabled, with the reason.
    pub disabled: Vec<(HookId, String)>,
    /// Further files on which the result depends.
    watched: Vec<String>,
}

impl Layers {
    /// Reads them.
    pub fn read(named: &Places, project_root: Option<&Path>) -> Self {
        let places = named.outside(project_root).with_all_outer_projects(project_root, None);
        let versions = FileVersions::below(places.state_folder.as_deref());
        let mut layers = Self::load(&places, project_root, &versions);
        add_trouble(&mut layers.set, &places);
        if let Some(pending) = PendingChanges::new(&places) {
            layers.set.problems.extend(pending.notices_of_settings(project_root));
            layers.set.problems.extend(pending.notices_of_grants());
        }
        layers
    }

    /// The same for a command that lists the guards: from now on these versions are the good ones. Changes while an agent
    /// works stay pending, as at an event.
    pub fn read_and_keep(named: &Places, project_root: Option<&Path>) -> Self {
        let _ = read(&named.outside(project_root), project_root, None);
        Self::read(named, project_root)
    }

    fn load(places: &Places, project_root: Option<&Path>, versions: &FileVersions) -> Self {
        let mut watched = Vec::new();
        let places = &*profile::with_active_profile(places);
        if places.profile.is_some() {
            let files = Lookup::new(places, None).files.into_iter();
            watched.extend(files.map(|(_, path)| path.to_string_lossy().into_owned()));
        }
        let HookFiles { files, lost_guards, entries } = read_all(places, project_root, versions);
        let allowed: Vec<String> = files
            .iter()
            .filter(|file| matches!(file.layer, Layer::Managed | Layer::User))
            .filter_map(|file| file.content.as_ref().ok())
            .flat_map(|loaded| loaded.project_variables.clone())
            .collect();
        let mut set = HookSet::default();
        let mut of_project = HookSet::default();
        for file in &files {
            match file.layer {
                Layer::Project | Layer::Local => of_project.extend(file.set_of_content()),
                Layer::Managed => set.extend(managed(file)),
                Layer::User | Layer::Profile | Layer::Embedded => set.extend(file.set()),
            }
        }
        let project =
            project_root.map(|root| project_hooks(root, &files, tightened(of_project, &allowed), places));
        if let Some(project) = &project {
            project.remember_root();
            watched.extend(project.watched());
            set.extend(project.active_hooks());
        }
        for root in &places.outer_projects {
            let (hooks, more) = outer(root, &allowed, places, versions);
            watched.extend(more);
            set.extend(hooks);
        }
        let is_trusted = project.as_ref().is_some_and(ProjectHooks::counts);
        if is_trusted {
            set.hooks.extend(files.iter().filter(|file| of_a_project(file)).flat_map(denied_by));
        }
        set.lost_guards.extend(lost_guards);
        watched.extend(entries.iter().map(|path| path.to_string_lossy().into_owned()));
        let (limits, refused) = limits::combine(&files, is_trusted);
        set.limits = limits;
        set.problems.extend(refused);
        let switches = Disabled::read(places);
        watched.extend(switches.path());
        watched.extend(switches.entry(places));
        set.problems.extend(switches.notice(places));
        if let Some(pending) = PendingChanges::new(places) {
            set.problems.extend(pending.profile_notice());
            watched.extend(pending.profile_files());
        }
        watched.extend(imports::places_of(&files).iter().map(|path| path.to_string_lossy().into_owned()));
        let disabled = switches.apply(&mut set.hooks, project_root);
        link_context_hooks(&mut set.hooks);
        protect_approver(&mut set);
        Self { files, set, project, disabled, watched }
    }
}

/// Reads the hook files, in the full binary.
pub(crate) fn read(places: &Places, project_root: Option<&Path>, event: Option<&Event>) -> ReadHooks {
    let cwd = event.and_then(|event| event.cwd.as_deref()).map(Path::new);
    let places = &places.clone().with_all_outer_projects(project_root, cwd);
    let pending = PendingChanges::new(places);
    let is_recorded = pending.as_ref().is_none_or(|pending| pending.hold_changes(places, event));
    let versions = FileVersions::kept_below(places.state_folder.as_deref());
    let Layers { mut set, mut watched, .. } = Layers::load(places, project_root, &versions);
    if let Some(pending) = &pending {
        pending.check_settings((places, project_root), event, (&mut set, &mut watched));
        pending.note_versions(places);
    }
    if !is_recorded {
        let reason = "a hook file changed while an agent was working, and tenter cannot record that: make the state folder writable, then run `tenter hooks accept`";
        set.hooks.extend(denying(Layer::Managed, "changed-hook-file", reason, CALLS));
        set.problems.push(Message { text: format!("error: {reason}"), level: Level::Error });
    }
    places.remember_config();
    ReadHooks { set, watched, lasts: is_recorded }
}

/// Layers may name the same context files. Each hook that injects files knows the others, so that the first one injects a
/// file and the others leave it out.
fn link_context_hooks(hooks: &mut [Arc<HookSpec>]) {
    let injects_files =
        |hook: &HookSpec| matches!(&hook.handler, Handler::Builtin(it) if it.context_files().is_some());
    let all: Vec<(usize, String)> = hooks
        .iter()
        .enumerate()
        .filter(|(_, hook)| injects_files(hook))
        .map(|(place, hook)| (place, hook.id.address()))
        .collect();
    for (place, _) in &all {
        let others = all.iter().filter(|(other, _)| other != place);
        Arc::make_mut(&mut hooks[*place]).after.extend(others.map(|(_, address)| address.clone()));
    }
}

/// A folder that a hook file names for answers is protected like our own.
fn protect_approver(set: &mut HookSet) {
    let Some(ApproverName::File { folder: Some(folder) }) = &set.approver else { return };
    for hook in &mut set.hooks {
        if let Handler::Builtin(builtin) = &mut Arc::make_mut(hook).handler {
            builtin.protect_approver(folder);
        }
    }
}

fn of_a_project(file: &HookFile) -> bool {
    matches!(file.layer, Layer::Project | Layer::Local)
}

/// The hooks that deny because a file is broken.
fn denied_by(file: &HookFile) -> Vec<Arc<HookSpec>> {
    match &file.version {
        ActiveVersion::Closed { hooks, .. } => hooks.clone(),
        ActiveVersion::OnDisk | ActiveVersion::LastGood { .. } => Vec::new(),
    }
}

/// The hooks of a trusted project around this one. They also guard the projects inside: a repository in a repository adds
/// hooks and removes none.
fn outer(
    root: &Path,
    allowed: &[String],
    places: &Places,
    versions: &FileVersions,
) -> (HookSet, Vec<String>) {
    let lookup = Lookup::of_project(root);
    let HookFiles { files, .. } = read_lookup(Vec::new(), &lookup, None, versions);
    let mut set = HookSet::default();
    for file in &files {
        set.extend(file.set_of_content());
    }
    let project = project_hooks(root, &files, tightened(set, allowed), places);
    let named = lookup.files.iter().map(|(_, path)| path).chain(lookup.folders());
    let mut watched: Vec<String> = named.map(|path| path.to_string_lossy().into_owned()).collect();
    watched.extend(project.watched());
    // Its limits and other settings belong to another project.
    let HookSet { mut hooks, problems, .. } = project.active_hooks();
    if project.counts() {
        hooks.extend(files.iter().flat_map(denied_by));
    }
    (HookSet { problems, ..HookSet::new(hooks) }, watched)
}

fn project_hooks(root: &Path, files: &[HookFile], set: HookSet, places: &Places) -> ProjectHooks {
    let own = files.iter().filter(|file| of_a_project(file));
    let paths: Vec<PathBuf> = own.clone().map(|file| PathBuf::from(&file.name)).collect();
    let parsed: Vec<(PathBuf, String)> =
        own.clone().filter_map(|file| Some((PathBuf::from(&file.name), file.sha256.clone()?))).collect();
    let unreadable = own.filter(|file| file.content.is_err()).flat_map(HookFile::problems).collect();
    ProjectHooks::load(root, &paths, set, places.state_folder.as_deref())
        .with_unreadable(unreadable)
        .parsed_as(&parsed)
}

/// The machine owner's file. A mistake in it may disable a guard, so the events that it could guard are denied until it is
/// corrected.
fn managed(file: &HookFile) -> HookSet {
    let mut set = file.set();
    if set.problems.iter().all(|problem| problem.level != Level::Error) {
        return set;
    }
    let reason = format!("the hook file of this machine has mistakes; its owner must mend {}", file.name);
    let events = [EventKind::ToolPre, EventKind::PermissionRequest, EventKind::PromptSubmit];
    set.hooks.extend(denying(Layer::Managed, "hook file with mistakes", &reason, events));
    set
}

pub(crate) const CALLS: [EventKind; 2] = [EventKind::ToolPre, EventKind::PermissionRequest];

pub(crate) fn denying(
    layer: Layer,
    name: &'static str,
    reason: &str,
    events: impl IntoIterator<Item = EventKind>,
) -> Vec<Arc<HookSpec>> {
    let reason = Template::literal(reason);
    let deny = |event| HookSpec::new(HookId::new(layer, name), event, Handler::Deny(reason.clone()));
    events.into_iter().map(|event| Arc::new(deny(event))).collect()
}

/// Adds the problems of the places themselves. If the user's guards cannot be found, tool calls are denied.
pub(crate) fn add_trouble(set: &mut HookSet, places: &Places) {
    let Some(trouble) = &places.trouble else { return };
    set.problems.push(trouble.message.clone());
    if trouble.closed {
        let reason = trouble.message.text.trim_start_matches("error: ");
        set.hooks.extend(denying(Layer::Managed, "lost hook files", reason, CALLS));
    }
}

/// A project can only tighten: it sees no variable that the user has not opened to projects.
fn tightened(mut set: HookSet, allowed: &[String]) -> HookSet {
    let mut refused = Vec::new();
    set.hooks.retain(|hook| {
        let closed: Vec<String> =
            variables(hook).into_iter().filter(|name| !allowed.contains(name)).collect();
        if closed.is_empty() {
            return true;
        }
        let names = closed.join("`, `");
        refused.push(Message {
            text: format!(
                "error: hook `{}` of this project uses `{names}`, which your own hook file does not open to projects\n  --> {}:{}\nhint: if it may, write `project_variables: [{}]` into your own hook file",
                hook.id.name,
                hook.source.file,
                hook.source.line,
                closed.join(", ")
            ),
            level: Level::Error,
        });
        false
    });
    set.problems.extend(refused);
    set
}

/// The `${NAME}`s of a hook.
fn variables(hook: &HookSpec) -> Vec<String> {
    let pairs: &[(String, String)] = match &hook.handler {
        Handler::Http(http) => &http.headers,
        Handler::Mcp(mcp) => match &mcp.server.transport {
            McpTransport::Stdio { env, .. } => env,
            McpTransport::Http { headers, .. } => headers,
        },
        _ => &[],
    };
    pairs.iter().flat_map(|(_, value)| names_in(value)).collect()
}

fn names_in(value: &str) -> Vec<String> {
    value
        .split("${")
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name.to_owned())
        .collect()
}
