use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenter_contract::{HookFailure, HookOutput, HookReport, ToolKind};

use crate::builtin::tests::{TestBed, injected, program, silent};

/// A tool that finds something in whatever it is given, and says with what it was called.
const FINDS: &str = r#"for word in "$@"; do last=$word; done; echo "$last:1:1: E1 called with $*"; exit 1"#;

fn notices(report: &HookReport) -> String {
    report.transcript.notices.join("\n")
}

#[test]
fn matching_tool_reports_findings() {
    let mut stage = TestBed::new().with_programs(&[("ruff", FINDS), ("shellcheck", FINDS)]);
    for (file, tool) in [("a.py", "ruff"), ("b.sh", "shellcheck")] {
        stage.write(file, "");
        stage.wrote(&[file]);
        let output = injected(stage.run("lint.feedback", json!({})));
        let (head, line) = output.split_once('\n').unwrap();
        assert_eq!(head, format!("{tool} found problems in {file}:"));
        assert!(line.starts_with(&format!("{file}:1:1: E1 called with ")), "{output}");
    }
}

#[test]
fn clean_file_has_no_reply() {
    let mut stage = TestBed::new().with_programs(&[("ruff", "exit 0")]);
    stage.write("a.py", "");
    stage.wrote(&["a.py"]);
    silent(&stage.run("lint.feedback", json!({})));
}

#[test]
fn missing_tool_is_a_notice() {
    let mut stage = TestBed::new().with_programs(&[]);
    for file in ["a.py", "b.txt"] {
        stage.write(file, "");
    }
    stage.wrote(&["a.py", "b.txt"]);
    let report = stage.run("lint.feedback", json!({}));
    silent(&report);
    assert_eq!(notices(&report), "ruff is not installed\nno tool is known for b.txt");
    let report = stage.run("types.feedback", json!({ "tools": ["pyright"] }));
    silent(&report);
    assert_eq!(notices(&report), "pyright is not installed\nno tool is known for b.txt");
}

#[test]
fn project_tool_comes_first() {
    let mut stage = TestBed::new().with_programs(&[("eslint", "exit 0")]);
    stage.write("web/src/a.ts", "");
    program(&stage.path().join("web/node_modules/.bin/eslint"), FINDS);
    stage.wrote(&["web/src/a.ts"]);
    assert!(
        injected(stage.run("lint.feedback", json!({}))).starts_with("eslint found problems in web/src/a.ts:")
    );
}

#[test]
fn named_tools_run_in_order() {
    let mut stage =
        TestBed::new().with_programs(&[("mypy", FINDS), ("pyright", "echo 'a.py:1:1 - error: x'; exit 1")]);
    stage.write("a.py", "");
    stage.wrote(&["a.py"]);
    let output = |tools: Value| injected(stage.run("types.feedback", json!({ "tools": tools })));
    assert!(output(json!(["pyright", "mypy"])).starts_with("pyright found"));
    assert!(output(json!(["mypy"])).starts_with("mypy found"));
}

#[test]
fn broken_tool_fails_the_hook() {
    let mut stage = TestBed::new().with_programs(&[("ruff", "echo 'bad configuration' >&2; exit 2")]);
    stage.write("a.py", "");
    stage.wrote(&["a.py"]);
    let report = stage.run("lint.feedback", json!({}));
    assert_eq!(report.output, HookOutput::Failure(HookFailure::Crashed { exit_code: Some(2), signal: None }));
    assert_eq!(report.transcript.stderr, "bad configuration\n");
}

#[test]
fn hanging_tool_is_ended() {
    let mut stage = TestBed::new().with_programs(&[("ruff", "/bin/sleep 30")]);
    stage.write("a.py", "");
    stage.wrote(&["a.py"]);
    let mut hook = stage.hook("lint.feedback", json!({}), &[]);
    hook.timeout = std::time::Duration::from_millis(200);
    let said = stage.run_hook(&hook).output;
    assert_eq!(said, HookOutput::Failure(HookFailure::TimedOut { after: hook.timeout }));
}

