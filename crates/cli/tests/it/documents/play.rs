//! Types what a document says, in one shell, and compares.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex_lite::Regex;
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

use super::console::{self, Typed};
use super::{PORT, root};
use crate::fences::{self, Fence};
use crate::needs;
use crate::placeholders::timeless;

/// Begins what came out of a command; no document has it.
const MARK: &str = "\u{1e}";
/// How long the shell waits for a server, in tenths of a second.
const PATIENCE: u32 = 200;

/// What does not hold in a document, or nothing.
pub(super) fn problem(document: &Path) -> Option<String> {
    let text = fs::read_to_string(document).unwrap_or_else(|error| panic!("{}: {error}", document.display()));
    let fences: Vec<Fence> = fences::of(&text).into_iter().filter(is_played).collect();
    if !fences.iter().any(|fence| fence.words == ["console"]) {
        return None;
    }
    if needs::lacks(&document.display().to_string(), &text) {
        return None;
    }
    match play(&fences) {
        Err(problem) => Some(format!("{}: {problem}", document.display())),
        Ok(came) if std::env::var_os("UPDATE_DOCS").is_some() => {
            update(document, &text, &came);
            None
        }
        Ok(came) => {
            let differs: Vec<String> = came.iter().filter_map(Played::difference).collect();
            (!differs.is_empty()).then(|| format!("{}, {}", document.display(), differs.join("\n")))
        }
    }
}

fn is_played(fence: &Fence) -> bool {
    fence.words == ["console"] || fence.words.len() == 2
}

/// A block of a document, played.
struct Played {
    line: usize,
    typed: Vec<Typed>,
    came: Vec<String>,
}

impl Played {
    fn holds(typed: &Typed, came: &str) -> bool {
        console::fits(&steady(&typed.comes_out), &steady(came))
    }

    fn difference(&self) -> Option<String> {
        let (typed, came) =
            self.typed.iter().zip(&self.came).find(|(typed, came)| !Self::holds(typed, came))?;
        let Typed { command, comes_out } = typed;
        Some(format!("the block at line {}\n$ {command}\nshould say\n{comes_out}says\n{came}", self.line))
    }

    /// The block as it should be: where it holds, as it is.
    fn corrected(&self) -> String {
        let lines = self.typed.iter().zip(&self.came).map(|(typed, came)| {
            let comes_out = if Self::holds(typed, came) { &typed.comes_out } else { came };
            Typed { command: typed.command.clone(), comes_out: comes_out.clone() }
        });
        console::write(&lines.collect::<Vec<_>>())
    }
}

