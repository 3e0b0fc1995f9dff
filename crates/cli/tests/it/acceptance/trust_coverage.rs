//! Security case C6: trust covers every file that affects a project hook, or lists it as not covered.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::world::{REASON, World, bash};

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A project with one guard, and files.
fn project(hook: &str, files: &[(&str, &str)]) -> World {
    let world = World::new();
    let hooks = format!(
        "version: 1\nhooks:\n  tool:pre:\n    - {{ name: guard, on_failure: deny, matcher: Bash, {hook} }}\n"
    );
    write(&world.project().join(".tenter/hooks.yaml"), &hooks);
    for (path, text) in files {
        write(&world.project().join(path), text);
    }
    world
}

fn shown(world: &World) -> String {
    world.tenter(&["trust", "show"]).run().stdout
}

/// Trusts the project, checks that the guard passes, applies a change and checks that the guard denies without running.
fn assert_change_denies(what: &str, world: &World, change: impl Fn(&Path)) {
    let trusted = world.tenter(&["trust", "--yes"]).run();
    assert_eq!(trusted.code, Some(0), "{what}: {trusted:?}");
    assert_eq!(world.claude(&bash("ls")).run().stdout, "", "{what}");
    change(&world.project());
    let denied = world.claude(&bash("ls -l")).run();
    assert!(denied.field(REASON).contains("changed since you trusted them"), "{what}: {denied:?}");
    assert!(!world.project().join("ran").exists(), "{what}");
}

/// Backdates every file and the trust, so that the compiled form is cached.
fn age_files(world: &World) {
    world.sh("find . \"$XDG_STATE_HOME/tenter/trust\" -exec touch -h -d '1 minute ago' {} +");
}

/// Whether the compiled form is cached.
fn is_cached(world: &World) -> bool {
    let found = fs::read_dir(world.state().join("tenter/cache")).into_iter().flatten().flatten();
    found.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("hooks-"))
}

const RAN: &str = "touch ran\n";
const PYTHON_RAN: &str = "open('ran', 'w')\n";

#[test]
fn importable_and_new_python_modules_are_covered() {
    let files = [
        (".tenter/g.py", "from pk import h\nfrom pk.deep import d\ndef check(event): return None\n"),
        (".tenter/pk/h.py", ""),
        (".tenter/pk/deep/d.py", ""),
    ];
    for changed in [
        ".tenter/pk/h.py",
        ".tenter/pk/deep/d.py",
        ".tenter/pk/__init__.py",
        ".tenter/json.py",
        ".tenter/target/new.py",
        ".tenter/pk/h/__init__.py",
    ] {
        let world = project("python: g.check", &files);
        assert_change_denies(changed, &world, |project| write(&project.join(changed), PYTHON_RAN));
    }
}

#[test]
fn linked_python_package_is_covered() {
    let files = [
        (".tenter/g.py", "from pk import h\ndef check(event): return None\n"),
        ("lib/h.py", ""),
        ("other/h.py", PYTHON_RAN),
    ];
    let edits: [fn(&Path); 2] = [
        |project| write(&project.join("lib/h.py"), PYTHON_RAN),
        |project| {
            fs::remove_file(project.join(".tenter/pk")).unwrap();
            symlink("../other", project.join(".tenter/pk")).unwrap();
        },
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        let world = project("python: g.check", &files);
        symlink("../lib", world.project().join(".tenter/pk")).unwrap();
        assert_change_denies(&number.to_string(), &world, edit);
    }
}

