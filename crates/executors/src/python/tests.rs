use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tenter_contract::approval_question::ApprovalPrompt;
use tenter_contract::ports::HookExecutor;
use tenter_contract::{
    AgentName, Effect, EnvInheritance, Event, EventKind, Handler, HookFailure, HookId, HookOutput, HookReply,
    HookReport, HookSpec, InjectOutput, Injection, Layer, OutputPatch, Patch, Policy, Python, Rewrite,
    SessionId, Timestamp, ToolCall, ToolKind, Verdict,
};

use super::PythonExecutor;

/// A folder with a module `m` in it, and an executor.
struct TestBed {
    dir: TempDir,
    executor: PythonExecutor,
}

impl TestBed {
    fn new(module: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("m.py"), module).unwrap();
        Self { dir, executor: PythonExecutor::default() }
    }

    fn hook(&self, function: &str) -> HookSpec {
        let python = Python { function: function.to_owned(), interpreter: None, keep: None };
        let mut hook =
            HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, Handler::Python(python));
        hook.source.folder = self.dir.path().to_string_lossy().into_owned();
        hook.timeout = Duration::from_secs(20);
        hook
    }

    fn run(&self, hook: &HookSpec) -> HookReport {
        self.executor.run(hook, &push(self.dir.path()))
    }

    fn output_of(&self, function: &str) -> HookOutput {
        self.run(&self.hook(function)).output
    }
}

/// A forced push, in a project.
fn push(root: &Path) -> Event {
    let agent = AgentName::from_static("claude");
    let session = SessionId::parse("s1").unwrap();
    let mut event = Event::new(EventKind::ToolPre, agent, session, Timestamp::default());
    let input = json!({ "command": "git push --force", "timeout": 5 });
    let mut tool = ToolCall::new("Bash", ToolKind::Shell, input.as_object().unwrap().clone());
    tool.command = Some("git push --force".to_owned());
    event.tool = Some(tool);
    event.project_root = Some(root.to_string_lossy().into_owned());
    event
}

fn deny(reason: &str) -> HookOutput {
    HookOutput::Reply(HookReply { verdict: Verdict::Deny { reason: reason.to_owned() }, effects: vec![] })
}

fn nothing() -> HookOutput {
    HookOutput::Reply(HookReply::default())
}

fn effects(said: HookOutput) -> Vec<Effect> {
    match said {
        HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects }) => effects,
        other => panic!("{other:?}"),
    }
}

fn missing(said: HookOutput) -> String {
    match said {
        HookOutput::Failure(HookFailure::Missing { detail }) => detail,
        other => panic!("not missing: {other:?}"),
    }
}

fn garbled(said: HookOutput) -> String {
    match said {
        HookOutput::Failure(HookFailure::Garbled { detail }) => detail,
        other => panic!("not garbled: {other:?}"),
    }
}

fn crashed(exit_code: Option<i32>, signal: Option<i32>) -> HookOutput {
    HookOutput::Failure(HookFailure::Crashed { exit_code, signal })
}

#[test]
fn function_gets_event_and_answers() {
    let stage = TestBed::new(
        r#"
from tenter import HookEvent, HookResult, allow, ask, deny, inject, message, modify
def check(event):
    assert isinstance(event, HookEvent)
    if "--force" in event.tool.command and event["tool"]["input"]["timeout"] == 5:
        return deny(f"{event.event} {event.tool.name} {event.session_id} {event.prompt}")
def says_allow(event): return allow("fine")
def says_ask(event): return ask("Deploy?", default="allow")
def says_inject(event): return inject("text", ephemeral=True)
def says_modify(event): return modify(tool_input={"command": "git push", "timeout": None})
def says_much(event): return HookResult(inject=["a", "b"], message="m", suppress_output=True)
def says_dict(event): return {"deny": "dict"}
"#,
    );
    assert_eq!(stage.output_of("m.check"), deny("tool:pre Bash s1 None"));
    assert_eq!(stage.output_of("m.says_dict"), deny("dict"));
    let HookOutput::Reply(reply) = stage.output_of("m.says_allow") else { panic!() };
    assert_eq!(reply.verdict, Verdict::Allow { reason: Some("fine".to_owned()) });
    let query = ApprovalPrompt {
        prompt: "Deploy?".to_owned(),
        options: vec![],
        timeout: None,
        default: Policy::Allow,
    };
    let HookOutput::Reply(reply) = stage.output_of("m.says_ask") else { panic!() };
    assert_eq!(reply.verdict, Verdict::Ask(query));
    let injection = Injection { ephemeral: true, ..Injection::text("text") };
    assert_eq!(effects(stage.output_of("m.says_inject")), [Effect::Inject(injection)]);
    let changes = json!({ "command": "git push", "timeout": null }).as_object().unwrap().clone();
    let rewrite = Effect::Rewrite(Rewrite::ToolInput(Patch::Merge(changes)));
    assert_eq!(effects(stage.output_of("m.says_modify")), [rewrite]);
    assert_eq!(effects(stage.output_of("m.says_much")).len(), 4);
}

