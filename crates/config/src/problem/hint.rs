//! The hint of each problem: what to type next.

use tenter_contract::{HookId, Layer, Placeholder, TemplateError, builtin_names, event_names};

use super::message::{either, listed};
use super::{Expected, ProblemKind};
use crate::hook::{HANDLERS, Senseless};
use crate::source::Format;

impl ProblemKind {
    /// What to write instead, spelled in the format of the file.
    #[expect(clippy::too_many_lines, reason = "one line per kind of problem; a table would hide none of it")]
    pub fn hint(&self, format: Format) -> String {
        match self {
            Self::Syntax { advice: Some(advice), .. } => (*advice).to_owned(),
            Self::Syntax { format, advice: None, .. } => {
                format!("correct the {} at this place", format.as_str())
            }
            Self::EmptyFile => {
                format!("write `{}` if it should have no hooks, or delete it", format.entry("hooks", "{}"))
            }
            Self::WrongVersion { .. } => {
                format!("write `{}`, or update tenter if the file is newer than it", format.entry("version", "1"))
            }
            Self::UnknownKey { key, suggestion: Some(better), known } if !known.contains(better) => {
                let table = key.rsplit_once('.').map_or("", |(table, _)| table);
                format!("write `{better}` beside `{table}`, not in it")
            }
            Self::UnknownTopLevelKey { suggestion: Some(known), .. }
            | Self::UnknownBuiltin { suggestion: Some(known), .. }
            | Self::UnknownOption { suggestion: Some(known), .. }
            | Self::UnknownKey { suggestion: Some(known), .. } => format!("did you mean `{known}`?"),
            Self::UnknownOption { suggestion: None, known, .. } if known.is_empty() => {
                "it has none; remove this key".to_owned()
            }
            Self::UnknownOption { suggestion: None, known, .. } => format!("it has {}", listed(known)),
            Self::OutOfRange { least, most, .. } => format!("write a number from `{least}` to `{most}`"),
            Self::UnknownTopLevelKey { suggestion: None, .. } => {
                "the top level has `version`, `hooks`, `agents`, `context`, `limits`, `approvals`, `mcp_servers`, `project_variables` and `imports`; remove this key".to_owned()
            }
            // The few keys of an inner table can be listed, those of a hook are too many.
            Self::UnknownKey { suggestion: None, known, key } if known.len() < 8 || key.starts_with("when.") => {
                format!("remove it, or write {}", either(known))
            }
            Self::UnknownKey { suggestion: None, key, .. } if key == "hooks" => {
                "this is Claude Code's form; write `name` and `command` beside `matcher`, without an inner list".to_owned()
            }
            Self::UnknownKey { suggestion: None, .. } => {
                "remove it; no hook has a key of this or a similar name".to_owned()
            }
            Self::DeskRefused { .. } => "move it to your own hook file (`~/.config/tenter/hooks.yaml`)".to_owned(),
            Self::FolderWithoutDesk => format!("write `{}`, or remove the folder", format.entry("desk", "file")),
            Self::DenyThatGrants => "give it another label, or remove `grant`".to_owned(),
            Self::UnknownEvent { spelling, suggestion, .. } => event(spelling, suggestion.as_deref()),
            Self::HooksWithoutEvents { .. } => match format {
                Format::Yaml => "write the event above its hooks: `tool:pre:`, then a list".to_owned(),
                Format::Toml => "name the event above each hook: `[[hooks.\"tool:pre\"]]`".to_owned(),
                Format::Json => "write `\"hooks\": { \"tool:pre\": [ … ] }`".to_owned(),
            },
            Self::HooksNotListed { event, .. } => match format {
                Format::Yaml => "put `- ` before the first key of each hook".to_owned(),
                Format::Toml => format!("write `[[hooks.\"{event}\"]]`, with two brackets, above each hook"),
                Format::Json => format!("put brackets around the hooks: `\"{event}\": [ {{ … }} ]`"),
            },
            Self::DuplicateKey { first_line, .. } => {
                format!("the first is in line {first_line}; keep one of the two")
            }
            Self::HookNotTable { .. } => match format {
                Format::Yaml => "write `{ name: …, deny: … }`, or its keys in lines of their own".to_owned(),
                Format::Toml => "write `{ name = \"…\", deny = \"…\" }`".to_owned(),
                Format::Json => "write `{ \"name\": \"…\", \"deny\": \"…\" }`".to_owned(),
            },
            Self::WrongType { expected, .. } => wrong_type(*expected, format),
            Self::MissingKey { key } => missing(key, format),
            Self::NoHandler => format!("add one of {}", either(&HANDLERS)),
            Self::SeveralHandlers { .. } => {
                "a hook does one thing; keep one of them and give the others hooks of their own".to_owned()
            }
            Self::BadName { .. } => HookId::NAME_RULE.to_owned(),
            Self::NeverAsked { event } => {
                format!("take it out; `tenter audit show --event {event}` lists what it was to see")
            }
            Self::DuplicateName { first_line } => {
                format!("rename it; the hook in line {first_line} has the same name")
            }
            Self::BadValue { allowed, suggestion: Some(known), .. } => {
                format!("did you mean `{known}`? The choices are {}", listed(allowed))
            }
            Self::BadValue { allowed, suggestion: None, .. } => format!("write {}", either(allowed)),
            Self::EmptyValue { key } => format!("write something, or remove `{key}`"),
            Self::BadDuration { reason, .. } => reason.hint(),
            Self::BadSize { least, .. } => {
                format!(
                    "write a number of bytes such as `65536`, `64KiB` or `1MiB`, from `{least}` to `64MiB`"
                )
            }
            Self::BadVariable { name } if name.contains(['*', '?', '[']) => {
                "name each variable in full; only its value can be a glob".to_owned()
            }
            Self::BadVariable { .. } => {
                "a name is not empty and has no `=`; neither name nor value has a NUL character".to_owned()
            }
            Self::BadPattern { detail, .. } => {
                format!("between slashes stands a regular expression: {}", crate::values::pattern::hint(detail))
            }
            Self::WaitsForNobody { suggestion: None, .. } => {
                "write the name of a hook that stands under the same event in this file".to_owned()
            }
            Self::WaitsForLater { other, .. } => {
                format!("write `{}` here, or remove `after`", format.entry("priority", &other.to_string()))
            }
            Self::WaitsForItself { .. } => "remove one `after` of the circle".to_owned(),
            Self::PathNotRegex { .. } => {
                "write a path or a glob from the project root, such as `Cargo.toml` or `infra/**/*.tf`".to_owned()
            }
            Self::OutsideProject { layer: Layer::Project | Layer::Local, .. } => {
                "write a path from the project root; what lies elsewhere belongs into your own hook file".to_owned()
            }
            Self::OutsideProject { .. } => {
                "write a path from the project root, or a whole one that begins with `/` or `~/`".to_owned()
            }
            Self::BadMatcher { reason } => reason.hint(),
            Self::BadTemplate { error, .. } => template(error),
            Self::BadRun { found } if found.contains('/') => {
                format!("write `!{found}` for a shell command, or `#server/tool {{\"key\": \"value\"}}`")
            }
            Self::BadRun { found } => format!("write `!{found}` for a shell command"),
            Self::BadUrl { .. } => {
                "begin with `https://` and a server's name; placeholders may only stand behind it".to_owned()
            }
            Self::BadHeader { .. } => {
                "a name has letters, digits and `-`; a value has no line ends".to_owned()
            }
            Self::UnknownServer { suggestion: Some(known), .. }
            | Self::WaitsForNobody { suggestion: Some(known), .. } => format!("did you mean `{known}`?"),
            Self::UnknownServer { name, suggestion: None } => format!(
                "define it in this file: `{}` with a `command` or a `url`",
                format.entry("mcp_servers", &format!("{{ {} }}", format.entry(name, "{ … }")))
            ),
            Self::BadFunction { .. } => "write `module.function`, as in `my_hooks.check`".to_owned(),
            Self::UnknownBuiltin { suggestion: None, .. } => {
                let names = builtin_names::BUILTINS.map(|row| row.name);
                format!("tenter brings {}", listed(&names))
            }
            Self::Powerless { works_at, .. } => format!("it works at {}", listed(works_at)),
            Self::NotInBackground { why: Senseless::Verdict | Senseless::Text, .. } => {
                "remove `background`, and the agent waits for the hook".to_owned()
            }
            Self::NotInBackground { key, why: Senseless::Company } => format!("remove `{key}`"),
            Self::WaitsForBackground { name } => {
                format!("remove `background` from `{name}`, or `after` from this hook")
            }
            Self::MayAllowRefused { .. } => {
                "remove it, or move the hook to your own file, `~/.config/tenter/hooks.yaml`".to_owned()
            }
            Self::ExampleMissed { .. } => "correct `matcher` or `when`, or the example".to_owned(),
            Self::ExampleHit { .. } => {
                "make `matcher` or `when` narrower, or move the example to `matches`".to_owned()
            }
            Self::ExamplesUncheckable => {
                "examples are commands, paths or prompts: add `when.command` or `when.path`, or remove `examples`".to_owned()
            }
            Self::SuspiciousMatcher { suspicion, .. } => suspicion.hint(),
            Self::SuspiciousCondition { pattern, .. } => {
                format!("write a regular expression between slashes: `/{pattern}/`")
            }
            Self::SuspiciousAgent { known, .. } => {
                format!("the hook is not asked under that agent; did you mean `{known}`?")
            }
            Self::AssistantRole => {
                let better = format.entry("role", "\"system\"");
                format!("most agents cannot carry that and say it as the system; better write `{better}`")
            }
            Self::NotKept { why, .. } => why.clone(),
            Self::HookNotKept { instead, .. } => instead.clone(),
        }
    }
}

