//! `TodoWrite`.

use serde_json::json;
use tenter_agent::tools::{Todo, TodoState, ToolDisplay};

use crate::workspace::Place;

#[test]
fn list_is_saved_and_shown() {
    let place = Place::new();
    let todos = json!({ "todos": [
        { "content": "Write it", "status": "completed", "activeForm": "Writing it" },
        { "content": "Test it", "status": "in_progress" },
    ] });
    let output = place.run("TodoWrite", &todos);
    assert_eq!(output.output, "The list is saved: 0 pending, 1 in_progress, 1 completed. Continue with it.");
    let todo = |content: &str, active_form: &str, state| Todo {
        content: content.to_owned(),
        active_form: active_form.to_owned(),
        state,
    };
    let expected = vec![
        todo("Write it", "Writing it", TodoState::Completed),
        todo("Test it", "Test it", TodoState::InProgress),
    ];
    assert_eq!((output.display, place.at.todos()), (ToolDisplay::Todos(expected.clone()), expected));
    assert_eq!(place.output("TodoWrite", &json!({ "todos": [] })), "The list is empty now.");
    assert_eq!(place.at.todos(), []);
}

#[test]
fn invalid_item_keeps_the_list() {
    let place = Place::new();
    place.run("TodoWrite", &json!({ "todos": [{ "content": "a", "status": "pending" }] }));
    for (item, text) in [
        (json!("a"), "! Item 2 of `todos` must be an object with `content` and `status`."),
        (json!({ "status": "pending" }), "! Item 2 of `todos` needs `content`: the task."),
        (
            json!({ "content": "a", "status": "done" }),
            "! Item 2 of `todos` needs `status`, one of `pending`, `in_progress`, `completed`.",
        ),
        (
            json!({ "content": "a", "status": "pending", "id": 1 }),
            "! Item 2 of `todos` has no key `id`; it takes `content`, `status`, `activeForm`.",
        ),
    ] {
        let todos = json!({ "todos": [{ "content": "b", "status": "pending" }, item] });
        assert_eq!(place.output("TodoWrite", &todos), text);
    }
    let many: Vec<_> = (0..1_000).map(|_| json!({ "content": "a", "status": "pending" })).collect();
    let text = "! `todos` has 1000 items; at most 200 are allowed.";
    assert_eq!(place.output("TodoWrite", &json!({ "todos": many })), text);
    assert_eq!(place.at.todos().len(), 1);
}
