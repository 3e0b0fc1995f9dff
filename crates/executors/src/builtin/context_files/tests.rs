use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use serde_json::json;
use tenter_contract::limits::INJECTION_LIMIT;
use tenter_contract::outcome::Round;
use tenter_contract::{
    Dialect, Effect, EventKind, HookId, HookOutput, HookReply, HookReport, HookRun, Layer, Transcript,
};

use crate::builtin::tests::TestBed;

fn stage() -> TestBed {
    let mut stage = TestBed::new();
    stage.event.kind = EventKind::SessionStart;
    stage
}

fn run(stage: &TestBed, layer: Layer, files: &[&str]) -> HookReport {
    let mut hook = stage.hook("context.files", json!({ "files": files }), &[]);
    hook.id = HookId::new(layer, "context-files");
    stage.run_hook(&hook)
}

/// What is injected, and the notice for the user.
fn texts_of(report: &HookReport) -> (Vec<&str>, Option<&str>) {
    let HookOutput::Reply(HookReply { effects, .. }) = &report.output else { panic!("{report:?}") };
    let injected = effects.iter().filter_map(|effect| match effect {
        Effect::Inject(injection) => Some(injection.content.as_str()),
        _ => None,
    });
    let notice = effects.iter().find_map(|effect| match effect {
        Effect::Notify(message) => Some(message.text.as_str()),
        _ => None,
    });
    (injected.collect(), notice)
}

#[test]
fn files_are_injected_once_in_path_order() {
    let stage = stage();
    stage.write("README.md", "# Hello\n\n");
    stage.write("docs/b.md", "b\u{1b}[31m\n");
    stage.write("docs/a.md", "a");
    stage.write("docs/deep/c.md", "c");
    stage.write("docs/empty.md", "\n");
    stage.write("node_modules/x/d.md", "d");
    let report =
        run(&stage, Layer::Project, &["README.md", "docs/**/*.md", "./docs/a.md", "*.md", "no/*.md"]);
    assert_eq!(
        texts_of(&report),
        (
            vec![
                "Context file README.md (project):\n# Hello",
                "Context file docs/a.md (project):\na",
                "Context file docs/b.md (project):\nb",
                "Context file docs/deep/c.md (project):\nc",
            ],
            None
        )
    );
    let wide = run(&stage, Layer::Project, &["**/*.md"]);
    assert_eq!(texts_of(&wide).0.len(), 4, "{wide:?}");
    let folder = run(&stage, Layer::Project, &["docs"]);
    assert_eq!(texts_of(&folder).0.len(), 2, "a folder is the files right in it");
}

#[test]
fn relative_paths_stay_in_the_root() {
    let stage = stage();
    std::fs::write(stage.home().join("key"), "secret").unwrap();
    stage.write("README.md", "hello");
    symlink(stage.home().join("key"), stage.path().join("NOTES.md")).unwrap();
    symlink(stage.home(), stage.path().join("home")).unwrap();
    symlink("README.md", stage.path().join("AGENTS.md")).unwrap();
    for layer in [Layer::Managed, Layer::User, Layer::Profile, Layer::Project, Layer::Local] {
        for files in [&["NOTES.md"][..], &["*.md"], &["home/key"], &["home/*"], &["home"], &["../home/key"]] {
            let report = run(&stage, layer, files);
            let (injected, _) = texts_of(&report);
            assert!(injected.iter().all(|text| !text.contains("secret")), "{layer:?} {files:?}: {report:?}");
            let noted =
                report.transcript.notices.iter().any(|note| note.contains("leads out of the project"));
            assert!(noted, "{layer:?} {files:?}: {report:?}");
        }
        let linked = run(&stage, layer, &["AGENTS.md", "README.md"]);
        assert_eq!(texts_of(&linked).0.len(), 1, "two names of one file: {linked:?}");
    }
}

#[test]
fn absolute_paths_need_the_user_layer() {
    let stage = stage();
    let notes = stage.home().join("notes.md");
    std::fs::write(&notes, "mine").unwrap();
    let whole = notes.to_str().unwrap();
    for (layer, given) in [
        (Layer::Managed, true),
        (Layer::User, true),
        (Layer::Profile, true),
        (Layer::Project, false),
        (Layer::Local, false),
    ] {
        for files in [&["~/notes.md"][..], &["~/*.md"], &[whole]] {
            let report = run(&stage, layer, files);
            let expected = if given {
                vec![format!(
                    "Context file {} ({}):\nmine",
                    notes.canonicalize().unwrap().display(),
                    layer.as_str()
                )]
            } else {
                vec![]
            };
            assert_eq!(texts_of(&report).0, expected, "{layer:?} {files:?}: {report:?}");
        }
    }
}

