//! Which environment variables, headers and fields hold secrets, as far as their names tell.

/// A name with one of these in it belongs to a secret.
const PARTS: [&str; 8] =
    ["TOKEN", "SECRET", "KEY", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "COOKIE"];
/// So does one in which one of these stands as a word of its own: `AUTHOR` is no `AUTH`.
const WORDS: [&str; 6] = ["AUTH", "OAUTH", "AUTHORIZATION", "PASS", "PWD", "PAT"];
/// These do not, whatever they are made of.
const NEVER: [&str; 3] = ["PWD", "OLDPWD", "SSH_AUTH_SOCK"];

/// Whether a variable of this name holds a secret, in whatever case it is written. Every call asks this of every
/// variable of its environment, so a name is walked through once.
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
    fn a_name_tells() {
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
            assert!(looks_secret(name) || NEVER.contains(name), "{name}");
            assert!(looks_secret(&format!("x_{}", name.to_lowercase())), "{name}");
        }
    }
}
