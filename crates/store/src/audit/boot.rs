//! The boot id of the machine. Without `fsync` a power cut may lose the last records; a changed boot id shows that there
//! may have been one.

use std::io::Read;
use std::sync::OnceLock;

/// The boot id, read once.
#[derive(Debug, Default)]
pub struct Boot(OnceLock<String>);

impl Boot {
    /// The id; empty on systems without one, such as macOS, where missing records never count as lost in a power cut.
    pub fn id(&self) -> &str {
        self.0.get_or_init(|| {
            let bytes = read_boot_id().unwrap_or([0; 64]);
            let id = std::str::from_utf8(&bytes).unwrap_or_default().trim_end_matches(['\n', '\0']);
            let is_uuid = id.len() == 36 && id.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
            if is_uuid { id.to_owned() } else { String::new() }
        })
    }
}

/// One read: the file has a known length, and every call of an agent reads it.
fn read_boot_id() -> std::io::Result<[u8; 64]> {
    let mut bytes = [0; 64];
    let _ = std::fs::File::open("/proc/sys/kernel/random/boot_id")?.read(&mut bytes)?;
    Ok(bytes)
}

/// Whether the machine was restarted between two boot ids.
pub fn is_restart(one: &str, other: &str) -> bool {
    !one.is_empty() && !other.is_empty() && one != other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_boot_ids_differ() {
        let rows = [("a", "b", true), ("a", "a", false), ("", "b", false), ("a", "", false), ("", "", false)];
        for (one, other, expected) in rows {
            assert_eq!(is_restart(one, other), expected, "{one:?} {other:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_has_a_boot_id() {
        assert_eq!(Boot::default().id().len(), 36);
        assert_eq!(Boot::default().id(), Boot::default().id());
    }
}