#[test]
fn all_callables_are_supported() {
    let stage = TestBed::new(
        r#"
import functools
def one(event): return {"deny": type(event).__name__}
def two(event, data): return {"deny": f"{event} {data['tool_input']['command']} {data['session_id']}"}
def with_default(event, strict=False): return {"deny": f"{type(event).__name__} {strict}"}
def none_at_all(): return {"deny": "no parameter"}
def many(a, b, c): pass
async def later(event, data): return {"deny": "later " + event}
def decorated(function):
    @functools.wraps(function)
    def inner(*args): return function(*args)
    return inner
@decorated
def wrapped(event, data): return {"deny": "wrapped " + event}
class Hook:
    def __init__(self): self.calls = 0
    def __call__(self, event):
        self.calls += 1
        return {"deny": f"call {self.calls}"}
    def method(self, event): return {"deny": "method"}
    @staticmethod
    def static(event): return {"deny": "static"}
    class Inner:
        async def __call__(self, event): return {"deny": "inner"}
made = Hook()
partial = functools.partial(two, "bound")
class NeedsMore:
    def __init__(self, what): pass
    def __call__(self, event): pass
a_value = 3
"#,
    );
    for (function, reason) in [
        ("m.one", "HookEvent"),
        ("m.two", "tool:pre git push --force s1"),
        ("m.with_default", "HookEvent False"),
        ("m.none_at_all", "no parameter"),
        ("m.later", "later tool:pre"),
        ("m.wrapped", "wrapped tool:pre"),
        ("m.Hook", "call 1"),
        ("m.Hook", "call 2"),
        ("m.made", "call 1"),
        ("m.Hook.method", "method"),
        ("m.Hook.static", "static"),
        ("m.Hook.Inner", "inner"),
    ] {
        assert_eq!(stage.output_of(function), deny(reason), "{function}");
    }
    assert_eq!(stage.output_of("m.partial"), deny("bound git push --force s1"));
    assert_eq!(
        missing(stage.output_of("m.many")),
        "`m.many` has 3 parameters; one gets the event, two get its name and its data"
    );
    assert!(missing(stage.output_of("m.NeedsMore")).contains("cannot be made without arguments"));
    assert_eq!(missing(stage.output_of("m.a_value")), "`m.a_value` is not callable");
}

#[test]
fn returned_values_are_never_guessed() {
    let stage = TestBed::new(
        r#"
import dataclasses, datetime, enum, pathlib
@dataclasses.dataclass
class Reply:
    deny: str = None
    message: str = None
class Model:
    def model_dump(self): return {"deny": "pydantic"}
class Color(enum.Enum): RED = "red"
def dataclass(event): return Reply(deny="dataclass")
def model(event): return Model()
def rich(event): return {"modify": {"data": {"a": pathlib.Path("/p"), "b": Color.RED, "c": {1}, "d": datetime.date(2026, 1, 2)}}}
def none(event): return None
def text(event): return "just text"
def true(event): return True
def false(event): return False
def generator(event): yield {"deny": "x"}
def a_list(event): return ["deny"]
def circle(event):
    it = {}
    it["deny"] = it
    return it
def nan(event): return {"modify": {"data": {"a": float("nan")}}}
def unknown(event): return {"denied": "x"}
def two(event): return {"deny": "x", "allow": True}
def surrogate(event): return {"deny": "a\udc80b"}
def json_text(event): return '{"deny": "as text"}'
def printed(event): print('{"deny": "printed"}')
def printed_and_exit(event):
    print('{"deny": "printed"}')
    raise SystemExit
def printed_and_raise(event):
    print('{"deny": "printed"}')
    raise ValueError
def printed_allow(event): print('{"allow": true}')
def nan_beside(event): return {"deny": "nan", "modify": {"data": {"a": float("nan")}}}
def printed_besides(event):
    print('{"deny": "printed"}')
    return {"deny": "returned"}
"#,
    );
    for (function, reason) in [
        ("m.dataclass", "dataclass"),
        ("m.model", "pydantic"),
        ("m.json_text", "as text"),
        ("m.surrogate", "a?b"),
        ("m.printed_besides", "returned"),
        ("m.two", "x"),
        ("m.circle", "no reason given"),
        ("m.nan_beside", "nan"),
        ("m.printed", "printed"),
        ("m.printed_and_exit", "printed"),
        ("m.printed_and_raise", "printed"),
    ] {
        assert_eq!(stage.output_of(function), deny(reason), "{function}");
    }
    let data = json!({ "a": "/p", "b": "red", "c": [1], "d": "2026-01-02" }).as_object().unwrap().clone();
    assert_eq!(effects(stage.output_of("m.rich")), [Effect::Rewrite(Rewrite::Data(Patch::Merge(data)))]);
    assert_eq!(stage.output_of("m.none"), nothing());
    for (function, why) in [
        ("m.true", "of type `bool`"),
        ("m.false", "of type `bool`"),
        ("m.generator", "of type `generator`"),
        ("m.a_list", "of type `list`"),
        ("m.nan", "cannot be written as JSON"),
        ("m.unknown", "unknown key `denied`"),
        ("m.printed_allow", "`return` it instead"),
    ] {
        let detail = garbled(stage.output_of(function));
        assert!(detail.contains(why), "{function}: {detail}");
    }
}

