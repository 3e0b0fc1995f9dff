//! Which environment variables, headers and fields hold secrets, as far as their names tell.

/// A name with one of these in it belongs to a secret.
const PARTS: [&str; 8] =
    ["TOKEN", "SECRET", "KEY", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "COOKIE"];
/// So does one in which one of these stands as a word of its own: `AUTHOR` is no `AUTH`.
const WORDS: [&str; 6] = ["AUTH", "OAUTH", "AUTHORIZATION", "PASS", "PWD", "PAT"];
/// These do not, whatever they are made of.
const NEVER: [&str; 3] = ["PWD", "OLDPWD", "SSH_AUTH_SOCK"];

/// Whether a variable of this name holds a secret, in whatever case it is written.
pub fn looks_secret(name: &str) -> bool {
    let bytes = name.as_bytes();
    let has =
        |part: &str| bytes.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()));
    let is = |known: &&str| name.eq_ignore_ascii_case(known);
    let has_word = || {
        let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
    };
    !NEVER.iter().any(is) && (PARTS.iter().any(|part| has(part)) || has_word())
}

#[cfg(test)]
mod tests {
    use super::looks_secret;

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
    }
}
