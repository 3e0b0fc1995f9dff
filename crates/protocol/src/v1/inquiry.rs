//! A question to a person, as it lies in the register, as desks get it, and as listings print it.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenter_contract::{
    AgentName, Asker, Choice, Event, EventKind, Grants, HookId, Inquiry, Layer, Policy, Query, Question,
    SessionId, Timestamp, ToolCall, ToolKind,
};

/// A question to a person. Answer with one of its options, under its id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct InquiryV1 {
    /// Version of this form: 1.
    pub v: u8,
    /// By which it is answered.
    pub id: String,
    /// The desk that has it: `watch`, `terminal`, `file`, `api`, `host`.
    pub desk: String,
    /// What is asked: one prompt, or a line per hook that asks.
    pub prompt: String,
    /// The answers to choose from.
    pub options: Vec<ChoiceV1>,
    /// `allow` or `deny`: what silence means.
    pub default: String,
    /// When it was put, in RFC 3339.
    pub asked: String,
    /// When silence becomes the default.
    pub until: String,
    /// The hooks that ask, each with its own words.
    pub askers: Vec<AskerV1>,
    /// The hooks that have rewritten what it is about, as `layer/name`, in that order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewritten_by: Vec<String>,
    /// The event's canonical name.
    pub event: String,
    /// The agent's session.
    pub session_id: String,
    /// The agent.
    pub agent: String,
    /// The sub-agent, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The directory the agent is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_root: Option<String>,
    /// The user's prompt, if that is what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_prompt: Option<String>,
    /// The tool call, as it would run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<InquiredTool>,
}

/// An answer to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChoiceV1 {
    /// What is shown, and what is answered with.
    pub label: String,
    /// What it permits: `once`, `session`, `tool`, or nothing if it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<String>,
    /// If it lasts until the session ends: what will not be asked again, in words to show beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covers: Option<String>,
}

/// A hook that asks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AskerV1 {
    /// `layer/name`.
    pub hook: String,
    /// What it is, in short.
    pub definition: String,
    /// What it wants to know.
    pub prompt: String,
    /// Its own options, if it has any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<ChoiceV1>,
    /// How long it would wait, in milliseconds, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// `allow` or `deny`.
    pub default: String,
}

/// The tool call a question is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct InquiredTool {
    /// Canonical name.
    pub name: String,
    /// The agent's own name.
    pub native_name: String,
    /// What it does: `shell`, `write`, …
    pub kind: String,
    /// The agent's id of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The input, after every rewrite: what would run.
    pub input: Map<String, Value>,
    /// The input as the model wrote it, if a hook rewrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_input: Option<Map<String, Value>>,
    /// The key of the input under which a patch of files stands, for a tool that takes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_key: Option<String>,
}

impl InquiredTool {
    /// The JSON form of a call.
    fn of(tool: &ToolCall) -> Self {
        Self {
            name: tool.name.clone(),
            native_name: tool.native_name.clone(),
            kind: tool.kind.as_str().to_owned(),
            call_id: tool.call_id.clone(),
            input: tool.input.clone(),
            original_input: tool.original_input.clone(),
            patch_key: tool.patch_key.clone(),
        }
    }

    /// The call; `None` if it is of a kind that this version does not know.
    fn call(&self) -> Option<ToolCall> {
        let mut call = ToolCall {
            native_name: self.native_name.clone(),
            call_id: self.call_id.clone(),
            original_input: self.original_input.clone(),
            patch_key: self.patch_key.clone(),
            ..ToolCall::new(&self.name, ToolKind::parse(&self.kind)?, Map::new())
        };
        call.set_input(self.input.clone());
        Some(call)
    }
}

impl ChoiceV1 {
    /// The JSON form of a choice.
    pub fn of(choice: &Choice) -> Self {
        let spelled = Grants::SPELLED.iter().find(|(_, grants)| *grants == choice.grants);
        let grant = spelled.map(|(spelling, _)| (*spelling).to_owned());
        Self { label: choice.label.clone(), grant, covers: None }
    }

    /// The same with what it covers in this question.
    fn about(choice: &Choice, inquiry: &Inquiry) -> Self {
        let covers = inquiry.covers(choice.grants).map(|covers| covers.in_sight(&inquiry.event));
        Self { covers, ..Self::of(choice) }
    }

    /// The choice. What it does not say to grant, it does not grant.
    pub fn choice(&self) -> Choice {
        let grants = self.grant.as_deref().and_then(Grants::parse).unwrap_or(Grants::Nothing);
        Choice { label: self.label.clone(), grants }
    }
}

impl AskerV1 {
    /// The JSON form of an asker.
    pub fn of(asker: &Asker) -> Self {
        let Asker { hook, definition, query } = asker;
        Self {
            hook: hook.address(),
            definition: definition.clone(),
            prompt: query.prompt.clone(),
            options: query.options.iter().map(ChoiceV1::of).collect(),
            timeout_ms: query.timeout.map(milliseconds),
            default: query.default.as_str().to_owned(),
        }
    }

