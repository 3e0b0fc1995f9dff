//! Redacts the stderr of hooks, which is shown, recorded and sent to agents.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use tenter_contract::secret_names::looks_secret;
use tenter_store::audit::redact::{Redactor, secret_values};

/// The secrets in the environment of a process.
#[derive(Default)]
pub(crate) struct KnownSecrets(Vec<(OsString, OsString)>);

impl KnownSecrets {
    pub(crate) fn from_command(command: &Command) -> Self {
        let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let secret = variables.filter(|(name, _)| name.to_str().is_some_and(looks_secret));
        Self(secret.map(|(name, value): (&OsStr, &OsStr)| (name.to_owned(), value.to_owned())).collect())
    }

    /// Redacts the end of a stderr. If `cut` bytes before it are missing, half a word at the beginning is left out,
    /// because it may be half a secret.
    pub(crate) fn redact_tail(self, tail: Vec<u8>, cut: u64) -> Vec<u8> {
        if tail.is_empty() {
            return tail;
        }
        let tail = if cut > 0 { without_first_word(tail) } else { tail };
        let values = secret_values(self.0.into_iter().chain(std::env::vars_os()));
        let clean = Redactor::hiding(values).text(&String::from_utf8_lossy(&tail));
        clean.map_or(tail, String::into_bytes)
    }
}

fn without_first_word(mut tail: Vec<u8>) -> Vec<u8> {
    let word = tail.iter().take(LONGEST_WORD).position(u8::is_ascii_whitespace);
    drop(tail.drain(..word.unwrap_or(0)));
    tail
}

/// Longer words are no secrets.
const LONGEST_WORD: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_by_name_and_form_are_hidden() {
        let mut command = Command::new("x");
        command.env("MY_API_KEY", "correct-horse-battery").env("REGION", "production-like");
        let known = KnownSecrets::from_command(&command);
        let stderr =
            format!("cannot log in to production-like: correct-horse-battery, ghp_{}", "Ab1".repeat(12));
        let hidden = known.redact_tail(stderr.into_bytes(), 0);
        assert_eq!(
            String::from_utf8(hidden).unwrap(),
            "cannot log in to production-like: [redacted:environment], [redacted:github]"
        );
    }

    #[test]
    fn cut_stderr_drops_its_first_word() {
        let hidden = KnownSecrets::default().redact_tail(b"1Ab1Ab1Ab1 then words".to_vec(), 7);
        assert_eq!(hidden, b" then words");
        assert_eq!(KnownSecrets::default().redact_tail(b"\xff words".to_vec(), 0), b"\xff words");
    }
}
