//! One call by an agent, from its arguments to its exit code, in `tenter-hook` and `tenter hook`. Standard output has the
//! answer and nothing else.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenter_contract::Answer;
use tenter_contract::ports::{AgentAdapter, FullBinary, Scope};
use tenter_executors::project_folders::account_home;

use crate::answer::LARGEST_PAYLOAD;
use crate::assemble::Host;
use crate::environment::{Correction, is_usual};
use crate::places::{Checked, Places};
use crate::trust::project;

/// The arguments of an agent's command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookCall {
    /// The agent that calls.
    pub agent: String,
    /// The sub-agent.
    pub agent_id: Option<String>,
    /// How long it waits for the answer.
    pub within: Option<Duration>,
    /// The hook file that takes the place of the user's own.
    pub config: Option<PathBuf>,
    /// The profile that takes the place of the active one.
    pub profile: Option<String>,
    /// The id of the installation, if it is named.
    pub installation: Option<String>,
    /// The scope of the settings that have the command, if it is named.
    pub scope: Option<Scope>,
}

/// The exit code that denies, for agents that read it.
const REFUSED: u8 = 2;

impl HookCall {
    /// Parses the arguments in their plain form; everything else (`--help`, mistakes) is for the full parser.
    pub fn parse(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let agent = arguments.next()?.into_string().ok().filter(|word| !word.starts_with('-'))?;
        let mut call = Self { agent, ..Self::default() };
        while let Some(option) = arguments.next() {
            match option.to_str()? {
                "--config" => call.config = Some(PathBuf::from(arguments.next()?)),
                "--profile" => call.profile = Some(arguments.next()?.into_string().ok()?),
                "--agent-id" => call.agent_id = Some(arguments.next()?.into_string().ok()?),
                "--scope" => call.scope = Some(Scope::parse(arguments.next()?.to_str()?)?),
                "--installation" => call.installation = Some(arguments.next()?.into_string().ok()?),
                "--within" => call.within = Some(parse_time(arguments.next()?.to_str()?).ok()?),
                _ => return None,
            }
        }
        Some(call)
    }

    /// Whether the entry has settings that no other entry can replace.
    fn is_special(&self) -> bool {
        self.config.is_some() || self.profile.is_some() || self.agent_id.is_some()
    }

    /// Reads the payload from stdin and decides. If the environment must be corrected and this is not the full
    /// program, that one takes over.
    pub fn answer(
        &self,
        agent: &dyn AgentAdapter,
        assemble: impl FnOnce(&Places, Option<&Path>) -> Host,
        full: Option<&dyn FullBinary>,
    ) -> io::Result<Answer> {
        let mut named =
            Places::from_environment(self.config.as_deref()).with_profile(self.profile.as_deref());
        named.installation.clone_from(&self.installation);
        let project = project::of_agent(agent).or_else(project::here);
        let account = account_home();
        if is_usual(&named, account.as_deref()) {
            named.checked = Checked::Everywhere;
            return self.answer_from(agent, assemble(&named, project.as_deref()), io::stdin().lock());
        }
        let mut payload = Vec::new();
        io::stdin().lock().take(LARGEST_PAYLOAD + 1).read_to_end(&mut payload)?;
        let correction = Correction::new(&named, account, agent, project.as_deref(), &payload);
        if correction.is_needed()
            && let Some(full) = full
        {
            // The full binary must see the unchanged environment to come to the same correction.
            full.exec(&payload);
        }
        let host = assemble(&correction.apply(), project.as_deref());
        self.answer_from(agent, host, &payload[..])
    }

    #[inline]
    fn answer_from(
        &self,
        agent: &dyn AgentAdapter,
        host: Host,
        payload: impl io::Read,
    ) -> io::Result<Answer> {
        let host = match self.within {
            Some(patience) => host.within(patience),
            None => host,
        };
        // The process ends in a moment; giving back its memory piece by piece would take longer than the answer.
        let host = ManuallyDrop::new(host);
        host.answer(agent, self.scope.filter(|_| !self.is_special()), payload, self.agent_id.as_deref())
    }
}

/// Writes the answer for the agent, and returns the exit code.
pub fn deliver(answer: &Answer) -> u8 {
    let mut stdout = io::stdout().lock();
    let written = match answer.stdout.is_empty() {
        true => Ok(()),
        false if is_discarded(&stdout) => Err(io::ErrorKind::BrokenPipe.into()),
        false => stdout.write_all(&answer.stdout).and_then(|()| stdout.flush()),
    };
    if let Err(error) = written {
        // An answer that does not arrive may have been a deny, so nothing may happen that it could have stopped.
        let _ = writeln!(io::stderr(), "tenter: the answer could not be written: {error}");
        return REFUSED;
    }
    if !answer.stderr.is_empty() {
        let text = String::from_utf8_lossy(&answer.stderr);
        let _ = io::stderr().write_all(text.as_bytes());
    }
    answer.exit_code
}

/// Whether standard output is lost: it was closed, so that the standard library or the agent put `/dev/null` in its place.
/// Both open it for reading too; a shell's `>/dev/null` does not, and is intended.
#[cfg(target_os = "linux")]
#[inline(never)]
fn is_discarded(stdout: &impl std::os::fd::AsFd) -> bool {
    use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat, major, minor};

    let is_null = fstat(stdout).is_ok_and(|it| {
        FileType::from_raw_mode(it.st_mode) == FileType::CharacterDevice
            && (major(it.st_rdev), minor(it.st_rdev)) == (1, 3)
    });
    is_null && fcntl_getfl(stdout).is_ok_and(|flags| flags.contains(OFlags::RDWR))
}

#[cfg(not(target_os = "linux"))]
fn is_discarded(_: &impl std::os::fd::AsFd) -> bool {
    false
}

/// A time such as `600s`, `500ms` or `10m`; a bare number is seconds.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: u32 = number.parse().map_err(|_| "write a time such as `600s`".to_owned())?;
    match unit {
        "ms" => Ok(Duration::from_millis(number.into())),
        "" | "s" => Ok(Duration::from_secs(number.into())),
        "m" => Ok(Duration::from_mins(number.into())),
        other => Err(format!("`{other}` is not a unit of time; write `ms`, `s` or `m`")),
    }
}
