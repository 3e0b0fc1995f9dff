//! The real command behind the words it is wrapped in: `env A=1 timeout 60 poetry run pytest` is `pytest`.

use super::programs::base_name;
use super::recognise::is_assignment;

/// A program that runs the command behind its own options.
struct Wrapper {
    /// Its name, and the words that must follow it (`poetry run`).
    words: &'static [&'static str],
    /// Its options that have a value behind them.
    valued: &'static [&'static str],
    /// What of its own stands before the command besides.
    before: Before,
}

/// What of a wrapper's own stands between its options and the command.
enum Before {
    /// So many words, such as the duration of `timeout`.
    Words(usize),
    /// Anything up to `--`, if there is one.
    Dashes,
}

const fn plain(words: &'static [&'static str]) -> Wrapper {
    Wrapper { words, valued: &[], before: Before::Words(0) }
}

const fn valued(words: &'static [&'static str], valued: &'static [&'static str]) -> Wrapper {
    Wrapper { words, valued, before: Before::Words(0) }
}

const fn dashed(words: &'static [&'static str]) -> Wrapper {
    Wrapper { words, valued: &[], before: Before::Dashes }
}

/// Longer ones before shorter ones of the same name.
const WRAPPERS: [Wrapper; 45] = [
    Wrapper {
        words: &["timeout"],
        valued: &["-k", "--kill-after", "-s", "--signal"],
        before: Before::Words(1),
    },
    Wrapper {
        words: &["gtimeout"],
        valued: &["-k", "--kill-after", "-s", "--signal"],
        before: Before::Words(1),
    },
    valued(&["env"], &["-u", "--unset", "-C", "--chdir"]),
    valued(&["time"], &["-f", "--format", "-o", "--output"]),
    valued(&["nice"], &["-n", "--adjustment"]),
    valued(&["ionice"], &["-c", "-n", "--class", "--classdata"]),
    valued(&["sudo"], &["-u", "-g", "--user", "--group"]),
    valued(&["doas"], &["-u"]),
    valued(&["stdbuf"], &["-i", "-o", "-e"]),
    valued(&["taskset"], &["-c"]),
    valued(&["xvfb-run"], &["-s", "--server-args", "-n", "--server-num"]),
    valued(&["xargs"], &["-n", "-P", "-I", "-L", "-d", "--max-args", "--max-procs"]),
    plain(&["command"]),
    plain(&["exec"]),
    plain(&["nohup"]),
    plain(&["setsid"]),
    plain(&["unbuffer"]),
    plain(&["chronic"]),
    valued(&["poetry", "run"], &["-C", "--directory", "-P", "--project"]),
    valued(&["uv", "run"], UV),
    valued(&["uvx"], UV),
    plain(&["pipenv", "run"]),
    valued(&["pdm", "run"], &["-p", "--project"]),
    plain(&["rye", "run"]),
    plain(&["hatch", "run"]),
    valued(&["conda", "run"], &["-n", "--name", "-p", "--prefix", "--cwd"]),
    valued(&["mamba", "run"], &["-n", "--name", "-p", "--prefix"]),
    valued(&["micromamba", "run"], &["-n", "--name", "-p", "--prefix"]),
    valued(&["npx"], &["-p", "--package", "-w", "--workspace"]),
    plain(&["bunx"]),
    valued(&["npm", "exec"], &["-p", "--package", "-w", "--workspace"]),
    plain(&["pnpm", "exec"]),
    plain(&["pnpm", "dlx"]),
    plain(&["pnpx"]),
    plain(&["yarn", "exec"]),
    plain(&["yarn", "dlx"]),
    plain(&["bundle", "exec"]),
    dashed(&["mise", "exec"]),
    dashed(&["mise", "x"]),
    dashed(&["rtx", "exec"]),
    Wrapper { words: &["direnv", "exec"], valued: &[], before: Before::Words(1) },
    Wrapper { words: &["rustup", "run"], valued: &[], before: Before::Words(1) },
    dashed(&["doppler", "run"]),
    dashed(&["dotenv", "run"]),
    valued(&["dotenv"], &["-f", "-e"]),
];

