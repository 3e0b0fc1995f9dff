//! `tenter schema`: the promises of our JSON.

use super::{Dialogue, assert_dialogue};
use crate::world::World;

#[test]
fn the_names_are_listed_and_a_near_miss_gets_a_suggestion() {
    let dialogue = Dialogue::nowhere()
        .says(&["schema"])
        .says(&["schema", "events"])
        .says(&["schema", "hooks-and-everything"]);
    assert_dialogue!(dialogue);
}

#[test]
fn every_listed_schema_is_one_json_document_with_a_title() {
    let world = World::new();
    let names = world.tenter(&["schema"]).run().stdout;
    for name in names.lines() {
        let schema = world.tenter(&["schema", name]).run().answer();
        assert!(schema["title"].is_string() && schema["$schema"].is_string(), "{name}: {schema}");
    }
}
