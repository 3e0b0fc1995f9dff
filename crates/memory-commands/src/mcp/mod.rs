//! `tenter mcp`: the memory's MCP server over stdin and stdout.

use std::io::{self, BufReader, Read, Write};

use serde_json::{Map, Value, json};
use tenter_contract::{SessionId, similar};
use tenter_memory::mcp::{Server, serve, tools};

use crate::Opened;
use crate::arguments::{McpArguments, McpCallArguments, McpCommand};
use crate::error::CommandResult;
use tenter_console::error::{CliError, exit};
use tenter_console::listing::columns;
use tenter_console::printer::{Printer, json_line};
use tenter_console::{change_log, printer};

/// Serves, calls a tool or lists tools.
pub(crate) fn run(arguments: &McpArguments, printer: &Printer) -> CommandResult {
    match &arguments.command {
        None => serve_stdio(),
        Some(McpCommand::Call(wanted)) => call(wanted, printer),
        Some(McpCommand::Tools(wanted)) => {
            list(wanted.json, printer);
            Ok(0)
        }
    }
}

/// Serves until the client closes its side. Standard output has only the protocol.
fn serve_stdio() -> CommandResult {
    let opened = Opened::here()?;
    // Where no hook has said which session it is, the server is one of its own, and two never share it.
    let own =
        SessionId::parse(&tenter_ghap::id::new("mcp", change_log::now())).unwrap_or_else(SessionId::shared);
    let sessions = opened.sessions_of_server(own)?;
    let server = Server::new(opened.memory, sessions);
    match serve(&server, BufReader::new(io::stdin()), Answers) {
        // The agent has gone away, and nobody waits for an answer.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::output_not_written(error).into())
        }
        _ => Ok(0),
    }
}

/// Standard output through the printer.
struct Answers;

impl Write for Answers {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        printer::write_bytes(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn call(wanted: &McpCallArguments, printer: &Printer) -> CommandResult {
    let arguments = parse_arguments(&wanted.arguments)?;
    let opened = Opened::here()?;
    let sessions = opened.sessions()?;
    let server = Server::new(opened.memory, sessions);
    match server.call_tool(&wanted.tool, arguments) {
        None => {
            let known: Vec<&str> = tools::all().iter().map(|tool| tool.name).collect();
            let hint = match similar::nearest(&wanted.tool, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`tenter mcp tools` lists them".to_owned(),
            };
            let (what, detail) = (format!("`{}`", wanted.tool), "there is no such tool".to_owned());
            Err(CliError::bad_input(what, detail, hint).into())
        }
        Some(Ok(value)) => {
            printer.line(json_line(&value));
            Ok(0)
        }
        Some(Err(error)) => {
            let error = json!({"error": {"type": error.kind.as_str(), "message": error.to_string()}});
            printer.line(json_line(&error));
            Ok(exit::FINDING)
        }
    }
}

fn parse_arguments(typed: &str) -> Result<Map<String, Value>, CliError> {
    let bad = |detail: String| {
        CliError::bad_input(
            "the tool's arguments",
            detail,
            "give a JSON object, as in `tenter mcp call search_experiences '{\"query\": \"flaky test\"}'`",
        )
    };
    let mut text = typed.to_owned();
    if typed == "-" {
        text.clear();
        io::stdin().read_to_string(&mut text).map_err(|error| bad(error.to_string()))?;
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err(bad("they are no object".to_owned())),
        Err(error) => Err(bad(error.to_string())),
    }
}

fn list(as_json: bool, printer: &Printer) {
    if as_json {
        let listed: Vec<Value> = tools::all().iter().map(tools::Tool::listed).collect();
        printer.line(json_line(&json!({"tools": listed})));
        return;
    }
    let rows: Vec<Vec<String>> =
        tools::all().iter().map(|tool| vec![tool.name.to_owned(), tool.title.to_owned()]).collect();
    for line in columns(&rows) {
        printer.line(line);
    }
    printer.line("`tenter mcp call TOOL JSON` calls one; `tenter mcp tools --json` says what each takes");
}
