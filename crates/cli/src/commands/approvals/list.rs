//! `tenter approvals list`.

use serde_json::{Value, json};
use tenter_contract::{Rule, SessionGrant, Timestamp};
use tenter_host::approvers::{option_line, question_lines};
use tenter_protocol::v1::approval::{GrantV1, RuleV1};
use tenter_protocol::v1::approval_request::ApprovalRequestV1;
use tenter_store::approvals::OpenQuestion;

use crate::approvals::{left, open_questions, register, withdraw_orphans};
use crate::arguments::JsonArgument;
use crate::change_log;
use crate::error::CommandResult;
use crate::listing::{columns, on_one_line, visible};
use crate::printer::{Printer, Tone};

pub(crate) fn run(arguments: &JsonArgument, printer: &Printer) -> CommandResult {
    let register = register()?;
    withdraw_orphans(&register)?;
    let open = open_questions(&register)?;
    let grants = register.grants()?;
    let rules = register.rules()?;
    let now = change_log::now();
    if arguments.json {
        let question = |question: &OpenQuestion| {
            let mut wire = json!(ApprovalRequestV1::new(&question.request));
            wire["pid"] = json!(question.pid);
            wire
        };
        let rule = |rule: &Rule| {
            let mut wire = json!(RuleV1::new(rule));
            wire["expired"] = json!(has_expired(rule, now));
            wire
        };
        let questions: Vec<Value> = open.iter().map(question).collect();
        let grants: Vec<GrantV1> = grants.iter().map(GrantV1::new).collect();
        let rules: Vec<Value> = rules.iter().map(rule).collect();
        return printer.json(&json!({"questions": questions, "grants": grants, "rules": rules}));
    }
    if open.is_empty() && grants.is_empty() && rules.is_empty() {
        printer.line("no open questions, grants or rules");
        return Ok(0);
    }
    section(printer, "open questions", &open.iter().flat_map(|it| question(it, now)).collect::<Vec<_>>());
    section(
        printer,
        "granted until the session ends",
        &columns(&grants.iter().map(grant).collect::<Vec<_>>()),
    );
    let rows: Vec<Vec<String>> = rules.iter().map(|it| rule(it, now)).collect();
    section(printer, "rules", &columns(&rows));
    Ok(0)
}

fn section(printer: &Printer, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    printer.line(printer.tone(Tone::Heading, title));
    for line in lines {
        printer.line(format!("  {line}"));
    }
}

fn question(open: &OpenQuestion, now: Timestamp) -> Vec<String> {
    let request = &open.request;
    let mut lines = vec![format!("{}  {}", request.id, left(request, now))];
    lines.extend(question_lines(request).into_iter().map(|(_, line)| format!("  {line}")));
    lines.push(format!("    {}", option_line(request)));
    lines.push(format!("    answer with `tenter approvals answer {} OPTION`", request.id));
    lines
}

fn grant(grant: &SessionGrant) -> Vec<String> {
    vec![
        grant.id.clone(),
        grant.hook.address(),
        on_one_line(&visible(&grant.covers.description(grant.tool.as_deref()))),
        format!("session {}", grant.session),
    ]
}

fn rule(rule: &Rule, now: Timestamp) -> Vec<String> {
    let until = match rule.expires {
        Some(_) if has_expired(rule, now) => "expired".to_owned(),
        Some(expires) => format!("until {expires}"),
        None => "for good".to_owned(),
    };
    vec![
        rule.id.clone(),
        rule.policy.as_str().to_owned(),
        rule.hook.clone(),
        rule.pattern.as_str().to_owned(),
        rule.project.clone().unwrap_or_else(|| "everywhere".to_owned()),
        until,
    ]
}

fn has_expired(rule: &Rule, now: Timestamp) -> bool {
    rule.expires.is_some_and(|expires| expires <= now)
}
