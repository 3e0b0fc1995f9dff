//! Every kind of broken store, through the real hooks: the session continues, the notice is clear, and stored memories
//! stay stored.

use std::any::Any;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::world::{World, skipped};

/// A trouble, and how it ends.
struct Trouble {
    name: &'static str,
    /// Brings it about; what is returned holds it until the end.
    begins: fn(&World) -> Option<Box<dyn Any>>,
    /// Lines of shell before and after everything that happens in it. They have `$M`, the folder of the memory, and a
    /// namespace in which they may mount.
    around: Option<[&'static str; 2]>,
    /// What the user reads, once.
    notice: &'static str,
    /// Mends it.
    ends: fn(&World),
    /// Whether what was stored before is gone with it.
    loses: bool,
}

const TROUBLES: [Trouble; 10] = [
    Trouble {
        name: "locked",
        begins: |world| {
            let (other, _) = Other::says(world, "db.execute('BEGIN EXCLUSIVE')");
            Some(Box::new(other))
        },
        around: None,
        notice: "locked by another process",
        ends: |_| {},
        loses: false,
    },
    Trouble {
        name: "locked for readers too",
        begins: |world| {
            let alone = "db.execute('PRAGMA locking_mode = EXCLUSIVE'); db.execute('BEGIN EXCLUSIVE')";
            let (other, _) = Other::says(world, alone);
            Some(Box::new(other))
        },
        around: None,
        notice: "locked by another process",
        ends: |_| {},
        loses: false,
    },
    Trouble {
        name: "no database",
        begins: |world| {
            write_at(world, 0, &[0; 100]);
            None
        },
        around: None,
        notice: "`tenter memory repair`",
        ends: repair,
        loses: false,
    },
    Trouble {
        name: "damaged words",
        begins: |world| {
            damage_page_of(world, "words_full_data");
            None
        },
        around: None,
        notice: "`tenter memory repair`",
        ends: repair,
        loses: false,
    },
    Trouble {
        name: "damaged rows",
        begins: |world| {
            damage_page_of(world, "experiences_by_project");
            None
        },
        around: None,
        notice: "`tenter memory repair`",
        ends: repair,
        loses: false,
    },
    Trouble {
        name: "missing",
        begins: |world| {
            std::fs::remove_file(database(world)).unwrap();
            None
        },
        around: None,
        notice: "gone or empty",
        ends: |_| {},
        loses: true,
    },
    Trouble {
        name: "empty",
        begins: |world| {
            std::fs::write(database(world), "").unwrap();
            None
        },
        around: None,
        notice: "gone or empty",
        ends: |_| {},
        loses: true,
    },
    Trouble {
        name: "newer",
        begins: |world| {
            raise_version(world, 100);
            None
        },
        around: None,
        notice: "newer tenter",
        ends: |world| raise_version(world, -100),
        loses: false,
    },
    Trouble {
        name: "read-only",
        begins: |_| None,
        around: Some(["mount --bind \"$M\" \"$M\"; mount -o remount,bind,ro \"$M\"", "umount \"$M\""]),
        notice: "writable",
        ends: |_| {},
        loses: false,
    },
    Trouble {
        name: "full disk",
        begins: |_| None,
        around: Some([
            "cp -a \"$M\" \"$M.kept\"; mount -t tmpfs -o size=2m,mode=700 none \"$M\"; cp -a \"$M.kept/.\" \"$M\"; \
             rm -r \"$M.kept\"; cat /dev/zero >\"$M/filler\" 2>/dev/null || true",
            "rm \"$M/filler\"; cp -a \"$M\" \"$M.kept\"; umount \"$M\"; cp -a \"$M.kept/.\" \"$M\"; rm -r \"$M.kept\"",
        ]),
        notice: "no room on the disk",
        ends: |_| {},
        loses: false,
    },
];

pub(super) fn folder(world: &World) -> PathBuf {
    world.state().join("tenter/memory")
}

fn database(world: &World) -> PathBuf {
    folder(world).join("memory.db")
}

const PYTHON: &str = "/usr/bin/python3";

/// Another process that has the database open, until it is dropped.
struct Other(Child);

impl Other {
    /// Does something with `db`, a connection, and says what `said` is then.
    fn says(world: &World, script: &str) -> (Self, String) {
        let script = format!(
            "import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1], isolation_level=None)\nsaid = ''\n{script}\n\
             print(said, flush=True)\nsys.stdin.read()\ndb.close()"
        );
        let mut other = Command::new(PYTHON)
            .args(["-c", &script])
            .arg(database(world))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        BufReader::new(other.stdout.take().unwrap()).read_line(&mut said).unwrap();
        assert!(said.ends_with('\n'), "it ended without a word: {script}");
        (Self(other), said.trim().to_owned())
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // It closes the database when its stdin is closed.
        drop(self.0.stdin.take());
        assert!(self.0.wait().unwrap().success());
    }
}

pub(super) fn damage_page_of(world: &World, name: &str) {
    let root = format!("SELECT rootpage FROM sqlite_master WHERE name = '{name}'");
    let (other, page) = Other::says(world, &format!("said = db.execute(\"{root}\").fetchone()[0]"));
    drop(other);
    write_at(world, (page.parse::<usize>().unwrap() - 1) * 4096, &[0xff; 4096]);
}

fn raise_version(world: &World, by: i64) {
    let raise = format!(
        "was = db.execute('PRAGMA user_version').fetchone()[0]\ndb.execute(f'PRAGMA user_version = {{was + {by}}}')"
    );
    drop(Other::says(world, &raise));
}

pub(super) fn write_at(world: &World, at: usize, bytes: &[u8]) {
    let mut all = std::fs::read(database(world)).unwrap();
    all[at..at + bytes.len()].copy_from_slice(bytes);
    std::fs::write(database(world), all).unwrap();
}

fn repair(world: &World) {
    let ran = world.tenter(&["memory", "repair", "--json"]).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&said["lost"], said["damaged_files"].as_array().unwrap().len()), (&json!([]), 1), "{said}");
}

