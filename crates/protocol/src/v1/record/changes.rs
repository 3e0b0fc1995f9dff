//! Records of what a person changed about which hooks are in force.

use tenter_contract::{HookChange, HookId, Reach};

use super::{RecordV1, approval};

/// The record of a change, but for its moment.
#[inline(never)]
pub(super) fn record(change: &HookChange) -> RecordV1 {
    let blank = RecordV1::default();
    match change {
        HookChange::Trusted { project, content, runners } => RecordV1 {
            event: "trust:granted".to_owned(),
            project: Some(project.clone()),
            content_hash: Some(content.clone()),
            runners: runners.clone(),
            ..blank
        },
        HookChange::Revoked { project, contents } => RecordV1 {
            event: "trust:revoked".to_owned(),
            project: Some(project.clone()),
            contents: Some(*contents as u64),
            ..blank
        },
        HookChange::Disabled { hook, reach } => switch_record("hook:disabled", hook, reach),
        HookChange::Accepted { file, content } => RecordV1 {
            event: "hook:file_accepted".to_owned(),
            reach: Some(file.clone()),
            content_hash: content.clone(),
            ..blank
        },
        HookChange::Profile { name } => {
            RecordV1 { event: "profile:chosen".to_owned(), profile: name.clone(), ..blank }
        }
        HookChange::RuleMade(rule) => approval::rule_record("approval:rule_made", rule),
        HookChange::RuleRevoked(rule) => approval::rule_record("approval:rule_revoked", rule),
        HookChange::GrantRevoked(grant) => approval::grant_record("approval:grant_revoked", grant),
        HookChange::Enabled { hook, reach } => switch_record("hook:enabled", hook, reach),
    }
}

fn switch_record(event: &str, hook: &HookId, reach: &Reach) -> RecordV1 {
    let blank = RecordV1 { event: event.to_owned(), hook_name: Some(hook.address()), ..RecordV1::default() };
    match reach {
        Reach::Everywhere => RecordV1 { reach: Some("everywhere".to_owned()), ..blank },
        Reach::Project(project) => {
            RecordV1 { reach: Some("project".to_owned()), project: Some(project.clone()), ..blank }
        }
        Reach::Session(session) => {
            RecordV1 { reach: Some("session".to_owned()), session_id: session.to_string(), ..blank }
        }
    }
}
