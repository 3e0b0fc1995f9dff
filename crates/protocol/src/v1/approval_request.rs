//! A question to a person, as it lies in the register, as approvers get it, and as listings print it.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with_macros::skip_serializing_none;
use tenter_contract::{
    AgentName, ApprovalPrompt, ApprovalQuestion, ApprovalRequest, Choice, Event, EventKind, Grant, HookId,
    HookQuestion, Layer, Policy, SessionId, Timestamp, ToolCall, ToolKind,
};

/// A question to a person. Answer with one of its options, under its id.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ApprovalRequestV1 {
    /// Version of this form: 1.
    pub v: u8,
    /// By which it is answered.
    pub id: String,
    /// The approver that has it: `watch`, `terminal`, `file`, `api`, `host`.
    pub approver: String,
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
    pub askers: Vec<HookQuestionV1>,
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
    pub agent_id: Option<String>,
    /// The turn.
    pub turn: Option<String>,
    /// The directory the agent is in.
    pub cwd: Option<String>,
    /// The project.
    pub project_root: Option<String>,
    /// The user's prompt, if that is what it is about.
    pub user_prompt: Option<String>,
    /// The tool call, as it would run.
    pub tool: Option<RequestedTool>,
}

/// An answer to choose.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChoiceV1 {
    /// What is shown, and what is answered with.
    pub label: String,
    /// What it permits: `once`, `session`, `tool`, or nothing if it is missing.
    pub grant: Option<String>,
    /// If it lasts until the session ends: what will not be asked again, in words to show next to it.
    pub covers: Option<String>,
}

/// A hook that asks.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HookQuestionV1 {
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
    pub timeout_ms: Option<u64>,
    /// `allow` or `deny`.
    pub default: String,
}

/// The tool call a question is about.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RequestedTool {
    /// Canonical name.
    pub name: String,
    /// The agent's own name.
    pub native_name: String,
    /// What it does: `shell`, `write`, …
    pub kind: String,
    /// The agent's id of the call.
    pub call_id: Option<String>,
    /// The input, after every rewrite: what would run.
    pub input: Map<String, Value>,
    /// The input as the model wrote it, if a hook rewrote it.
    pub original_input: Option<Map<String, Value>>,
    /// The key of the input that holds a patch of files, for a tool that takes one.
    pub patch_key: Option<String>,
}

impl RequestedTool {
    /// The JSON form of a call.
    fn new(tool: &ToolCall) -> Self {
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
    pub fn new(choice: &Choice) -> Self {
        let spelled = Grant::SPELLED.iter().find(|(_, grants)| *grants == choice.grants);
        let grant = spelled.map(|(spelling, _)| (*spelling).to_owned());
        Self { label: choice.label.clone(), grant, covers: None }
    }

    /// The same with its scope in this question.
    fn about(choice: &Choice, request: &ApprovalRequest) -> Self {
        let covers = request.scope(choice.grants).map(|covers| covers.summary(&request.event));
        Self { covers, ..Self::new(choice) }
    }

    /// The choice. It grants nothing unless it says so.
    pub fn choice(&self) -> Choice {
        let grants = self.grant.as_deref().and_then(Grant::parse).unwrap_or(Grant::Nothing);
        Choice { label: self.label.clone(), grants }
    }
}

impl HookQuestionV1 {
    /// The JSON form of a hook's question.
    pub fn new(question: &HookQuestion) -> Self {
        let HookQuestion { hook, definition, query } = question;
        Self {
            hook: hook.address(),
            definition: definition.clone(),
            prompt: query.prompt.clone(),
            options: query.options.iter().map(ChoiceV1::new).collect(),
            timeout_ms: query.timeout.map(milliseconds),
            default: query.default.as_str().to_owned(),
        }
    }

    /// The question; `None` if this version does not know a value.
    pub fn question(&self) -> Option<HookQuestion> {
        let query = ApprovalPrompt {
            prompt: self.prompt.clone(),
            options: self.options.iter().map(ChoiceV1::choice).collect(),
            timeout: self.timeout_ms.map(Duration::from_millis),
            default: Policy::parse(&self.default)?,
        };
        Some(HookQuestion { hook: hook_id(&self.hook)?, definition: self.definition.clone(), query })
    }
}

impl ApprovalRequestV1 {
    /// The JSON form of a request.
    pub fn new(request: &ApprovalRequest) -> Self {
        let ApprovalRequest { id, approver, question, event, asked, until } = request;
        Self {
            v: 1,
            id: id.clone(),
            approver: approver.clone(),
            prompt: question.prompt(),
            options: question.options.iter().map(|choice| ChoiceV1::about(choice, request)).collect(),
            default: question.default.as_str().to_owned(),
            asked: asked.to_string(),
            until: until.to_string(),
            askers: question.askers.iter().map(HookQuestionV1::new).collect(),
            rewritten_by: question.rewriters.iter().map(HookId::address).collect(),
            event: event.kind.to_string(),
            session_id: event.session.as_ref().map(ToString::to_string).unwrap_or_default(),
            agent: event.agent.to_string(),
            agent_id: event.agent_id.clone(),
            turn: event.turn.clone(),
            cwd: event.cwd.clone(),
            project_root: event.project_root.clone(),
            user_prompt: event.prompt.clone(),
            tool: event.tool.as_ref().map(RequestedTool::new),
        }
    }

    /// The request with the kept parts of its event; `None` if this version does not know a value.
    pub fn request(&self) -> Option<ApprovalRequest> {
        let askers = self.askers.iter().map(HookQuestionV1::question).collect::<Option<Vec<_>>>()?;
        let rewriters = self.rewritten_by.iter().map(|hook| hook_id(hook)).collect::<Option<Vec<_>>>()?;
        let question = ApprovalQuestion::new(askers).filter(|_| self.v == 1)?.rewritten_by(rewriters);
        let session = SessionId::parse(&self.session_id);
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
        Some(ApprovalRequest {
            id: self.id.clone(),
            approver: self.approver.clone(),
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

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn written_form_is_read_back() {
        let query = |options: Vec<Choice>| ApprovalPrompt {
            prompt: "Deploy?".to_owned(),
            options,
            timeout: Some(Duration::from_mins(1)),
            default: Policy::Deny,
        };
        let asked = |options| HookQuestion {
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
        let own = Choice::granting("Ship it", Grant::Session).unwrap();
        for options in [vec![], vec![own, Choice::named("Deny")]] {
            let request = ApprovalRequest {
                id: "a".to_owned(),
                approver: "watch".to_owned(),
                question: ApprovalQuestion::new(vec![asked(options)])
                    .unwrap()
                    .rewritten_by(vec![HookId::new(Layer::User, "dry-run")]),
                event: Arc::new(event.clone()),
                asked: Timestamp::from_unix_ms(5),
                until: Timestamp::from_unix_ms(60_005),
            };
            let text = serde_json::to_string(&ApprovalRequestV1::new(&request)).unwrap();
            let read: ApprovalRequestV1 = serde_json::from_str(&text).unwrap();
            assert_eq!(read.request(), Some(request), "{text}");
        }
    }
}