#[test]
fn project_hook_ignores_planted_bytecode() {
    let plant = "import py_compile as c, importlib.util as u; open('evil.py', 'w').write(\"open('ran', 'w')\"); c.compile('evil.py', u.cache_from_source('.tenter/h.py'), invalidation_mode=c.PycInvalidationMode.UNCHECKED_HASH)";
    let function = (".tenter/g.py", "import h\ndef check(event): return None\n");
    let program = (".tenter/g.py", "import h\n");
    for (hook, module) in [
        ("python: g.check", function),
        ("script: g.py", program),
        ("command: \"python3 .tenter/g.py\"", program),
        ("command: [sh, -c, \"cd .tenter; python3 g.py\"]", program),
    ] {
        let world = project(hook, &[module, (".tenter/h.py", "")]);
        world.tenter(&["trust", "--yes"]).run();
        assert_eq!(world.claude(&bash("ls")).run().stdout, "", "{hook}");
        write(&world.project().join("plant.py"), plant);
        world.sh("python3 plant.py");
        assert!(world.project().join(".tenter/__pycache__").is_dir(), "{hook}");
        assert_eq!(world.claude(&bash("ls -l")).run().stdout, "", "{hook}");
        assert!(!world.project().join("ran").exists(), "{hook}");
    }
}

#[test]
fn interpreter_using_bytecode_cannot_be_pinned() {
    let world = project("command: \"python3 -E .tenter/g.py\"", &[(".tenter/g.py", "")]);
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(2));
}

#[test]
fn importable_sibling_modules_are_covered() {
    let files = [(".tenter/g.py", "import h, pk.x\n"), (".tenter/h.py", ""), (".tenter/pk/x.py", "")];
    for changed in [".tenter/h.py", ".tenter/pk/x.py", ".tenter/json.py"] {
        for hook in ["script: g.py", "command: \"python3 .tenter/g.py\"", "command: \"cd .tenter && ./g.py\""]
        {
            let world = project(hook, &files);
            let program = "#!/usr/bin/env python3\nimport h, pk.x\n";
            write(&world.project().join(".tenter/g.py"), program);
            let may_run = fs::Permissions::from_mode(0o755);
            fs::set_permissions(world.project().join(".tenter/g.py"), may_run).unwrap();
            assert_change_denies(hook, &world, |project| write(&project.join(changed), PYTHON_RAN));
        }
    }
    let world =
        project("command: \"python3 -I scripts/g.py\"", &[("scripts/g.py", ""), ("scripts/h.py", "")]);
    assert!(!shown(&world).contains("scripts/h.py"));
}

#[test]
fn project_virtualenv_is_covered_or_reported() {
    let hook = "command: \"tools/venv/bin/python3 scripts/g.py\"";
    let made = || {
        let world = project(hook, &[("scripts/g.py", "")]);
        world.sh("python3 -m venv --without-pip tools/venv");
        world
    };
    let packages = |project: &Path| {
        let library = fs::read_dir(project.join("tools/venv/lib")).unwrap().next().unwrap().unwrap();
        library.path().join("site-packages")
    };
    let decides = |project: &Path, name: &str| match name {
        "pyvenv.cfg" => project.join("tools/venv").join(name),
        _ => packages(project).join(name),
    };
    for name in ["pyvenv.cfg", "a.pth", "sitecustomize.py", "json/__init__.py"] {
        assert_change_denies(name, &made(), |project| {
            write(&decides(project, name), "import os; open('ran', 'w')\n");
        });
    }
    let world = made();
    for number in 0..1000 {
        write(&packages(&world.project()).join(format!("p{number}.py")), "");
    }
    let refused = world.tenter(&["trust", "--yes"]).run();
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stdout.contains("what is loaded from tools/venv, which has too many files"),
        "{refused:?}"
    );
    assert!(refused.stdout.contains("  tools/venv/pyvenv.cfg  "), "{refused:?}");
}

#[test]
fn new_virtualenv_interpreter_revokes_trust() {
    let world = project("command: \"tools/bin/python3 scripts/g.py\"", &[("scripts/g.py", "")]);
    fs::create_dir_all(world.project().join("tools/bin")).unwrap();
    world.sh("ln -s \"$(python3 -c 'import sys; print(sys.executable)')\" tools/bin/python3");
    assert_change_denies("pyvenv.cfg", &world, |project| {
        write(&project.join("tools/pyvenv.cfg"), "home = /usr/bin\n");
    });
}

