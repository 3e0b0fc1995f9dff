//! Varying text is replaced before a comparison: paths by their names, and times and
//! hashes by others of the same width, so that columns stay columns. A number of milliseconds has no fixed
//! width; it becomes `0.0`.

use std::path::Path;

use regex_lite::Regex;

use crate::world::World;

/// The text without paths, times and hashes.
pub(crate) fn steady(text: &str, world: &World) -> String {
    let mut text = text.to_owned();
    for (name, place) in [
        ("{project}", world.project()),
        ("{config}", world.config()),
        ("{state}", world.state()),
        ("{home}", world.home()),
    ] {
        text = text.replace(place.to_str().unwrap(), name);
    }
    let program = Path::new(env!("CARGO_BIN_EXE_tenter")).canonicalize().unwrap();
    timeless(&text.replace(program.to_str().unwrap(), "{tenter}"))
}

/// The text without times and hashes.
pub(crate) fn timeless(text: &str) -> String {
    let mut text = text.to_owned();
    for (what, placeholder) in [
        (r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z", "0000-00-00T00:00:00.000Z"),
        (r"\b\d{2}:\d{2}:\d{2}\.\d{3}\b", "00:00:00.000"),
        (r"\b\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\b", "0000-00-00 00:00:00"),
        (r"\b\d+(\.\d+)? ms\b", "0.0 ms"),
        (r#"ms":\d+(\.\d+)?"#, r#"ms":0.0"#),
        (r"\bdamaged-\d{13}\b", "damaged-0000000000000"),
        (r"says \d+ bytes, but it has \d+", "says 0000 bytes, but it has 0000"),
        (r"\b\d+\.\d seconds", "0.0 seconds"),
        (r"\b[0-9a-f]{128}\b", &"0".repeat(128)),
        (r"\b[0-9a-f]{64}\b", &"0".repeat(64)),
        (r"\b[0-9a-f]{16}\b", &"0".repeat(16)),
        (r"--installation [0-9a-f]{12}", "--installation 000000000000"),
        (r"installation-[0-9a-f]{12}", "installation-000000000000"),
        (r#""--installation","[0-9a-f]{12}""#, r#""--installation","000000000000""#),
    ] {
        text = Regex::new(what).unwrap().replace_all(&text, placeholder).into_owned();
    }
    text
}