#[test]
fn lines_about_the_file_come_first() {
    let script =
        r"for n in 1 2 3 4 5 6; do echo other.py:$n: x; done; printf 'a.py:1: \033[31mred\033[0m\n'; exit 1";
    let mut stage = TestBed::new().with_programs(&[("mypy", script)]);
    stage.write("a.py", "");
    stage.wrote(&["a.py"]);
    let output = injected(stage.run("types.feedback", json!({ "limit": 3 })));
    let expected = "mypy found problems after a change of a.py:\na.py:1: red\nother.py:1: x\nother.py:2: x\n… and 4 lines more";
    assert_eq!(output, expected);
}

#[test]
fn tool_output_is_cut_to_injection_limit() {
    let script = r#"yes "a.py:1: $(printf 'x%.0s' $(seq 400))" | head -n 100000; exit 1"#;
    let mut stage = TestBed::new();
    program(&stage.path().join(".venv/bin/mypy"), script);
    stage.write("a.py", "");
    stage.wrote(&["a.py"]);
    let output = injected(stage.run("types.feedback", json!({ "limit": 200 })));
    assert!(output.len() <= 10_240 && output.ends_with("\n… cut"), "{}", output.len());
}

#[test]
fn hostile_file_name_is_one_argument() {
    let seen = r#"printf '%s\n' "$#" "$@" >"$HOME/seen"; exit 1"#;
    for file in ["a.py; touch x.py", "--help.py", "$(touch x).py", "-.py", "a\nb.py", "* .py"] {
        let mut stage = TestBed::new().with_programs(&[("ruff", seen)]);
        stage.write(file, "");
        stage.wrote(&[file]);
        stage.run("lint.feedback", json!({}));
        let seen = std::fs::read_to_string(stage.home().join("seen")).unwrap();
        let path = stage.path().canonicalize().unwrap().join(file);
        assert!(seen.starts_with("7\n") && seen.ends_with(&format!("--\n{}\n", path.display())), "{seen}");
        assert_eq!(std::fs::read_dir(stage.path()).unwrap().count(), 1, "{file}");
        for command in [
            json!("printf '%s\\n' {tool.path}; exit 1"),
            json!(["/bin/sh", "-c", "echo \"$0\"; exit 1", "{tool.path}"]),
        ] {
            let output = injected(stage.run("tests.feedback", json!({ "command": command })));
            assert!(output.starts_with("The tests failed after a change of "), "{output}");
            assert_eq!(std::fs::read_dir(stage.path()).unwrap().count(), 1, "{file}");
        }
    }
}

#[test]
fn call_without_written_file_is_skipped() {
    let mut stage = TestBed::new();
    for (name, kind, input) in [
        ("Bash", ToolKind::Shell, json!({ "command": "touch a.py" })),
        ("Read", ToolKind::Read, json!({ "file_path": "a.py" })),
        ("Write", ToolKind::Write, json!({ "file_path": "gone.py" })),
        ("Write", ToolKind::Write, json!({})),
    ] {
        stage.called(name, kind, input);
        for feedback in ["lint.feedback", "types.feedback", "tests.feedback"] {
            let said = stage.run(feedback, json!({})).output;
            assert!(matches!(said, HookOutput::Skipped { .. }), "{name}: {said:?}");
        }
    }
}

#[test]
fn tests_belong_to_file_by_name() {
    let mut stage = TestBed::new().with_programs(&[("pytest", FINDS)]);
    for file in ["src/app/a.py", "tests/unit/test_a.py", "src/app/a_test.py", "tests/test_b.py", "src/c.py"] {
        stage.write(file, "");
    }
    let output = |stage: &TestBed| injected(stage.run("tests.feedback", json!({})));
    stage.wrote(&["src/app/a.py"]);
    assert!(
        output(&stage).ends_with("no:cacheprovider src/app/a_test.py tests/unit/test_a.py"),
        "{}",
        output(&stage)
    );
    stage.wrote(&["tests/test_b.py"]);
    assert!(output(&stage).ends_with("no:cacheprovider tests/test_b.py"));
    stage.wrote(&["src/c.py"]);
    let report = stage.run("tests.feedback", json!({}));
    silent(&report);
    assert_eq!(notices(&report), "no test belongs to src/c.py");
}

