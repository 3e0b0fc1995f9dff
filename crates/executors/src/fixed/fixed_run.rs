//! One run of a fixed hook.

use tenter_contract::approval_question::{ApprovalPrompt, DEFAULT_PROMPT};
use tenter_contract::{
    Ask, Effect, Event, Handler, HookOutput, HookReply, HookReport, HookSpec, Injection, Message, NoValue,
    Placeholder, Template, Verdict,
};

use crate::command::per_path::event_with_path;
use crate::{missing, without_value};

/// Fills the placeholders of the reply in the hook file.
pub(super) fn run(hook: &HookSpec, event: &Event) -> HookReport {
    // A guard replies even without the value.
    if let Handler::Inject(text) | Handler::Message { text, .. } = &hook.handler
        && let Err(NoValue(value)) = text.argument(event, None)
    {
        return HookReport::new(without_value(hook, value));
    }
    let mut reply = HookReply::default();
    match &hook.handler {
        Handler::Inject(text) => reply.effects.extend(injection(text, hook, event).map(Effect::Inject)),
        Handler::Message { text, level } => {
            reply.effects.push(Effect::Notify(Message { text: shorten(fill(text, event)), level: *level }));
        }
        Handler::Ask(ask) => reply.verdict = Verdict::Ask(approval_prompt(ask, event)),
        Handler::Deny(reason) => {
            reply.verdict =
                Verdict::Deny { reason: non_blank(shorten(fill(reason, event)), "no reason given") };
        }
        _ => {
            return HookReport::new(missing(format!("`{}` is no fixed reply", hook.handler.kind())));
        }
    }
    if hook.defaults.suppress_output {
        reply.effects.push(Effect::SuppressOutput);
    }
    HookReport::new(HookOutput::Reply(reply))
}

/// Text for the context; none if it is blank.
fn injection(text: &Template, hook: &HookSpec, event: &Event) -> Option<Injection> {
    let content = fill(text, event);
    (!content.trim().is_empty()).then(|| Injection::from_hook(hook, content))
}

fn approval_prompt(ask: &Ask, event: &Event) -> ApprovalPrompt {
    ApprovalPrompt {
        prompt: non_blank(shorten(fill(&ask.prompt, event)), DEFAULT_PROMPT),
        options: ask.options.clone(),
        timeout: ask.timeout,
        default: ask.default,
    }
}

/// Fills a template for people. A path placeholder shows all paths of the event: a user who is asked about one file must
/// not allow another.
fn fill(template: &Template, event: &Event) -> String {
    let several = event.tool.as_ref().filter(|tool| tool.paths.len() > 1);
    let text = match several {
        Some(tool) if template.mentions(Placeholder::ToolPath) => {
            template.plain(&event_with_path(event, Some(&tool.paths.join(", "))))
        }
        Some(_) | None => template.plain(event),
    };
    text.replace('\0', "")
}

/// The most bytes of a reason, a question or a message.
const MOST_SHOWN: usize = 64 * 1024;

/// Shortens a long text to its beginning and its end.
fn shorten(text: String) -> String {
    if text.len() <= MOST_SHOWN {
        return text;
    }
    let (begin, end) =
        (text.floor_char_boundary(MOST_SHOWN / 2), text.ceil_char_boundary(text.len() - MOST_SHOWN / 2));
    format!("{}\n… [{} bytes are not shown] …\n{}", &text[..begin], end - begin, &text[end..])
}

fn non_blank(text: String, otherwise: &str) -> String {
    if text.trim().is_empty() { otherwise.to_owned() } else { text }
}
