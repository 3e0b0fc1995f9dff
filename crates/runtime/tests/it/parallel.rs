//! Parallel hooks: the outcome does not depend on their speed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tenter_contract::{ExecutionMode, HookSpec};

use crate::kit::{TestAdapter, Trail, answer, crash, hook, inject, only_stdout, runtime};

/// Enough time to start a thread on a busy machine.
const BOUND: Duration = Duration::from_secs(10);

fn parallel(name: &str) -> HookSpec {
    HookSpec { execution_mode: ExecutionMode::Parallel, ..hook(name) }
}

/// Two channels with which hooks wait for each other.
fn meeting() -> [Mutex<(Sender<()>, Receiver<()>)>; 2] {
    let ((to_b, from_a), (to_a, from_b)) = (channel(), channel());
    [Mutex::new((to_b, from_b)), Mutex::new((to_a, from_a))]
}

#[test]
fn two_parallel_hooks_can_wait_for_each_other() {
    let trail = Arc::new(Trail::default());
    let ends = meeting();
    let runtime = runtime(vec![parallel("a"), parallel("b")], &trail, move |hook, _| {
        let end = ends[usize::from(hook.id.name == "b")].lock().unwrap();
        end.0.send(()).unwrap();
        match end.1.recv_timeout(BOUND) {
            Ok(()) => inject(&format!("{} met", hook.id.name)),
            Err(_) => crash(),
        }
    });
    let expected = "context: Hook feedback:\n\nFrom a (5 bytes):\na met\n\nFrom b (5 bytes):\nb met\n";
    assert_eq!(answer(&runtime, &TestAdapter::default(), "ls"), only_stdout(expected));
}

#[test]
fn parallel_replies_keep_the_file_order() {
    let trail = Arc::new(Trail::default());
    let names = ["slow", "middle", "fast"];
    let expected = "context: Hook feedback:\n\nFrom slow (4 bytes):\nslow\n\nFrom middle (6 bytes):\nmiddle\n\nFrom fast (4 bytes):\nfast\n";
    for _ in 0..5 {
        let runtime = runtime(names.map(parallel).to_vec(), &trail, |hook, _| {
            thread::sleep(Duration::from_millis(match hook.id.name.as_str() {
                "slow" => 30,
                "middle" => 15,
                _ => 0,
            }));
            inject(&hook.id.name)
        });
        assert_eq!(answer(&runtime, &TestAdapter::default(), "ls"), only_stdout(expected));
    }
}

#[test]
fn hooks_run_alone_by_default() {
    let trail = Arc::new(Trail::default());
    let (running, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let hooks = vec![parallel("a"), hook("b"), hook("c"), parallel("d")];
    let runtime = runtime(hooks, &trail, move |_, _| {
        let now = running.fetch_add(1, Ordering::SeqCst) + 1;
        seen.fetch_max(now, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(5));
        running.fetch_sub(1, Ordering::SeqCst);
        inject("x")
    });
    answer(&runtime, &TestAdapter::default(), "ls");
    assert_eq!(most.load(Ordering::SeqCst), 1);
}
