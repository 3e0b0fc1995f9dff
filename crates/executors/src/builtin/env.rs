//! `env`: the values of named variables. For a secret name it shows only whether it is set.

use tenter_contract::secret_names::looks_secret;

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
            format!("{shown}={}", on_one_line(&without_password(&value.to_string_lossy()), LONGEST))
        }
    }
}

/// The password of an address, `scheme://user:password@host`, is hidden.
fn without_password(value: &str) -> String {
    let mut shown = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        let end = after.find(|c: char| c == '/' || c.is_whitespace()).unwrap_or(after.len());
        let (authority, behind) = after.split_at(end);
        match authority.rsplit_once('@').and_then(|(login, host)| Some((login.split_once(':')?.0, host))) {
            Some((user, host)) => shown.extend([user, ":***@", host]),
            None => shown.push_str(authority),
        }
        rest = behind;
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn password_in_url_is_hidden() {
        for (value, shown) in [
            ("plain", "plain"),
            ("https://a.example/b", "https://a.example/b"),
            ("postgres://me:p@ss@db/x", "postgres://me:***@db/x"),
            ("ssh://git@host/x, amqp://u:p@h", "ssh://git@host/x, amqp://u:***@h"),
            ("://", "://"),
        ] {
            assert_eq!(without_password(value), shown);
        }
    }
}
