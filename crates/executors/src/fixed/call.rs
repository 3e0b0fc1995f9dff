//! One call of a fixed hook, from start to report.

use tenter_contract::question::{DEFAULT_PROMPT, Query};
use tenter_contract::{
    Ask, Effect, Event, Handler, HookFailure, HookReply, HookReport, HookSpec, Injection, Message, NoValue,
    Placeholder, Said, Template, Verdict,
};

use crate::without_value;

/// Fills in what the hook's file says.
pub(super) fn run(hook: &HookSpec, event: &Event) -> HookReport {
    // A guard says what it says, with nothing in place of the value.
    if let Handler::Inject(text) | Handler::Message { text, .. } = &hook.handler
        && let Err(NoValue(value)) = text.argument(event, None)
    {
        return HookReport::of(without_value(hook, value));
    }
    let mut reply = HookReply::default();
    match &hook.handler {
        Handler::Inject(text) => reply.effects.extend(injection(text, hook, event).map(Effect::Inject)),
        Handler::Message { text, level } => {
            reply.effects.push(Effect::Tell(Message { text: shown(filled(text, event)), level: *level }));
        }
        Handler::Ask(ask) => reply.verdict = Verdict::Ask(query(ask, event)),
        Handler::Deny(reason) => {
            reply.verdict = Verdict::Deny { reason: or(shown(filled(reason, event)), "no reason given") };
        }
        _ => {
            let detail = format!("`{}` is no fixed reply", hook.handler.kind());
            return HookReport::of(Said::Failure(HookFailure::Missing { detail }));
        }
    }
    if hook.defaults.suppress_output {
        reply.effects.push(Effect::SuppressOutput);
    }
    HookReport::of(Said::Reply(reply))
}

/// Text for the context; none if nothing is left of it.
fn injection(text: &Template, hook: &HookSpec, event: &Event) -> Option<Injection> {
    let content = filled(text, event);
    (!content.trim().is_empty()).then(|| Injection::of_hook(hook, content))
}

fn query(ask: &Ask, event: &Event) -> Query {
    Query {
        prompt: or(shown(filled(&ask.prompt, event)), DEFAULT_PROMPT),
        options: ask.options.clone(),
        timeout: ask.timeout,
        default: ask.default,
    }
}

/// A template for people's eyes. Where it names the path and the event has several, it names all of them:
/// who is asked about one file must not have allowed another.
fn filled(template: &Template, event: &Event) -> String {
    let several = event.tool.as_ref().filter(|tool| tool.paths.len() > 1);
    let text = match several {
        Some(tool) if template.mentions(Placeholder::ToolPath) => {
            let mut tool = tool.clone();
            tool.paths = vec![tool.paths.join(", ")];
            template.plain(&Event { tool: Some(tool), ..event.clone() })
        }
        Some(_) | None => template.plain(event),
    };
    text.replace('\0', "")
}

/// The most bytes of a text that a person or a model is shown as a reason, a question or a message.
const SHOWN: usize = 64 * 1024;

/// The beginning and the end of a text that is too long to be shown, and how much is missing.
fn shown(text: String) -> String {
    if text.len() <= SHOWN {
        return text;
    }
    let (begin, end) = (text.floor_char_boundary(SHOWN / 2), text.ceil_char_boundary(text.len() - SHOWN / 2));
    format!("{}\n… [{} bytes are not shown] …\n{}", &text[..begin], end - begin, &text[end..])
}

fn or(text: String, otherwise: &str) -> String {
    if text.trim().is_empty() { otherwise.to_owned() } else { text }
}
