//! The command behind the programs that run it: `env A=1 timeout 60 poetry run pytest` runs `pytest`.

use crate::syntax::{is_assignment, program_name};

/// How far the command of a wrapper is from its own process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The same machine, folder and files: `sudo`, `env`, `timeout`.
    Process,
    /// The same with more arguments, which are read from elsewhere: `xargs`.
    Arguments,
    /// An environment or container of a tool: `poetry run`, `docker run`.
    Environment,
}

/// The command without the assignments and the wrappers before it. It is empty if the wrapper does not wait for it.
pub fn unwrap_command<W: AsRef<str>>(words: &[W], reach: Reach) -> &[W] {
    let mut rest = words;
    loop {
        let assigned = rest.iter().take_while(|word| is_assignment(word.as_ref())).count();
        rest = &rest[assigned..];
        let Some((first, arguments)) = rest.split_first() else { return rest };
        let name = program_name(first.as_ref());
        let mut wrappers = WRAPPERS.iter().filter(|wrapper| wrapper.reach <= reach);
        let Some(command) = wrappers.find_map(|wrapper| wrapper.command(name, arguments)) else {
            return rest;
        };
        rest = command;
    }
}

/// Whether a program is a shell, by its name.
pub fn is_shell(name: &str) -> bool {
    contains_word("ash bash busybox dash fish ksh mksh rbash sh su yash zsh", name)
}

/// The script behind `-c`, and its parameters.
pub fn inline_script<W: AsRef<str>>(arguments: &[W]) -> Option<&[W]> {
    let is_option = |word: &W| {
        let letters = word.as_ref().strip_prefix('-').unwrap_or_default();
        letters.contains('c') && letters.bytes().all(|letter| letter.is_ascii_alphabetic())
    };
    let script = arguments.get(arguments.iter().position(is_option)? + 1..)?;
    let dashes = usize::from(script.first().is_some_and(|word| word.as_ref() == "--"));
    Some(&script[dashes..]).filter(|script| !script.is_empty())
}

/// A program that runs the command behind its own options. Lists are words with spaces between them.
struct Wrapper {
    /// Its name, and the words that must follow it.
    words: &'static str,
    /// Its options that have a value behind them.
    valued: &'static str,
    /// Its options with which it does not wait for the command, or runs another one.
    hiding: &'static str,
    before: Before,
    reach: Reach,
}

