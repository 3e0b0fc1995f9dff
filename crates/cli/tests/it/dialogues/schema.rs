//! `tenter schema`: the JSON schemas.

use super::{Dialogue, assert_dialogue};
use crate::world::World;

#[test]
fn misspelt_schema_has_a_suggestion() {
    let dialogue =
        Dialogue::new().run(&["schema"]).run(&["schema", "events"]).run(&["schema", "hooks-and-everything"]);
    assert_dialogue!(dialogue);
}

#[test]
fn listed_schemas_are_json_with_titles() {
    let world = World::new();
    let names = world.tenter(&["schema"]).run().stdout;
    for name in names.lines() {
        let schema = world.tenter(&["schema", name]).run().answer();
        assert!(schema["title"].is_string() && schema["$schema"].is_string(), "{name}: {schema}");
    }
}
