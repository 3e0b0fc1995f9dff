//! The real command behind the words it is wrapped in: `env A=1 timeout 60 poetry run pytest` is `pytest`.

use super::programs::base_name;
use super::recognise::is_assignment;

/// A program that runs the command behind its own options.
struct Wrapper {
    /// Its name, and the words that must follow it (`poetry run`).
    words: &'static [&'static str],
    /// Its options that have a value behind them, wherever between its words they stand.
    valued: &'static [&'static str],
    /// Its options with which it does not wait for the command, or runs another one.
    hiding: &'static [&'static str],
    /// What of its own stands before the command besides.
    before: Before,
}

/// What of a wrapper's own stands between its options and the command.
enum Before {
    /// So many words, such as the duration of `timeout`.
    Words(usize),
    /// Anything up to `--`, if there is one.
    Dashes,
    /// Anything up to one of these options, without which it runs something else.
    Option(&'static [&'static str]),
}

const fn plain(words: &'static [&'static str]) -> Wrapper {
    valued(words, &[])
}

const fn valued(words: &'static [&'static str], valued: &'static [&'static str]) -> Wrapper {
    behind(words, valued, 0)
}

const fn behind(words: &'static [&'static str], valued: &'static [&'static str], own: usize) -> Wrapper {
    Wrapper { words, valued, hiding: &[], before: Before::Words(own) }
}

const fn dashed(words: &'static [&'static str]) -> Wrapper {
    Wrapper { words, valued: &[], hiding: &[], before: Before::Dashes }
}

/// The command stands behind one of these options.
const fn inside(words: &'static [&'static str], options: &'static [&'static str]) -> Wrapper {
    Wrapper { words, valued: &[], hiding: &[], before: Before::Option(options) }
}

/// The image, the container or the service stands before the command.
const fn contained(words: &'static [&'static str]) -> Wrapper {
    Wrapper {
        words,
        valued: CONTAINED,
        hiding: &["-d", "--detach", "--entrypoint"],
        before: Before::Words(1),
    }
}

/// Longer ones before shorter ones of the same name.
const WRAPPERS: [Wrapper; 83] = [
    behind(&["timeout"], TIMEOUT, 1),
    behind(&["gtimeout"], TIMEOUT, 1),
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
    valued(&["caffeinate"], &["-t", "-w"]),
    plain(&["dbus-run-session"]),
    behind(&["chrt"], &["-T", "-P", "-D"], 1),
    behind(&["flock"], &["-w", "--timeout", "-E", "--conflict-exit-code"], 1),
    behind(&["faketime"], &[], 1),
    valued(&["runuser"], &["-u", "--user", "-g", "--group"]),
    valued(&["strace"], &["-e", "-o", "-s", "-p", "-a", "-b", "-E", "-I", "-O", "-S", "-P", "-u"]),
    valued(&["ltrace"], &["-e", "-o", "-s", "-p", "-a", "-u", "-n", "-l", "-x"]),
    plain(&["valgrind"]),
    valued(&["perf", "stat"], &["-e", "--event", "-o", "--output", "-r", "--repeat"]),
    valued(&["perf", "record"], &["-e", "--event", "-o", "--output", "-F", "--freq", "--call-graph"]),
    valued(&["poetry", "run"], &["-C", "--directory", "-P", "--project"]),
    valued(&["uv", "run"], UV),
    valued(&["uvx"], UV),
    valued(&["pipx", "run"], &["--spec", "--python", "--pip-args", "--index-url"]),
    plain(&["pipenv", "run"]),
    valued(&["pdm", "run"], &["-p", "--project"]),
    plain(&["rye", "run"]),
    valued(&["hatch", "run"], &["-e", "--env", "-p", "--project"]),
    valued(&["pixi", "run"], &["-e", "--environment", "--manifest-path"]),
    plain(&["pyenv", "exec"]),
    plain(&["rbenv", "exec"]),
    plain(&["nodenv", "exec"]),
    plain(&["asdf", "exec"]),
    valued(&["conda", "run"], &["-n", "--name", "-p", "--prefix", "--cwd"]),
    valued(&["mamba", "run"], &["-n", "--name", "-p", "--prefix"]),
    valued(&["micromamba", "run"], &["-n", "--name", "-p", "--prefix"]),
    valued(&["npx"], &["-p", "--package", "-w", "--workspace"]),
    plain(&["bunx"]),
    plain(&["bun", "x"]),
    plain(&["corepack"]),
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
    behind(&["direnv", "exec"], &[], 1),
    behind(&["rustup", "run"], &[], 1),
    dashed(&["op", "run"]),
    dashed(&["aws-vault", "exec"]),
    Wrapper {
        words: &["kubectl", "exec"],
        valued: &["-n", "--namespace", "--context", "-c", "--container"],
        hiding: &[],
        before: Before::Dashes,
    },
    inside(&["nix", "develop"], &["-c", "--command"]),
    inside(&["nix", "shell"], &["-c", "--command"]),
    contained(&["docker", "run"]),
    contained(&["docker", "exec"]),
    contained(&["docker", "container", "run"]),
    contained(&["docker", "container", "exec"]),
    contained(&["docker", "compose", "run"]),
    contained(&["docker", "compose", "exec"]),
    contained(&["docker-compose", "run"]),
    contained(&["docker-compose", "exec"]),
    contained(&["podman", "run"]),
    contained(&["podman", "exec"]),
    contained(&["podman", "compose", "run"]),
    contained(&["podman", "compose", "exec"]),
    contained(&["nerdctl", "run"]),
    contained(&["nerdctl", "exec"]),
    dashed(&["doppler", "run"]),
    dashed(&["dotenv", "run"]),
    valued(&["dotenv"], &["-f", "-e"]),
];

