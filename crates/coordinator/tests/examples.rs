//! The examples, run, with what they must print.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its data should stop there")]

use std::error::Error;
use std::io::Write;

#[path = "../examples/embed.rs"]
#[expect(dead_code, reason = "its `main` is for `cargo run`")]
mod embed;
#[path = "../examples/git_status.rs"]
#[expect(dead_code, reason = "its `main` is for `cargo run`")]
mod git_status;
#[path = "../examples/linter_loop.rs"]
#[expect(dead_code, reason = "its `main` is for `cargo run`")]
mod linter_loop;
#[path = "../examples/multi_hook_batch.rs"]
#[expect(dead_code, reason = "its `main` is for `cargo run`")]
mod multi_hook_batch;
#[path = "../examples/production_protection.rs"]
#[expect(dead_code, reason = "its `main` is for `cargo run`")]
mod production_protection;

type Example = fn(&mut dyn Write) -> Result<(), Box<dyn Error>>;

fn printed(example: Example) -> String {
    let mut out = Vec::new();
    example(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn embedding_takes_thirty_lines() {
    assert_eq!(
        printed(embed::run),
        "the model reads: Operation denied by no-secrets: Secrets stay where they are.\n\
         system: You wrote 12 bytes.\n"
    );
    let source = include_str!("../examples/embed.rs");
    let code = source.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with("//"));
    let of_run = code.skip_while(|line| !line.starts_with("pub(crate) fn run")).count();
    assert!(of_run <= 30, "{of_run} lines");
}

#[test]
fn linter_findings_reach_the_model() {
    assert_eq!(
        printed(linter_loop::run),
        "[hook:linter_feedback] warning: Found 1 linting issue\n\
         user: Update config.py\n\
         assistant: I write config.py: 95 bytes\n\
         system: Linter found issues in config.py:\n  Line 2: E501 line too long\n\
         assistant: I write config.py: 40 bytes\n"
    );
}

#[test]
fn production_is_written_only_with_a_yes() {
    assert_eq!(
        printed(production_protection::run),
        "/staging/config.py: written\n\
         /production/config.py: User denied: Allow write to production file: /production/config.py?\n\
         /production/notes.md: written\n"
    );
}

#[test]
fn git_status_is_in_the_context() {
    assert_eq!(
        printed(git_status::run),
        "system: Git status:\n## No commits yet on main\n?? config.py\n?? models.py\n"
    );
}

#[test]
fn three_hooks_are_one_message() {
    assert_eq!(
        printed(multi_hook_batch::run),
        "system: Hook feedback:\n\n\
         From linter_feedback (63 bytes):\nLinter found issues in config.py:\n  Line 42: E501 line too long\n\n\
         From type_checker (67 bytes):\nType errors in models.py:\n  Line 15: Missing return type annotation\n\n\
         From test_runner (34 bytes):\nTests failed: 2 failures, 0 errors\n\
         {\"hooks\":[\"linter_feedback\",\"type_checker\",\"test_runner\"],\"source\":\"hook\"}\n"
    );
}