#[test]
fn each_language_uses_its_test_runner() {
    let words = r#"echo "$PWD: $*"; exit 1"#;
    let programs = [("cargo", words), ("go", words), ("vitest", words), ("cargo-clippy", "exit 0")];
    let mut stage = TestBed::new().with_programs(&programs);
    for file in ["one/Cargo.toml", "one/src/lib.rs", "one/tests/it.rs", "pkg/a.go", "web/a.ts"] {
        stage.write(file, "");
    }
    for (file, expected) in [
        ("one/src/lib.rs", "one: test --quiet --manifest-path one/Cargo.toml"),
        ("one/tests/it.rs", "one: test --quiet --manifest-path one/Cargo.toml --test it"),
        ("pkg/a.go", "pkg: test ."),
        ("web/a.ts", ": related --run --passWithNoTests web/a.ts"),
    ] {
        stage.wrote(&[file]);
        let output = injected(stage.run("tests.feedback", json!({})));
        assert!(output.ends_with(expected), "{output}");
    }
}

#[test]
fn failing_tests_report_the_end() {
    let mut stage = TestBed::new();
    stage.write("a.xyz", "");
    stage.wrote(&["a.xyz"]);
    let options = json!({ "command": "seq 1 100; echo 1 failed >&2; exit 3", "limit": 3 });
    let output = injected(stage.run("tests.feedback", options));
    assert_eq!(
        output,
        "The tests failed after a change of a.xyz:\n… 98 lines before this\n99\n100\n1 failed"
    );
    silent(&stage.run("tests.feedback", json!({ "command": "true" })));
    let said = stage.run("tests.feedback", json!({ "command": "no-such-program-of-ours" })).output;
    assert!(matches!(said, HookOutput::Failure(HookFailure::Missing { .. })), "{said:?}");
}

/// A real tool: from `PATH`, or from where `scripts/test` puts them.
fn real(name: &str) -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let tools = cache.map(|cache| cache.join("tenter/tools")).into_iter();
    let ours = tools.flat_map(|tools| [tools.join("venv/bin"), tools.join("npm/node_modules/.bin")]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        ours.chain(std::env::split_paths(&path)).map(|folder| folder.join(name)).find(|file| file.is_file());
    if found.is_none() {
        eprintln!("skipped: {name} is not installed; `scripts/test` installs it");
    }
    found
}

/// A project in which this tool is installed.
fn with(tool: &Path) -> TestBed {
    let stage = TestBed::new();
    let script = format!("exec {} \"$@\"", tenter_contract::template::shell_quote(&tool.to_string_lossy()));
    program(&stage.path().join(".venv/bin").join(tool.file_name().unwrap()), &script);
    stage
}

/// What a real tool finds in a bad file and in a good one; versions differ in their words, not in these.
fn check_real(tool: &str, feedback: &str, files: &[(&str, &str)], good: &str, expected: &[&str]) {
    let Some(found) = real(tool) else { return };
    let mut stage = with(&found);
    for (file, text) in files {
        stage.write(file, text);
    }
    let (file, _) = files[files.len() - 1];
    stage.wrote(&[file]);
    let options = match feedback {
        "tests.feedback" => json!({}),
        _ => json!({ "tools": [tool] }),
    };
    let output = injected(stage.run(feedback, options.clone()));
    for words in expected {
        assert!(output.contains(words), "{words}: {output}");
    }
    stage.write(file, good);
    silent(&stage.run(feedback, options));
}

#[test]
fn ruff_itself() {
    let expected = ["ruff found problems in src/a.py:\n", "src/a.py:1:8: F401", "`os`"];
    check_real("ruff", "lint.feedback", &[("src/a.py", "import os\n")], "X = 1\n", &expected);
}