    /// The asker; `None` if it says something that this version does not know.
    pub fn asker(&self) -> Option<Asker> {
        let query = Query {
            prompt: self.prompt.clone(),
            options: self.options.iter().map(ChoiceV1::choice).collect(),
            timeout: self.timeout_ms.map(Duration::from_millis),
            default: policy(&self.default)?,
        };
        Some(Asker { hook: hook_id(&self.hook)?, definition: self.definition.clone(), query })
    }
}

impl InquiryV1 {
    /// The JSON form of an inquiry.
    pub fn of(inquiry: &Inquiry) -> Self {
        let Inquiry { id, desk, question, event, asked, until } = inquiry;
        Self {
            v: 1,
            id: id.clone(),
            desk: desk.clone(),
            prompt: question.prompt(),
            options: question.options.iter().map(|choice| ChoiceV1::about(choice, inquiry)).collect(),
            default: question.default.as_str().to_owned(),
            asked: asked.to_string(),
            until: until.to_string(),
            askers: question.askers.iter().map(AskerV1::of).collect(),
            rewritten_by: question.rewriters.iter().map(HookId::address).collect(),
            event: event.kind.to_string(),
            session_id: event.session.to_string(),
            agent: event.agent.to_string(),
            agent_id: event.agent_id.clone(),
            turn: event.turn.clone(),
            cwd: event.cwd.clone(),
            project_root: event.project_root.clone(),
            user_prompt: event.prompt.clone(),
            tool: event.tool.as_ref().map(InquiredTool::of),
        }
    }

    /// The inquiry, with as much of its event as it keeps; `None` if it says something that this version does
    /// not know.
    pub fn inquiry(&self) -> Option<Inquiry> {
        let askers = self.askers.iter().map(AskerV1::asker).collect::<Option<Vec<_>>>()?;
        let rewriters = self.rewritten_by.iter().map(|hook| hook_id(hook)).collect::<Option<Vec<_>>>()?;
        let question = Question::of(askers).filter(|_| self.v == 1)?.rewritten_by(rewriters);
        let session = SessionId::parse(&self.session_id).unwrap_or_else(SessionId::unknown);
        let asked = Timestamp::parse(&self.asked)?;
        let mut event =
            Event::new(EventKind::parse(&self.event)?, AgentName::new(&self.agent), session, asked);
        event.agent_id.clone_from(&self.agent_id);
        event.turn.clone_from(&self.turn);
        event.cwd.clone_from(&self.cwd);
        event.project_root.clone_from(&self.project_root);
        event.prompt.clone_from(&self.user_prompt);
        event.tool = match &self.tool {
            None => None,
            Some(tool) => Some(tool.call()?),
        };
        Some(Inquiry {
            id: self.id.clone(),
            desk: self.desk.clone(),
            question,
            event: Arc::new(event),
            asked,
            until: Timestamp::parse(&self.until)?,
        })
    }
}

/// Reads `layer/name`.
pub fn hook_id(address: &str) -> Option<HookId> {
    let (layer, name) = address.split_once('/')?;
    Some(HookId::new(Layer::parse(layer)?, name))
}

/// Reads `allow` or `deny`.
pub fn policy(text: &str) -> Option<Policy> {
    [Policy::Allow, Policy::Deny].into_iter().find(|policy| policy.as_str() == text)
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let query = |options: Vec<Choice>| Query {
            prompt: "Deploy?".to_owned(),
            options,
            timeout: Some(Duration::from_mins(1)),
            default: Policy::Deny,
        };
        let asker = |options| Asker {
            hook: HookId::new(Layer::Project, "deploy"),
            definition: "00".to_owned(),
            query: query(options),
        };
        let input = json!({"command": "make deploy"}).as_object().cloned().unwrap();
        let mut event = Event::new(
            EventKind::ToolPre,
            AgentName::new("claude"),
            SessionId::parse("s").unwrap(),
            Timestamp::from_unix_ms(5),
        );
        event.project_root = Some("/p".to_owned());
        event.tool = Some(ToolCall {
            call_id: Some("t1".to_owned()),
            original_input: Some(Map::new()),
            ..ToolCall::new("Bash", ToolKind::Shell, input)
        });
        let own = Choice::granting("Ship it", Grants::Session).unwrap();
        for options in [vec![], vec![own, Choice::named("Deny")]] {
            let inquiry = Inquiry {
                id: "a".to_owned(),
                desk: "watch".to_owned(),
                question: Question::of(vec![asker(options)])
                    .unwrap()
                    .rewritten_by(vec![HookId::new(Layer::User, "dry-run")]),
                event: Arc::new(event.clone()),
                asked: Timestamp::from_unix_ms(5),
                until: Timestamp::from_unix_ms(60_005),
            };
            let text = serde_json::to_string(&InquiryV1::of(&inquiry)).unwrap();
            let read: InquiryV1 = serde_json::from_str(&text).unwrap();
            assert_eq!(read.inquiry(), Some(inquiry), "{text}");
        }
    }
}
