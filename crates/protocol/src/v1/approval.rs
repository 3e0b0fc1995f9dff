//! Questions to people and saved answers, as records keep them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with_macros::skip_serializing_none;
use tenter_contract::{
    ApprovalAnswer, ApprovalRecord, ApprovalStep, GrantScope, Pattern, Policy, Rule, SessionGrant, SessionId,
    Timestamp,
};

use super::approval_request::{ChoiceV1, hook_id};
use super::record::{RecordV1, about, milliseconds, recorded_tool};

/// What records keep of a question to a person.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecordedApproval {
    /// The id under which it was asked; missing if no one had to be.
    pub id: Option<String>,
    /// Where it was put: `host` is the agent's own prompt, `standing` an answer that was given before, `none` that
    /// no one could be asked.
    pub approver: String,
    /// The hooks that ask, as `layer/name`.
    pub hooks: Vec<String>,
    /// What was asked.
    pub prompt: String,
    /// The answers to choose from.
    pub options: Vec<ChoiceV1>,
    /// `allow` or `deny`: what silence means.
    pub default: String,
    /// What came back, in words.
    pub decision: Option<String>,
    /// The option that was chosen.
    pub option: Option<String>,
    /// True if no one reported it: the call that was asked about has run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub observed: bool,
    /// From the question to this, in milliseconds.
    pub ms: Option<f64>,
}

/// An answer that lasts until it is revoked.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RuleV1 {
    /// By which it is revoked.
    pub id: String,
    /// `allow` or `deny`.
    pub policy: String,
    /// The hook it answers.
    pub hook: String,
    /// What it covers: paths, commands, or else prompts.
    pub pattern: String,
    /// In which project; missing means everywhere.
    pub project: Option<String>,
    /// Until when; missing means for good.
    pub expires: Option<String>,
    /// When it was made.
    pub at: String,
}

/// An answer that lasts until its session ends.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GrantV1 {
    /// The id of the question that was answered with it, by which it is revoked.
    pub id: String,
    /// In which session.
    pub session_id: String,
    /// The hook that asked, as `layer/name`.
    pub hook: String,
    /// What that hook was, in short.
    pub definition: String,
    /// What it asked.
    pub prompt: String,
    /// About which tool.
    pub tool: Option<String>,
    /// What else must be the same; a grant that does not say so grants nothing.
    pub covers: CoversV1,
    /// When.
    pub at: String,
}

/// The scope of a saved answer: one of these.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CoversV1 {
    /// Exactly this input, but for its `description`.
    pub input: Option<Map<String, Value>>,
    /// The agent's folder, for an input.
    pub cwd: Option<String>,
    /// The files to which links in an input lead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// These files, whatever is in them.
    pub files: Option<Vec<String>>,
    /// This address.
    pub address: Option<String>,
    /// Exactly this prompt of the user.
    pub prompt: Option<String>,
    /// Every call of the tool.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub anything: bool,
}

impl CoversV1 {
    /// The JSON form of what is covered.
    pub fn new(covers: &GrantScope) -> Self {
        let none = Self::default();
        match covers.clone() {
            GrantScope::Input { input, cwd, links } => Self { input: Some(input), cwd, links, ..none },
            GrantScope::Files(files) => Self { files: Some(files), ..none },
            GrantScope::Address(address) => Self { address: Some(address), ..none },
            GrantScope::Prompt(prompt) => Self { prompt: Some(prompt), ..none },
            GrantScope::Anything => Self { anything: true, ..none },
        }
    }

    /// What is covered; `None` unless exactly one thing is stated.
    pub fn covers(&self) -> Option<GrantScope> {
        let Self { input, cwd, links, files, address, prompt, anything } = self.clone();
        let scopes = [
            input.map(|input| GrantScope::Input { input, cwd, links }),
            files.map(GrantScope::Files),
            address.map(GrantScope::Address),
            prompt.map(GrantScope::Prompt),
            anything.then_some(GrantScope::Anything),
        ];
        let mut scopes = scopes.into_iter().flatten();
        scopes.next().filter(|_| scopes.next().is_none())
    }
}

impl RuleV1 {
    /// The JSON form of a rule.
    pub fn new(rule: &Rule) -> Self {
        Self {
            id: rule.id.clone(),
            policy: rule.policy.as_str().to_owned(),
            hook: rule.hook.clone(),
            pattern: rule.pattern.as_str().to_owned(),
            project: rule.project.clone(),
            expires: rule.expires.map(|at| at.to_string()),
            at: rule.at.to_string(),
        }
    }