#[test]
fn text_is_context_by_the_usual_rule() {
    let stage = TestBed::new("def text(event): return 'just text'");
    let mut hook = stage.hook("m.text");
    let report = stage.run(&hook);
    assert_eq!((report.output, report.transcript.stdout.as_str()), (nothing(), "just text"));
    assert_eq!(report.transcript.notices, ["9 bytes of output are not used (see `inject_output`)"]);
    hook.inject_output = InjectOutput::Success;
    assert_eq!(effects(stage.run(&hook).output), [Effect::Inject(Injection::printed("just text"))]);
    hook.inject_output = InjectOutput::Unstated;
    let mut event = push(stage.dir.path());
    event.kind = EventKind::PromptSubmit;
    let said = stage.executor.run(&hook, &event).output;
    assert_eq!(effects(said), [Effect::Inject(Injection::printed("just text"))]);
}

#[test]
fn hooks_of_other_systems_run_unchanged() {
    let stage = TestBed::new(
        r#"
from amplifier_core import HookResult, ModuleCoordinator
from amplifier_core.events import TOOL_PRE
from massgen.mcp_tools.hooks import HookEvent, HookResult as Result
async def continues(event, data): return HookResult(action="continue")
async def denies(event, data):
    assert event == TOOL_PRE
    return HookResult(action="deny", reason="amplifier")
async def injects(event, data):
    return HookResult(action="inject_context", context_injection="lint", append_to_last_tool_result=True,
                      ephemeral=True, user_message="noted", user_message_level="warning")
async def asks(event, data):
    return HookResult(action="ask_user", approval_prompt="Sure?", approval_options=["Allow", "Deny"])
async def modifies(event, data):
    return HookResult(action="modify", data={**data, "tool_input": {"command": "git push"}, "value": 1})
async def blocks(event, data): return {"action": "block", "reason": "as a program"}
async def unknown(event, data): return {"action": "stop"}
def massgen_denies(event: HookEvent):
    assert event.hook_type == "PreToolUse" and event.tool_name == "Bash" and event.tool_output is None
    return Result(allowed=False, reason="massgen")
def massgen_allows(event): return Result()
def massgen_asks(event): return Result(decision="ask", reason="Sure?")
def massgen_rewrites(event): return Result(updated_input={"command": "git push"}, inject={"content": "c", "strategy": "user_message"})
def massgen_legacy(event): return {"allowed": True, "modified_args": '{"command": "git push"}'}
"#,
    );
    assert_eq!(stage.output_of("m.continues"), nothing());
    assert_eq!(stage.output_of("m.denies"), deny("amplifier"));
    assert_eq!(stage.output_of("m.massgen_denies"), deny("massgen"));
    assert_eq!(stage.output_of("m.massgen_allows"), nothing());
    assert_eq!(stage.output_of("m.blocks"), deny("as a program"));
    assert_eq!(garbled(stage.output_of("m.unknown")), "unknown action `stop`");
    assert_eq!(effects(stage.output_of("m.injects")).len(), 2);
    for function in ["m.asks", "m.massgen_asks"] {
        let HookOutput::Reply(HookReply { verdict: Verdict::Ask(query), .. }) = stage.output_of(function)
        else {
            panic!()
        };
        assert_eq!((query.prompt.as_str(), query.default), ("Sure?", Policy::Deny));
    }
    let input = json!({ "timeout": null, "command": "git push" }).as_object().unwrap().clone();
    let rewrite = Effect::Rewrite(Rewrite::ToolInput(Patch::Merge(input)));
    for function in ["m.modifies", "m.massgen_rewrites", "m.massgen_legacy"] {
        assert!(effects(stage.output_of(function)).contains(&rewrite), "{function}");
    }
    let value = json!({ "value": 1 }).as_object().unwrap().clone();
    assert!(
        effects(stage.output_of("m.modifies")).contains(&Effect::Rewrite(Rewrite::Data(Patch::Merge(value))))
    );
}

