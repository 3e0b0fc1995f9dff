//! Pipes, links, sockets, devices and folders in the place of our files: nothing hangs, nothing is written through them.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use tenter_store::audit::follow::Follower;
use tenter_store::audit::verify::verify;

use crate::common::{Store, body};

fn put(kind: &str, path: &Path, target: &Path) {
    fs::remove_file(path).unwrap();
    match kind {
        "pipe" => {
            let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
            assert!(made.success());
        }
        "socket" => drop(UnixListener::bind(path).unwrap()),
        "folder" => fs::create_dir(path).unwrap(),
        "device" => symlink("/dev/zero", path).unwrap(),
        _ => symlink(target, path).unwrap(),
    }
}

#[test]
fn special_files_neither_hang_nor_get_written() {
    for name in ["trail.jsonl", "head", "key", "../witness"] {
        for kind in ["pipe", "socket", "folder", "device", "link"] {
            let store = Store::with_records(2);
            let elsewhere = store.path("../elsewhere");
            fs::write(&elsewhere, "untouched").unwrap();
            put(kind, &store.path(name), &elsewhere);
            let found = verify(&store.state);
            let added = store.trail.append(&[body("record 3")]);
            drop(Follower::at_end(&store.state));
            if name == "../witness" {
                assert_eq!((found.unwrap().is_sound(), added.unwrap()), (false, 3), "{kind}");
            } else {
                let refusal = found.unwrap_err().to_string();
                let why = ["it is a link", "it is not a plain file"];
                assert!(why.iter().any(|why| refusal.contains(why)), "{kind} {name}: {refusal}");
                assert!(added.is_err() || added.unwrap() == 0, "{kind} {name}: spilled at most");
            }
            assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "untouched", "{kind} {name}");
        }
    }
}