#[test]
fn new_named_file_invalidates_warm_cache() {
    for (hook, later) in [
        ("command: \"test ! -e scripts/c.sh || sh scripts/c.sh\"", "scripts/c.sh"),
        ("command: [sh, -c, \"test ! -e c || . ./c\"]", "c"),
        ("command: \"cd sub && cd deep && if test -e c.sh; then sh c.sh; fi\"", "sub/deep/c.sh"),
        ("command: \"if test -e $PWD/'my c'.sh; then sh $PWD/'my c'.sh; fi\"", "my c.sh"),
        ("command: \"if test -e lib; then sh lib/c.sh; fi\"", "lib/c.sh"),
        (
            "command: \"test -z \\\"$MORE\\\" || test ! -e \\\"$MORE\\\"\", env: { MORE: conf/more }",
            "conf/more",
        ),
        ("command: \"true; tools/run || true\"", "tools/run"),
    ] {
        for guard in ["on_failure: deny", "on_failure: allow"] {
            let world = project(hook, &[("sub/deep/x", ""), ("tools/x", ""), ("scripts/x", "")]);
            let file = world.project().join(".tenter/hooks.yaml");
            let text = fs::read_to_string(&file).unwrap().replace("on_failure: deny", guard);
            fs::write(&file, text).unwrap();
            assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0), "{hook}");
            age_files(&world);
            assert_eq!(world.claude(&bash("ls")).run().stdout, "", "{hook}");
            assert!(is_cached(&world), "{hook}");
            write(&world.project().join(later), RAN);
            let after = world.claude(&bash("ls -l")).run();
            let notified = after.stdout.contains("changed since you trusted");
            assert!(notified, "{hook}: {after:?}");
            assert_eq!(after.field(REASON).is_empty(), guard.ends_with("allow"), "{hook}: {after:?}");
            assert!(!world.project().join("ran").exists(), "{hook}");
            assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0), "{hook}");
            let trusted = world.claude(&bash("ls -a")).run();
            assert!(!trusted.stdout.contains("changed since you trusted"), "{hook}: {trusted:?}");
        }
    }
}

#[test]
fn file_replacing_folder_invalidates_warm_cache() {
    let world = project("command: \"test -d checks || sh checks\"", &[("checks/x", "")]);
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
    age_files(&world);
    assert_eq!(world.claude(&bash("ls")).run().stdout, "");
    assert!(is_cached(&world));
    fs::remove_dir_all(world.project().join("checks")).unwrap();
    write(&world.project().join("checks"), RAN);
    let denied = world.claude(&bash("ls -l")).run();
    assert!(denied.field(REASON).contains("changed since you trusted"), "{denied:?}");
    assert!(!world.project().join("ran").exists());
}

#[test]
fn computed_file_name_needs_trust_files() {
    for command in [
        "x=c; sh scripts/$x.sh",
        "sh \\\"$(cat which)\\\"",
        "sh -c 'scripts/$1.sh' x c",
        "ls scripts | xargs -n1 sh",
        "cat scripts/c.sh | sh",
        "NODE_OPTIONS='-r ./x' scripts/c.sh",
    ] {
        let files = [("scripts/c.sh", "")];
        let world = project(&format!("command: \"{command}\""), &files);
        let refused = world.tenter(&["trust", "--yes"]).run();
        assert_eq!(refused.code, Some(2), "{command}: {refused:?}");
        assert!(refused.stdout.contains("what cannot be pinned"), "{command}: {refused:?}");
        let world = project(&format!("command: \"{command}\", trust_files: [\"scripts/**\"]"), &files);
        assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0), "{command}");
    }
}

#[test]
fn output_file_may_change() {
    let world = project("command: \"echo seen >> logs/seen.txt 2> logs/wrong.txt\"", &[("logs/x", "")]);
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0));
    for command in ["ls", "ls -l", "ls -a"] {
        assert_eq!(world.claude(&bash(command)).run().stdout, "");
    }
    let seen = fs::read_to_string(world.project().join("logs/seen.txt")).unwrap();
    assert_eq!(seen, "seen\n".repeat(3));
}

