//! Private copies of what a trusted hook runs.
//!
//! A file of the project can be exchanged between the comparison with what was trusted and the start of the program. So
//! a hook runs a copy of exactly the bytes that were compared, in tenter's own folder. Around the copies lie links to the
//! other files of the project, so that a script still finds its neighbours by `$0` or `__file__`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tenter_contract::{Command, Handler, HookSpec, McpTransport, Template};
use tenter_protocol::shorten::sha256_hex;
use tenter_shell::contains_word;

use super::hook_files::SEARCHED;
use super::python;
use super::replacer::Replacer;

/// Folders with more entries get no links.
const MOST_LINKS: usize = 4_000;

/// A file of the project as it was compared.
pub(super) struct Compared {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) mode: u32,
}

pub(super) struct Copies {
    /// The project's folder without links.
    root: PathBuf,
    folder: PathBuf,
    files: BTreeSet<PathBuf>,
}

impl Copies {
    /// Makes the copies of files below a root, in a folder of their own for each content.
    pub(super) fn make(
        base: &Path,
        root: &Path,
        compared: &[Compared],
        links_modules: bool,
    ) -> io::Result<Self> {
        let root = fs::canonicalize(root)?;
        let inside: BTreeMap<PathBuf, &Compared> = compared
            .iter()
            .filter_map(|it| Some((it.path.strip_prefix(&root).ok()?.to_path_buf(), it)))
            .collect();
        let lines = inside.iter().map(|(path, file)| {
            format!("\n{}\0{}\0{:o}", path.display(), sha256_hex(&file.bytes), file.mode)
        });
        let content = root.to_string_lossy().into_owned() + &lines.collect::<String>();
        let folder = base.join(&sha256_hex(content.as_bytes())[..32]);
        let copies = Self { root, folder, files: inside.keys().cloned().collect() };
        for (path, file) in &inside {
            copy(&copies.folder.join(path), &copies.with_copied_interpreter(&file.bytes), file.mode)?;
        }
        let folders: BTreeSet<&Path> =
            copies.files.iter().flat_map(|path| path.ancestors().skip(1)).collect();
        for below in folders {
            link_neighbours(&copies.root.join(below), &copies.folder.join(below), links_modules)?;
        }
        Ok(copies)
    }