fn event(name: &str, more: &Value) -> String {
    let mut event = json!({"session_id": "s1", "hook_event_name": name, "cwd": "/"});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event.to_string()
}

/// What happens while the store is in trouble: payloads for the hook, and commands.
fn in_trouble() -> Vec<(Option<String>, Vec<&'static str>)> {
    let hook = |name: &str, more: Value| (Some(event(name, &more)), Vec::new());
    let bash = |id: &str| json!({"tool_name": "Bash", "tool_input": {"command": format!("echo {id}")}, "tool_use_id": id});
    vec![
        hook("SessionStart", json!({"source": "startup"})),
        hook("UserPromptSubmit", json!({"prompt": "Fix the flaky login test"})),
        hook("PreToolUse", bash("toolu_1")),
        (None, vec!["ghap", "resolve", "confirmed", "--result", "It was the cookie, as predicted"]),
        (None, vec!["memory", "add", "Stored in trouble"]),
        hook("UserPromptSubmit", json!({"prompt": "Fix the flaky login test again"})),
        hook("PreToolUse", bash("toolu_2")),
        hook("SessionEnd", json!({"reason": "other"})),
    ]
}

/// How one of them ended.
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

/// Runs all of them, one after the other, between two lines of shell.
fn run_all(world: &World, around: Option<[&str; 2]>) -> Vec<Ran> {
    let out = world.home().join("out");
    std::fs::create_dir_all(&out).unwrap();
    let quoted = |path: &std::path::Path| format!("'{}'", path.display());
    let [before, after] = around.unwrap_or(["", ""]);
    let mut lines = vec!["set -eu".to_owned(), format!("M={}", quoted(&folder(world))), before.to_owned()];
    for (number, (payload, arguments)) in in_trouble().iter().enumerate() {
        let file = |end: &str| out.join(format!("{number}.{end}"));
        std::fs::write(file("in"), payload.as_deref().unwrap_or_default()).unwrap();
        let words: Vec<String> = arguments.iter().map(|word| format!("'{word}'")).collect();
        let program = if payload.is_some() {
            format!("'{}' claude", env!("CARGO_BIN_EXE_tenter-hook"))
        } else {
            format!("'{}' {}", env!("CARGO_BIN_EXE_tenter"), words.join(" "))
        };
        let [from, stdout, stderr, code] = ["in", "out", "err", "code"].map(|end| quoted(&file(end)));
        lines.push(format!("{{ {program} <{from} >{stdout} 2>{stderr} && echo 0 || echo $?; }} >{code}"));
    }
    lines.push(after.to_owned());
    let script = lines.join("\n");
    let arguments = ["-m", "sh", "-c", script.as_str()];
    let shell = if around.is_some() {
        world.run(std::path::Path::new("/usr/bin/unshare"), &arguments)
    } else {
        world.run(std::path::Path::new("/bin/sh"), &arguments[2..])
    };
    assert_eq!(shell.code, Some(0), "{shell:?}");
    let read =
        |number: usize, end: &str| std::fs::read_to_string(out.join(format!("{number}.{end}"))).unwrap();
    let ran = |number| Ran {
        code: read(number, "code").trim().parse().unwrap(),
        stdout: read(number, "out"),
        stderr: read(number, "err"),
    };
    (0..in_trouble().len()).map(ran).collect()
}