fn event(spelling: &str, suggestion: Option<&str>) -> String {
    if let Some(known) = suggestion {
        return format!("did you mean `{known}`?");
    }
    let namespace = spelling.split_once(':').map_or("", |(namespace, _)| namespace);
    let siblings: Vec<&str> = event_names::EVENTS
        .iter()
        .map(|row| row.canonical)
        .filter(|canonical| canonical.split_once(':').is_some_and(|(own, _)| own == namespace))
        .collect();
    if siblings.is_empty() {
        "events look like `tool:pre`, `prompt:submit` or `session:start`".to_owned()
    } else {
        format!("write {}", either(&siblings))
    }
}

fn wrong_type(expected: Expected, format: Format) -> String {
    match expected {
        Expected::Text | Expected::TextOrTable => "write a text, in quotes".to_owned(),
        Expected::TextOrList => "write a text, in quotes, or several: `[\"one\", \"two\"]`".to_owned(),
        Expected::List => "write `[\"one\", \"two\"]`, each in quotes".to_owned(),
        Expected::Table => match format {
            Format::Yaml => "write `{ key: value }`, or its keys below it and indented".to_owned(),
            Format::Toml => "write `{ key = \"value\" }`".to_owned(),
            Format::Json => "write `{ \"key\": \"value\" }`".to_owned(),
        },
        Expected::Bool => "write `true` or `false`, without quotes".to_owned(),
        Expected::WholeNumber => "write a number such as `0`, `10` or `-100`, without quotes".to_owned(),
        Expected::PositiveNumber => "write a number such as `1` or `10`, without quotes".to_owned(),
        Expected::Duration => "write `10s`, `500ms` or `2m`; a bare number is seconds".to_owned(),
        Expected::Size => "write a number of bytes such as `65536`, `64KiB` or `1MiB`".to_owned(),
    }
}

