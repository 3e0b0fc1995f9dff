//! Claude Code's settings, and those of agents that took over their form:
//! `hooks: {PreToolUse: [{matcher, hooks: [{type, command, timeout}]}]}`.

use tenter_contract::{Dialect, EventKind};

use super::draft::{Converted, Draft, Name};
use super::matchers::{self, Translation};
use super::report::NoteKind;
use super::{Origin, gemini, nodes, shell};
use crate::event_key;
use crate::fields::{Fields, has_word};
use crate::source::SourceText;
use crate::tree::{Key, Node, Value};
use crate::values;

pub(super) const ORIGIN: Origin = Origin { dialect: Dialect::Claude, recognise, fits: recognise, convert };

const GROUP: &str = "matcher hooks sequential description";
const HANDLER: &str = "type command args shell timeout if once async asyncRewake rewakeMessage rewakeSummary onFailure name \
    description env url headers allowedEnvVars server tool input statusMessage prompt";

/// Events at which Claude Code does not look at the matcher.
const UNMATCHED: &str = "UserPromptSubmit Stop PostToolBatch TeammateIdle TaskCreated TaskCompleted CwdChanged WorktreeCreate \
    WorktreeRemove MessageDisplay BeforeAgent";

/// Groups below events, of which one at least has hooks of its own.
pub(super) fn recognise(root: &Node, _source: &SourceText<'_>) -> bool {
    let Some(events) = nodes::get(root, "hooks").and_then(nodes::entries) else { return false };
    let groups = || events.iter().filter_map(|(_, list)| nodes::items(list)).flatten();
    let nested = |group: &Node| nodes::get(group, "hooks").is_some_and(|hooks| nodes::items(hooks).is_some());
    groups().any(nested) && groups().all(|group| !nodes::has(group, "handler"))
}

fn convert(root: &Node, source: &SourceText<'_>, converted: &mut Converted) {
    if gemini::is_gemini(root) {
        return gemini::convert(root, source, converted);
    }
    let rules = Rules { matcher: matchers::claude, unit: "s", default: default_timeout, bash: true };
    walk(root, source, &rules, converted);
    let off = nodes::get(root, "disableAllHooks");
    if nodes::is_true(off) {
        for draft in &mut converted.drafts {
            draft.put("enabled", nodes::switch(draft.place, false));
            draft.changed(root.place, "disableAllHooks", "every hook is off, as it is there");
        }
    }
    note_who_runs_hooks(root, "Claude Code", converted);
}

/// What the user of an agent's own settings has to know before they are read here as well.
pub(super) fn note_who_runs_hooks(root: &Node, who: &str, converted: &mut Converted) {
    if converted.drafts.is_empty() {
        return;
    }
    let mut note = |text: String| converted.note(NoteKind::Changed, root.place, "hooks", text);
    note(format!(
        "{who} runs these hooks itself as long as they are in its settings: take them out there, or give them `agents` so that they do not run twice"
    ));
    note(format!("hooks run one after another in the order of the file, where {who} runs them together"));
    note(
        "an `allow` of these hooks does not lift the agent's own permission check: `may_allow: true` does, on a hook or on an entry of `imports` in your own hook file".to_owned(),
    );
}

/// How long Claude Code waits if not stated.
fn default_timeout(event: &str) -> &'static str {
    match event {
        "UserPromptSubmit" | "PreModelSwitch" | "PostModelSwitch" => "30s",
        "SessionEnd" => "1500ms",
        _ => "600s",
    }
}

/// The differences between systems with this form.
pub(super) struct Rules {
    pub(super) matcher: fn(&str) -> Translation,
    pub(super) unit: &'static str,
    pub(super) default: fn(&str) -> &'static str,
    /// Whether lines are for bash; else they are for `sh`.
    pub(super) bash: bool,
}

/// Makes drafts of every handler of every group.
pub(super) fn walk(root: &Node, source: &SourceText<'_>, rules: &Rules, converted: &mut Converted) {
    converted.note_other_keys(root, &["hooks", "disableAllHooks"]);
    let Some(hooks) = nodes::get(root, "hooks") else { return };
    for (event, list) in converted.events(hooks) {
        if converted.dialect == Dialect::Gemini
            && ["enabled", "disabled", "notifications"].contains(&event.text.as_str())
        {
            continue;
        }
        for group in converted.list(event, list) {
            let Some(fields) = converted.fields(group) else { continue };
            let handlers = fields.get("hooks").map(|field| field.node);
            let Some(handlers) = handlers else {
                let mut draft = converted.draft(&event.text, group);
                draft.refuse(group.place, "it has no `hooks`", "put its command into a list of that name");
                converted.drafts.push(draft);
                continue;
            };
            for handler in converted.list(event, handlers) {
                if let Some(draft) = convert_hook(event, group, handler, source, rules, converted) {
                    converted.drafts.push(draft);
                }
            }
        }
    }
}

