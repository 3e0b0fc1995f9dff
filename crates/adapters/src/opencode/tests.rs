//! The plugin's file: it is ours alone, and what is not ours is left as it is.

use tenter_contract::ports::{AgentInstaller, IfGone, Scope, SettingsError, Uninstalled, Wiring};

use crate::agent_spec::AgentSpec;
use crate::opencode::{KILO, OPENCODE};

fn installed(host: &AgentSpec, before: Option<&str>, program: &str, if_gone: IfGone) -> String {
    host.install(
        before,
        &Wiring { program: program.to_owned(), if_gone, scope: Scope::User, installation: None },
    )
    .unwrap()
    .text
}

const PROGRAM: &str = "/usr/local/bin/tenter-hook";
/// Every character that means something to JavaScript, to JSON or to a shell.
const ODD_PROGRAM: &str = "/home/o'neill \"x\" ${HOME}/`id`\\b;&|\u{2028}/tenter";

#[test]
fn head_names_agent_and_removal() {
    for (host, head) in [
        (
            &OPENCODE,
            "// tenter's plugin for OpenCode, version 1: it tells tenter what the agent does, and carries out what hooks answer.\n// `tenter init opencode` writes this file and brings it up to date; changes made here are lost.\n// To remove it: `tenter uninstall opencode`, or delete the file. It takes effect when OpenCode starts again.\n\nimport ",
        ),
        (
            &KILO,
            "// tenter's plugin for Kilo, version 1: it tells tenter what the agent does, and carries out what hooks answer.\n// `tenter init kilo` writes this file and brings it up to date; changes made here are lost.\n// To remove it: `tenter uninstall kilo`, or delete the file. It takes effect when Kilo starts again.\n\nimport ",
        ),
    ] {
        let text = installed(host, None, PROGRAM, IfGone::GoOn);
        assert!(text.starts_with(head), "{}", &text[..400]);
    }
}

#[test]
fn update_and_uninstall_leave_nothing() {
    for host in [&OPENCODE, &KILO] {
        let new = installed(host, None, PROGRAM, IfGone::GoOn);
        for (program, if_gone) in
            [(PROGRAM, IfGone::GoOn), (ODD_PROGRAM, IfGone::Deny), ("/bin/tenter", IfGone::GoOn)]
        {
            let text = installed(host, Some(&new), program, if_gone);
            assert_eq!(text, installed(host, None, program, if_gone));
            assert_eq!(installed(host, Some(&text), program, if_gone), text, "a second time changes nothing");
            assert_eq!(host.in_the_way(&text), Ok(Vec::new()));
            let entries = host.entries(&text).unwrap();
            assert_eq!(entries.len(), host.events().len());
            assert!(entries.iter().all(|entry| entry.program == program), "{entries:?}");
            for before in [None, Some(new.as_str())] {
                assert_eq!(host.uninstall(&text, before), Ok(Uninstalled::NothingElse));
            }
        }
    }
}

#[test]
fn full_binary_is_called_by_its_verb() {
    for (program, line) in [
        (PROGRAM, "'/usr/local/bin/tenter-hook' 'opencode' --within 600s"),
        ("/bin/tenter", "'/bin/tenter' 'hook' 'opencode' --within 600s"),
    ] {
        let entries = OPENCODE.entries(&installed(&OPENCODE, None, program, IfGone::GoOn)).unwrap();
        let call = entries.iter().find(|entry| entry.event == "tool.execute.before").unwrap();
        assert_eq!(call.line.replace('\'', ""), line.replace('\'', ""));
    }
}

#[test]
fn files_of_others_are_left_alone() {
    for text in
        ["export const Mine = async () => ({})\n", "{}", "// tenter\n", " // tenter's plugin for OpenCode\n"]
    {
        let wiring = Wiring {
            program: PROGRAM.to_owned(),
            if_gone: IfGone::GoOn,
            scope: Scope::User,
            installation: None,
        };
        assert_eq!(OPENCODE.install(Some(text), &wiring), Err(SettingsError::Foreign), "{text}");
        assert_eq!(OPENCODE.uninstall(text, None), Ok(Uninstalled::NotInstalled));
        assert_eq!((OPENCODE.is_installed(text), OPENCODE.entries(text)), (Ok(false), Ok(Vec::new())));
        assert_eq!(OPENCODE.in_the_way(text), Ok(Vec::new()));
    }
    for nothing in ["", " \n"] {
        let text = installed(&OPENCODE, Some(nothing), PROGRAM, IfGone::GoOn);
        assert_eq!(OPENCODE.uninstall(&text, Some(nothing)), Ok(Uninstalled::Restored));
    }
}

/// A line of the plugin decides whether a call is denied, and the model may have written to it.
#[test]
fn changed_plugin_has_a_warning() {
    let text = installed(&OPENCODE, None, PROGRAM, IfGone::GoOn);
    for (what, with) in [
        ("throw new Denied(answer.reason)", "return"),
        ("version 1", "version 0"),
        ("\"strict\":false", "\"strict\":\"\""),
        ("const WIRING = ", "const WIRES = "),
    ] {
        let changed = text.replacen(what, with, 1);
        assert_ne!(changed, text, "{what}");
        let warnings = OPENCODE.in_the_way(&changed).unwrap();
        assert!(
            warnings.len() == 1 && warnings[0].ends_with("`tenter init opencode` writes it anew"),
            "{warnings:?}"
        );
        assert_eq!(installed(&OPENCODE, Some(&changed), PROGRAM, IfGone::GoOn), text);
    }
}
