//! Secrets never reach the disk.

use crate::common::Store;

#[test]
fn trail_and_spill_files_have_no_secrets() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let store = Store::with_records(1).written_by(|trail| trail.hiding(["hunter2hunter2".to_owned()]));
    let text = format!("git clone with {token} and hunter2hunter2");
    store.append(&text);
    std::fs::rename(store.path("trail.jsonl"), store.path("kept")).unwrap();
    std::fs::create_dir(store.path("trail.jsonl")).unwrap();
    store.append(&text);
    let spilled = std::fs::read_to_string(store.spill_file()).unwrap();
    let trail = String::from_utf8(store.read("kept")).unwrap();
    for written in [spilled, trail] {
        assert!(!written.contains(&token) && !written.contains("hunter2hunter2"), "{written}");
        assert!(written.contains("git clone with [redacted:github] and [redacted:environment]"), "{written}");
    }
}