fn convert_hook(
    event: &Key,
    group: &Node,
    handler: &Node,
    source: &SourceText<'_>,
    rules: &Rules,
    converted: &mut Converted,
) -> Option<Draft> {
    let fields = converted.fields(handler)?;
    let line = fields.get("command").and_then(|field| nodes::as_text(field.node).map(str::to_owned));
    if line.as_deref().is_some_and(shell::is_ours) {
        let text = format!("an entry of tenter itself at `{}` is left out", event.text);
        converted.note(NoteKind::Changed, handler.place, "command", text);
        return None;
    }
    let spelled = spelling(&event.text);
    let mut draft = converted.draft(&spelled, handler);
    draft.name = Name::From(event.text.clone());
    if spelled.starts_with("claude:") {
        let why = "the hook never runs here, because `tenter init` does not subscribe to it; leave it in the settings of Claude Code as well";
        draft.lost(event.place, &event.text, why);
    }
    if let Some(name) = nodes::text_of(&fields, "name") {
        draft.name = Name::Stated(name.to_owned());
        draft.kept.push("name".to_owned());
    }
    draft.report_unknown_keys(&fields, HANDLER);
    if let Some(around) = Fields::from_hook(group) {
        if converted.dialect == Dialect::Claude {
            draft.report_unknown_keys(&around, GROUP);
        }
        matcher(&around, &event.text, rules, &mut draft);
    }
    draft.take(&fields, "description", "description");
    draft.take(&fields, "env", "env");
    convert_handler(&fields, handler, line.as_deref(), rules, &mut draft);
    condition(&fields, &mut draft);
    convert_settings(&fields, &event.text, rules, &mut draft);
    plugin_root(line.as_deref(), source, &mut draft);
    Some(draft)
}

/// An event of Claude Code's own has its agent before it here.
fn spelling(event: &str) -> String {
    let observed = format!("claude:{event}");
    let is_own = EventKind::parse(event).is_none() && event_key::event(&observed, 1).is_ok();
    if is_own { observed } else { event.to_owned() }
}

fn matcher(group: &Fields<'_>, event: &str, rules: &Rules, draft: &mut Draft) {
    let Some(field) = group.get("matcher") else { return };
    let place = field.node.place;
    let Some(text) = draft.keep(values::text(&field)) else { return };
    if has_word(UNMATCHED, event) {
        if !matches!((rules.matcher)(text), Translation::Everything) {
            draft.changed(
                place,
                "matcher",
                format!("is left out: at `{event}` nothing is compared with it there"),
            );
        }
        return;
    }
    draft.matched(place, text, (rules.matcher)(text));
}

fn convert_handler(
    fields: &Fields<'_>,
    handler: &Node,
    line: Option<&str>,
    rules: &Rules,
    draft: &mut Draft,
) {
    let kind = nodes::text_of(fields, "type").unwrap_or("command");
    match kind {
        "command" => {
            draft.kept.push("type".to_owned());
            command(fields, handler, line, rules, draft);
        }
        "http" => http(fields, draft),
        "mcp_tool" => mcp(fields, handler, draft),
        "prompt" | "agent" => draft.refuse(
            handler.place,
            format!("a hook of type `{kind}` asks a model, which tenter does not"),
            "write a `command` that judges instead, or leave it in the agent's own settings",
        ),
        other => draft.refuse(
            handler.place,
            format!("no hook is of type `{other}`"),
            "write `command`, `http` or `mcp_tool`",
        ),
    }
}

fn command(fields: &Fields<'_>, handler: &Node, line: Option<&str>, rules: &Rules, draft: &mut Draft) {
    let Some(line) = line.filter(|line| !line.trim().is_empty()) else {
        return draft.refuse(handler.place, "it has no `command`", "say what is to be run");
    };
    let place = fields.get("command").map_or(handler.place, |field| field.node.place);
    let shell_named = fields.get("shell");
    if shell_named.as_ref().and_then(|field| nodes::as_text(field.node)) == Some("powershell") {
        return draft.refuse(place, "its command is for PowerShell", "write it for `sh` or bash");
    }
    if shell_named.is_some() {
        draft.kept.push("shell".to_owned());
    }
    if let Some(arguments) = fields.get("args") {
        let Some(arguments) = draft.keep(values::texts(&arguments)) else { return };
        draft.put("command", nodes::texts(place, std::iter::once(line).chain(arguments)));
        draft.kept.extend(["command".to_owned(), "args".to_owned()]);
        return;
    }
    draft.kept.push("command".to_owned());
    draft.put("command", if rules.bash { shell::bash(place, line) } else { nodes::text(place, line) });
    if shell::leaves_something_running(line) {
        draft.put("detach", nodes::switch(place, true));
        draft.changed(
            place,
            "command",
            "it leaves something running, so it has `detach: true`; everything else is ended with its hook",
        );
    }
}

fn http(fields: &Fields<'_>, draft: &mut Draft) {
    let Some(url) = fields.get("url") else {
        let place = draft.place;
        return draft.refuse(place, "it has no `url`", "say which server is asked");
    };
    let place = url.node.place;
    let mut table = vec![("url", url.node.clone()), ("method", nodes::text(place, "post"))];
    table.extend(fields.get("headers").map(|headers| ("headers", headers.node.clone())));
    draft.put("http", nodes::table(place, table));
    draft.kept.extend(
        ["type", "url", "headers"].into_iter().filter(|key| fields.get(key).is_some()).map(str::to_owned),
    );
    if let Some(field) = fields.get("allowedEnvVars") {
        draft.changed(
            field.node.place,
            "allowedEnvVars",
            "is not needed: `${NAME}` in a header is any variable of the environment",
        );
    }
}

