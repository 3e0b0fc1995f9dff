//! Which environment variables hold secrets, as far as their names tell.

/// A variable with one of these in its name holds a secret.
const PARTS: [&str; 5] = ["TOKEN", "SECRET", "KEY", "PASSWORD", "CREDENTIAL"];

/// Whether a variable of this name holds a secret, in whatever case it is written.
pub fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    PARTS.iter().any(|part| name.contains(part))
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
            ("PATH", false),
            ("NODE_ENV", false),
        ] {
            assert_eq!(looks_secret(name), secret, "{name}");
        }
    }
}
