//! `env`: the values of named variables, without secrets. Of a variable with a secret name only its presence is shown.

use tenter_contract::secret_names::looks_secret;
use tenter_store::audit::redact::Redactor;

use super::builtin_run::{BuiltinResult, BuiltinRun};
use super::display::on_one_line;

const LONGEST: usize = 1000;

pub(super) fn run(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    let names = call.options.texts("names").unwrap_or_default();
    let lines: Vec<String> = names.into_iter().map(|name| line(call, name)).collect();
    let text = if lines.is_empty() { String::new() } else { format!("Environment:\n{}", lines.join("\n")) };
    Ok(call.inject(text))
}

fn line(call: &BuiltinRun<'_>, name: &str) -> String {
    let shown = on_one_line(name, LONGEST);
    match call.variable(name) {
        None => format!("{shown} is not set"),
        Some(_) if looks_secret(name) => format!("{shown} is set (not shown)"),
        Some(value) => {
            let value = value.to_string_lossy();
            let redacted = Redactor::default().text(&value);
            format!("{shown}={}", on_one_line(redacted.as_deref().unwrap_or(&value), LONGEST))
        }
    }
}