#[test]
fn shellcheck_itself() {
    let expected = ["shellcheck found problems in a:\n", "a:2:6:", "[SC2086]"];
    check_real(
        "shellcheck",
        "lint.feedback",
        &[("a", "#!/bin/sh\necho $1\n")],
        "#!/bin/sh\necho \"$1\"\n",
        &expected,
    );
}

#[test]
fn eslint_itself() {
    let config = "export default [{ rules: { \"no-unused-vars\": \"error\" } }];\n";
    let files = [("eslint.config.mjs", config), ("src/a.js", "const unused = 1;\n")];
    let expected = ["eslint found problems in src/a.js:\n", "1:7", "no-unused-vars"];
    check_real("eslint", "lint.feedback", &files, "export const used = 1;\n", &expected);
    let Some(eslint) = real("eslint") else { return };
    let mut stage = with(&eslint);
    stage.write("a.js", "const unused = 1;\n");
    stage.wrote(&["a.js"]);
    let report = stage.run("lint.feedback", json!({}));
    silent(&report);
    assert_eq!(notices(&report), "eslint has no configuration here");
}

#[test]
fn mypy_itself() {
    let expected =
        ["mypy found problems after a change of src/a.py:\n", "src/a.py:1: error:", "[assignment]"];
    check_real("mypy", "types.feedback", &[("src/a.py", "x: int = 'a'\n")], "x: int = 1\n", &expected);
}

#[test]
fn tsc_itself() {
    let files = [
        ("tsconfig.json", r#"{ "compilerOptions": { "strict": true, "types": [] } }"#),
        ("src/a.ts", "const x: number = 'a';\n"),
    ];
    let expected = ["tsc found problems after a change of src/a.ts:\n", "src/a.ts(1,7): error TS2322"];
    check_real("tsc", "types.feedback", &files, "export const x: number = 1;\n", &expected);
}

#[test]
fn pytest_itself() {
    let test =
        "import sys; sys.path.insert(0, 'src')\nfrom a import one\ndef test_one():\n    assert one() == 1\n";
    let files = [("tests/test_a.py", test), ("src/a.py", "def one():\n    return 2\n")];
    let expected = ["pytest failed after a change of src/a.py:\n", "test_one", "assert 2 == 1", "1 failed"];
    check_real(
        "pytest",
        "tests.feedback",
        &files,
        "def one():\n    return 0 + 1 * 1  # another size\n",
        &expected,
    );
}

#[test]
fn clippy_and_cargo_test_themselves() {
    let mut stage = TestBed::new();
    stage.write(
        "Cargo.toml",
        "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    stage.write(
        "src/lib.rs",
        "pub fn one() -> i32 {\n    return 2;\n}\n#[test]\nfn is_one() {\n    assert_eq!(one(), 1);\n}\n",
    );
    stage.wrote(&["src/lib.rs"]);
    let target = stage.home().join("target").to_string_lossy().into_owned();
    let env = [("CARGO_TARGET_DIR", target.as_str()), ("HOME", env!("HOME"))];
    let run = |feedback: &str| stage.run_hook(&stage.hook(feedback, json!({}), &env));
    if real("cargo-clippy").is_some() {
        let output = injected(run("lint.feedback"));
        assert!(
            output.starts_with("clippy found problems in src/lib.rs:\nsrc/lib.rs:2:5: warning"),
            "{output}"
        );
    }
    let output = injected(run("tests.feedback"));
    assert!(
        output.contains("cargo test failed after a change of src/lib.rs:") && output.contains("is_one"),
        "{output}"
    );
    stage.write(
        "src/lib.rs",
        "pub fn one() -> i32 {\n    1\n}\n#[test]\nfn is_one() {\n    assert_eq!(one(), 1);\n}\n",
    );
    for feedback in ["lint.feedback", "tests.feedback"] {
        silent(&run(feedback));
    }
}
