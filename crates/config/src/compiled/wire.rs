//! The form of a hook's bytes: our words, with serde. Nothing outside this folder sees it.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenter_contract::{
    Arguments, Ask, Builtin, Cache, Choice, Command, Company, Dialect, EnvInheritance, EventKind, Examples,
    Grants, Handler, HookId, HookSource, HookSpec, Http, InjectOutput, Layer, Level, Matcher, Mcp, McpServer,
    McpTransport, McpWanted, Method, OnFailure, Once, Pattern, Pin, Policy, Python, Remains, Repeat,
    ReplyDefaults, Role, Selector, Strategy, Template, When,
};

#[derive(Serialize, Deserialize)]
struct HookWire {
    layer: u8,
    name: String,
    description: Option<String>,
    event: String,
    handler: HandlerWire,
    matcher: Vec<SelectorWire>,
    /// Path, command, prompt, directory, agent, exit code, branch, files, layer.
    when: [Vec<String>; 9],
    when_env: Vec<(String, Vec<String>)>,
    agents: Vec<String>,
    section: Option<String>,
    priority: i32,
    timeout: Duration,
    max_output: u64,
    inject_output: u8,
    once: u8,
    every: Option<NonZeroU32>,
    after: Vec<String>,
    cache: Option<(Duration, Vec<String>, Vec<String>)>,
    company: u8,
    /// `detach`, `rejudge`, `may_allow`, `ephemeral`, `suppress_output`.
    switches: [bool; 5],
    on_failure: [u8; 3],
    role: u8,
    strategy: u8,
    repeat: u8,
    env: Vec<(String, String)>,
    inherit_env: InheritWire,
    cwd: Option<String>,
    trust_files: Vec<String>,
    pins: Vec<(String, Option<String>)>,
    dialect: u8,
    source: (String, String, u32),
}

#[derive(Serialize, Deserialize)]
enum HandlerWire {
    Shell(String),
    Argv(Vec<String>),
    Script(String),
    Inject(String),
    Message(String, u8),
    Ask {
        prompt: String,
        /// Labels, and what each grants.
        options: Vec<(String, u8)>,
        timeout: Option<Duration>,
        default: u8,
    },
    Deny(String),
    InProcess,
    Http {
        url: String,
        post: bool,
        headers: Pairs,
    },
    Mcp {
        server: String,
        transport: TransportWire,
        wanted: WantedWire,
    },
    Python {
        function: String,
        interpreter: Option<String>,
        keep: Option<Duration>,
    },
    /// The options as JSON: they are of any form, and this form has no "any".
    Builtin {
        name: String,
        options: String,
    },
}

type Pairs = Vec<(String, String)>;

#[derive(Serialize, Deserialize)]
enum TransportWire {
    Stdio(Vec<String>, Pairs),
    Http(String, Pairs),
}

#[derive(Serialize, Deserialize)]
enum WantedWire {
    Tool(String, String),
    Resource(String),
    Prompt(String, String),
}

#[derive(Serialize, Deserialize)]
enum SelectorWire {
    Name(String),
    Call(String, Vec<Vec<String>>),
}

#[derive(Serialize, Deserialize)]
enum InheritWire {
    All,
    Minimal,
    Named(Vec<String>),
}

pub(super) const LAYERS: [Layer; 6] =
    [Layer::Managed, Layer::User, Layer::Profile, Layer::Project, Layer::Local, Layer::Embedded];
const INJECT: [InjectOutput; 5] = [
    InjectOutput::Unstated,
    InjectOutput::Never,
    InjectOutput::Success,
    InjectOutput::Failure,
    InjectOutput::Always,
];
const POLICIES: [Policy; 2] = [Policy::Allow, Policy::Deny];

/// The place of a word in its list; a word that is in no list makes the whole unreadable, never another word.
pub(super) fn place<T: PartialEq>(list: &[T], word: &T) -> u8 {
    list.iter().position(|known| known == word).and_then(|place| u8::try_from(place).ok()).unwrap_or(u8::MAX)
}

pub(super) fn word<T: Copy>(list: &[T], place: u8) -> Option<T> {
    list.get(usize::from(place)).copied()
}