/// The words between the options of a wrapper and the command.
#[derive(Clone, Copy)]
enum Before {
    /// This many words, such as the duration of `timeout`.
    Words(usize),
    /// Everything up to `--`, if there is one.
    Dashes,
    /// Everything up to one of these options, without which it runs another program.
    Option(&'static str),
}

const fn process(words: &'static str, valued: &'static str, own: usize) -> Wrapper {
    Wrapper { words, valued, hiding: "", before: Before::Words(own), reach: Reach::Process }
}

const fn tool(words: &'static str, valued: &'static str) -> Wrapper {
    Wrapper { reach: Reach::Environment, ..process(words, valued, 0) }
}

const fn placed(words: &'static str, valued: &'static str, before: Before) -> Wrapper {
    Wrapper { before, ..tool(words, valued) }
}

/// The image, the container or the service is before the command.
const fn contained(words: &'static str) -> Wrapper {
    Wrapper { hiding: "-d --detach --entrypoint", ..placed(words, CONTAINED, Before::Words(1)) }
}

/// Longer ones before shorter ones of the same name.
const WRAPPERS: [Wrapper; 84] = [
    process("timeout", "-k --kill-after -s --signal", 1),
    process("gtimeout", "-k --kill-after -s --signal", 1),
    process("env", "-u --unset -C --chdir", 0),
    process("time", "-f --format -o --output", 0),
    process("nice", "-n --adjustment", 0),
    process("ionice", "-c -n --class --classdata", 0),
    process("sudo", SUDO, 0),
    process("doas", "-u -C", 0),
    process("stdbuf", "-i -o -e --input --output --error", 0),
    process("command", "", 0),
    process("builtin", "", 0),
    process("exec", "-a", 0),
    process("nohup", "", 0),
    process("setsid", "", 0),
    process("chronic", "", 0),
    process("caffeinate", "-t -w", 0),
    process("strace", "-e -o -s -p -a -b -E -I -O -S -P -u", 0),
    Wrapper { reach: Reach::Arguments, ..process("xargs", XARGS, 0) },
    tool("taskset", "-c"),
    tool("xvfb-run", "-s --server-args -n --server-num"),
    tool("unbuffer", ""),
    tool("dbus-run-session", ""),
    placed("chrt", "-T -P -D", Before::Words(1)),
    placed("flock", "-w --timeout -E --conflict-exit-code", Before::Words(1)),
    placed("faketime", "", Before::Words(1)),
    tool("runuser", "-u --user -g --group"),
    tool("ltrace", "-e -o -s -p -a -u -n -l -x"),
    tool("valgrind", ""),
    tool("perf stat", "-e --event -o --output -r --repeat"),
    tool("perf record", "-e --event -o --output -F --freq --call-graph"),
    tool("poetry run", "-C --directory -P --project"),
    tool("uv run", UV),
    tool("uvx", UV),
    tool("pipx run", "--spec --python --pip-args --index-url"),
    tool("pipenv run", ""),
    tool("pdm run", "-p --project"),
    tool("rye run", ""),
    tool("hatch run", "-e --env -p --project"),
    tool("pixi run", "-e --environment --manifest-path"),
    tool("pyenv exec", ""),
    tool("rbenv exec", ""),
    tool("nodenv exec", ""),
    tool("asdf exec", ""),
    tool("conda run", "-n --name -p --prefix --cwd"),
    tool("mamba run", "-n --name -p --prefix"),
    tool("micromamba run", "-n --name -p --prefix"),
    tool("npx", "-p --package -w --workspace"),
    tool("bunx", ""),
    tool("bun x", ""),
    tool("corepack", ""),
    tool("npm exec", "-p --package -w --workspace"),
    tool("pnpm exec", ""),
    tool("pnpm dlx", ""),
    tool("pnpx", ""),
    tool("yarn exec", ""),
    tool("yarn dlx", ""),
    tool("bundle exec", ""),
    placed("mise exec", "", Before::Dashes),
    placed("mise x", "", Before::Dashes),
    placed("rtx exec", "", Before::Dashes),
    placed("direnv exec", "", Before::Words(1)),
    placed("rustup run", "", Before::Words(1)),
    placed("op run", "", Before::Dashes),
    placed("aws-vault exec", "", Before::Dashes),
    placed("kubectl exec", "-n --namespace --context -c --container", Before::Dashes),
    placed("nix develop", "", Before::Option("-c --command")),
    placed("nix shell", "", Before::Option("-c --command")),
    contained("docker run"),
    contained("docker exec"),
    contained("docker container run"),
    contained("docker container exec"),
    contained("docker compose run"),
    contained("docker compose exec"),
    contained("docker-compose run"),
    contained("docker-compose exec"),
    contained("podman run"),
    contained("podman exec"),
    contained("podman compose run"),
    contained("podman compose exec"),
    contained("nerdctl run"),
    contained("nerdctl exec"),
    placed("doppler run", "", Before::Dashes),
    placed("dotenv run", "", Before::Dashes),
    tool("dotenv", "-f -e"),
];

const SUDO: &str = "-u -g -C -D -h -p -R -r -T -t -U --user --group --close-from --chdir --host --prompt --chroot \
    --role --command-timeout --type --other-user";

const XARGS: &str =
    "-n -P -I -L -d -E -a -s --max-args --max-procs --replace --max-lines --delimiter --arg-file";

/// Of `docker run` and its like, and of `docker compose` before that.
const CONTAINED: &str = "-e --env --env-file -v --volume --mount -w --workdir -u --user -p --publish --name \
    --network --net -m --memory --cpus -h --hostname -l --label --platform --gpus --shm-size --tmpfs --pull \
    --add-host --ulimit --cap-add --cap-drop --security-opt --runtime --device --link --dns --ipc --pid --userns \
    --volumes-from --expose --log-driver --stop-timeout --context -f --file --project-name --profile \
    --project-directory --index";

const UV: &str = "--with --extra --group --python -p --project --directory --package --env-file --from --index-url \
    --with-requirements --with-editable --only-group --no-group";

impl Wrapper {
    /// The command that it runs: empty if the wrapper does not wait for it, none if this is another program.
    fn command<'a, W: AsRef<str>>(&self, name: &str, words: &'a [W]) -> Option<&'a [W]> {
        let own = self.words.get(..name.len()).filter(|own| own.eq_ignore_ascii_case(name))?;
        let others = &self.words[own.len()..];
        if !(others.is_empty() || others.starts_with(' ')) || self.only_asks(words) {
            return None;
        }
        let mut rest = words;
        for other in others.split_whitespace() {
            let (first, after) = rest.get(self.options(rest)..)?.split_first()?;
            if first.as_ref() != other {
                return None;
            }
            rest = after;
        }
        Some(self.behind(rest))
    }

    /// `command -v pytest` prints where it is.
    fn only_asks<W: AsRef<str>>(&self, words: &[W]) -> bool {
        let option = words.first().map_or("", AsRef::as_ref);
        self.words == "command" && option.starts_with('-') && option.contains(['v', 'V'])
    }

    /// The number of words that are options and their values.
    fn options<W: AsRef<str>>(&self, words: &[W]) -> usize {
        let mut at = 0;
        while let Some(word) = words.get(at).map(AsRef::as_ref)
            && word.starts_with('-')
            && word != "--"
        {
            at += 1 + usize::from(self.takes_value(word));
        }
        at.min(words.len())
    }

    /// Whether the value of an option is the next word: `-u`, `--user`, and `-nu` for an option `-n` without one.
    fn takes_value(&self, option: &str) -> bool {
        if contains_word(self.valued, option) {
            return true;
        }
        let letters = option.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
        let is_valued = |letter: char| {
            let mut names = self.valued.split(' ').filter(|own| own.len() == 2);
            names.any(|own| own.ends_with(letter))
        };
        letters.find(is_valued).is_some_and(|at| at + 1 == letters.len())
    }

    /// The words behind its own words and options.
    fn behind<'a, W: AsRef<str>>(&self, rest: &'a [W]) -> &'a [W] {
        let after = |ends: &str| {
            let at = rest.iter().position(|word| contains_word(ends, word.as_ref()))?;
            Some(&rest[at + 1..])
        };
        match self.before {
            Before::Dashes if let Some(command) = after("--") => return command,
            Before::Option(ends) => return after(ends).unwrap_or_default(),
            Before::Dashes | Before::Words(_) => {}
        }
        let (options, mut rest) = rest.split_at(self.options(rest));
        if options.iter().any(|option| self.hides(option.as_ref())) {
            return &[];
        }
        if let [first, command @ ..] = rest
            && first.as_ref() == "--"
        {
            rest = command;
        }
        match self.before {
            Before::Words(number) => rest.get(number..).unwrap_or_default(),
            Before::Dashes | Before::Option(_) => rest,
        }
    }

    /// `-d`, `--detach`, `--detach=true` and, among other letters, `-itd`.
    fn hides(&self, option: &str) -> bool {
        let name = option.split('=').next().unwrap_or(option);
        let letters = name.strip_prefix('-').filter(|rest| rest.bytes().all(|byte| b"itd".contains(&byte)));
        self.hiding.split(' ').any(|hiding| {
            name == hiding && !hiding.is_empty()
                || hiding.len() == 2 && letters.is_some_and(|letters| letters.contains(&hiding[1..]))
        })
    }
}