    /// A script whose first line names a copied file is run by the copy.
    fn with_copied_interpreter<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        let Some(line) = bytes.strip_prefix(b"#!").and_then(|_| str::from_utf8(&bytes[2..end]).ok()) else {
            return bytes.into();
        };
        let copy_of = |path: &Path| self.copy_of(path);
        let replacer = Replacer { places: vec![self.root.clone()], copy_of: &copy_of };
        match replacer.line(line) {
            Some(new) => [b"#!", new.as_bytes(), &bytes[end..]].concat().into(),
            None => bytes.into(),
        }
    }

    pub(super) fn used_by(&self, hook: &HookSpec) -> HookSpec {
        let mut hook = hook.clone();
        let copy_of = |path: &Path| self.copy_of(path);
        let places = vec![self.root.join(hook.cwd.as_deref().unwrap_or_default())];
        let replacer = Replacer { places, copy_of: &copy_of };
        match &mut hook.handler {
            Handler::Script(script) => {
                if let Some(copy) = self.copy_of(&Path::new(&hook.source.folder).join(&*script)) {
                    *script = copy;
                }
            }
            Handler::Command(Command::Argv(words)) => {
                let plain: Vec<String> = words.iter().map(|word| word.as_str().to_owned()).collect();
                for (word, new) in words.iter_mut().zip(replacer.words(&plain)) {
                    if let Some(new) = new {
                        *word = Template::literal(&new);
                    }
                }
            }
            Handler::Command(Command::Shell(line)) => {
                if let Some(new) = replacer.line(line.as_str()) {
                    let is_literal = Template::literal(line.as_str()) == *line;
                    let parsed = if is_literal { None } else { Template::parse_shell(&new).ok() };
                    *line = parsed.unwrap_or_else(|| Template::literal(&new));
                }
            }
            Handler::Mcp(mcp) => {
                if let McpTransport::Stdio { command, env, .. } = &mut mcp.server.transport {
                    for (word, new) in replacer.words(command).into_iter().enumerate() {
                        if let Some(new) = new {
                            command[word] = new;
                        }
                    }
                    self.replace_values(env, &replacer);
                }
            }
            Handler::Python(_) => {
                if let Some(folder) = self.copied_folder(Path::new(&hook.source.folder)) {
                    hook.source.folder = folder;
                }
            }
            _ => {}
        }
        self.replace_values(&mut hook.env, &replacer);
        hook
    }

    /// Variables that name a copied file, or folders with copied files (`PATH: tools`).
    fn replace_values(&self, variables: &mut [(String, String)], replacer: &Replacer<'_>) {
        for (name, value) in variables {
            let is_searched = contains_word(SEARCHED, name);
            let part = |part: &str| {
                let new = replacer.places.iter().find_map(|place| {
                    let path = place.join(part);
                    let folder = || self.copied_folder(&path).filter(|_| is_searched);
                    self.copy_of(&path).or_else(folder)
                });
                new.filter(|_| !part.is_empty()).unwrap_or_else(|| part.to_owned())
            };
            *value = value.split(':').map(part).collect::<Vec<_>>().join(":");
        }
    }

    /// The folder that replaces one with copied files.
    fn copied_folder(&self, folder: &Path) -> Option<String> {
        let real = fs::canonicalize(folder).ok()?;
        let below = real.strip_prefix(&self.root).ok()?;
        let has_copies = self.files.iter().any(|file| file.starts_with(below));
        has_copies.then(|| self.folder.join(below).to_string_lossy().into_owned())
    }

    /// A text in which the copies have the names of the project's files again.
    pub(super) fn named_in(&self, text: &str) -> String {
        text.replace(&*self.folder.to_string_lossy(), &self.root.to_string_lossy())
    }

    /// Whether programs may be run from the folder of the copies.
    pub(super) fn can_run(&self, compared: &[Compared]) -> bool {
        compared.iter().filter(|file| file.mode & 0o100 != 0).all(|file| {
            let Ok(below) = file.path.strip_prefix(&self.root) else { return true };
            rustix::fs::access(self.folder.join(below), rustix::fs::Access::EXEC_OK).is_ok()
        })
    }

    fn copy_of(&self, path: &Path) -> Option<String> {
        let real = fs::canonicalize(path).ok()?;
        let below = real.strip_prefix(&self.root).ok().filter(|below| self.files.contains(*below))?;
        self.folder.join(below).to_str().map(str::to_owned)
    }
}