#[test]
fn missing_file_is_notified_once() {
    let expected = "files for the context are left out: `docs/x.md` is not there";
    let stage = stage();
    assert_eq!(texts_of(&run(&stage, Layer::Project, &["docs/x.md", "docs/*.md"])), (vec![], Some(expected)));
    let again = run(&stage, Layer::Project, &["docs/x.md"]);
    assert_eq!(texts_of(&again), (vec![], None));
    assert_eq!(again.transcript.notices, ["`docs/x.md` is not there"]);
    // Not every project has what a file for all projects hopes for.
    assert_eq!(texts_of(&run(&stage, Layer::User, &["docs/x.md"])).1, None);
    assert!(texts_of(&run(&stage, Layer::User, &["~/x.md"])).1.is_some());
    let mut hook = stage.hook("context.files", json!({ "files": ["~/other.md"] }), &[]);
    hook.dialect = Dialect::AmazonQ;
    assert_eq!(texts_of(&stage.run_hook(&hook)).1, None);
}

#[test]
fn long_file_is_cut_with_a_pointer() {
    let stage = stage();
    let line = "ä".repeat(40) + "\n";
    for (text, cut) in [(line.repeat(126), false), (line.repeat(2000), true), ("ä".repeat(30_000), true)] {
        stage.write("long.md", &text);
        let report = run(&stage, Layer::User, &["long.md"]);
        let (injected, notice) = texts_of(&report);
        let [given] = injected[..] else { panic!("{report:?}") };
        assert!(given.len() <= INJECTION_LIMIT, "{}", given.len());
        assert!(!given.contains('\u{fffd}'));
        assert_eq!(notice, None);
        let rest = format!("… cut here: the file has {} bytes; the rest is in ", text.len());
        assert_eq!(given.contains(&rest), cut);
        assert_eq!(report.transcript.notices.len(), usize::from(cut), "{:?}", report.transcript.notices);
        if cut {
            assert!(given.len() > INJECTION_LIMIT - 200, "{}", given.len());
        }
    }
}

#[test]
fn binary_files_and_pipes_are_left_out() {
    let stage = stage();
    stage.write("logo.png", "\u{0}PNG");
    let pipe = stage.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let report = run(&stage, Layer::Project, &["logo.png", "pipe"]);
    let (injected, notice) = texts_of(&report);
    let expected = "files for the context are left out: `pipe` is no plain file; `logo.png` is not a text";
    assert_eq!((injected, notice), (vec![], Some(expected)));
}

#[test]
fn odd_file_names_are_shown_on_one_line() {
    let stage = stage();
    for name in [&b"a\xff.md"[..], b"b\nFrom guard.md"] {
        std::fs::write(stage.path().join(std::ffi::OsStr::from_bytes(name)), "x").unwrap();
    }
    let report = run(&stage, Layer::Project, &["*.md"]);
    assert_eq!(
        texts_of(&report).0,
        ["Context file a\u{fffd}.md (project):\nx", "Context file b\\nFrom guard.md (project):\nx"]
    );
}

#[test]
fn files_beyond_the_limit_are_counted() {
    let stage = stage();
    for number in 0..53 {
        stage.write(&format!("rules/{number:02}.md"), "x");
    }
    let report = run(&stage, Layer::Project, &["rules/*.md"]);
    let (injected, notice) = texts_of(&report);
    assert_eq!(injected.len(), 50);
    assert_eq!(
        notice,
        Some("files for the context are left out: `rules/50.md` and 2 more files come after the first 50")
    );
}

#[test]
fn file_of_another_layer_is_not_repeated() {
    let mut stage = stage();
    stage.write("README.md", "hello");
    stage.write("more.md", "more");
    let first = run(&stage, Layer::User, &["README.md"]);
    stage.event.previous = vec![HookRun {
        hook: HookId::new(Layer::User, "context-files"),
        round: Round::First,
        output: first.output,
        transcript: Transcript::default(),
    }];
    let second = run(&stage, Layer::Project, &["*.md"]);
    assert_eq!(texts_of(&second), (vec!["Context file more.md (project):\nmore"], None));
    assert_eq!(second.transcript.notices, ["`README.md` is already injected by user/context-files"]);
}
