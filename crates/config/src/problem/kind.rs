//! Every way in which a hook file can be wrong: one row per problem.

use strum::{IntoStaticStr, VariantNames};
use tenter_contract::{EventKind, HookId, Layer, TemplateError, builtin_names};

use super::Severity;
use super::wording::{Expected, either, format_example, listed, missing_key, siblings, template_hint};
use crate::fields::has_word;
use crate::hook::{HANDLERS, InvalidCombination, MatcherError, Suspicion};
use crate::source::Format;
use crate::values::{self, DurationError};

/// A row: the problem with its fields, its severity, the message, the hint. A hook's name is added behind the
/// message, so messages end in a way that takes "in hook …". Hints are spelled in the format of the file.
macro_rules! problems {
    ($format:ident; $(
        $(#[$doc:meta])*
        $name:ident $({ $($field:ident: $type:ty),+ })? $severity:ident: $message:expr, $hint:expr;
    )+) => {
        /// What is wrong. A test makes sure that each one is shown in a sample.
        #[derive(Clone, Debug, PartialEq, IntoStaticStr, VariantNames)]
        #[strum(serialize_all = "kebab-case")]
        #[expect(missing_docs, reason = "the message of each row shows its fields")]
        pub enum ProblemKind {
            $( $(#[$doc])* $name $({ $($field: $type),+ })?, )+
        }

        impl ProblemKind {
            /// How bad it is.
            pub fn severity(&self) -> Severity {
                match self {
                    $( Self::$name { .. } => Severity::$severity, )+
                }
            }

            /// What is wrong, in one line.
            #[expect(unused_variables, reason = "some fields are for the hint alone")]
            pub fn message(&self) -> String {
                match self {
                    $( Self::$name $({ $($field),+ })? => String::from($message), )+
                }
            }

            /// What to write instead, spelled in the format of the file.
            #[expect(unused_variables, reason = "some fields are for the message alone")]
            pub fn hint(&self, $format: Format) -> String {
                match self {
                    $( Self::$name $({ $($field),+ })? => String::from($hint), )+
                }
            }
        }
    };
}

problems! {
    format;
    /// The text is not YAML, TOML or JSON, or uses a part of it that we refuse. The file is off.
    Syntax { format: Format, detail: String, advice: Option<&'static str> } Error:
        format!("the file is not read: {detail}"),
        advice.map_or_else(|| format!("correct the {} at this place", format.as_str()), str::to_owned);
    /// Nothing, or nothing but comments. The file is off: it may have been emptied by a mistake.
    EmptyFile Error:
        "the file is empty",
        format!("write `{}` if it should have no hooks, or delete it", format.entry("hooks", "{}"));
    /// A version that this program does not know. The file is off.
    WrongVersion { found: String } Error:
        format!("the file is not read: its version is {found}"),
        format!("write `{}`, or update tenter if the file is newer than it", format.entry("version", "1"));
    /// A key that means nothing at the top level.
    UnknownTopLevelKey { key: String, suggestion: Option<&'static str> } Error:
        format!("unknown key `{key}` at the top level"),
        suggest(*suggestion, || "the top level has `version`, `hooks`, `agents`, `context`, `limits`, `approvals`, `mcp_servers`, `project_variables` and `imports`; remove this key".to_owned());
    /// `approvals` in a layer that may not choose who answers questions.
    ApproverRefused { layer: Layer } Error:
        format!("`approvals` is not for the {} layer: the approver decides", layer.as_str()),
        "move it to your own hook file (`~/.config/tenter/hooks.yaml`)";
    /// A folder for questions, and an approver that has none.
    FolderWithoutApprover Error:
        "`approvals.folder` is only for the approver `file`",
        format!("write `{}`, or remove the folder", format.entry("approver", "file"));
    /// An option called `Deny` that is to grant something.
    DenyThatGrants Error:
        "an option called `Deny` cannot grant anything",
        "give it another label, or remove `grant`";
    /// An event that does not exist. Its hooks are off.
    UnknownEvent { spelling: String, suggestion: Option<String>, hooks: usize } Error:
        match hooks {
            0 => format!("unknown event `{spelling}`"),
            1 => format!("unknown event `{spelling}`: the hook under it is off"),
            many => format!("unknown event `{spelling}`: the {many} hooks under it are off"),
        },
        suggest(suggestion.as_deref(), || siblings(spelling));
    /// `hooks` is not a table of events. All hooks are off.
    HooksWithoutEvents { found: String } Error:
        format!("no hook was loaded: `hooks` is {found} but must be a table of events"),
        match format {
            Format::Yaml => "write the event above its hooks: `tool:pre:`, then a list",
            Format::Toml => "name the event above each hook: `[[hooks.\"tool:pre\"]]`",
            Format::Json => "write `\"hooks\": { \"tool:pre\": [ … ] }`",
        };
    /// The hooks of an event are not a list. They are off.
    HooksNotListed { event: String, found: String } Error:
        format!("the hooks of `{event}` are not read: they are {found} but must be a list"),
        match format {
            Format::Yaml => "put `- ` before the first key of each hook".to_owned(),
            Format::Toml => format!("write `[[hooks.\"{event}\"]]`, with two brackets, above each hook"),
            Format::Json => format!("put brackets around the hooks: `\"{event}\": [ {{ … }} ]`"),
        };
    /// A key that a table has twice.
    DuplicateKey { key: String, first_line: u32 } Error:
        format!("key `{key}` occurs twice"),
        format!("the first is in line {first_line}; keep one of the two");
    /// A hook that is not a table.
    HookNotTable { found: String } Error:
        format!("a hook is {found} but must be a table"),
        match format {
            Format::Yaml => "write `{ name: …, deny: … }`, or its keys in lines of their own",
            Format::Toml => "write `{ name = \"…\", deny = \"…\" }`",
            Format::Json => "write `{ \"name\": \"…\", \"deny\": \"…\" }`",
        };
    /// A value of the wrong type.
    WrongType { key: String, expected: Expected, found: String } Error:
        format!("`{key}` is {found} but must be {}", expected.name()),
        format_example(*expected, format);
    /// A key that means nothing in a hook. `known` has the keys of its table.
    UnknownKey { key: String, suggestion: Option<&'static str>, known: &'static str } Error:
        format!("unknown key `{key}`"),
        match suggestion {
            Some(other) if !has_word(known, other) => {
                format!("write `{other}` next to `{}`, not in it", key.rsplit_once('.').map_or("", |(table, _)| table))
            }
            Some(_) => suggest(*suggestion, String::new),
            // The few keys of an inner table can be listed, those of a hook are too many.
            None if known.split(' ').count() < 8 || key.starts_with("when.") => {
                format!("remove it, or write {}", either(&known.split(' ').collect::<Vec<_>>()))
            }
            None if key == "hooks" => "this is Claude Code's form; write `name` and `command` next to `matcher`, without an inner list".to_owned(),
            None => "remove it; no hook has a key of this or a similar name".to_owned(),
        };
    /// A setting that a built-in does not have. `known` has those it has.
    UnknownOption { key: String, builtin: &'static str, suggestion: Option<&'static str>, known: Vec<&'static str> } Error:
        format!("`{builtin}` has no setting `{key}`"),
        suggest(*suggestion, || match known[..] {
            [] => "it has none; remove this key".to_owned(),
            _ => format!("it has {}", listed(known)),
        });
    /// A number that is too small or too large.
    OutOfRange { key: String, found: i64, least: u32, most: u32 } Error:
        format!("`{key}` cannot be `{found}`"),
        format!("write a number from `{least}` to `{most}`");
    /// A key that must be there.
    MissingKey { key: &'static str } Error:
        if *key == "name" { "a hook has no `name`".to_owned() } else { format!("no `{key}`") },
        missing_key(key, format);
    /// A hook that does nothing.
    NoHandler Error:
        "nothing to do",
        format!("add one of {}", either(&HANDLERS));
    /// A hook that would do several things.
    SeveralHandlers { handlers: Vec<&'static str> } Error:
        format!("more than one handler ({})", listed(handlers)),
        "a hook does one thing; keep one of them and give the others hooks of their own";
    /// A name that cannot be shown or addressed.
    BadName { name: String } Error:
        if name.is_empty() { "a hook has an empty `name`".to_owned() } else { format!("`{name}` cannot be the name of a hook") },
        HookId::NAME_RULE;
    /// Two hooks of one name in a file; the second is off.
    DuplicateName { first_line: u32 } Error:
        "the name is already taken",
        format!("rename it; the hook in line {first_line} has the same name");
    /// A hook that waits for one that does not exist.
    WaitsForUnknown { name: String, suggestion: Option<String> } Error:
        format!("`after` names `{name}`, which is no hook of the same event and file,"),
        suggest(suggestion.as_deref(), || "write the name of a hook of the same event in this file".to_owned());
    /// A hook that waits for one that runs later.
    WaitsForLater { name: String, own: i32, other: i32 } Error:
        format!("`after` names `{name}`, whose priority {other} is later than the priority {own}"),
        format!("write `{}` here, or remove `after`", format.entry("priority", &other.to_string()));
    /// A hook that waits for itself, directly or by way of others.
    WaitsForItself { name: String } Error:
        format!("`after` makes `{name}` wait for itself"),
        "remove one `after` of the circle";
    /// A hook that waits for one in the background.
    WaitsForBackground { name: String } Error:
        format!("`after` names `{name}`, which runs in the background and cannot be waited for,"),
        format!("remove `background` from `{name}`, or `after` from this hook");
    /// A value outside a closed set.
    BadValue { key: String, found: String, allowed: Vec<&'static str>, suggestion: Option<&'static str> } Error:
        format!("`{key}` cannot be {found}"),
        match suggestion {
            Some(known) => format!("did you mean `{known}`? The choices are {}", listed(allowed)),
            None => format!("write {}", either(allowed)),
        };
    /// A text that must not be empty.
    EmptyValue { key: String } Error:
        format!("`{key}` is empty"),
        format!("write something, or remove `{key}`");
    /// An invalid duration.
    BadDuration { key: String, reason: DurationError } Error:
        format!("`{key}` {reason}"),
        reason.hint();
    /// An invalid number of bytes, or one out of bounds.
    BadSize { key: String, found: String, least: &'static str } Error:
        format!("`{key}` cannot be {found}"),
        format!("write a number of bytes such as `65536`, `64KiB` or `1MiB`, from `{least}` to `64MiB`");
    /// An environment variable that no system would take.
    BadVariable { name: String } Error:
        match name.as_str() {
            "" => "an environment variable has no name".to_owned(),
            name => format!("`{name}` cannot be an environment variable"),
        },
        if name.contains(['*', '?', '[']) {
            "name each variable in full; only its value can be a glob"
        } else {
            "a name is not empty and has no `=`; neither name nor value has a NUL character"
        };
    /// An invalid regular expression.
    BadPattern { key: String, detail: String } Error:
        format!("`{key}` is not a valid regular expression ({detail})"),
        format!("a text between slashes is a regular expression: {}", values::pattern::hint(detail));
    /// A regular expression where only a path or a glob is valid.
    PathNotRegex { key: String } Error:
        format!("`{key}` cannot be a regular expression"),
        "write a path or a glob from the project root, such as `Cargo.toml` or `infra/**/*.tf`";
    /// An invalid matcher.
    BadMatcher { reason: MatcherError } Error:
        format!("`matcher` {reason}"),
        reason.hint();
    /// A placeholder that is unknown, or in a place where it cannot be quoted.
    BadTemplate { key: String, error: TemplateError } Error:
        match error {
            TemplateError::Unknown { name, .. } => format!("unknown placeholder `{{{name}}}` in `{key}`"),
            TemplateError::Unquotable { name, inside } => format!("`{{{name}}}` is inside {inside} in `{key}`"),
        },
        template_hint(error);
    /// `run` without a prefix that says what is run.
    BadRun { found: String } Error:
        "`run` has no prefix that says what is run",
        if found.contains('/') {
            format!("write `!{found}` for a shell command, or `#server/tool {{\"key\": \"value\"}}`")
        } else {
            format!("write `!{found}` for a shell command")
        };
    /// An invalid address of a web server.
    BadUrl { key: String, found: String } Error:
        format!("`{key}` cannot be the address `{found}`"),
        "begin with `https://` and a server's name; placeholders are only allowed behind it";
    /// A header that cannot be sent.
    BadHeader { name: String } Error:
        format!("`{name}` cannot be a header"),
        "a name has letters, digits and `-`; a value has no line ends";
    /// An MCP server that the file does not define.
    UnknownServer { name: String, suggestion: Option<String> } Error:
        format!("unknown MCP server `{name}`"),
        suggest(suggestion.as_deref(), || {
            let entry = format.entry("mcp_servers", &format!("{{ {} }}", format.entry(name, "{ … }")));
            format!("define it in this file: `{entry}` with a `command` or a `url`")
        });
    /// An invalid name of a Python function.
    BadFunction { found: String } Error:
        format!("`{found}` is not a function path"),
        "write `module.function`, as in `my_hooks.check`";
    /// A built-in that does not exist.
    UnknownBuiltin { name: String, suggestion: Option<&'static str> } Error:
        format!("unknown built-in `{name}`"),
        suggest(*suggestion, || format!("tenter brings {}", listed(&builtin_names::BUILTINS.map(|row| row.name))));
    /// A handler whose reply has no meaning at the event.
    Powerless { handler: &'static str, event: String, works_at: Vec<&'static str> } Error:
        format!("`{handler}` has no meaning at `{event}`"),
        format!("it works at {}", listed(works_at));
    /// A key that has no meaning for a hook in the background.
    NotInBackground { key: String, why: InvalidCombination } Error:
        {
            let why = match why {
                InvalidCombination::Verdict => "the agent has gone on before anything could be stopped",
                InvalidCombination::Text => "its text is in the file, and takes no time",
                InvalidCombination::ExecutionMode => "the agent does not wait for the hook anyway",
            };
            format!("`{key}` has no meaning with `background` ({why})")
        },
        match why {
            InvalidCombination::ExecutionMode => format!("remove `{key}`"),
            InvalidCombination::Verdict | InvalidCombination::Text => "remove `background`, and the agent waits for the hook".to_owned(),
        };
    /// `may_allow` in a layer that can only tighten.
    MayAllowRefused { layer: Layer } Error:
        format!("`may_allow` is not allowed in the {} layer", layer.as_str()),
        "remove it, or move the hook to your own file, `~/.config/tenter/hooks.yaml`";
    /// An example under `matches` that does not match.
    ExampleMissed { example: String } Error:
        format!("the example `{example}` should match but does not"),
        "correct `matcher` or `when`, or the example";
    /// An example under `ignores` that matches.
    ExampleHit { example: String } Error:
        format!("the example `{example}` should be ignored but matches"),
        "make `matcher` or `when` narrower, or move the example to `matches`";
    /// Examples of a hook whose conditions are about neither commands nor paths nor prompts.
    ExamplesUncheckable Error:
        "`examples` cannot be checked",
        "examples are commands, paths or prompts: add `when.command` or `when.path`, or remove `examples`";
    /// A matcher that is valid and will hardly ever match.
    SuspiciousMatcher { piece: String, suspicion: Suspicion } Warning:
        format!("the matcher `{piece}` {suspicion}"),
        suspicion.hint();
    /// A condition that is written as a regular expression and read as a glob.
    SuspiciousCondition { key: String, pattern: String } Warning:
        format!("`{pattern}` under `{key}` looks like a regular expression but is read as a glob"),
        format!("write a regular expression between slashes: `/{pattern}/`");
    /// A name that no agent has and that is nearly one's.
    SuspiciousAgent { found: String, known: &'static str } Warning:
        format!("no agent is called `{found}`"),
        format!("the hook never runs for that agent; did you mean `{known}`?");
    /// Text in the agent's own name.
    AssistantRole Warning:
        "`role: assistant` speaks in the agent's own name",
        format!(
            "most agents cannot carry that and say it as the system; better write `{}`",
            format.entry("role", "\"system\"")
        );
    /// A hook at an event that is only recorded.
    NeverAsked { event: EventKind } Warning:
        format!("`{event}` is only recorded and never runs anything"),
        format!("take it out; `tenter audit show --event {event}` lists what it was to see");
    /// A key of another system's hook file that means nothing here; the hook runs without it.
    NotKept { key: String, why: String } Warning:
        format!("`{key}` is not kept"),
        why.as_str();
    /// A file for the context in a place that its hook file may not name.
    OutsideProject { path: String, layer: Layer } Error:
        format!("`{path}` is outside the project root"),
        match layer {
            Layer::Project | Layer::Local => "write a path from the project root; list other files in your own hook file",
            Layer::Managed | Layer::User | Layer::Profile | Layer::Embedded => "write a path from the project root, or a whole one that begins with `/` or `~/`",
        };
    /// A hook of another system's file that cannot be run here.
    HookNotKept { what: String, instead: String } Error:
        format!("a hook is off: {what}"),
        instead.as_str();
}

impl ProblemKind {
    /// Whether it is about a matcher or a condition that is valid and hardly ever holds.
    pub fn is_suspicion(&self) -> bool {
        matches!(
            self,
            Self::SuspiciousMatcher { .. } | Self::SuspiciousCondition { .. } | Self::SuspiciousAgent { .. }
        )
    }
}

fn suggest(suggestion: Option<&str>, otherwise: impl FnOnce() -> String) -> String {
    suggestion.map_or_else(otherwise, |known| format!("did you mean `{known}`?"))
}
