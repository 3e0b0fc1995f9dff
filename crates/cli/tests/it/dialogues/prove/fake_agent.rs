//! An agent that handles hooks as Claude Code does: the test program itself, started again.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::{Value, json};

/// Makes the test program run as an agent of this kind.
const KIND: &str = "TENTER_TEST_AGENT";

/// A shell script that starts an agent that `obeys` or `ignores` its hooks.
pub(super) fn script(kind: &str) -> String {
    let own = env::current_exe().unwrap();
    let test = "dialogues::prove::fake_agent::runs_as_the_agent";
    format!(
        "[ \"$1\" = --version ] && echo '1.0 (fake)' && exit\nexport {KIND}={kind}\nexec '{}' --exact {test} > /dev/null",
        own.display()
    )
}

#[test]
fn runs_as_the_agent() {
    // In a normal test run it does nothing.
    if let Ok(kind) = env::var(KIND) {
        let obeys = kind == "obeys";
        let mut tools = vec![json!({"name": "Bash", "input_schema": {}})];
        if obeys {
            tools.extend(memory_tools());
        }
        Agent { obeys, tools, messages: Vec::new() }.run();
    }
}

struct Agent {
    obeys: bool,
    tools: Vec<Value>,
    messages: Vec<Value>,
}

impl Agent {
    fn run(mut self) {
        let started = self.hook("SessionStart", json!({"source": "startup"}));
        let prompted = self.hook("UserPromptSubmit", json!({"prompt": "Go."}));
        self.receive(&json!([{"type": "text", "text": "Go."}, context(&started), context(&prompted)]));
        loop {
            let reply = self.ask();
            let calls: Vec<Value> = reply
                .as_array()
                .unwrap()
                .iter()
                .filter(|block| block["type"] == "tool_use")
                .cloned()
                .collect();
            self.messages.push(json!({"role": "assistant", "content": reply}));
            if calls.is_empty() {
                let stopped = self.hook("Stop", json!({"stop_hook_active": false}));
                if stopped["decision"] != "block" {
                    return;
                }
                self.receive(&stopped["reason"]);
            }
            for call in calls {
                let results = self.call_tool(&call);
                self.receive(&results);
            }
        }
    }

    fn call_tool(&self, call: &Value) -> Value {
        let result =
            |text: &Value| json!({"type": "tool_result", "tool_use_id": call["id"], "content": text});
        let about =
            json!({"tool_name": call["name"], "tool_input": call["input"], "tool_use_id": call["id"]});
        let before = &self.hook("PreToolUse", about)["hookSpecificOutput"];
        if before["permissionDecision"] == "deny" {
            return json!([result(&before["permissionDecisionReason"])]);
        }
        let input = before.get("updatedInput").unwrap_or(&call["input"]);
        let response = if call["name"] == "Bash" {
            let ran =
                Command::new("/bin/sh").args(["-c", input["command"].as_str().unwrap()]).output().unwrap();
            json!({"stdout": String::from_utf8_lossy(&ran.stdout), "stderr": "", "interrupted": false, "isImage": false})
        } else {
            fs::write(input["file_path"].as_str().unwrap(), input["content"].as_str().unwrap()).unwrap();
            json!({"type": "create"})
        };
        let about = json!({"tool_name": call["name"], "tool_input": input, "tool_use_id": call["id"],
            "tool_response": response});
        let after = self.hook("PostToolUse", about);
        let seen = after["hookSpecificOutput"].get("updatedToolOutput").unwrap_or(&response);
        json!([result(&json!(seen.to_string())), context(&after), {"type": "text", "text": after["reason"]}])
    }

    fn receive(&mut self, content: &Value) {
        self.messages.push(json!({"role": "user", "content": content}));
    }

    /// Asks the model.
    fn ask(&self) -> Value {
        let request = json!({"model": "m", "messages": self.messages, "tools": self.tools});
        let request = request.to_string();
        let url = env::var("ANTHROPIC_BASE_URL").unwrap();
        let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
        let head = "POST /v1/messages HTTP/1.1\r\nconnection: close";
        write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{request}", request.len()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let reply: Value = serde_json::from_str(reply.split_once("\r\n\r\n").unwrap().1).unwrap();
        reply["content"].clone()
    }

    /// Calls the hook of an event from the settings and returns its answer.
    fn hook(&self, event: &str, mut payload: Value) -> Value {
        let settings = fs::read(format!("{}/.claude/settings.json", env::var("HOME").unwrap())).unwrap();
        let settings: Value = serde_json::from_slice(&settings).unwrap();
        let command = settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
        payload["hook_event_name"] = event.into();
        payload["session_id"] = "s1".into();
        payload["cwd"] = env::current_dir().unwrap().to_string_lossy().into();
        let mut hook = Command::new("/bin/sh")
            .args(["-c", command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        hook.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        let answer = hook.wait_with_output().unwrap().stdout;
        if self.obeys { serde_json::from_slice(&answer).unwrap_or_default() } else { Value::Null }
    }
}

/// The tools of the server in the settings.
fn memory_tools() -> Vec<Value> {
    let settings = fs::read(format!("{}/.claude.json", env::var("HOME").unwrap())).unwrap();
    let settings: Value = serde_json::from_slice(&settings).unwrap();
    let server = &settings["mcpServers"]["tenter"];
    let mut server = Command::new(server["command"].as_str().unwrap())
        .args(server["args"].as_array().unwrap().iter().filter_map(Value::as_str))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let about = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ];
    let mut stdin = server.stdin.take().unwrap();
    for line in lines {
        writeln!(stdin, "{line}").unwrap();
    }
    drop(stdin);
    let output = server.wait_with_output().unwrap().stdout;
    let answers = serde_json::Deserializer::from_slice(&output).into_iter::<Value>().map(Result::unwrap);
    let mut listed = answers.filter(|answer| answer["id"] == 2);
    listed.next().unwrap()["result"]["tools"].as_array().unwrap().clone()
}

fn context(answer: &Value) -> Value {
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or("nothing");
    json!({"type": "text", "text": text})
}
