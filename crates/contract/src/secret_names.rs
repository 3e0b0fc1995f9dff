//! Names of secrets: the one table of the workspace. It decides which environment variables hold secrets, which
//! headers are hidden, and which assigned values the audit trail redacts.

use SecretRule::{AccessToken, Credentials, RandomKey, Session, Signature, Value, WholeWord};
use VariableMatch::{Anywhere, Nowhere, Word};

/// A name, and what it says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretName {
    /// How the name of a field or an assignment ends, in lower case; `_` also matches `-`.
    pub end: &'static str,
    /// When the value of such a field is a secret.
    pub rule: SecretRule,
    /// Where the name must be in that of an environment variable to make its value a secret.
    pub variable: VariableMatch,
}

/// When a value with a secret's name is a secret. Code is full of such names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretRule {
    /// If it looks like a value of this kind and not like a word or a variable.
    Value(&'static str),
    /// As a parameter of a signed URL; elsewhere the word means other things.
    Signature,
    /// As base64 of a user and a password, or if a variable has a random value.
    Credentials,
    /// If it is random: the name is short and means other things too.
    AccessToken,
    /// If it is random and longer: keys of a map have such names too.
    RandomKey,
    /// If the name is a whole word.
    WholeWord,
    /// In a cookie or a URL; elsewhere a session has a public name.
    Session,
}

impl SecretRule {
    /// The kind that replaces the value: `[redacted:password]`.
    pub fn kind(self) -> &'static str {
        match self {
            Value(kind) => kind,
            Signature => "signature",
            Credentials => "basic",
            AccessToken => "token",
            RandomKey => "key",
            WholeWord => PASSWORD,
            Session => "cookie",
        }
    }
}

/// Where a name must be in that of an environment variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableMatch {
    /// Anywhere.
    Anywhere,
    /// As a word of its own: `AUTHOR` is not `AUTH`.
    Word,
    /// It says nothing, or a shorter name covers it.
    Nowhere,
}

/// The kind of a password.
pub const PASSWORD: &str = "password";