/// The bytes of each hook.
pub(super) fn bodies(hooks: &[Arc<HookSpec>]) -> Option<Vec<Vec<u8>>> {
    hooks.iter().map(|hook| postcard::to_allocvec(&HookWire::of(hook)).ok()).collect()
}

/// A hook from its bytes.
pub(super) fn hook(body: &[u8]) -> Option<HookSpec> {
    postcard::from_bytes::<HookWire>(body).ok()?.into_hook()
}

impl HookWire {
    fn of(hook: &HookSpec) -> Self {
        // All fields by name: a new one stops the compiler here.
        let HookSpec {
            id,
            description,
            event,
            handler,
            matcher,
            when,
            agents,
            section,
            priority,
            timeout,
            max_output,
            inject_output,
            once,
            every,
            after,
            cache,
            company,
            remains,
            on_failure,
            rejudge,
            may_allow,
            role,
            strategy,
            defaults,
            env,
            inherit_env,
            cwd,
            trust_files,
            pins,
            dialect,
            examples: _,
            source,
        } = hook;
        let When {
            path,
            command,
            prompt,
            cwd: directory,
            agent,
            exit_code,
            branch,
            env: variables,
            file_exists,
            layer,
        } = when;
        Self {
            layer: place(&LAYERS, &id.layer),
            name: id.name.clone(),
            description: description.clone(),
            event: event.as_str().to_owned(),
            handler: handler_wire(handler),
            matcher: matcher.selectors.iter().map(selector_wire).collect(),
            when: [
                texts(path),
                texts(command),
                texts(prompt),
                texts(directory),
                texts(agent),
                texts(exit_code),
                texts(branch),
                file_exists.clone(),
                texts(layer),
            ],
            when_env: variables.iter().map(|(name, values)| (name.clone(), texts(values))).collect(),
            agents: texts(agents),
            section: section.clone(),
            priority: *priority,
            timeout: *timeout,
            max_output: *max_output as u64,
            inject_output: place(&INJECT, inject_output),
            once: place(&Once::ALL, once),
            every: *every,
            after: after.clone(),
            cache: cache.as_ref().map(cache_wire),
            company: place(&Company::ALL, company),
            switches: [
                *remains == Remains::Detached,
                *rejudge,
                *may_allow,
                defaults.ephemeral,
                defaults.suppress_output,
            ],
            on_failure: [on_failure.timeout, on_failure.error, on_failure.missing]
                .map(|it| place(&POLICIES, &it)),
            role: place(&Role::ALL, role),
            strategy: place(&Strategy::ALL, strategy),
            repeat: place(&Repeat::ALL, &defaults.repeat),
            env: env.clone(),
            inherit_env: match inherit_env {
                EnvInheritance::All => InheritWire::All,
                EnvInheritance::Minimal => InheritWire::Minimal,
                EnvInheritance::Named(names) => InheritWire::Named(names.clone()),
            },
            cwd: cwd.clone(),
            trust_files: trust_files.clone(),
            pins: pins.iter().map(|pin| (pin.path.clone(), pin.sha256.clone())).collect(),
            dialect: place(&Dialect::ALL, dialect),
            source: (source.file.clone(), source.folder.clone(), source.line),
        }
    }

