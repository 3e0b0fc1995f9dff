//! What agents see of the store over MCP: whether it is well, and that they can correct what is in it.

use crate::support::{World, open};
use serde_json::{Map, Value, json};
use tenter_contract::SessionId;
use tenter_memory::live::LiveSessions;
use tenter_memory::mcp::{Server, Sessions};
use tenter_store::StateFolder;

fn call(world: &World, tool: &str, arguments: &Value) -> Value {
    let live = LiveSessions::new(StateFolder::new(world.home.path().to_owned()));
    let own = SessionId::parse("own").unwrap();
    let sessions = Sessions::new(live, world.home.path().to_owned(), None, own);
    let server = Server::new(open(world.home.path(), "words-64"), sessions);
    let arguments: Map<String, Value> = arguments.as_object().unwrap().clone();
    match server.call_tool(tool, arguments).unwrap() {
        Ok(said) => said,
        Err(error) => json!({"error": error.kind.as_str(), "message": error.to_string()}),
    }
}

#[test]
fn ping_says_what_is_wrong_with_the_store_and_what_the_user_should_type() {
    let world = World::new();
    let said = call(&world, "ping", &json!({}));
    assert_eq!((&said["status"], &said["store"]["is_there"]), (&json!("healthy"), &json!(false)));
    world.learn("Before", "Everything was well");
    let said = call(&world, "ping", &json!({}));
    assert_eq!((&said["status"], &said["store"]["is_there"]), (&json!("healthy"), &json!(true)));
    let damaged = World::new();
    std::fs::create_dir_all(damaged.database().parent().unwrap()).unwrap();
    std::fs::write(damaged.database(), [7; 8192]).unwrap();
    let said = call(&damaged, "ping", &json!({}));
    assert_eq!(said["status"], "degraded");
    assert!(said["problem"].as_str().unwrap().contains("`tenter memory repair`"), "{said}");
}

#[test]
fn an_agent_puts_a_memory_in_the_place_of_an_experience_or_another_memory() {
    let world = World::new();
    let entry = world.learn("Repair the car with tape", "Tape holds");
    let mut old = entry.id;
    for content in ["Tape does not hold", "Tape holds for a day"] {
        let arguments = json!({"content": content, "category": "fact", "supersedes": old});
        let stored = call(&world, "store_memory", &arguments);
        old = stored["id"].as_str().unwrap().to_owned();
    }
    let listed = call(&world, "list_memories", &json!({}));
    assert_eq!(
        (&listed["count"], &listed["results"][0]["content"]),
        (&json!(1), &json!("Tape holds for a day"))
    );
    let found = call(&world, "search_experiences", &json!({"query": "tape", "all_projects": true}));
    assert_eq!(found["count"], 0);
    let arguments = json!({"content": "Lost", "category": "fact", "supersedes": "mem_nothing"});
    assert_eq!(call(&world, "store_memory", &arguments)["error"], "not_found");
    assert_eq!(call(&world, "list_memories", &json!({}))["count"], 1, "nothing was stored");
}