#[test]
fn amplifier_result_rewrites_tool_output() {
    let stage =
        TestBed::new("def f(event, data):\n return {'action': 'modify', 'data': {**data, 'result': 'new'}}");
    let mut event = push(stage.dir.path());
    event.kind = EventKind::ToolPost;
    event.tool.as_mut().unwrap().output = Some(json!("old"));
    let said = stage.executor.run(&stage.hook("m.f"), &event).output;
    let rewrite = Rewrite::ToolOutput(OutputPatch::Merge(json!("new")));
    assert_eq!(effects(said), [Effect::Rewrite(rewrite)]);
}

#[test]
fn hooks_of_one_event_share_a_worker() {
    let stage = TestBed::new("import os\ndef pid(event): return {'deny': str(os.getpid())}");
    let first = stage.output_of("m.pid");
    assert_eq!(stage.output_of("m.pid"), first);
    let mut other = stage.hook("m.pid");
    other.env = vec![("PYTHONHASHSEED".to_owned(), "1".to_owned())];
    assert_ne!(stage.run(&other).output, first, "another environment, another process");
    stage.executor.end_event();
    assert_ne!(stage.output_of("m.pid"), first);
}

#[test]
fn parallel_hooks_have_own_workers() {
    let stage = TestBed::new(
        "import os, time\ndef pid(event):\n time.sleep(0.2)\n return {'deny': str(os.getpid())}",
    );
    let said = std::thread::scope(|scope| {
        let running: Vec<_> = (0..3).map(|_| scope.spawn(|| stage.output_of("m.pid"))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(said[0] != said[1] && said[1] != said[2] && said[0] != said[2], "{said:?}");
}

#[test]
fn each_call_has_own_variables_and_folder() {
    let stage = TestBed::new(
        r#"
import os
def see(event):
    seen = f"{os.environ.get('CARGO_PKG_NAME')} {os.environ['TENTER_EVENT']} {os.path.basename(os.getcwd())} {'LEFT' in os.environ}"
    os.environ["LEFT"] = "behind"
    os.chdir("/")
    return {"deny": seen}
"#,
    );
    std::fs::create_dir(stage.dir.path().join("sub")).unwrap();
    let mut hook = stage.hook("m.see");
    hook.cwd = Some("sub".to_owned());
    for _ in 0..2 {
        assert_eq!(stage.run(&hook).output, deny("tenter-executors tool:pre sub False"));
    }
    hook.inherit_env = EnvInheritance::Minimal;
    assert_eq!(stage.run(&hook).output, deny("None tool:pre sub False"));
}

#[test]
fn cwd_is_not_on_the_module_path() {
    let (stage, project) =
        (TestBed::new("import json\ndef f(event): return {'deny': 'ours'}"), tempfile::tempdir().unwrap());
    for name in ["json.py", "os.py", "_socket.py", "m.py", "tenter.py"] {
        std::fs::write(project.path().join(name), "raise RuntimeError('the project was here')").unwrap();
    }
    assert_eq!(stage.executor.run(&stage.hook("m.f"), &push(project.path())).output, deny("ours"));
}

#[test]
fn compiled_files_of_project_are_ignored() {
    let stage = TestBed::new("def f(event): return {'deny': 'source'}");
    let compile = "import py_compile,sys,os; os.chdir(sys.argv[1]); open('x.py','w').write(\"def f(event): return {'deny': 'cached'}\"); py_compile.compile('x.py','m.pyc'); py_compile.compile('x.py', __import__('importlib.util').util.cache_from_source('m.py'), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)";
    let compiled = std::process::Command::new("python3").args(["-c", compile]).arg(stage.dir.path()).status();
    assert!(compiled.unwrap().success());
    let mut hook = stage.hook("m.f");
    assert_eq!(stage.run(&hook).output, deny("cached"), "as Python does it");
    hook.id.layer = Layer::Project;
    assert_eq!(stage.run(&hook).output, deny("source"));
}

#[test]
fn changed_module_is_reloaded() {
    let stage = TestBed::new("def f(event): return {'deny': 'old'}");
    assert_eq!(stage.output_of("m.f"), deny("old"));
    std::fs::write(stage.dir.path().join("m.py"), "def f(event): return {'deny': 'newer'}").unwrap();
    assert_eq!(stage.output_of("m.f"), deny("newer"));
}

mod failures;
mod values;
