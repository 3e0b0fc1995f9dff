//! Private copies of what a trusted hook runs.
//!
//! A file of the project can be exchanged between the comparison with what was trusted and the start of the program. So
//! a hook runs a copy of exactly the bytes that were compared, in tenter's own folder. Around the copies lie links to the
//! other files of the project, so that a script still finds its neighbours by `$0` or `__file__`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tenter_contract::{Command, Handler, HookSpec, McpTransport, Template};
use tenter_protocol::shorten::sha256_hex;

use super::{python, shell};

/// Folders with more entries get no links.
const MOST_LINKS: usize = 4_000;

/// Programs whose first argument is a script, and shell words that run what follows them.
const INTERPRETERS: [&str; 24] = [
    ".", "ash", "bash", "bun", "dash", "env", "exec", "fish", "ksh", "lua", "mksh", "nice", "node", "nodejs",
    "perl", "php", "pypy", "pypy3", "python", "python3", "ruby", "sh", "source", "zsh",
];

/// A file of the project as it was compared.
pub(super) struct Compared {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) mode: u32,
}

/// The copies of a hook's files.
pub(super) struct Copies {
    /// The project's folder without links.
    root: PathBuf,
    /// The folder that stands for it.
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
        for (path, file) in &inside {
            copy(&folder.join(path), file)?;
        }
        let files: BTreeSet<PathBuf> = inside.keys().cloned().collect();
        let folders: BTreeSet<&Path> = files.iter().flat_map(|path| path.ancestors().skip(1)).collect();
        for below in folders {
            link_neighbours(&root.join(below), &folder.join(below), links_modules)?;
        }
        Ok(Self { root, folder, files })
    }

    /// The same hook, running the copies.
    pub(super) fn used_by(&self, hook: &HookSpec) -> HookSpec {
        let mut hook = hook.clone();
        let place = self.root.join(hook.cwd.as_deref().unwrap_or_default());
        match &mut hook.handler {
            Handler::Script(script) => {
                if let Some(copy) = self.copy_of(&Path::new(&hook.source.folder).join(&*script)) {
                    *script = copy;
                }
            }
            Handler::Command(Command::Argv(words)) => {
                let plain: Vec<String> = words.iter().map(|word| word.as_str().to_owned()).collect();
                for at in run_words(&plain) {
                    if let Some(copy) = self.copy_of(&place.join(&plain[at])) {
                        words[at] = Template::literal(&copy);
                    }
                }
            }
            Handler::Command(Command::Shell(line)) => {
                if let Some(new) = self.replaced_line(line.as_str(), &place) {
                    let is_literal = Template::literal(line.as_str()) == *line;
                    let parsed = if is_literal { None } else { Template::parse_shell(&new).ok() };
                    *line = parsed.unwrap_or_else(|| Template::literal(&new));
                }
            }
            Handler::Mcp(mcp) => {
                if let McpTransport::Stdio { command, .. } = &mut mcp.server.transport {
                    for at in run_words(command) {
                        if let Some(copy) = self.copy_of(&place.join(&command[at])) {
                            command[at] = copy;
                        }
                    }
                }
            }
            Handler::Python(_) => {
                let folder = fs::canonicalize(&hook.source.folder).ok();
                let below = folder.as_ref().and_then(|folder| folder.strip_prefix(&self.root).ok());
                if let Some(below) =
                    below.filter(|below| self.files.iter().any(|file| file.starts_with(below)))
                {
                    hook.source.folder = self.folder.join(below).to_string_lossy().into_owned();
                }
            }
            _ => {}
        }
        hook
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

    /// A line in which the scripts that it runs are the copies.
    fn replaced_line(&self, line: &str, place: &Path) -> Option<String> {
        let mut new = line.to_owned();
        for command in shell::commands(line) {
            for at in run_words(&command.words) {
                let word = &command.words[at];
                let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+@%".contains(c);
                if !word.chars().all(plain) {
                    continue;
                }
                if let Some(copy) = self.copy_of(&place.join(word)).filter(|copy| copy.chars().all(plain)) {
                    new = replace_word(&new, word, &copy);
                }
            }
        }
        (new != line).then_some(new)
    }
}

/// Which words of a command are files that it runs.
fn run_words(words: &[String]) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if word.contains('=') && !word.starts_with('-') {
            continue;
        }
        if found.is_empty() || word.starts_with('-') {
            let name = word.rsplit('/').next().unwrap_or_default();
            let runs_text = matches!(word.as_str(), "-c" | "-e" | "-m" | "-" | "--eval");
            if runs_text {
                return found;
            }
            if INTERPRETERS.contains(&name) || name.starts_with("python3.") || word.starts_with('-') {
                continue;
            }
        }
        found.push(at);
        return found;
    }
    found
}

/// Replaces a word where it stands alone.
fn replace_word(line: &str, word: &str, new: &str) -> String {
    let ends = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || ";|&()<>'\"`".contains(c));
    let mut replaced = String::with_capacity(line.len() + new.len());
    let mut rest = line;
    while let Some(at) = rest.find(word) {
        let (before, behind) = (&rest[..at], &rest[at + word.len()..]);
        let alone = ends(replaced.chars().chain(before.chars()).next_back()) && ends(behind.chars().next());
        replaced.push_str(before);
        replaced.push_str(if alone { new } else { word });
        rest = behind;
    }
    replaced + rest
}

fn copy(path: &Path, file: &Compared) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
        && fs::read(path).is_ok_and(|bytes| bytes == file.bytes)
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
            new.write_all(&file.bytes)?;
            new.set_permissions(Permissions::from_mode(0o400 | (file.mode & 0o100)))
        })
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Links to whatever else lies in a folder. Modules that nobody has compared are left out for Python, which would load
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
    fn scripts_that_a_line_runs_are_replaced_and_other_words_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("p");
        fs::create_dir_all(root.join("scripts")).unwrap();
        fs::write(root.join("scripts/a.sh"), "one").unwrap();
        fs::write(root.join("scripts/data"), "two").unwrap();
        let root = fs::canonicalize(&root).unwrap();
        let compared = Compared { path: root.join("scripts/a.sh"), bytes: b"one".to_vec(), mode: 0o755 };
        let copies = Copies::make(&folder.path().join("copies"), &root, &[compared], true).unwrap();
        let copied = copies.folder.join("scripts/a.sh").to_string_lossy().into_owned();
        assert_eq!(fs::read_to_string(&copied).unwrap(), "one");
        assert_eq!(fs::read_to_string(copies.folder.join("scripts/data")).unwrap(), "two");
        for (line, new) in [
            ("sh scripts/a.sh", "sh {}"),
            ("scripts/a.sh x", "{} x"),
            ("A=1 ./scripts/a.sh", "A=1 {}"),
            ("bash -eu \"scripts/a.sh\" | cat", "bash -eu \"{}\" | cat"),
            ("true && . scripts/a.sh", "true && . {}"),
            ("env -i sh scripts/a.sh", "env -i sh {}"),
        ] {
            assert_eq!(copies.replaced_line(line, &root), Some(new.replace("{}", &copied)), "{line}");
        }
        for line in
            ["git diff -- scripts/a.sh", "sh -c x scripts/a.sh", "cat scripts/a.sh", "sh scripts/data"]
        {
            assert_eq!(copies.replaced_line(line, &root), None, "{line}");
        }
    }
}
