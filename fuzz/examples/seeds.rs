//! Fills `corpus/` with what the repository has recorded: payloads, replies, hook files, settings, and a trail
//! and compiled files made here. Prints the agents that the target `documented` is for, which have a corpus each.
//! Run from `fuzz/` by `scripts/fuzz`.

use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tenter_config::compiled::Compiled;
use tenter_config::{Format, SourceText, load};
use tenter_contract::ports::AuditTrail;
use tenter_contract::{Decision, Diagnostics, HookSet, Layer, RecordBody, Timestamp};
use tenter_fuzz::SEPARATOR;
use tenter_store::{StateFolder, TrailFile};

fn main() -> Result<(), Box<dyn Error>> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let adapters = repository.join("crates/adapters");
    for (target, folder) in [
        ("claude", adapters.join("src/claude_code/fixtures")),
        ("cline", adapters.join("src/cline/fixtures")),
        ("codex", adapters.join("src/codex/fixtures")),
        ("copilot", adapters.join("src/copilot/fixtures")),
        ("opencode", adapters.join("src/opencode/fixtures")),
        ("gemini", adapters.join("src/gemini/fixtures")),
        ("qwen", adapters.join("src/qwen/fixtures")),
        ("settings", adapters.join("tests/settings/claude")),
    ] {
        for file in files(&folder, "json")? {
            plant(&corpus, target, &name(&file), &fs::read(&file)?)?;
        }
    }
    for agent in tenter_fuzz::documented_names() {
        for file in files(&adapters.join("src").join(&agent).join("fixtures"), "json")? {
            plant(&corpus, &agent, &name(&file), &fs::read(&file)?)?;
        }
        println!("{agent}");
    }
    for (number, reply) in REPLIES.iter().enumerate() {
        plant(&corpus, "reply", &number.to_string(), reply.as_bytes())?;
    }
    for (number, line) in SHELL.iter().enumerate() {
        plant(&corpus, "shell", &number.to_string(), line.as_bytes())?;
    }
    for (number, lines) in MCP.iter().enumerate() {
        plant(&corpus, "mcp", &number.to_string(), lines.join("\n").as_bytes())?;
    }
    for (number, events) in STREAMS.iter().enumerate() {
        let stream: Vec<_> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        plant(&corpus, "stream", &number.to_string(), stream.concat().as_bytes())?;
    }
    for (number, text) in SETTINGS.iter().enumerate() {
        plant(&corpus, "settings", &format!("small-{number}"), text.as_bytes())?;
    }
    for sort in ["valid", "invalid"] {
        for (target, format) in [("yaml", Format::Yaml), ("toml", Format::Toml), ("json", Format::Json)] {
            for file in files(&repository.join("crates/config/samples").join(sort), target)? {
                let text = fs::read_to_string(&file)?;
                plant(&corpus, target, &name(&file), text.as_bytes())?;
                compile(&corpus, format, &name(&file), &text)?;
            }
        }
    }
    trails(&corpus)
}

const REPLIES: &[&str] = &[
    "",
    "plain text",
    "{}",
    r#"{"deny":"no"}"#,
    r#"{"allow":true}"#,
    r#"{"ask":{"prompt":"sure?","options":["yes","no"],"timeout":5,"default":"deny"}}"#,
    r#"{"inject":[{"content":"x","role":"user","strategy":"append","ephemeral":true},"y"]}"#,
    r#"{"modify":{"tool_input":{"command":"ls","old":null},"tool_output":"x","prompt":"p","data":{}}}"#,
    r#"{"message":{"text":"hi","level":"warn"},"suppress_output":true}"#,
    "log line\n{\"deny\":\"no\"}\n",
    "\u{1b}[31m{\"deny\":\"no\"}\u{1b}[0m",
    r#"{"decision":"block","reason":"no"}"#,
    r#"{"continue":false,"stopReason":"enough","systemMessage":"m"}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r","updatedInput":{"command":"ls"},"additionalContext":"c"}}"#,
];

/// What clients of the memory say, a session each.
const MCP: &[&[&str]] = &[
    &[
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a","reason":"late"}}"#,
    ],
    &[
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"store_memory","arguments":{"content":"tabs","category":"preference","importance":0.5,"tags":["style"]}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"retrieve_memories","arguments":{"query":"tabs","limit":3}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_memories","arguments":{"offset":1,"tags":[]}}}"#,
    ],
    &[
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_ghap","arguments":{"domain":"debugging","strategy":"ask-user","goal":"g","hypothesis":"h","action":"a","prediction":"p","session_id":"s"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"resolve_ghap","arguments":{"status":"falsified","result":"r","surprise":"s","root_cause":{"category":"oversight","description":"d"},"lesson":{"what_worked":"w"},"session_id":"s"}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_experiences","arguments":{"query":"g","axis":"full","min_confidence":0.1}}}"#,
    ],
    &[
        r#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"tenter://recent"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"start-ghap","arguments":{"goal":"g"}}}"#,
        r#"[{"jsonrpc":"2.0","id":4,"method":"ping"}]"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"\ud800"#,
    ],
];