const UV: &[&str] = &[
    "--with",
    "--extra",
    "--group",
    "--python",
    "-p",
    "--project",
    "--directory",
    "--package",
    "--env-file",
    "--from",
    "--index-url",
    "--with-requirements",
    "--with-editable",
    "--only-group",
    "--no-group",
];

/// The command without assignments and wrappers before it.
pub(super) fn without(words: &[String]) -> &[String] {
    let mut rest = words;
    loop {
        let assigned = rest.iter().take_while(|word| is_assignment(word)).count();
        rest = &rest[assigned..];
        let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.begins(rest)) else { break };
        rest = wrapper.behind(rest);
    }
    python(rest).map_or(rest, without)
}

impl Wrapper {
    fn begins(&self, words: &[String]) -> bool {
        // `command -v pytest` asks where it is.
        let asks = self.words == ["command"] && words.get(1).is_some_and(|word| word.starts_with('-'));
        !asks
            && self.words.len() <= words.len()
            && self
                .words
                .iter()
                .zip(words)
                .enumerate()
                .all(|(at, (own, word))| if at == 0 { base_name(word) == *own } else { word == own })
    }

    fn behind<'a>(&self, words: &'a [String]) -> &'a [String] {
        let mut rest = &words[self.words.len()..];
        let dashes = rest.iter().position(|word| word == "--");
        if let (Before::Dashes, Some(at)) = (&self.before, dashes) {
            return &rest[at + 1..];
        }
        while let Some((first, after)) = rest.split_first() {
            if first == "--" {
                rest = after;
                break;
            }
            if !first.starts_with('-') {
                break;
            }
            let takes = self.valued.contains(&first.as_str());
            rest = after.get(usize::from(takes)..).unwrap_or_default();
        }
        match self.before {
            Before::Words(number) => rest.get(number..).unwrap_or_default(),
            Before::Dashes => rest,
        }
    }
}

/// What `python -m module` and `coverage run -m module` run, from the module on; `python -m coverage` as `coverage`.
fn python(words: &[String]) -> Option<&[String]> {
    let (program, arguments) = words.split_first()?;
    let name = base_name(program);
    let arguments = match name.as_str() {
        "coverage" => arguments.split_first().filter(|(first, _)| *first == "run")?.1,
        name if is_python(name) => arguments,
        _ => return None,
    };
    // An option such as `-X dev` has its value behind it; a script ends the search.
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        match word.as_str() {
            "-m" | "--module" => return arguments.get(at + 1..).filter(|rest| !rest.is_empty()),
            "-X" | "-W" | "--source" | "--rcfile" | "--omit" | "--include" | "--data-file" => at += 2,
            option if option.starts_with('-') => at += 1,
            _ => return None,
        }
    }
    None
}

pub(super) fn is_python(name: &str) -> bool {
    ["python", "pypy"].iter().any(|own| {
        name.strip_prefix(own)
            .is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrapper_is_seen_through_with_its_options() {
        let behind = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            without(&words).join(" ")
        };
        for wrapper in &WRAPPERS {
            let name = wrapper.words.join(" ");
            let own = match wrapper.before {
                Before::Words(number) => "60 ".repeat(number),
                Before::Dashes => String::new(),
            };
            assert_eq!(behind(&format!("{name} {own}pytest -q")), "pytest -q", "{name}");
            if own.is_empty() && name != "command" {
                assert_eq!(behind(&format!("{name} -- pytest -q")), "pytest -q", "{name}");
            }
            for option in wrapper.valued {
                let line = format!("{name} {option} value {own}pytest -q");
                assert_eq!(behind(&line), "pytest -q", "{line}");
            }
            let path = format!("A=1 /usr/bin/{name} {own}python -m pytest -q");
            assert_eq!(behind(&path), "pytest -q", "{name}");
        }
        for line in ["mise exec python@3.11 node@20 -- pytest -q", "doppler run -p shop -c dev -- pytest -q"]
        {
            assert_eq!(behind(line), "pytest -q");
        }
        assert_eq!(behind("command -v pytest"), "command -v pytest");
    }
}