#[test]
fn outbound_link_target_is_fixed() {
    for (hook, link, target) in [
        ("script: guard.sh", ".tenter/guard.sh", "one/c.sh"),
        ("command: \"sh tools/c.sh\"", "tools", "one"),
        ("command: \"cd tools && sh ./c.sh\"", "tools", "one"),
        ("command: [sh, tools/c.sh]", "tools", "one"),
        ("command: \"sh c.sh\", cwd: tools", "tools", "one"),
        ("command: \"bin/run c.sh\", cwd: sub", "sub/bin", "one"),
    ] {
        let world = project(hook, &[("sub/c.sh", "")]);
        let outside = world.home();
        write(&outside.join("one/c.sh"), "exit 0\n");
        write(&outside.join("two/c.sh"), RAN);
        for (folder, script) in [("one", "exit 0\n"), ("two", "touch ../ran\n")] {
            let run = outside.join(folder).join("run");
            write(&run, &format!("#!/bin/sh\n{script}"));
            fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let at = world.project().join(link);
        symlink(outside.join(target), &at).unwrap();
        let output = shown(&world);
        assert!(output.contains(&format!("  {link} (a link)")), "{hook}: {output}");
        assert!(output.contains("out of the project: what lies there is not covered"), "{hook}: {output}");
        assert_change_denies(hook, &world, |_| {
            fs::remove_file(&at).unwrap();
            symlink(outside.join(target.replace("one", "two")), &at).unwrap();
        });
    }
}

#[test]
fn quotes_and_options_hide_no_file() {
    for (command, changed, text) in [
        ("sh scri\\\"pts/c\\\".sh", "scripts/c.sh", RAN),
        ("sh scripts/c\\\\.sh", "scripts/c.sh", RAN),
        ("sh -c 'sh scri\\\"pts/c\\\".sh'", "scripts/c.sh", RAN),
        ("echo | awk -fscripts/c.awk", "scripts/c.awk", "BEGIN { system(\"touch ran\") }\n"),
        ("sh $PWD/scripts/'c'.sh", "scripts/c.sh", RAN),
    ] {
        let world = project(&format!("command: \"{command}\""), &[(changed, "")]);
        assert_change_denies(command, &world, |project| write(&project.join(changed), text));
    }
}

#[test]
fn new_files_in_code_folders_are_covered() {
    for (hook, changed) in [
        ("command: \"perl -Iscripts -w x.pl\"", "scripts/Foo.pm"),
        ("command: \"perl -I scripts x.pl\"", "scripts/New.pm"),
        ("command: \"perl x.pl\", env: { PERL5LIB: scripts }", "scripts/sub/Foo.pm"),
        ("command: \"PERL5LIB=scripts perl x.pl\"", "scripts/New.pm"),
        ("command: \"sh -c 'PATH=scripts:$PATH; perl x.pl'\"", "scripts/perl"),
    ] {
        let world = project(hook, &[("x.pl", ""), ("scripts/Foo.pm", "1;"), ("scripts/sub/Foo.pm", "1;")]);
        assert_change_denies(hook, &world, |project| {
            write(&project.join(changed), "system('touch ran'); 1;");
        });
    }
}

#[test]
fn script_interpreter_is_covered() {
    let world = project(
        "script: guard",
        &[(".tenter/guard", "#!/usr/bin/env -S sh scripts/c.sh\n"), ("scripts/c.sh", "exit 0\n")],
    );
    let guard = world.project().join(".tenter/guard");
    fs::set_permissions(&guard, fs::Permissions::from_mode(0o755)).unwrap();
    assert_change_denies("shebang", &world, |project| write(&project.join("scripts/c.sh"), RAN));

    let tool = [("tools/check", "#!/bin/sh ./lib/run\n"), ("lib/run", "exit 0\n")];
    let world = project("command: check, env: { PATH: \"tools:/usr/bin:/bin\" }", &tool);
    let check = world.project().join("tools/check");
    fs::set_permissions(&check, fs::Permissions::from_mode(0o755)).unwrap();
    assert_change_denies("shebang of a tool", &world, |project| write(&project.join("lib/run"), RAN));
}

#[test]
fn interpreter_loading_by_name_needs_confirmation() {
    for command in [
        "python3 -m checks",
        "python3 -c 'import checks'",
        "node -e 'require(`./x`)'",
        "perl -MFoo -e1",
        "ruby -rfoo x",
    ] {
        let files = [("checks.py", "")];
        let world = project(&format!("command: \"{command}\""), &files);
        let refused = world.tenter(&["trust", "--yes"]).run();
        assert_eq!(refused.code, Some(2), "{command}: {refused:?}");
        assert!(refused.stderr.contains("runs files that no hash covers"), "{refused:?}");
        let world = project(&format!("command: \"{command}\", trust_files: [checks.py]"), &files);
        assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(0), "{command}");
    }
    let world = project("command: \"python3 -m checks\", trust_files: [\"*.py\"]", &[("checks.py", "")]);
    assert_change_denies("trust_files", &world, |project| write(&project.join("checks.py"), PYTHON_RAN));
}

