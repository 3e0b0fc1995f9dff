//! What is loaded: the text of one hook file, and where it comes from.

use tenter_contract::Layer;

/// The text of a hook file; the caller has read it.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    /// The file as the user would type it; problems name it.
    pub name: &'a str,
    /// The folder of the file, where scripts are looked for.
    pub folder: &'a str,
    /// The layer it belongs to; some keys are for some layers only.
    pub layer: Layer,
    /// How the text is to be read.
    pub format: Format,
    /// The text itself.
    pub text: &'a str,
}

/// The languages a hook file can be written in. They differ in spelling only: the same hooks come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// YAML 1.2, core schema.
    Yaml,
    /// TOML 1.1.
    Toml,
    /// JSON; comments and trailing commas are allowed.
    Json,
}

impl Format {
    /// The format that a file's extension promises; none if it promises no hook file.
    pub fn from_file_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            "json" | "jsonc" => Some(Self::Json),
            _ => None,
        }
    }

    /// The name people know it by.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
            Self::Json => "JSON",
        }
    }

    /// A key and its value as one types them in this format, so that a hint can be copied. The value is
    /// taken as it is: a number, a truth value, or something already quoted.
    pub(crate) fn entry(self, key: &str, value: &str) -> String {
        match self {
            Self::Yaml => format!("{key}: {value}"),
            Self::Toml => format!("{key} = {value}"),
            Self::Json => format!("\"{key}\": {value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn the_extension_decides_the_format() {
        for (name, expected) in [
            ("hooks.yaml", Some(Format::Yaml)),
            ("/etc/tenter/hooks.YML", Some(Format::Yaml)),
            ("hooks.local.toml", Some(Format::Toml)),
            ("hooks.d/10-guards.json", Some(Format::Json)),
            ("hooks.jsonc", Some(Format::Json)),
            ("hooks.yaml~", None),
            ("hooks.yaml.bak", None),
            ("hooks", None),
            ("", None),
        ] {
            assert_eq!(Format::from_file_name(name), expected, "{name}");
        }
    }
}