    fn into_hook(self) -> Option<HookSpec> {
        let [detach, rejudge, may_allow, ephemeral, suppress_output] = self.switches;
        let [path, command, prompt, cwd, agent, exit_code, branch, file_exists, layer] = self.when;
        let [timeout, error, missing] = self.on_failure.map(|policy| word(&POLICIES, policy));
        let (file, folder, line) = self.source;
        let dialect = word(&Dialect::ALL, self.dialect)?;
        Some(HookSpec {
            id: HookId { layer: word(&LAYERS, self.layer)?, name: self.name },
            description: self.description,
            event: EventKind::parse(&self.event)?,
            handler: handler(self.handler, dialect)?,
            matcher: Matcher { selectors: self.matcher.into_iter().map(selector).collect() },
            when: When {
                path: patterns(path),
                command: patterns(command),
                prompt: patterns(prompt),
                cwd: patterns(cwd),
                agent: patterns(agent),
                exit_code: patterns(exit_code),
                branch: patterns(branch),
                env: self.when_env.into_iter().map(|(name, values)| (name, patterns(values))).collect(),
                file_exists,
                layer: patterns(layer),
            },
            agents: patterns(self.agents),
            section: self.section,
            priority: self.priority,
            timeout: self.timeout,
            max_output: usize::try_from(self.max_output).ok()?,
            inject_output: word(&INJECT, self.inject_output)?,
            once: word(&Once::ALL, self.once)?,
            every: self.every,
            after: self.after,
            cache: match self.cache {
                Some((ttl, key, files)) => {
                    let key = key.iter().map(|part| Template::parse(part).ok()).collect::<Option<_>>()?;
                    Some(Cache { ttl, key, files })
                }
                None => None,
            },
            company: word(&Company::ALL, self.company)?,
            remains: if detach { Remains::Detached } else { Remains::Ended },
            on_failure: OnFailure { timeout: timeout?, error: error?, missing: missing? },
            rejudge,
            may_allow,
            role: word(&Role::ALL, self.role)?,
            strategy: word(&Strategy::ALL, self.strategy)?,
            defaults: ReplyDefaults { ephemeral, suppress_output, repeat: word(&Repeat::ALL, self.repeat)? },
            env: self.env,
            inherit_env: match self.inherit_env {
                InheritWire::All => EnvInheritance::All,
                InheritWire::Minimal => EnvInheritance::Minimal,
                InheritWire::Named(names) => EnvInheritance::Named(names),
            },
            cwd: self.cwd,
            trust_files: self.trust_files,
            pins: self.pins.into_iter().map(|(path, sha256)| Pin { path, sha256 }).collect(),
            dialect,
            examples: Examples::default(),
            source: HookSource { file, folder, line },
        })
    }
}

fn cache_wire(Cache { ttl, key, files }: &Cache) -> (Duration, Vec<String>, Vec<String>) {
    (*ttl, key.iter().map(|part| part.as_str().to_owned()).collect(), files.clone())
}

fn handler_wire(handler: &Handler) -> HandlerWire {
    let text = |template: &Template| template.as_str().to_owned();
    match handler {
        Handler::Command(Command::Shell(line)) => HandlerWire::Shell(text(line)),
        Handler::Command(Command::Argv(words)) => HandlerWire::Argv(words.iter().map(text).collect()),
        Handler::Script(path) => HandlerWire::Script(path.clone()),
        Handler::Inject(content) => HandlerWire::Inject(text(content)),
        Handler::Message { text: content, level } => {
            HandlerWire::Message(text(content), place(&Level::ALL, level))
        }
        Handler::Ask(Ask { prompt, options, timeout, default }) => HandlerWire::Ask {
            prompt: text(prompt),
            options: options.iter().map(choice_wire).collect(),
            timeout: *timeout,
            default: place(&POLICIES, default),
        },
        Handler::Deny(reason) => HandlerWire::Deny(text(reason)),
        Handler::InProcess => HandlerWire::InProcess,
        Handler::Http(Http { url, method, headers }) => {
            HandlerWire::Http { url: text(url), post: *method == Method::Post, headers: headers.clone() }
        }
        Handler::Mcp(Mcp { server, wanted }) => HandlerWire::Mcp {
            server: server.name.clone(),
            transport: transport_wire(&server.transport),
            wanted: wanted_wire(wanted),
        },
        Handler::Python(Python { function, interpreter, keep }) => {
            HandlerWire::Python { function: function.clone(), interpreter: interpreter.clone(), keep: *keep }
        }
        Handler::Builtin(Builtin { name, options }) => {
            HandlerWire::Builtin { name: name.clone(), options: json(options) }
        }
    }
}

fn json(map: &Map<String, Value>) -> String {
    Value::Object(map.clone()).to_string()
}

fn transport_wire(transport: &McpTransport) -> TransportWire {
    match transport {
        McpTransport::Stdio { command, env } => TransportWire::Stdio(command.clone(), env.clone()),
        McpTransport::Http { url, headers } => TransportWire::Http(url.clone(), headers.clone()),
    }
}

fn wanted_wire(wanted: &McpWanted) -> WantedWire {
    match wanted {
        McpWanted::Tool { name, arguments } => WantedWire::Tool(name.clone(), json(arguments.as_map())),
        McpWanted::Resource { uri } => WantedWire::Resource(uri.as_str().to_owned()),
        McpWanted::Prompt { name, arguments } => WantedWire::Prompt(name.clone(), json(arguments.as_map())),
    }
}