fn may_mount() -> bool {
    let tried =
        Command::new("/usr/bin/unshare").args(["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status();
    tried.is_ok_and(|status| status.success())
}

/// What is stored and what is being worked on.
fn known(world: &World) -> String {
    ["ghap list", "ghap show", "memory list"]
        .map(|line| {
            let arguments: Vec<&str> = line.split(' ').collect();
            world.tenter(&arguments).run().stdout
        })
        .concat()
}

#[test]
fn session_survives_a_broken_store() {
    if !Path::new(PYTHON).is_file() {
        return skipped("this wants /usr/bin/python3, which opens the store as another process");
    }
    let start = [
        "ghap",
        "start",
        "--domain",
        "debugging",
        "--strategy",
        "read-the-error",
        "--hypothesis",
        "The cookie is stale",
        "--action",
        "Clear it",
        "--prediction",
        "It passes",
    ];
    for trouble in TROUBLES {
        let name = trouble.name;
        if trouble.around.is_some() && !may_mount() {
            skipped(&format!("{name}: nothing can be mounted here; that takes root"));
            continue;
        }
        let world = World::new();
        std::fs::create_dir(world.project().join(".git")).unwrap();
        let quietly = |arguments: &[&str]| {
            let ran = world.tenter(arguments).run();
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}: {arguments:?}");
        };
        quietly(&["init", "claude", "--allow-build-path"]);
        quietly(&[&start[..], &["--goal", "Stored before"]].concat());
        quietly(&["ghap", "resolve", "confirmed", "--result", "It was the cookie, as predicted"]);
        quietly(&["memory", "add", "Remembered before"]);
        quietly(&[&start[..], &["--goal", "Begun before"]].concat());
        let held = (trouble.begins)(&world);

        let ran = run_all(&world, trouble.around);
        let mut notices = Vec::new();
        let mut stored = Vec::new();
        for ((payload, arguments), ran) in in_trouble().iter().zip(&ran) {
            let what = format!("{name}: {payload:?} {arguments:?}\n{}{}", ran.stdout, ran.stderr);
            if payload.is_some() {
                assert_eq!(ran.code, 0, "{what}");
                let answer: Value = if ran.stdout.is_empty() {
                    json!({})
                } else {
                    serde_json::from_str(&ran.stdout).unwrap()
                };
                assert_ne!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{what}");
                assert_ne!(answer["decision"], "block", "{what}");
                let said = answer["systemMessage"].as_str().unwrap_or_default().to_owned() + &ran.stderr;
                notices.extend(said.lines().map(str::to_owned).filter(|line| line.contains(trouble.notice)));
            } else if ran.code == 0 {
                stored.push(if arguments[0] == "ghap" { "Begun before" } else { "Stored in trouble" });
            } else {
                assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("\nhint: "), "{what}");
            }
        }
        assert_eq!(notices.len(), 1, "{name}: {notices:#?}");
        drop(held);
        (trouble.ends)(&world);

        let known = known(&world);
        for text in stored {
            assert!(known.contains(text), "{name}: {text} is gone\n{known}");
        }
        // What could not be resolved is still being tried.
        assert!(known.contains("Begun before"), "{name}\n{known}");
        for text in ["Stored before", "Remembered before"] {
            assert!(known.contains(text) != trouble.loses, "{name}: {text}\n{known}");
        }
        let doctor = world.tenter(&["doctor", "--json"]).run();
        let doctor: Value = serde_json::from_str(&doctor.stdout).unwrap();
        let memory = |check: &&Value| check["about"] == "memory" && check["result"] != "ok";
        let wrong: Vec<&Value> = doctor["checks"].as_array().unwrap().iter().filter(memory).collect();
        assert_eq!(wrong, Vec::<&Value>::new(), "{name}");
    }
}