/// All names. The first that fits decides.
pub const NAMES: [SecretName; 46] = [
    SecretName { end: "password", rule: Value(PASSWORD), variable: Anywhere },
    SecretName { end: "passwd", rule: Value(PASSWORD), variable: Anywhere },
    SecretName { end: "pwd", rule: Value(PASSWORD), variable: Word },
    SecretName { end: "passphrase", rule: Value(PASSWORD), variable: Anywhere },
    SecretName { end: "passcode", rule: Value(PASSWORD), variable: Anywhere },
    SecretName { end: "_pass", rule: Value(PASSWORD), variable: Word },
    SecretName { end: "secret", rule: Value("secret"), variable: Anywhere },
    SecretName { end: "credential", rule: Value("secret"), variable: Anywhere },
    SecretName { end: "credentials", rule: Value("secret"), variable: Nowhere },
    SecretName { end: "token", rule: Value("token"), variable: Anywhere },
    SecretName { end: "api_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "apikey", rule: Value("key"), variable: Nowhere },
    SecretName { end: "access_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "accesskey", rule: Value("key"), variable: Nowhere },
    SecretName { end: "secret_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "secretkey", rule: Value("key"), variable: Nowhere },
    SecretName { end: "private_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "privatekey", rule: Value("key"), variable: Nowhere },
    SecretName { end: "signing_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "encryption_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "account_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "accountkey", rule: Value("key"), variable: Nowhere },
    SecretName { end: "auth_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "app_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "appkey", rule: Value("key"), variable: Nowhere },
    SecretName { end: "master_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "service_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "accesssignature", rule: Value("signature"), variable: Nowhere },
    SecretName { end: "signature", rule: Signature, variable: Nowhere },
    SecretName { end: "sig", rule: Signature, variable: Nowhere },
    SecretName { end: "_auth", rule: Credentials, variable: Word },
    SecretName { end: "_oauth", rule: Credentials, variable: Word },
    SecretName { end: "authorization", rule: Credentials, variable: Word },
    SecretName { end: "_pat", rule: AccessToken, variable: Word },
    SecretName { end: "cookie", rule: Session, variable: Anywhere },
    SecretName { end: "secret_id", rule: Value("secret"), variable: Nowhere },
    SecretName { end: "secret_key_base", rule: Value("key"), variable: Nowhere },
    SecretName { end: "preshared_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "presharedkey", rule: Value("key"), variable: Nowhere },
    SecretName { end: "subscription_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "license_key", rule: Value("key"), variable: Nowhere },
    SecretName { end: "psk", rule: WholeWord, variable: Nowhere },
    SecretName { end: "pass", rule: WholeWord, variable: Nowhere },
    SecretName { end: "session", rule: Session, variable: Nowhere },
    SecretName { end: "sessionid", rule: Session, variable: Nowhere },
    SecretName { end: "_key", rule: RandomKey, variable: Anywhere },
];

/// Variables that hold no secret, whatever they are made of.
const NEVER: [&str; 3] = ["PWD", "OLDPWD", "SSH_AUTH_SOCK"];

const PARTS: [&str; count(Anywhere)] = words(Anywhere);
const WORDS: [&str; count(Word)] = words(Word);

const fn count(wanted: VariableMatch) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < NAMES.len() {
        count += (NAMES[at].variable as u8 == wanted as u8) as usize;
        at += 1;
    }
    count
}

/// The names without the separator that begins some of them.
const fn words<const N: usize>(wanted: VariableMatch) -> [&'static str; N] {
    let mut words = [""; N];
    let (mut filled, mut at) = (0, 0);
    while at < NAMES.len() {
        if NAMES[at].variable as u8 == wanted as u8 {
            let (first, rest) = NAMES[at].end.split_at(1);
            words[filled] = if first.as_bytes()[0] == b'_' { rest } else { NAMES[at].end };
            filled += 1;
        }
        at += 1;
    }
    words
}

/// Whether a variable of this name holds a secret, in any case. Every call asks this of every variable of its
/// environment, so a name is read once.
pub fn looks_secret(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut is_word_start = true;
    let found = (0..bytes.len()).any(|at| {
        let rest = &bytes[at..];
        let begins = |part: &str| {
            rest.get(..part.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(part.as_bytes()))
        };
        let ends = |word: &str| !rest.get(word.len()).is_some_and(u8::is_ascii_alphanumeric);
        let starts_here = std::mem::replace(&mut is_word_start, !rest[0].is_ascii_alphanumeric());
        match rest[0].to_ascii_uppercase() {
            b'T' | b'S' | b'K' | b'C' => PARTS.iter().any(|part| begins(part)),
            b'P' | b'A' | b'O' => {
                PARTS.iter().any(|part| begins(part))
                    || starts_here && WORDS.iter().any(|word| begins(word) && ends(word))
            }
            _ => false,
        }
    });
    found && !NEVER.iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_variables_are_found_by_name() {
        for (name, secret) in [
            ("GITHUB_TOKEN", true),
            ("npm_config_password", true),
            ("SSH_KEY_PATH", true),
            ("Authorization", true),
            ("X-Auth-Token", true),
            ("NPM_AUTH", true),
            ("DB_PASS", true),
            ("MYSQL_PWD", true),
            ("Set-Cookie", true),
            ("PATH", false),
            ("PWD", false),
            ("OLDPWD", false),
            ("GIT_AUTHOR_NAME", false),
            ("SSH_AUTH_SOCK", false),
            ("COMPASS", false),
            ("NODE_ENV", false),
        ] {
            assert_eq!(looks_secret(name), secret, "{name}");
        }
        for name in PARTS.iter().chain(&WORDS) {
            assert!(looks_secret(name) || NEVER.contains(&name.to_uppercase().as_str()), "{name}");
            assert!(looks_secret(&format!("X_{}", name.to_uppercase())), "{name}");
        }
    }
}
