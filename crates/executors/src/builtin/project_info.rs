//! `project.info`: languages and build commands of the project, from the files at its root. No program is run.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::builtin_run::{BuiltinResult, BuiltinRun, no_reply};
use super::display::on_one_line;

/// The most bytes of a file that are read.
const LARGEST: u64 = 256 * 1024;
const LONGEST: usize = 100;
/// The most targets, scripts or recipes that are listed.
const NAMES: usize = 15;

/// A file at the root, and its language and build commands.
struct Sign {
    file: &'static str,
    language: &'static str,
    build: &'static str,
}

const fn sign(file: &'static str, language: &'static str, build: &'static str) -> Sign {
    Sign { file, language, build }
}

const SIGNS: [Sign; 19] = [
    sign("Cargo.toml", "Rust", "`cargo build`, `cargo test`"),
    sign("pyproject.toml", "Python", ""),
    sign("setup.py", "Python", ""),
    sign("requirements.txt", "Python", ""),
    sign("tsconfig.json", "TypeScript", ""),
    sign("package.json", "JavaScript", ""),
    sign("deno.json", "TypeScript", "`deno task`, `deno test`"),
    sign("go.mod", "Go", "`go build ./...`, `go test ./...`"),
    sign("pom.xml", "Java", "`mvn package`, `mvn test`"),
    sign("build.gradle", "Java", "`gradle build`, `gradle test`"),
    sign("build.gradle.kts", "Kotlin", "`gradle build`, `gradle test`"),
    sign("Gemfile", "Ruby", "`bundle install`"),
    sign("composer.json", "PHP", "`composer install`"),
    sign("mix.exs", "Elixir", "`mix compile`, `mix test`"),
    sign("Package.swift", "Swift", "`swift build`, `swift test`"),
    sign("CMakeLists.txt", "C or C++", "`cmake -B build && cmake --build build`, `ctest --test-dir build`"),
    sign("meson.build", "C or C++", "`meson setup build && meson compile -C build`, `meson test -C build`"),
    sign("build.zig", "Zig", "`zig build`, `zig build test`"),
    sign("flake.nix", "Nix", "`nix build`, `nix flake check`"),
];

pub(super) fn run(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    let root = call.folder()?;
    let mut languages: Vec<&str> = Vec::new();
    let mut ways: Vec<String> = Vec::new();
    for sign in SIGNS.iter().filter(|sign| root.join(sign.file).is_file()) {
        if !languages.contains(&sign.language) {
            languages.push(sign.language);
        }
        ways.extend((!sign.build.is_empty()).then(|| sign.build.to_owned()));
    }
    ways.extend(python(&root));
    ways.extend(package_json(&root));
    for (files, program) in [
        (&["justfile", "Justfile", ".justfile"][..], "just"),
        (&["Makefile", "makefile", "GNUmakefile"][..], "make"),
    ] {
        let text = files.iter().find_map(|file| text_of(&root.join(file)));
        ways.extend(text.and_then(|text| named(&format!("`{program}`"), targets(&text))));
    }
    if languages.is_empty() && ways.is_empty() {
        return no_reply();
    }
    let mut lines = vec![format!("Project: {}", on_one_line(&root.to_string_lossy(), 400))];
    if !languages.is_empty() {
        lines.push(format!("Languages: {}", languages.join(", ")));
    }
    if !ways.is_empty() {
        lines.push("Build and test:".to_owned());
        lines.extend(ways.into_iter().map(|way| format!("- {way}")));
    }
    Ok(call.inject(lines.join("\n")))
}

/// How Python is run and tested here, from the tables of `pyproject.toml` and the files next to it.
fn python(root: &Path) -> Option<String> {
    let project = text_of(&root.join("pyproject.toml")).unwrap_or_default();
    let has = |table: &str| project.lines().any(|line| line.trim_start().starts_with(table));
    let there = |file: &str| root.join(file).is_file();
    let run = if there("uv.lock") || has("[tool.uv") {
        "uv run "
    } else if there("poetry.lock") || has("[tool.poetry") {
        "poetry run "
    } else if there("pdm.lock") || has("[tool.pdm") {
        "pdm run "
    } else if has("[tool.hatch") {
        "hatch run "
    } else {
        ""
    };
    let mut tools = Vec::new();
    for (tool, used) in [
        ("pytest", has("[tool.pytest") || there("pytest.ini") || there("conftest.py")),
        ("tox", has("[tool.tox") || there("tox.ini")),
        ("nox", there("noxfile.py")),
        ("ruff check", has("[tool.ruff") || there("ruff.toml") || there(".ruff.toml")),
        ("mypy", has("[tool.mypy") || there("mypy.ini")),
        ("pyright", has("[tool.pyright") || there("pyrightconfig.json")),
    ] {
        if used {
            tools.push(format!("`{run}{tool}`"));
        }
    }
    (!tools.is_empty()).then(|| tools.join(", "))
}

/// The scripts of `package.json`, with the package manager that its lock file belongs to.
fn package_json(root: &Path) -> Option<String> {
    let package: Value = serde_json::from_str(&text_of(&root.join("package.json"))?).ok()?;
    let locks =
        [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun")];
    let manager = locks.iter().find(|(lock, _)| root.join(lock).is_file()).map_or("npm", |(_, name)| name);
    let scripts = package.get("scripts")?.as_object()?.keys().cloned().collect();
    named(&format!("`{manager} run`"), scripts)
}

/// The targets of a Makefile, the recipes of a justfile: a name at the beginning of a line, before a colon.
fn targets(text: &str) -> Vec<String> {
    let mut targets: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with([' ', '\t', '#', '.', '['])) {
        let Some((head, rest)) = line.split_once(':') else { continue };
        let mut words = head.split_whitespace();
        let first = words.next().unwrap_or_default().trim_start_matches('@');
        let proper = !first.is_empty()
            && !first.starts_with('_')
            && first.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
        let operator = words.next().is_some_and(|word| matches!(word, "=" | "?=" | "+=" | "!="));
        let assigns = rest.starts_with('=') || rest.starts_with(":=") || operator || first.contains('=');
        let keyword = matches!(first, "set" | "alias" | "export" | "import" | "mod" | "include");
        if proper && !assigns && !keyword && !targets.iter().any(|known| known == first) {
            targets.push(first.to_owned());
        }
    }
    targets
}

fn named(program: &str, names: Vec<String>) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    let more = names.len().saturating_sub(NAMES);
    let listed: Vec<String> = names.into_iter().take(NAMES).map(|name| on_one_line(&name, LONGEST)).collect();
    let more = if more > 0 { format!(", … and {more} more") } else { String::new() };
    Some(format!("{program}: {}{more}", listed.join(", ")))
}

/// The beginning of a regular file; a pipe or a device could block.
fn text_of(path: &Path) -> Option<String> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_names_before_a_colon() {
        let makefile = "CC := gcc\nX=a:b\n.PHONY: all\nall: a.o\n\techo hi: there\n%.o: %.c\ntest test-fast:\nall: again\nURL = http://x\n";
        assert_eq!(targets(makefile), ["all", "test"]);
        let justfile = "set shell := ['sh']\nalias t := test\n# a comment: yes\ntest *ARGS:\n    cargo test\n_hidden:\n@quiet:\nbuild target='x': test\n";
        assert_eq!(targets(justfile), ["test", "quiet", "build"]);
    }
}
