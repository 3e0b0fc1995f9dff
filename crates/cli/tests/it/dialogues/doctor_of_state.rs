//! What `tenter doctor` says of the state folder and the trail.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::doctor::{bin, called_by_claude, doctor, set_mode};
use crate::world::{World, bash};

#[test]
fn a_key_that_others_may_read_is_told_once() {
    let world = World::new();
    bin(&world, &[("grep", "")]);
    called_by_claude(&world);
    world.claude(&bash("ls")).run();
    set_mode(&world.state().join("tenter/audit/key"), 0o644);
    let said = doctor(&world);
    assert!(said.contains("others may look into {state}/tenter/audit/key (mode 644)"), "{said}");
    assert!(
        said.contains("-> chmod go= {state}/tenter/audit/key") && said.contains("1 problem found"),
        "{said}"
    );
}

/// Who may do everything is not stopped by a mode, so what is in the way here is a file.
#[test]
fn state_that_cannot_be_written_is_told_with_what_is_lost_and_the_remedy_helps() {
    for (place, lost) in [
        ("tenter", "nothing is kept"),
        ("tenter/audit", "no event is recorded"),
        ("tenter/sessions", "nothing is remembered of sessions"),
        ("tenter/approvals", "no question can be kept, so each is denied"),
        ("tenter/cache", "every hook is read and run anew"),
    ] {
        let world = World::new();
        bin(&world, &[("grep", "")]);
        called_by_claude(&world);
        // What `init` has left there is in the way of this test.
        drop(fs::remove_dir_all(world.state().join("tenter")));
        if place != "tenter" {
            fs::create_dir(world.state().join("tenter")).unwrap();
            set_mode(&world.state().join("tenter"), 0o700);
        }
        fs::write(world.state().join(place), "").unwrap();
        set_mode(&world.state().join(place), 0o600);
        let said = doctor(&world);
        let told = format!("{{state}}/{place} cannot be written, so {lost}: not a directory\n");
        assert!(said.contains(&told), "{said}");
        assert!(said.contains("1 problem found\n(exit code Some(1))"), "{said}");
        let (_, repair) = said.split_once("-> ").unwrap();
        let repair = repair.lines().next().unwrap().replace("{state}", world.state().to_str().unwrap());
        assert_eq!(world.sh(&repair).code, Some(0), "{repair}");
        assert!(doctor(&world).ends_with("no problem found\n(exit code Some(0))\n"), "{place}");
    }
}

/// A mode stops everybody but root, so root sees here that nothing is claimed.
#[test]
fn state_whose_mode_forbids_everything_is_opened_by_the_remedy() {
    for mode in [0o500, 0o000] {
        let world = World::new();
        bin(&world, &[("grep", "")]);
        called_by_claude(&world);
        world.claude(&bash(&format!("echo {mode}"))).run();
        set_mode(&world.state().join("tenter"), mode);
        let said = doctor(&world);
        if rustix::process::geteuid().is_root() {
            assert!(said.contains("no problem found"), "{said}");
        } else {
            assert!(said.contains("{state}/tenter cannot be written, so nothing is kept"), "{said}");
            assert!(said.contains("-> chmod -R u+rwX {state}/tenter\n"), "{said}");
        }
        let repair = format!("chmod -R u+rwX {}", world.state().join("tenter").display());
        assert_eq!(world.sh(&repair).code, Some(0));
        assert!(doctor(&world).contains("no problem found"));
    }
}

#[test]
fn the_state_folder_is_private_whoever_makes_it() {
    let hooks = "version: 1\nhooks:\n  tool:pre:\n    - { name: a, deny: \"no\" }\n";
    for first in [&["hooks", "disable", "user/a"][..], &["profile", "use", "work"], &["trust", "--yes"]] {
        let world = World::with_hooks(hooks);
        fs::create_dir_all(world.config().join("tenter/profiles")).unwrap();
        fs::write(world.config().join("tenter/profiles/work.yaml"), "version: 1\n").unwrap();
        fs::create_dir_all(world.project().join(".tenter")).unwrap();
        fs::write(world.project().join(".tenter/hooks.yaml"), hooks).unwrap();
        let ran = world.tenter(first).run();
        assert_eq!(ran.code, Some(0), "{first:?}: {}", ran.stderr);
        let mode = fs::metadata(world.state().join("tenter")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{first:?}");
    }
}

#[test]
fn a_trail_whose_key_is_missing_is_not_called_intact() {
    let world = World::new();
    bin(&world, &[("grep", "")]);
    world.claude(&bash("ls")).run();
    fs::remove_file(world.state().join("tenter/audit/key")).unwrap();
    let said = doctor(&world);
    assert!(
        !said.contains("intact")
            && said.contains("the key is missing, so the macs of 1 record cannot be checked"),
        "{said}"
    );
}

/// To send the reader to `audit verify`, which sends him here, would help nobody.
#[test]
fn a_key_that_was_cut_off_is_told_with_the_way_to_a_new_trail() {
    let world = World::new();
    bin(&world, &[("grep", "")]);
    world.claude(&bash("ls")).run();
    let key = fs::OpenOptions::new().write(true).open(world.state().join("tenter/audit/key")).unwrap();
    key.set_len(10).unwrap();
    let said = doctor(&world);
    assert!(
        said.contains(
            "the key is damaged, and nothing is recorded, so the macs of 1 record cannot be checked"
        ) && said.contains("-> mv {state}/tenter/audit ~/audit-without-key")
            && !said.contains("intact")
            && !said.contains("audit verify"),
        "{said}"
    );
}
