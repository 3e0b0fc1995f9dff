//! A guard of `production/**` holds under every agent, for every spelling of a path.
//!
//! The calls are the recorded payloads of all adapters, with another path in the place of theirs, in a real project with
//! real links.

mod project;
mod shapes;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use project::{ABOUT_PRODUCTION, Call, ELSEWHERE, INSIDE_PATCHES, Project};
use serde_json::{Value, json};
use tenter_config::compiled::{Compiled, CompiledView};
use tenter_contract::ports::{AgentAdapter, FactFinder, HookSource, Surroundings};
use tenter_contract::{
    Decision, Event, EventKind, Facts, Handler, HookId, HookOutput, HookReply, HookReport, HookSet, HookSpec,
    Layer, Pattern, RecordBody, Template, ToolKind, Verdict, WantedFacts,
};
use tenter_runtime::kit::{FunctionExecutor, MemoryTrail};
use tenter_runtime::{Request, Runtime};

/// Hooks as a call of an agent gets them: compiled, and only those that the event may concern.
struct CompiledHooks(Vec<u8>);

impl CompiledHooks {
    fn new(hooks: Vec<HookSpec>) -> Self {
        let compiled = Compiled { set: HookSet::new(hooks), ..Compiled::default() };
        Self(compiled.to_bytes().unwrap())
    }
}

impl HookSource for CompiledHooks {
    fn at(&self, event: Option<&Event>) -> Option<HookSet> {
        CompiledView::parse(&self.0)?.hook_set(event)
    }
}

thread_local! {
    /// The folder in which the agent starts hooks.
    static FOLDER: RefCell<Option<String>> = const { RefCell::new(None) };
}

struct RealPaths;

impl FactFinder for RealPaths {
    fn find(&self, wanted: &WantedFacts, _: Option<&str>) -> Facts {
        let paths = wanted.paths.as_ref().map(tenter_executors::paths::resolve).unwrap_or_default();
        Facts { paths, ..Facts::default() }
    }

    fn fingerprint(&self, _: &[String], _: Option<&str>) -> Option<String> {
        None
    }
}

fn runtime(pattern: &str, trail: &Arc<MemoryTrail>) -> Runtime {
    let deny = Handler::Deny(Template::parse("no").unwrap());
    let mut hook = HookSpec::new(HookId::new(Layer::User, "guard"), EventKind::ToolPre, deny);
    hook.when.path = vec![Pattern::parse(pattern).unwrap()];
    {
        let mut runtime = Runtime::in_memory();
        runtime.catalog.source = Box::new(CompiledHooks::new(vec![hook]));
        runtime.runner.executors = vec![Box::new(FunctionExecutor(|_: &HookSpec, _: &Event| {
            let verdict = Verdict::Deny { reason: "no".to_owned() };
            HookReport::new(HookOutput::Reply(HookReply { verdict, effects: Vec::new() }))
        }))];
        runtime.catalog.facts = Arc::new(RealPaths);
        runtime.catalog.is_home = |folder| folder == Path::new("/");
        runtime.catalog.working_folder = || FOLDER.with_borrow(Clone::clone);
        runtime.audit.trail = Box::new(Arc::clone(trail));
        runtime
    }
}

/// Whether a guard of this pattern denies the payload.
fn denies(pattern: &str, agent: &dyn AgentAdapter, payload: &Value) -> bool {
    let trail = Arc::new(MemoryTrail::default());
    let payload = payload.to_string();
    let request = Request::decode(agent, payload.as_bytes(), &Surroundings::default());
    runtime(pattern, &trail).answer(request);
    trail.records().iter().any(|record| match record {
        RecordBody::Event(record) => matches!(record.outcome.decision, Decision::Deny { .. }),
        _ => false,
    })
}

const GUARDS: [&str; 2] = ["production/**", "/^production\\//"];

