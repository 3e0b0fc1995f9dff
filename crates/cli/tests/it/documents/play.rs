//! Runs the commands of a document in one shell and compares the output.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex_lite::Regex;
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

use super::console::{self, ConsoleCommand};
use super::{PORT, root};
use crate::fences::{self, Fence};
use crate::needs;
use crate::placeholders::timeless;

/// Marks the start of a command's output; no document contains it.
const MARK: &str = "\u{1e}";
/// How long the shell waits for a server, in tenths of a second.
const PATIENCE: u32 = 200;

/// The differences in a document, if any.
pub(super) fn problem(document: &Path) -> Option<String> {
    let text = fs::read_to_string(document).unwrap_or_else(|error| panic!("{}: {error}", document.display()));
    let fences: Vec<Fence> = fences::parse(&text).into_iter().filter(is_played).collect();
    if !fences.iter().any(|fence| fence.words == ["console"]) {
        return None;
    }
    if needs::lacks(&document.display().to_string(), &text) {
        return None;
    }
    match play(&fences) {
        Err(problem) => Some(format!("{}: {problem}", document.display())),
        Ok(actual) if std::env::var_os("UPDATE_DOCS").is_some() => {
            update(document, &text, &actual);
            None
        }
        Ok(actual) => {
            let differs: Vec<String> = actual.iter().filter_map(Played::difference).collect();
            (!differs.is_empty()).then(|| format!("{}, {}", document.display(), differs.join("\n")))
        }
    }
}

fn is_played(fence: &Fence) -> bool {
    fence.words == ["console"] || fence.words.len() == 2
}

/// An executed block of a document.
struct Played {
    line: usize,
    typed: Vec<ConsoleCommand>,
    actual: Vec<String>,
}

impl Played {
    fn holds(typed: &ConsoleCommand, actual: &str) -> bool {
        console::fits(&steady(&typed.output), &steady(actual))
    }

    fn difference(&self) -> Option<String> {
        let (typed, actual) =
            self.typed.iter().zip(&self.actual).find(|(typed, actual)| !Self::holds(typed, actual))?;
        let ConsoleCommand { command, output } = typed;
        Some(format!("the block at line {}\n$ {command}\nexpected:\n{output}actual:\n{actual}", self.line))
    }

    /// The block with its actual output where that differs.
    fn corrected(&self) -> String {
        let lines = self.typed.iter().zip(&self.actual).map(|(typed, actual)| {
            let output = if Self::holds(typed, actual) { &typed.output } else { actual };
            ConsoleCommand { command: typed.command.clone(), output: output.clone() }
        });
        console::write(&lines.collect::<Vec<_>>())
    }
}

/// The stable text. The width of a column of milliseconds varies.
fn steady(text: &str) -> String {
    let text = Regex::new(r#""seq":\d+"#).unwrap().replace_all(&timeless(text), r#""seq":0"#).into_owned();
    if text.contains(" ms  ") {
        Regex::new(" {2,}").unwrap().replace_all(&text, "  ").into_owned()
    } else {
        text
    }
}

fn update(document: &Path, text: &str, actual: &[Played]) {
    let corrected = actual.iter().fold(text.to_owned(), |text, played| {
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
        for ConsoleCommand { command, .. } in &typed {
            script.extend(["printf '", MARK, "'\n", &machine.typed(command), "\n"]);
        }
        blocks.push((fence.line, typed));
    }
    let actual: Vec<String> = machine.run(&script).split(MARK).skip(1).map(whole_lines).collect();
    let typed: usize = blocks.iter().map(|(_, typed)| typed.len()).sum();
    // A command that ends the shell would skip the rest.
    if actual.len() != typed {
        return Err(format!(
            "the shell ended after {} of {typed} commands: {:?}",
            actual.len(),
            actual.last()
        ));
    }
    let mut actual = actual.into_iter();
    let played = blocks.into_iter().map(|(line, typed)| {
        let actual = actual.by_ref().take(typed.len()).collect();
        Played { line, typed, actual }
    });
    Ok(played.collect())
}

fn whole_lines(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// The machine of a document, shown as `/home/you`.
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
        // The shell acts for the agent and the user; without an agent process for the user.
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
        // Started servers are in the process group of the shell, which may be empty.
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
        // Python creates it when an example runs in place; no clone contains it.
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
fn skipped_command_fails() {
    let fence = |text: &str| Fence { line: 1, words: vec!["console".to_owned()], text: text.to_owned() };
    assert!(play(&[fence("$ echo one\none\n")]).is_ok());
    let ended = play(&[fence("$ exit 0\n$ echo two\ntwo\n")]).err().unwrap();
    assert!(ended.starts_with("the shell ended after 1 of 2 commands"), "{ended}");
}