fn mcp(fields: &Fields<'_>, handler: &Node, draft: &mut Draft) {
    let mut table = Vec::new();
    for (theirs, ours) in [("server", "server"), ("tool", "tool"), ("input", "arguments")] {
        if let Some(field) = fields.get(theirs) {
            table.push((ours, field.node.clone()));
            draft.kept.push(theirs.to_owned());
        }
    }
    let interpolated =
        fields.get("input").is_some_and(|field| values::json(field.node).to_string().contains("${"));
    if interpolated {
        draft.changed(
            handler.place,
            "input",
            "`${…}` is not replaced here; write placeholders such as `{tool.path}` and `dialect: tenter`",
        );
    }
    draft.put("mcp", nodes::table(handler.place, table));
}

/// `Bash(git push:*)` or `Edit(src/**)`: a rule of the form that permissions have.
fn condition(fields: &Fields<'_>, draft: &mut Draft) {
    let Some(field) = fields.get("if") else { return };
    let place = field.node.place;
    let Some(rule) = draft.keep(values::filled_text(&field)) else { return };
    let Some((tool, inside)) = rule.strip_suffix(')').and_then(|rule| rule.split_once('(')) else {
        return draft.lost(place, "if", NO_FILTER);
    };
    if !draft.matches_tool(tool) {
        let what = format!("its matcher and its `if`, which is about `{tool}`, never hold together");
        return draft.refuse(place, what, "make both name the same tool");
    }
    match tool {
        "Bash" => {
            let words = inside.trim_end_matches([':', '*']).trim();
            let ours = if words.is_empty() { tool.to_owned() } else { format!("Bash({words})") };
            draft.changed(
                place,
                "if",
                format!(
                    "is `matcher: {ours}` here: compared with the words that each part of a command begins with"
                ),
            );
            draft.put_text("matcher", place, ours);
        }
        "Edit" | "Write" | "Read" | "NotebookEdit" => {
            let path = inside.strip_prefix("//").map_or(inside.to_owned(), |rest| format!("/{rest}"));
            draft.put_text("matcher", place, tool);
            draft.put("when", nodes::table(place, [("path", nodes::text(place, path))]));
            draft.changed(
                place,
                "if",
                "is `when: { path: … }` here: compared with the tool's paths, from the project root",
            );
        }
        _ => draft.lost(place, "if", NO_FILTER),
    }
}

const NO_FILTER: &str = "not kept: the hook is asked at every call that `matcher` names";

fn convert_settings(fields: &Fields<'_>, event: &str, rules: &Rules, draft: &mut Draft) {
    if fields.get("timeout").is_some() {
        draft.timeout(fields, "timeout", rules.unit);
    } else {
        let place = draft.place;
        draft.put_text("timeout", place, (rules.default)(event));
    }
    if nodes::is_true(fields.get("once").map(|field| field.node)) {
        let place = draft.place;
        draft.put_text("once", place, "session");
        draft.kept.push("once".to_owned());
    }
    let set = |key: &str| fields.get(key).filter(|field| field.node.value == Value::Bool(true));
    let background = [set("async"), set("asyncRewake")].into_iter().flatten().next();
    if let Some(field) = &background {
        draft.put("background", nodes::switch(field.node.place, true));
        draft.kept.push(field.path.clone());
    }
    if let Some(field) = set("asyncRewake") {
        draft.changed(
            field.node.place,
            "asyncRewake",
            "wakes no one: what the hook says waits for the next event, and exit code 2 is a failure",
        );
    }
    for key in ["rewakeMessage", "rewakeSummary"] {
        if let Some(field) = fields.get(key) {
            draft.changed(field.node.place, key, "is not used: no one is woken");
        }
    }
    // Claude Code too goes on whatever becomes of a hook that it does not wait for.
    if let Some(field) = fields.get("onFailure").filter(|_| background.is_none()) {
        let policy = match nodes::as_text(field.node) {
            Some("block") => "deny",
            _ => "allow",
        };
        draft.put_text("on_failure", field.node.place, policy);
        draft.kept.push("onFailure".to_owned());
    }
    if let Some(field) = fields.get("statusMessage") {
        draft.changed(field.node.place, "statusMessage", "no progress line is shown");
    }
}

/// A plugin's hooks find their files through this variable, which only Claude Code sets.
fn plugin_root(line: Option<&str>, source: &SourceText<'_>, draft: &mut Draft) {
    if line.is_some_and(|line| line.contains("CLAUDE_PLUGIN_ROOT")) {
        let root = source.folder.strip_suffix("/hooks").unwrap_or(source.folder);
        let place = draft.place;
        draft.set_variable(place, "CLAUDE_PLUGIN_ROOT", root);
        draft.changed(place, "command", format!("`CLAUDE_PLUGIN_ROOT` is set to `{root}`"));
    }
}
