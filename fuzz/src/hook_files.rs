//! Hook files and their compiled form: what loads can be asked, and comes back out of the compiled form.

use serde_json::json;
use sha2::{Digest, Sha256};
use tenter_config::compiled::Compiled;
use tenter_config::{Format, SourceText, load};
use tenter_contract::ports::{Decoded, Surroundings};
use tenter_contract::{Event, Examples, HookSpec, Layer};
use tenter_kernel::matching::concerns;

/// Loads a file in the layer of the user and in that of the project, which may say less.
pub fn hook_file(format: Format, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for layer in [Layer::User, Layer::Project] {
        let loaded = load(&SourceText { name: "hooks", folder: "/f", layer, format, text });
        for problem in &loaded.problems {
            assert!(!problem.to_string().trim().is_empty() && !problem.message().is_empty());
            problem.hint();
        }
        asked(&loaded.hooks);
        let mut hooks = loaded.hooks;
        for hook in &mut hooks {
            hook.examples = Examples::default();
        }
        let compiled = Compiled { stamp: b"s".to_vec(), hooks, problems: Vec::new() };
        if let Some(bytes) = compiled.to_bytes() {
            assert_eq!(Compiled::from_bytes(&bytes).as_ref(), Some(&compiled), "{text}");
        }
    }
}

/// Reads a compiled file whose hash is right, as one is that somebody else wrote there.
pub fn compiled(body: &[u8]) {
    Compiled::from_bytes(body);
    let Some(read) = Compiled::from_bytes(&sealed(body)) else { return };
    asked(&read.hooks);
    if let Some(bytes) = read.to_bytes() {
        assert_eq!(Compiled::from_bytes(&bytes), Some(read));
    }
}

/// The body with the form of today and its hash in front.
pub fn sealed(body: &[u8]) -> Vec<u8> {
    let empty = Compiled::default().to_bytes().expect("nothing can be compiled");
    [&empty[..1], Sha256::digest(body).as_slice(), body].concat()
}

/// Asks the hooks about a call that has everything a matcher can look at.
fn asked(hooks: &[HookSpec]) {
    let call = call();
    for hook in hooks {
        concerns(hook, &call);
    }
}

fn call() -> Event {
    let payload = json!({
        "session_id": "s", "hook_event_name": "PreToolUse", "cwd": "/p", "tool_name": "Bash",
        "tool_input": {"command": "git push --force", "file_path": "src/main.rs", "n": [1, null]},
    });
    let claude = tenter_adapters::by_name("claude").expect("it is in the table");
    match claude.decode(payload.to_string().as_bytes(), &Surroundings::default()) {
        Ok(Decoded::Event(event)) => *event,
        Ok(Decoded::NotForUs) | Err(_) => unreachable!("the payload is a good one"),
    }
}