fn check(calls: impl Fn(&dyn AgentAdapter) -> Vec<Call>, spellings: &[(&str, &str)], denied: bool) {
    let project = Project::new();
    let mut wrong = Vec::new();
    let mut tried = 0;
    for agent in tenter_adapters::all() {
        for call in calls(*agent) {
            for (cwd, spelling) in spellings {
                // Some payloads name no folder.
                let Some(payload) = call.about(&project, &project.fill(spelling), &project.fill(cwd)) else {
                    continue;
                };
                for guard in GUARDS {
                    tried += 1;
                    if denies(guard, *agent, &payload) != denied {
                        wrong.push(format!("{guard} {}: {spelling:?} in {cwd:?}", call.name));
                    }
                }
            }
        }
    }
    assert!(tried > 100, "{tried}");
    assert!(wrong.is_empty(), "{} of {tried}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_name_of_a_guarded_file_passes() {
    check(project::calls, ABOUT_PRODUCTION, true);
}

#[test]
fn neighbours_of_a_guarded_folder_pass() {
    check(project::calls, ELSEWHERE, false);
}

/// Payloads that name no folder: the process has one, or the path of the call leads to a project.
#[test]
fn no_absolute_path_passes_without_a_folder() {
    let project = Project::new();
    let paths = |spellings: &[(&str, &str)]| -> Vec<String> {
        let absolute = spellings.iter().filter(|(_, path)| path.starts_with("{root}/"));
        absolute.map(|(_, path)| project.fill(path)).collect()
    };
    let (guarded, elsewhere) = (paths(ABOUT_PRODUCTION), paths(ELSEWHERE));
    let root = project.root();
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for folder in [Some(root.clone()), Some(format!("{root}/src")), Some("/".to_owned()), None] {
        FOLDER.set(folder.clone());
        for agent in tenter_adapters::all() {
            for call in project::calls(*agent) {
                for (path, denied) in
                    guarded.iter().map(|path| (path, true)).chain(elsewhere.iter().map(|path| (path, false)))
                {
                    let payload = call.without_folder(path);
                    for guard in GUARDS {
                        tried += 1;
                        if denies(guard, *agent, &payload) != denied {
                            wrong.push(format!("{guard} {}: {path:?} from {folder:?}", call.name));
                        }
                    }
                }
            }
        }
    }
    assert!(tried > 1000, "{tried}");
    assert!(wrong.is_empty(), "{} of {tried}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_key_of_an_mcp_tool_passes() {
    let project = Project::new();
    let mut wrong = Vec::new();
    for agent in tenter_adapters::all() {
        for (input, denied) in project::mcp_inputs() {
            let Some(payload) = project::mcp_call(*agent, &project, &input) else { continue };
            for guard in GUARDS {
                if denies(guard, *agent, &payload) != denied {
                    wrong.push(format!("{guard} {}: {input}", agent.name()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_heading_of_a_patch_passes() {
    let project = Project::new();
    let mut wrong = Vec::new();
    for (agent, payload) in project::patch_calls(&project) {
        for (patch, denied) in INSIDE_PATCHES {
            for shape in project::shapes(&project.fill(patch)) {
                let payload = payload(&shape);
                for guard in GUARDS {
                    if denies(guard, agent, &payload) != *denied {
                        wrong.push(format!("{guard} {}: {shape}", agent.name()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// A glob names a folder; a hard link leaves it.
#[test]
fn hard_link_into_a_guarded_folder_is_denied() {
    let project = Project::new();
    let agent = tenter_adapters::by_name("claude").unwrap();
    let payload = |path: &str| {
        json!({"session_id": "s", "hook_event_name": "PreToolUse", "cwd": project.root(), "tool_name": "Edit",
            "transcript_path": "t", "tool_input": {"file_path": project.fill(path), "old_string": "a", "new_string": "b"}})
    };
    for guard in ["production/**", "production/*.txt", "production/a.txt", "**/a.txt"] {
        assert!(denies(guard, agent, &payload("{root}/hard.txt")), "{guard}");
        assert!(!denies(guard, agent, &payload("{root}/src/production.txt")), "{guard}");
    }
}

/// A condition whose own folder is a link is about the folder behind it.
#[test]
fn guarded_link_guards_its_target() {
    let project = Project::new();
    let agent = tenter_adapters::by_name("claude").unwrap();
    let payload = |path: &str| {
        json!({"session_id": "s", "hook_event_name": "PreToolUse", "cwd": project.root(), "tool_name": "Write",
            "transcript_path": "t", "tool_input": {"file_path": project.fill(path), "content": "b"}})
    };
    for guard in ["link-dir/**", "l1/a.txt", "outside/**"] {
        let path = if guard == "outside/**" { "{top}/else/x" } else { "{root}/production/a.txt" };
        assert!(denies(guard, agent, &payload(path)), "{guard}");
        assert!(!denies(guard, agent, &payload("{root}/src/x")), "{guard}");
    }
}

/// A payload of an agent that no adapter knows, behind Claude Code's entry.
#[test]
fn unknown_agents_are_judged_in_full() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/tests/strangers");
    let claude = tenter_adapters::by_name("claude").unwrap();
    for file in ["grok/PreToolUse.json", "vibe/pre_tool.json"] {
        let payload = std::fs::read(folder.join(file)).unwrap();
        let Ok(tenter_contract::ports::Decoded::Event(event)) =
            claude.decode(&payload, &Surroundings::default())
        else {
            panic!("{file}");
        };
        assert_eq!(event.kind, EventKind::ToolPre, "{file}");
        let tool = event.tool.unwrap();
        assert_eq!((tool.kind, tool.name.as_str()), (ToolKind::Shell, "Bash"), "{file}");
        assert!(tool.command.unwrap().starts_with("echo hello"), "{file}");
    }
}
