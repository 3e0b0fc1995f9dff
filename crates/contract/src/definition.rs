//! Recognises a hook across versions of tenter, by a hash of its definition in a fixed form.

use serde_json::{Map, Value, json};

use crate::{
    Arguments, Ask, Builtin, Choice, Command, Grant, Handler, HookSpec, Http, Mcp, McpTransport, McpWanted,
    Method, Python, Template,
};

/// The version of the form. A change that gives old hooks another hash needs a new number.
const FORM: &str = "1:";

impl HookSpec {
    /// A hash of everything that decides its reply: what it runs and how its output is read, but not its conditions
    /// or its position in the file.
    pub fn definition(&self) -> String {
        format!("{FORM}{:016x}", fnv(self.spelled_out().to_string().as_bytes()))
    }

    /// The same for a question, with the conditions of the hook.
    pub fn definition_with_conditions(&self) -> String {
        let Self { id, event, matcher, when, section, .. } = self;
        let conditions = format!("{} {event} {matcher:?} {when:?} {section:?}", id.address());
        format!("{:016x}", fnv(format!("{conditions} {}", self.spelled_out()).as_bytes()))
    }

    /// Whether it is the hook with this recorded hash; `None` if the hash has another form.
    pub fn is_still(&self, recorded: &str) -> Option<bool> {
        recorded.starts_with(FORM).then(|| recorded == self.definition())
    }

    /// Default values are left out, so that a setting of a later version does not change hooks without it.
    fn spelled_out(&self) -> Value {
        let usual = Self::new(self.id.clone(), self.event.clone(), self.handler.clone());
        let mut all = Map::new();
        all.insert(self.handler.kind().to_owned(), what_it_does(&self.handler));
        let mut stated = |name: &str, is_usual: bool, value: Value| {
            if !is_usual {
                all.insert(name.to_owned(), value);
            }
        };
        let (own, other) = (self.defaults, usual.defaults);
        let inject = self.inject_output;
        stated("inject_output", inject == usual.inject_output, json!(inject.as_str()));
        stated("max_output", self.max_output == usual.max_output, json!(self.max_output));
        stated("role", self.role == usual.role, json!(self.role.as_str()));
        stated("strategy", self.strategy == usual.strategy, json!(self.strategy.as_str()));
        stated("ephemeral", own.ephemeral == other.ephemeral, json!(own.ephemeral));
        stated("suppress_output", own.suppress_output == other.suppress_output, json!(own.suppress_output));
        stated("repeat", own.repeat == other.repeat, json!(own.repeat.as_str()));
        stated("env", self.env == usual.env, json!(self.env));
        stated("cwd", self.cwd == usual.cwd, json!(self.cwd));
        stated("dialect", self.dialect == usual.dialect, json!(self.dialect.as_str()));
        Value::Object(all)
    }
}

fn what_it_does(handler: &Handler) -> Value {
    match handler {
        Handler::Command(Command::Shell(line)) => json!(line.as_str()),
        Handler::Command(Command::Argv(words)) => {
            json!(words.iter().map(Template::as_str).collect::<Vec<_>>())
        }
        Handler::Script(path) => json!(path),
        Handler::Http(Http { url, method, headers }) => {
            let method = match method {
                Method::Get => "get",
                Method::Post => "post",
            };
            json!({"url": url.as_str(), "method": method, "headers": headers})
        }
        Handler::Mcp(Mcp { server, wanted }) => {
            let reached = match &server.transport {
                McpTransport::Stdio { command, env } => json!({"command": command, "env": env}),
                McpTransport::Http { url, headers } => json!({"url": url, "headers": headers}),
            };
            json!({"server": server.name, "reached": reached, "wanted": wanted_of_server(wanted)})
        }
        // The lifetime of the process does not change the reply.
        Handler::Python(Python { function, interpreter, keep: _ }) => {
            json!({"function": function, "interpreter": interpreter})
        }
        Handler::Builtin(Builtin { name, options }) => json!({"name": name, "options": options}),
        Handler::Inject(text) | Handler::Deny(text) => json!(text.as_str()),
        Handler::Message { text, level } => json!({"text": text.as_str(), "level": level.as_str()}),
        Handler::Ask(Ask { prompt, options, timeout: _, default }) => {
            let grants = |choice: &Choice| {
                Grant::SPELLED.into_iter().find(|(_, it)| *it == choice.grants).map(|(name, _)| name)
            };
            let options: Vec<Value> =
                options.iter().map(|choice| json!([choice.label, grants(choice)])).collect();
            json!({"prompt": prompt.as_str(), "options": options, "default": default.as_str()})
        }
        Handler::InProcess => Value::Null,
    }
}

fn wanted_of_server(wanted: &McpWanted) -> Value {
    let with = |arguments: &Arguments| Value::Object(arguments.as_map().clone());
    match wanted {
        McpWanted::Tool { name, arguments } => json!({"tool": name, "arguments": with(arguments)}),
        McpWanted::Resource { uri } => json!({"resource": uri.as_str()}),
        McpWanted::Prompt { name, arguments } => json!({"prompt": name, "arguments": with(arguments)}),
    }
}

/// FNV-1a, of 64 bits. The standard library's hashes may change with every release. A collision is harmless: `tenter
/// replay` would miss one line.
fn fnv(bytes: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, EventKind, HookId, InjectOutput, Layer};

    use super::*;

    fn hook(handler: Handler) -> HookSpec {
        HookSpec::new(HookId::new(Layer::User, "lint"), EventKind::ToolPost, handler)
    }

    fn shell(line: &str) -> Handler {
        Handler::Command(Command::Shell(Template::parse(line).unwrap()))
    }

    #[test]
    fn fnv_matches_published_values() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }

    /// A change here needs a new number of the form, because records contain the hashes.
    #[test]
    fn definition_hash_is_stable() {
        let plain = hook(shell("make lint"));
        let mut stated = plain.clone();
        stated.env = vec![("CI".to_owned(), "1".to_owned())];
        stated.dialect = Dialect::Claude;
        stated.inject_output = InjectOutput::Failure;
        assert_eq!(plain.spelled_out().to_string(), r#"{"command":"make lint"}"#);
        assert_eq!(
            stated.spelled_out().to_string(),
            r#"{"command":"make lint","inject_output":"failure","env":[["CI","1"]],"dialect":"claude"}"#
        );
        assert_eq!(plain.definition(), format!("1:{:016x}", fnv(br#"{"command":"make lint"}"#)));
    }

    #[test]
    fn definition_ignores_conditions() {
        let then = hook(shell("make lint"));
        let mut later = then.clone();
        later.priority = 7;
        later.source.line = 99;
        later.timeout = std::time::Duration::from_secs(1);
        assert_eq!(later.is_still(&then.definition()), Some(true));
        assert_eq!(hook(shell("make fmt")).is_still(&then.definition()), Some(false));
        let words = vec![Template::parse("make lint").unwrap()];
        let argv = hook(Handler::Command(Command::Argv(words)));
        assert_eq!(argv.is_still(&then.definition()), Some(false));
    }

    #[test]
    fn unknown_definition_form_is_undecided() {
        let then = hook(shell("make lint"));
        for recorded in ["a1b2c3d4e5f60718", "2:a1b2c3d4e5f60718", ""] {
            assert_eq!(then.is_still(recorded), None, "{recorded:?}");
        }
    }
}
