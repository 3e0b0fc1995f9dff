//! Records in one line each, without time, numbers and hashes, for scenarios.

use std::fs;

use serde_json::Value;

use crate::world::World;

/// The records of a machine, in order.
pub(crate) fn read(world: &World) -> Vec<Value> {
    let trail = fs::read_to_string(world.trail()).unwrap_or_default();
    trail.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A record in a line; degradations follow in separate lines.
pub(crate) fn line(record: &Value) -> String {
    let event = text(record, "event");
    let at = text(record, "hook_event");
    let hook = text(record, "hook_name");
    let decision = record["decision"]["verdict"].as_str().unwrap_or_default();
    let mut line = match event {
        "hook:context_injection" => format!("{event}  {hook} at {at}"),
        "hook:failed" => {
            let failure = &record["failure"];
            format!("{event}  {hook} at {at}: {} → {}", text(failure, "class"), text(failure, "policy"))
        }
        "hook:background" => {
            let hooks: String = list(record, "hooks").iter().map(asked).collect();
            format!("{event} at {at}{hooks}")
        }
        _ if record["approval"].is_object() => {
            let approval = &record["approval"];
            let decision = approval["decision"].as_str().map(|it| format!(": {it}")).unwrap_or_default();
            format!("{event}  {hook} at {at}, approver {}{decision}", text(approval, "approver"))
        }
        "agent:undecodable" => format!("{event} → {decision}"),
        _ => {
            let tool = record["tool"]["name"].as_str().map(|name| format!(" {name}")).unwrap_or_default();
            let hooks: String = list(record, "hooks").iter().map(asked).collect();
            let again = if record["delivered_first"].is_string() { "  by another route" } else { "" };
            format!("{event}{tool}{hooks}{again} → {decision}")
        }
    };
    for degraded in list(record, "degraded") {
        line.push_str("\n  note: ");
        line.push_str(degraded.as_str().unwrap());
    }
    line
}

fn asked(hook: &Value) -> String {
    let name = text(hook, "hook").split_once('/').unwrap().1;
    let again = if hook["rejudge"] == true { " (again)" } else { "" };
    let result = match hook["verdict"].as_str() {
        Some(verdict) => verdict,
        None if hook["failure"].is_object() => "failed",
        None if hook["background"] == true => "started",
        None => "skipped",
    };
    let effects = list(hook, "effects").iter().flat_map(|effect| [" +", text(effect, "effect")]);
    format!("  {name}{again}: {result}{}", effects.collect::<String>())
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}