/// What is the same every time. How wide a column of milliseconds is depends on how busy the machine was.
fn steady(text: &str) -> String {
    let text = Regex::new(r#""seq":\d+"#).unwrap().replace_all(&timeless(text), r#""seq":0"#).into_owned();
    if text.contains(" ms  ") {
        Regex::new(" {2,}").unwrap().replace_all(&text, "  ").into_owned()
    } else {
        text
    }
}

fn update(document: &Path, text: &str, came: &[Played]) {
    let corrected = came.iter().fold(text.to_owned(), |text, played| {
        let fence = |block: &str| format!("```console\n{block}```\n");
        text.replace(&fence(&console::write(&played.typed)), &fence(&played.corrected()))
    });
    if corrected != text {
        fs::write(document, corrected).unwrap();
    }
}

fn play(fences: &[Fence]) -> Result<Vec<Played>, String> {
    let machine = Machine::new();
    let mut script = machine.prelude();
    let mut blocks = Vec::new();
    for fence in fences {
        if let [_, file] = &fence.words[..] {
            let end = "END OF THE FILE";
            let file = file.replacen('~', "$HOME", 1);
            let text = &fence.text;
            let made =
                format!("mkdir -p \"$(dirname \"{file}\")\"\ncat > \"{file}\" <<'{end}'\n{text}{end}\n");
            script.push_str(&made);
            continue;
        }
        let typed =
            console::read(&fence.text).map_err(|problem| format!("line {}: {problem}", fence.line))?;
        for Typed { command, .. } in &typed {
            script.extend(["printf '", MARK, "'\n", &machine.typed(command), "\n"]);
        }
        blocks.push((fence.line, typed));
    }
    let came: Vec<String> = machine.run(&script).split(MARK).skip(1).map(whole_lines).collect();
    let typed: usize = blocks.iter().map(|(_, typed)| typed.len()).sum();
    // A command that ends the shell would leave the rest unlooked at.
    if came.len() != typed {
        return Err(format!("the shell ended after {} of {typed} commands: {:?}", came.len(), came.last()));
    }
    let mut came = came.into_iter();
    let played = blocks.into_iter().map(|(line, typed)| {
        let came = came.by_ref().take(typed.len()).collect();
        Played { line, typed, came }
    });
    Ok(played.collect())
}

fn whole_lines(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// Where a document is played: `/home/you`, as far as anybody can see.
struct Machine {
    folder: TempDir,
    port: String,
}

impl Machine {
    fn new() -> Self {
        let folder = TempDir::with_prefix("tenter-").unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let machine = Self { folder, port: free.to_string() };
        fs::DirBuilder::new().mode(0o700).create(machine.folder.path().join("run")).unwrap();
        copy(&root().join("examples"), &machine.clone_folder().join("examples"), &machine.port);
        machine
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home/you")
    }

    fn clone_folder(&self) -> PathBuf {
        self.home().join("tenter")
    }

    /// `init` refuses to install a program that lies in a build folder; here that is agreed to.
    fn prelude(&self) -> String {
        // The shell plays the agent and the person by turns; for the person no agent runs.
        "tenter() { [ \"$1\" = hook ] || { rm -f \"$HOME\"/.local/state/tenter/agents/*.turn; sed -i 's/\"id\":[0-9]*/\"id\":0/' \"$HOME\"/.local/state/tenter/agents/* 2>/dev/null; }; if [ \"$1\" = init ]; then command tenter \"$@\" --allow-build-path; else command tenter \"$@\"; fi; }\n"
            .to_owned()
    }

    fn typed(&self, command: &str) -> String {
        let command = command.replace(PORT, &self.port);
        match command.strip_suffix('&') {
            None => command,
            Some(server) => format!(
                "{{ {server}; }} >/dev/null 2>&1 &\n\
                 for i in $(seq {PATIENCE}); do (: </dev/tcp/127.0.0.1/{}) 2>/dev/null && break; sleep 0.1; done",
                self.port
            ),
        }
    }

    fn run(&self, script: &str) -> String {
        let mut shell = Command::new("bash");
        let path = std::env::join_paths(needs::path()).unwrap();
        let file = self.folder.path().join("typed.sh");
        fs::write(&file, format!("exec 2>&1\n{script}")).unwrap();
        shell.args(["--norc", "--noprofile"]).arg(file);
        shell.current_dir(self.clone_folder()).env_clear().env("PATH", path).env("HOME", self.home());
        shell
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .env("XDG_RUNTIME_DIR", self.folder.path().join("run"));
        for role in ["AUTHOR", "COMMITTER"] {
            shell.env(format!("GIT_{role}_NAME"), "You").env(format!("GIT_{role}_EMAIL"), "you@example.com");
        }
        let shell = shell.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let group = Pid::from_child(&shell);
        let output = shell.wait_with_output().unwrap();
        // Servers that were started are in the shell's group; if there are none, there is nobody to end.
        let _ = kill_process_group(group, Signal::KILL);
        self.as_documents_have_it(&String::from_utf8_lossy(&output.stdout))
    }

    fn as_documents_have_it(&self, text: &str) -> String {
        let program = Path::new(env!("CARGO_BIN_EXE_tenter")).canonicalize().unwrap();
        let place = self.folder.path().to_str().unwrap();
        text.replace(program.to_str().unwrap(), "/home/you/.cargo/bin/tenter")
            .replace(place, "")
            .replace(&self.port, PORT)
    }
}

/// Copies a folder, with the port of this machine in place of the documents'.
fn copy(from: &Path, to: &Path, port: &str) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        // Python leaves one where an example was run in place; it is in no clone.
        if entry.file_name() == "__pycache__" {
            continue;
        }
        if from.is_dir() {
            copy(&from, &to, port);
        } else {
            fs::copy(&from, &to).unwrap();
            let text = fs::read_to_string(&from).unwrap();
            fs::write(&to, text.replace(PORT, port)).unwrap();
        }
    }
}

#[test]
fn a_command_that_was_never_typed_does_not_pass() {
    let fence = |text: &str| Fence { line: 1, words: vec!["console".to_owned()], text: text.to_owned() };
    assert!(play(&[fence("$ echo one\none\n")]).is_ok());
    let ended = play(&[fence("$ exit 0\n$ echo two\ntwo\n")]).err().unwrap();
    assert!(ended.starts_with("the shell ended after 1 of 2 commands"), "{ended}");
}
