//! Hook files and their compiled form: what loads can be asked, and comes back out of the compiled form.

use serde_json::json;
use tenter_config::compiled::{Compiled, seal};
use tenter_config::{Format, SourceText, load};
use tenter_contract::ports::{Decoded, Surroundings};
use tenter_contract::{Event, Examples, HookSet, HookSpec, Layer};
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
        match_all(&loaded.hooks);
        let mut hooks = loaded.hooks;
        for hook in &mut hooks {
            hook.examples = Examples::default();
        }
        let compiled = Compiled { stamp: b"s".to_vec(), set: HookSet::new(hooks), ..Compiled::default() };
        if let Some(bytes) = compiled.to_bytes() {
            assert_eq!(Compiled::from_bytes(&bytes).as_ref(), Some(&compiled), "{text}");
        }
    }
}

/// Reads a compiled file with a valid checksum, as an attacker could write one.
pub fn compiled(body: &[u8]) {
    Compiled::from_bytes(body);
    let Some(read) = Compiled::from_bytes(&seal(body)) else { return };
    match_all(read.set.hooks.iter().map(AsRef::as_ref));
    if let Some(bytes) = read.to_bytes() {
        assert_eq!(Compiled::from_bytes(&bytes), Some(read));
    }
}

/// Matches the hooks against a call that has everything a matcher can read.
fn match_all<'h>(hooks: impl IntoIterator<Item = &'h HookSpec>) {
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