    /// The rule; `None` if this version does not know a value.
    pub fn rule(&self) -> Option<Rule> {
        let expires = match &self.expires {
            Some(text) => Some(Timestamp::parse(text)?),
            None => None,
        };
        Some(Rule {
            id: self.id.clone(),
            policy: Policy::parse(&self.policy)?,
            hook: self.hook.clone(),
            pattern: Pattern::parse(&self.pattern).ok().filter(|pattern| !pattern.is_negated())?,
            project: self.project.clone(),
            expires,
            at: Timestamp::parse(&self.at)?,
        })
    }
}

impl GrantV1 {
    /// The JSON form of a grant.
    pub fn new(grant: &SessionGrant) -> Self {
        Self {
            id: grant.id.clone(),
            session_id: grant.session.to_string(),
            hook: grant.hook.address(),
            definition: grant.definition.clone(),
            prompt: grant.prompt.clone(),
            tool: grant.tool.clone(),
            covers: CoversV1::new(&grant.covers),
            at: grant.at.to_string(),
        }
    }

    /// The grant; `None` if this version does not know a value.
    pub fn grant(&self) -> Option<SessionGrant> {
        Some(SessionGrant {
            id: self.id.clone(),
            session: SessionId::parse(&self.session_id)?,
            hook: hook_id(&self.hook)?,
            definition: self.definition.clone(),
            prompt: self.prompt.clone(),
            tool: self.tool.clone(),
            covers: self.covers.covers()?,
            at: Timestamp::parse(&self.at)?,
        })
    }
}

/// The record of something that happened to a question.
#[inline(never)]
pub(super) fn approval_record(record: &ApprovalRecord) -> RecordV1 {
    let ApprovalRecord { request, at, step } = record;
    let (question, event) = (&request.question, &request.event);
    let hooks: Vec<String> = question.askers.iter().map(|asked| asked.hook.address()).collect();
    let mut approval = RecordedApproval {
        id: (!request.id.is_empty()).then(|| request.id.clone()),
        approver: request.approver.clone(),
        prompt: question.prompt(),
        options: question.options.iter().map(ChoiceV1::new).collect(),
        default: question.default.as_str().to_owned(),
        hooks,
        ..RecordedApproval::default()
    };
    match step {
        ApprovalStep::Required => {}
        ApprovalStep::Answered { answer, took } => {
            approval.decision = Some(answer.in_words());
            approval.ms = Some(milliseconds(*took));
            approval.option = match answer {
                ApprovalAnswer::Granted { option, .. } | ApprovalAnswer::Denied { option } => {
                    Some(option.clone())
                }
                _ => None,
            };
        }
        ApprovalStep::Observed { took } => {
            approval.decision = Some("granted: the call has run".to_owned());
            approval.observed = true;
            approval.ms = Some(milliseconds(*took));
        }
        ApprovalStep::Unknown => {
            approval.decision = Some("unknown: the agent keeps the answer to itself".to_owned());
        }
        ApprovalStep::Withdrawn { why } => approval.decision = Some(format!("withdrawn: {why}")),
    }
    let names: Vec<String> = question.askers.iter().map(|asked| asked.hook.to_string()).collect();
    RecordV1 {
        timestamp: at.to_string(),
        event: step.record_name().to_owned(),
        hook_name: Some(names.join(", ")),
        hook_event: Some(event.kind.to_string()),
        cwd: event.cwd.clone(),
        tool: event.tool.as_ref().map(recorded_tool),
        approval: Some(approval),
        ..about(event)
    }
}

/// The record of a rule that was made or revoked.
pub(super) fn rule_record(event: &str, rule: &Rule) -> RecordV1 {
    RecordV1 {
        event: event.to_owned(),
        hook_name: Some(rule.hook.clone()),
        project: rule.project.clone(),
        rule: Some(RuleV1::new(rule)),
        ..RecordV1::default()
    }
}

/// The record of a grant that was revoked.
pub(super) fn grant_record(event: &str, grant: &SessionGrant) -> RecordV1 {
    RecordV1 {
        event: event.to_owned(),
        session_id: grant.session.to_string(),
        hook_name: Some(grant.hook.address()),
        grant: Some(GrantV1::new(grant)),
        ..RecordV1::default()
    }
}