/// Whether a list of words with spaces between them has this one.
pub fn contains_word(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|own| own == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behind(line: &str) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        unwrap_command(&words, Reach::Environment).join(" ")
    }

    #[test]
    fn wrapper_options_precede_command() {
        for wrapper in &WRAPPERS {
            let name = wrapper.words;
            let own = match wrapper.before {
                Before::Words(number) => "60 ".repeat(number),
                Before::Dashes => String::new(),
                Before::Option(options) => format!("{} ", options.split(' ').next().unwrap()),
            };
            assert_eq!(behind(&format!("{name} {own}pytest -q")), "pytest -q", "{name}");
            if own.is_empty() {
                assert_eq!(behind(&format!("{name} -- pytest -q")), "pytest -q", "{name}");
            }
            for option in wrapper.valued.split_whitespace() {
                let line = format!("{name} {option} value {own}pytest -q");
                assert_eq!(behind(&line), "pytest -q", "{line}");
            }
            let path = format!("A=1 /usr/bin/{name} {own}env B=2 pytest -q");
            assert_eq!(behind(&path), "pytest -q", "{name}");
        }
    }

    #[test]
    fn command_behind_wrappers() {
        for line in [
            "mise exec python@3.11 node@20 -- pytest -q",
            "doppler run -p shop -c dev -- pytest -q",
            "kubectl exec -n shop web -- pytest -q",
            "kubectl -n shop exec -it web -- pytest -q",
            "chrt -f 10 pytest -q",
            "nix develop .#ci --command pytest -q",
            "docker run --rm -it -v .:/app -e A=1 --user=1 python:3.12 pytest -q",
            "docker compose -f ci.yml --profile test run --rm web pytest -q",
            "docker exec -w /app web pytest -q",
            "poetry -C api run pytest -q",
            "uv --directory api run pytest -q",
            "strace -f -o trace.txt pytest -q",
            "runuser -u me -- pytest -q",
            "sudo -nu me pytest -q",
            "sudo -ume pytest -q",
            "xargs -n1 pytest -q",
            "SUDO pytest -q",
            "command -p pytest -q",
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
        let words = ["sudo", "docker", "run", "image", "rm"];
        assert_eq!(unwrap_command(&words, Reach::Arguments), &words[1..]);
    }
}