fn mcp(server: String, transport: TransportWire, wanted: WantedWire) -> Option<Mcp> {
    let arguments = |json: String| Arguments::parse(serde_json::from_str(&json).ok()?).ok();
    let transport = match transport {
        TransportWire::Stdio(command, env) => McpTransport::Stdio { command, env },
        TransportWire::Http(url, headers) => McpTransport::Http { url, headers },
    };
    let wanted = match wanted {
        WantedWire::Tool(name, json) => McpWanted::Tool { name, arguments: arguments(json)? },
        WantedWire::Resource(uri) => McpWanted::Resource { uri: Template::parse(&uri).ok()? },
        WantedWire::Prompt(name, json) => McpWanted::Prompt { name, arguments: arguments(json)? },
    };
    Some(Mcp { server: McpServer { name: server, transport }, wanted })
}

fn handler(wire: HandlerWire, dialect: Dialect) -> Option<Handler> {
    let template = |source: String| Template::parse(&source).ok();
    let own = |source: String| {
        if dialect.has_placeholders() { template(source) } else { Some(Template::literal(&source)) }
    };
    Some(match wire {
        HandlerWire::Shell(line) => Handler::Command(Command::Shell(own(line)?)),
        HandlerWire::Argv(words) => {
            Handler::Command(Command::Argv(words.into_iter().map(own).collect::<Option<_>>()?))
        }
        HandlerWire::Script(path) => Handler::Script(path),
        HandlerWire::Inject(content) => Handler::Inject(own(content)?),
        HandlerWire::Message(content, level) => {
            Handler::Message { text: template(content)?, level: word(&Level::ALL, level)? }
        }
        HandlerWire::Ask { prompt, options, timeout, default } => Handler::Ask(Ask {
            prompt: template(prompt)?,
            options: options.into_iter().map(choice).collect::<Option<_>>()?,
            timeout,
            default: word(&POLICIES, default)?,
        }),
        HandlerWire::Deny(reason) => Handler::Deny(template(reason)?),
        HandlerWire::InProcess => Handler::InProcess,
        HandlerWire::Http { url, post, headers } => {
            let method = if post { Method::Post } else { Method::Get };
            Handler::Http(Http { url: template(url)?, method, headers })
        }
        HandlerWire::Mcp { server, transport, wanted } => Handler::Mcp(mcp(server, transport, wanted)?),
        HandlerWire::Python { function, interpreter, keep } => {
            Handler::Python(Python { function, interpreter, keep })
        }
        HandlerWire::Builtin { name, options } => {
            Handler::Builtin(Builtin { name, options: serde_json::from_str(&options).ok()? })
        }
    })
}

fn selector_wire(selector: &Selector) -> SelectorWire {
    match selector {
        Selector::Name(pattern) => SelectorWire::Name(pattern.as_str().to_owned()),
        Selector::Call { tool, commands } => {
            SelectorWire::Call(tool.as_str().to_owned(), commands.iter().map(|words| texts(words)).collect())
        }
    }
}

fn selector(wire: SelectorWire) -> Selector {
    match wire {
        SelectorWire::Name(source) => Selector::Name(Pattern::recalled(source)),
        SelectorWire::Call(tool, commands) => Selector::Call {
            tool: Pattern::recalled(tool),
            commands: commands.into_iter().map(patterns).collect(),
        },
    }
}

fn texts(patterns: &[Pattern]) -> Vec<String> {
    patterns.iter().map(|pattern| pattern.as_str().to_owned()).collect()
}

fn patterns(sources: Vec<String>) -> Vec<Pattern> {
    sources.into_iter().map(Pattern::recalled).collect()
}

const GRANTS: [Grants; 4] = [Grants::Nothing, Grants::Once, Grants::Session, Grants::Tool];

fn choice_wire(choice: &Choice) -> (String, u8) {
    (choice.label.clone(), place(&GRANTS, &choice.grants))
}

fn choice((label, grants): (String, u8)) -> Option<Choice> {
    Some(Choice { label, grants: word(&GRANTS, grants)? })
}
