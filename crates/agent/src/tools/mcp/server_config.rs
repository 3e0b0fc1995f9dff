//! The configuration of a server in an `.mcp.json`.

use serde_json::{Map, Value};
use tenter_contract::McpTransport;

use crate::tools::Workspace;

/// The transport of a server. The error is the end of a sentence about the server.
pub(super) fn transport(config: &Value, at: &Workspace) -> Result<McpTransport, String> {
    let Value::Object(config) = config else {
        return Err("it must be an object with `command` or `url`".to_owned());
    };
    let kind = text(config, "type")?;
    match (kind, text(config, "command")?, text(config, "url")?) {
        (None | Some("stdio"), Some(command), None) => {
            let words = std::iter::once(command).chain(texts(config, "args")?);
            Ok(McpTransport::Stdio {
                command: words.map(|word| filled(word, at)).collect::<Result<_, _>>()?,
                env: pairs(config, "env", at)?,
            })
        }
        (None | Some("http" | "streamable-http"), None, Some(url)) => {
            Ok(McpTransport::Http { url: filled(url, at)?, headers: pairs(config, "headers", at)? })
        }
        (Some("sse"), ..) => {
            Err("`sse` is not supported; most such servers offer `http` at another address".to_owned())
        }
        (Some("stdio"), None, _) => Err("it needs a `command`".to_owned()),
        (Some("http" | "streamable-http"), _, None) => Err("it needs a `url`".to_owned()),
        (None | Some("stdio" | "http" | "streamable-http"), ..) => {
            Err("it needs either a `command` or a `url`".to_owned())
        }
        (Some(kind), ..) => Err(format!("its `type` must be `stdio` or `http`; it is `{kind}`")),
    }
}

fn text<'a>(config: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, String> {
    match config.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("its `{key}` must be text")),
    }
}

fn texts<'a>(config: &'a Map<String, Value>, key: &str) -> Result<Vec<&'a str>, String> {
    let wrong = || format!("its `{key}` must be a list of texts");
    match config.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(texts)) => texts.iter().map(|text| text.as_str().ok_or_else(wrong)).collect(),
        Some(_) => Err(wrong()),
    }
}

/// Values keep `${NAME}`: the sender fills it in, and so knows which text is secret.
fn pairs(config: &Map<String, Value>, key: &str, at: &Workspace) -> Result<Vec<(String, String)>, String> {
    let wrong = || format!("its `{key}` must be an object whose values are texts");
    match config.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(pairs)) => pairs
            .iter()
            .map(|(name, value)| Ok((name.clone(), with_defaults(value.as_str().ok_or_else(wrong)?, at))))
            .collect(),
        Some(_) => Err(wrong()),
    }
}

/// Resolves `${NAME:-default}`: the variable if it is set, else the default.
fn with_defaults(value: &str, at: &Workspace) -> String {
    each_variable(value, |name, otherwise| match otherwise {
        Some(otherwise) if variable(name, at).is_none() => Ok(otherwise.to_owned()),
        _ => Ok(format!("${{{name}}}")),
    })
    .unwrap_or_else(|error: String| error)
}

fn filled(value: &str, at: &Workspace) -> Result<String, String> {
    each_variable(value, |name, otherwise| {
        variable(name, at)
            .or(otherwise)
            .map(str::to_owned)
            .ok_or_else(|| format!("the variable `{name}`, which it needs, is not set"))
    })
}

fn each_variable(
    value: &str,
    resolve: impl Fn(&str, Option<&str>) -> Result<String, String>,
) -> Result<String, String> {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, from)) = rest.split_once("${") {
        text.push_str(before);
        let Some((inside, after)) = from.split_once('}') else {
            text.push_str("${");
            rest = from;
            continue;
        };
        let (name, otherwise) =
            inside.split_once(":-").map_or((inside, None), |(name, otherwise)| (name, Some(otherwise)));
        text.push_str(&resolve(name, otherwise)?);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

fn variable<'a>(name: &str, at: &'a Workspace) -> Option<&'a str> {
    at.variable(name)?.to_str().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;

    fn read(config: &Value) -> Result<McpTransport, String> {
        let environment = vec![("HOME".into(), "/home/me".into()), ("TOKEN".into(), "secret".into())];
        transport(config, &Workspace::new(PathBuf::from("/p"), environment, PathBuf::from("/s")))
    }

    #[test]
    fn variables_are_filled_in() {
        let config = json!({
            "command": "${HOME}/bin/server", "args": ["--level", "${LEVEL:-info}", "${", "$x"],
            "env": { "KEY": "${TOKEN}", "MODE": "${MODE:-dev}", "T": "${TOKEN:-none}" },
        });
        let expected = McpTransport::Stdio {
            command: ["/home/me/bin/server", "--level", "info", "${", "$x"].map(str::to_owned).to_vec(),
            env: [("KEY", "${TOKEN}"), ("MODE", "dev"), ("T", "${TOKEN}")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
        };
        assert_eq!(read(&config), Ok(expected));
        let config = json!({ "type": "http", "url": "https://${HOST:-a.example}/mcp", "headers": { "X": "${TOKEN}" } });
        let expected = McpTransport::Http {
            url: "https://a.example/mcp".to_owned(),
            headers: vec![("X".to_owned(), "${TOKEN}".to_owned())],
        };
        assert_eq!(read(&config), Ok(expected));
    }

    #[test]
    fn invalid_servers_are_errors() {
        for (config, error) in [
            (json!(3), "it must be an object with `command` or `url`"),
            (json!({}), "it needs either a `command` or a `url`"),
            (json!({ "command": "a", "url": "b" }), "it needs either a `command` or a `url`"),
            (json!({ "type": "http", "command": "a" }), "it needs a `url`"),
            (json!({ "type": "stdio", "url": "a" }), "it needs a `command`"),
            (json!({ "type": "ws", "url": "a" }), "its `type` must be `stdio` or `http`; it is `ws`"),
            (json!({ "command": ["a"] }), "its `command` must be text"),
            (json!({ "command": "a", "args": "b" }), "its `args` must be a list of texts"),
            (
                json!({ "command": "a", "env": { "X": 1 } }),
                "its `env` must be an object whose values are texts",
            ),
            (json!({ "command": "${NONE}" }), "the variable `NONE`, which it needs, is not set"),
        ] {
            assert_eq!(read(&config), Err(error.to_owned()), "{config}");
        }
    }
}