fn copy(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
        && fs::read(path).is_ok_and(|found| found == bytes)
    {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let draft = folder.join(format!(".tenter-{}-{:?}", std::process::id(), std::thread::current().id()));
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)
        .and_then(|mut new| {
            new.write_all(bytes)?;
            new.set_permissions(Permissions::from_mode(0o400 | (mode & 0o100)))
        })
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Links to everything else in a folder. Modules that were not compared are left out for Python, which would load
/// them by their names.
fn link_neighbours(from: &Path, to: &Path, links_modules: bool) -> io::Result<()> {
    for entry in fs::read_dir(from)?.take(MOST_LINKS).flatten() {
        let (target, link) = (entry.path(), to.join(entry.file_name()));
        if (!links_modules && python::is_module(&target)) || link.symlink_metadata().is_ok() {
            continue;
        }
        match symlink(&target, &link) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_copied_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("p");
        fs::create_dir_all(root.join("scripts")).unwrap();
        fs::write(root.join("scripts/a.sh"), "one").unwrap();
        fs::write(root.join("scripts/data"), "two").unwrap();
        let root = fs::canonicalize(&root).unwrap();
        fs::write(root.join("scripts/b c.sh"), "one").unwrap();
        let compared = ["scripts/a.sh", "scripts/b c.sh"].map(|path| Compared {
            path: root.join(path),
            bytes: b"one".to_vec(),
            mode: 0o755,
        });
        let copies = Copies::make(&folder.path().join("copies"), &root, &compared, true).unwrap();
        let copied = copies.folder.join("scripts/a.sh").to_string_lossy().into_owned();
        assert_eq!(fs::read_to_string(&copied).unwrap(), "one");
        assert_eq!(fs::read_to_string(copies.folder.join("scripts/data")).unwrap(), "two");
        let copy_of = |path: &Path| copies.copy_of(path);
        let replacer = Replacer { places: vec![root.clone()], copy_of: &copy_of };
        for (line, new) in [
            ("sh scripts/a.sh", "sh {}"),
            ("scripts/a.sh x", "{} x"),
            ("A=1 ./scripts/a.sh", "A=1 {}"),
            ("bash -eu \"scripts/a.sh\" | cat", "bash -eu \"{}\" | cat"),
            ("true && . scripts/a.sh", "true && . {}"),
            ("env -i sh scripts/a.sh", "env -i sh {}"),
            ("timeout 5 scripts/a.sh", "timeout 5 {}"),
            ("nohup ./scripts/a.sh &", "nohup {} &"),
            ("bash -c './scripts/a.sh'", "bash -c '{}'"),
            ("bash -c \"cd scripts && ./a.sh x\"", "bash -c \"cd scripts && {} x\""),
            ("cd scripts; sh a.sh", "cd scripts; sh {}"),
            ("sh<scripts/a.sh", "sh<{}"),
            ("cat scripts/a.sh | sh", "cat {} | sh"),
            ("if scripts/a.sh; then true; fi", "if {}; then true; fi"),
            ("x=$(scripts/a.sh)", "x=$({})"),
            ("python3 -W ignore scripts/a.sh", "python3 -W ignore {}"),
            ("node --require=./scripts/a.sh x.js", "node --require={} x.js"),
            ("$CLAUDE_PROJECT_DIR/scripts/a.sh", "{}"),
            ("cd scripts && $PWD/a.sh", "cd scripts && {}"),
            ("\"$CLAUDE_PROJECT_DIR\"/scripts/a.sh x", "{} x"),
            ("\"${CLAUDE_PROJECT_DIR}/scripts/a.sh\" x", "\"{}\" x"),
            ("cd ${CLAUDE_PROJECT_DIR:-.}/scripts && ./a.sh", "cd ${CLAUDE_PROJECT_DIR:-.}/scripts && {}"),
            ("sh 'scripts/b c.sh'", "sh '{b}'"),
            ("sh \"$PWD/scripts/b c.sh\"", "sh \"{b}\""),
        ] {
            let new = new.replace("{}", &copied).replace("{b}", &copied.replace("a.sh", "b c.sh"));
            assert_eq!(replacer.line(line), Some(new), "{line}");
        }
        for line in [
            "git diff -- scripts/a.sh",
            "git diff -- \"scripts/a.sh\"",
            "sh -c 'git add scripts/a.sh'",
            "sh scripts/data",
            "a.sh",
            "$HOME/scripts/a.sh",
            "$OTHER/scripts/a.sh",
            "sh scripts/a.sh.bak",
        ] {
            assert_eq!(replacer.line(line), None, "{line}");
        }
        let words = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            replacer.words(&words).into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>()
        };
        assert_eq!(words(&["timeout", "5", "scripts/a.sh"]), ["", "", &copied]);
        assert_eq!(words(&["bash", "-c", "sh scripts/a.sh"]), ["", "", &format!("sh {copied}")]);
        assert_eq!(words(&["node", "--require=./scripts/a.sh"]), ["", &format!("--require={copied}")]);
        assert_eq!(words(&["git", "add", "scripts/a.sh"]), ["", "", ""]);
        let first_line = format!("#!{}/scripts/a.sh -x\nrest", root.display());
        let expected = format!("#!{copied} -x\nrest");
        assert_eq!(*copies.with_copied_interpreter(first_line.as_bytes()), *expected.as_bytes());
        assert_eq!(*copies.with_copied_interpreter(b"#!/bin/sh\nx"), *b"#!/bin/sh\nx");
    }
}
