//! Agents' settings: whatever can be edited is given back byte for byte, the rest is refused.

use tenter_contract::ports::{IfGone, Scope, Uninstalled, Wiring};

/// Installs into a text and takes out again.
pub fn settings(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let wiring = Wiring {
        program: "/usr/local/bin/tenter".to_owned(),
        if_gone: IfGone::GoOn,
        scope: Scope::User,
        installation: None,
    };
    for adapter in tenter_adapters::all() {
        let Some(installer) = adapter.installer() else { continue };
        let had_ours = installer.is_installed(text);
        let _ = installer.entries(text);
        let _ = installer.uninstall(text, None);
        let Ok(installed) = installer.install(Some(text), &wiring) else { continue };
        let name = adapter.name();
        let had_ours =
            had_ours.unwrap_or_else(|error| panic!("{name}: {error}, but installed into {text:?}"));
        assert_eq!(installer.is_installed(&installed.text), Ok(true), "{name}: {text:?}");
        let again = installer.install(Some(&installed.text), &wiring).map(|again| again.text);
        assert_eq!(again.as_ref(), Ok(&installed.text), "{name}: a second time changes nothing");
        match installer.uninstall(&installed.text, Some(text)) {
            Ok(Uninstalled::Restored) => assert!(!had_ours, "{name}: {text:?}"),
            Ok(Uninstalled::Cut { text: rest }) => {
                assert!(had_ours, "{name}: not given back: {text:?} is {rest:?}");
                assert_eq!(installer.is_installed(&rest), Ok(false), "{name}: {text:?}");
            }
            Ok(Uninstalled::NothingElse) => assert!(had_ours, "{name}: {text:?}"),
            other => panic!("{name}: {other:?}: {text:?}"),
        }
    }
}