#[test]
fn file_with_runner_name_is_covered() {
    let world = project("command: \"make check\"", &[("make", "")]);
    assert_eq!(world.tenter(&["trust", "--yes"]).run().code, Some(2));
}

#[test]
fn oversized_project_cannot_be_pinned() {
    let world = project("python: g.check", &[(".tenter/g.py", "")]);
    for number in 0..1000 {
        write(&world.project().join(format!(".tenter/many/m{number}.py")), "");
    }
    let refused = world.tenter(&["trust", "--yes"]).run();
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stdout.contains("which has too many files to review"), "{refused:?}");
}

#[test]
fn outside_script_is_listed_as_not_covered() {
    let world = project("script: ~/x.sh", &[]);
    write(&world.home().join("x.sh"), "exit 0\n");
    let output = shown(&world);
    let title = "what lies outside the project and is not covered\n";
    let listed = output.split(title).nth(1).unwrap_or_default();
    assert!(listed.lines().next().unwrap_or_default().ends_with("home/x.sh"), "{output}");
    assert!(!output.contains(".tenter/~"), "{output}");
}

#[test]
fn trust_lists_matcher_and_variable_files() {
    let world = project(
        "script: guard.sh, env: { RULES: conf/rules.txt, LEVEL: high }",
        &[(".tenter/guard.sh", "exit 0\n"), ("conf/rules.txt", "")],
    );
    let output = shown(&world);
    assert!(
        output.contains("script: guard.sh  for Bash  on_failure deny  with RULES=conf/rules.txt\n"),
        "{output}"
    );
    assert!(output.contains("covered only if it is listed here; `trust_files` adds files"), "{output}");
    assert!(output.contains("  conf/rules.txt  "), "{output}");
}

#[test]
fn trust_lists_server_command_and_environment() {
    let world = World::new();
    let hooks = "version: 1
mcp_servers:
  judge: { command: [sh, \"my server.sh\"], env: { MODE: strict, KEY: \"${JUDGE_KEY}\" } }
  far: { url: \"https://mcp.example.com/x\" }
hooks:
  tool:pre:
    - { name: near, mcp: { server: judge, tool: look } }
    - { name: far, mcp: { server: far, tool: look } }
";
    write(&world.project().join(".tenter/hooks.yaml"), hooks);
    write(&world.config().join("tenter/hooks.yaml"), "version: 1\nproject_variables: [JUDGE_KEY]\n");
    let output = shown(&world);
    let near = "mcp: judge/look  by `sh 'my server.sh'`  with MODE=strict  with KEY=${JUDGE_KEY}\n";
    assert!(output.contains(near), "{output}");
    assert!(output.contains("mcp: far/look  at https://mcp.example.com/x\n"), "{output}");
}

#[test]
fn imported_file_is_listed_with_its_path() {
    let world = World::new();
    let imports = "version: 1\nimports: [ { from: claude, file: ../foreign/settings.json } ]\n";
    write(&world.project().join(".tenter/hooks.yaml"), imports);
    write(&world.project().join("foreign/settings.json"), "{\"hooks\": {}}");
    let output = shown(&world);
    assert!(output.contains("\n  foreign/settings.json "), "{output}");
    assert!(!output.contains(".."), "{output}");
}