fn missing(key: &str, format: Format) -> String {
    match key {
        "name" => format!(
            "add one, such as `{}`; records and messages call the hook by it",
            format.entry("name", "\"no-force-push\"")
        ),
        "names" => "write it as a table: `builtin: { name: env, names: [\"NODE_ENV\"] }`".to_owned(),
        other => {
            let last = other.rsplit_once('.').map_or(other, |(_, last)| last);
            format!("add `{}`", format.entry(last, "\"…\""))
        }
    }
}

fn template(error: &TemplateError) -> String {
    match error {
        TemplateError::Unknown { suggestion: Some(known), .. } => format!("did you mean `{{{known}}}`?"),
        TemplateError::Unknown { suggestion: None, .. } => {
            let known = Placeholder::ALL.map(|(_, spelling)| spelling);
            let of_tools: Vec<&str> = known.into_iter().filter(|name| name.starts_with("tool.")).collect();
            format!("between the braces can stand {}", either(&of_tools))
        }
        TemplateError::Unquotable { name, inside } => match *inside {
            "single quotes" | "double quotes" => {
                format!("tenter quotes the value itself: write {{{name}}} without quotes around it")
            }
            "backticks" => format!("write `$(…)` in place of the backticks; {{{name}}} is safe there"),
            "a backslash escape" => format!("remove the backslash before {{{name}}}"),
            _ => format!("move {{{name}}} out of it; tenter cannot quote the value there"),
        },
    }
}