const TIMEOUT: &[&str] = &["-k", "--kill-after", "-s", "--signal"];

/// Of `docker run` and its like, and of `docker compose` before that.
const CONTAINED: &[&str] = &[
    "-e",
    "--env",
    "--env-file",
    "-v",
    "--volume",
    "--mount",
    "-w",
    "--workdir",
    "-u",
    "--user",
    "-p",
    "--publish",
    "--name",
    "--network",
    "--net",
    "-m",
    "--memory",
    "--cpus",
    "-h",
    "--hostname",
    "-l",
    "--label",
    "--platform",
    "--gpus",
    "--shm-size",
    "--tmpfs",
    "--pull",
    "--add-host",
    "--ulimit",
    "--cap-add",
    "--cap-drop",
    "--security-opt",
    "--runtime",
    "--device",
    "--link",
    "--dns",
    "--ipc",
    "--pid",
    "--userns",
    "--volumes-from",
    "--expose",
    "--log-driver",
    "--stop-timeout",
    "--context",
    "-f",
    "--file",
    "--project-name",
    "--profile",
    "--project-directory",
    "--index",
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
        let Some((first, behind)) = rest.split_first() else { break };
        let name = base_name(first);
        let found = WRAPPERS.iter().find_map(|wrapper| wrapper.command(&name, behind));
        let Some(command) = found else { break };
        rest = command;
    }
    python(rest).map_or(rest, without)
}

impl Wrapper {
    /// The command that it runs; nothing of it if that is not waited for, none if this is not that wrapper.
    fn command<'a>(&self, name: &str, words: &'a [String]) -> Option<&'a [String]> {
        let (own, others) = self.words.split_first()?;
        // `command -v pytest` asks where it is.
        let asks = name == "command" && words.first().is_some_and(|word| word.starts_with('-'));
        if name != *own || asks {
            return None;
        }
        let mut rest = words;
        for other in others {
            let (first, after) = rest.get(self.options(rest)..)?.split_first()?;
            if first != other {
                return None;
            }
            rest = after;
        }
        Some(self.behind(rest))
    }

    /// So many words are options with their values.
    fn options(&self, words: &[String]) -> usize {
        let mut at = 0;
        while let Some(word) = words.get(at)
            && word.starts_with('-')
            && word != "--"
        {
            at += 1 + usize::from(self.valued.contains(&word.as_str()));
        }
        at.min(words.len())
    }

    /// What stands behind its own words and options.
    fn behind<'a>(&self, rest: &'a [String]) -> &'a [String] {
        let up_to = |ends: &[&str]| rest.iter().position(|word| ends.contains(&word.as_str()));
        match self.before {
            Before::Dashes if let Some(at) = up_to(&["--"]) => return &rest[at + 1..],
            Before::Option(ends) => return up_to(ends).map_or(&[], |at| &rest[at + 1..]),
            Before::Dashes | Before::Words(_) => {}
        }
        let (options, mut rest) = rest.split_at(self.options(rest));
        if options.iter().any(|option| self.hides(option)) {
            return &[];
        }
        if let [first, after @ ..] = rest
            && first == "--"
        {
            rest = after;
        }
        match self.before {
            Before::Words(number) => rest.get(number..).unwrap_or_default(),
            Before::Dashes | Before::Option(_) => rest,
        }
    }

    /// `-d`, `--detach`, `--detach=true` and, among letters of others, `-itd`.
    fn hides(&self, option: &str) -> bool {
        let name = option.split('=').next().unwrap_or(option);
        let letters =
            |of: &str| of.strip_prefix('-').is_some_and(|of| of.bytes().all(|it| b"itd".contains(&it)));
        self.hiding.iter().any(|hiding| {
            name == *hiding || hiding.len() == 2 && letters(name) && name.contains(&hiding[1..])
        })
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
                Before::Option(options) => format!("{} ", options[0]),
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
        for line in [
            "mise exec python@3.11 node@20 -- pytest -q",
            "doppler run -p shop -c dev -- pytest -q",
            "kubectl exec -n shop web -- pytest -q",
            "kubectl -n shop exec -it web -- pytest -q",
            "chrt -f 10 pytest -q",
            "nix develop .#ci --command pytest -q",
            "docker run --rm -it -v .:/app -e A=1 --user=1 python:3.12 pytest -q",
            "docker compose -f ci.yml --profile test run --rm web pytest -q",
            "docker exec -w /app web python -m pytest -q",
            "poetry -C api run pytest -q",
            "uv --directory api run pytest -q",
            "strace -f -o trace.txt pytest -q",
            "runuser -u me -- pytest -q",
        ] {
            assert_eq!(behind(line), "pytest -q", "{line}");
        }
        for line in [
            "command -v pytest",
            "docker build -t pytest .",
            "docker pull pytest",
            "docker logs pytest",
            "docker compose build pytest",
            "nix build pytest",
            "poetry add pytest",
        ] {
            assert_eq!(behind(line), line);
        }
        for line in [
            "docker run -d python pytest",
            "docker run -itd python pytest",
            "docker run -dit python pytest",
            "docker compose run --detach=true web pytest",
            "docker run --entrypoint echo python pytest",
            "docker run pytest",
            "nix develop pytest",
        ] {
            assert_eq!(behind(line), "", "{line}");
        }
    }
}