/// A text and a call, as each API streams them.
const STREAMS: &[&[&str]] = &[
    &[
        r#"{"type":"message_start","message":{"usage":{"input_tokens":1,"cache_read_input_tokens":2}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"hi"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"Bash","input":{}}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}"#,
        r#"{"type":"message_stop"}"#,
    ],
    &[
        r#"{"choices":[{"delta":{"content":"hi","reasoning_content":"hm"}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"Bash","arguments":"{"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},"finish_reason":"tool_calls"}]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#,
        "[DONE]",
    ],
    &[
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"r","summary":[],"encrypted_content":"e"}}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"message"}}"#,
        r#"{"type":"response.output_text.delta","output_index":1,"delta":"hi"}"#,
        r#"{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","call_id":"c","name":"Bash"}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{}"}"#,
        r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","arguments":"{}"}}"#,
        r#"{"type":"response.completed","response":{"usage":{"input_tokens":1,"output_tokens":2}}}"#,
    ],
    &[
        r#"{"candidates":[{"content":{"parts":[{"text":"hi"},{"functionCall":{"name":"Bash","args":{}},"thoughtSignature":"s"}]}}]}"#,
        r#"{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"cachedContentTokenCount":1}}"#,
    ],
];

const SETTINGS: &[&str] = &["", "{}", "// c", "{\"hooks\":{\"Stop\":[ ],}, }", "{\"hooks\": {\n}\n}"];

/// Makes the compiled form of a file, without its checksum, which the target puts in front again.
fn compile(corpus: &Path, format: Format, name: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let loaded = load(&SourceText { name: "hooks", folder: "/f", layer: Layer::User, format, text });
    let compiled = Compiled { stamp: b"s".to_vec(), set: HookSet::new(loaded.hooks), ..Compiled::default() };
    let sum = 1 + size_of::<u64>();
    match compiled.to_bytes() {
        Some(bytes) => plant(corpus, "compiled", name, &bytes[sum..]),
        None => Ok(()),
    }
}

/// Makes a trail in one file, and one whose first file became full. The key has no zero in it, which would be
/// taken for the end of its file.
fn trails(corpus: &Path) -> Result<(), Box<dyn Error>> {
    for (seed, full_at, records) in [("one-file", u64::MAX, 3), ("full", 1, 2)] {
        let home = tempfile::tempdir()?;
        let state = StateFolder::new(home.path().to_owned());
        let audit = home.path().join("audit");
        fs::create_dir(&audit)?;
        fs::write(audit.join("key"), [7; 32])?;
        fs::set_permissions(audit.join("key"), fs::Permissions::from_mode(0o600))?;
        let trail = TrailFile::new(&state).full_at(full_at);
        for number in 1..=records {
            trail.append(&[record(number)], &mut Diagnostics::default())?;
        }
        // A writer that cannot get the lock spills its record.
        let held = fs::File::open(audit.join("head"))?;
        held.lock()?;
        trail.append(&[record(records + 1)], &mut Diagnostics::default())?;
        drop(held);
        let names = ["trail.jsonl", "head", "key", "trail-1.jsonl"];
        let mut parts: Vec<Vec<u8>> =
            names.iter().map(|name| fs::read(audit.join(name)).unwrap_or_default()).collect();
        plant(corpus, "trail", &format!("{seed}-without-spill"), &parts.join(&SEPARATOR))?;
        for file in files(&audit.join("spilled"), "jsonl")? {
            parts.push(fs::read(file)?);
        }
        plant(corpus, "trail", seed, &parts.join(&SEPARATOR))?;
        plant(corpus, "trail", &format!("{seed}-without-key"), &parts[..2].join(&SEPARATOR))?;
    }
    Ok(())
}

fn record(number: u64) -> RecordBody {
    RecordBody::Undecodable {
        agent: "claude".to_owned(),
        at: Timestamp::from_unix_ms(1_795_000_000_000 + number),
        problem: format!("record {number}"),
        bytes: 8,
        decision: Decision::Abstain,
    }
}

fn plant(corpus: &Path, target: &str, name: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let folder = corpus.join(target);
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join(format!("seed-{name}")), bytes)?)
}

fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    Ok(files)
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

const SHELL: [&str; 8] = [
    "cd /tmp && sudo env X=1 bash -c \"find / -delete\" 2>&1 | tee x",
    "cat > a <<'E' | b\nx $(c)\nE\nd",
    "if a; then b; elif c; then d; else e; fi; while f; do g; done",
    "for x in 1 {2,3}; do a \"${x:-$(b)}\"; done; case $x in a|b) c;; esac",
    "f() { a `b \\`c\\``; }; f $'\\x41' $((1 + 2)) <(d) y=(e f)",
    "docker compose run --rm web pytest -q",
    "! a || { b; exit 1; } &",
    "xargs -n1 sh -c 'rm \"$@\"' <<< x",
];
