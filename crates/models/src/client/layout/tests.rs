use serde_json::Map;

use super::*;
use crate::client::Block;

fn note(text: &str, strategy: Strategy, ephemeral: bool) -> Item {
    Item::Note(Note { ephemeral, ..Note::new(Role::System, strategy, text) })
}

fn calls(ids: &[&str]) -> Item {
    let call = |id: &&str| Block::Call(ToolUse::new(*id, format!("tool_{id}"), Map::new()));
    Item::Reply(Reply { blocks: ids.iter().map(call).collect(), ..Reply::default() })
}

fn result(id: &str) -> Item {
    Item::Result(ToolResult {
        call_id: id.to_owned(),
        name: format!("tool_{id}"),
        output: format!("done {id}"),
        failed: false,
    })
}

/// A layout with one line per turn.
fn summary(items: Vec<Item>) -> Vec<String> {
    let conversation = Conversation { items, ..Conversation::default() };
    let layout = Layout::new(&conversation);
    let texts = |note: &[LayoutNote<'_>]| note.iter().map(|note| note.text.to_string()).collect::<Vec<_>>();
    let turn = |turn: &Turn<'_>| match turn {
        Turn::Reply(reply) => format!("reply with {} calls", reply.calls().count()),
        Turn::Results { results, notes } => {
            let results: Vec<_> = results.iter().map(|it| (&*it.call_id, &*it.output)).collect();
            let notes: Vec<_> = notes.iter().map(|it| (it.note.text.to_string(), it.within)).collect();
            format!("results {results:?} notes {notes:?}")
        }
        Turn::Prompt { notes, prompt } => format!("notes {:?} prompt {prompt:?}", texts(notes)),
    };
    let last = (!layout.last.is_empty()).then(|| format!("last {:?}", texts(&layout.last)));
    layout.turns.iter().map(turn).chain(last).collect()
}

#[test]
fn results_are_together_and_notes_know_theirs() {
    let items = vec![
        Item::Prompt("go".to_owned()),
        calls(&["a", "b"]),
        note("before", Strategy::Auto, false),
        result("a"),
        note("of a", Strategy::ToolResult, false),
        result("b"),
        note("of both", Strategy::Auto, false),
    ];
    assert_eq!(
        summary(items),
        [
            "notes [] prompt Some(\"go\")",
            "reply with 2 calls",
            "results [(\"a\", \"done a\"), (\"b\", \"done b\")] \
             notes [(\"before\", None), (\"of a\", Some(0)), (\"of both\", None)]",
        ]
    );
}

#[test]
fn note_about_one_call_goes_into_its_result() {
    let about = |call: &str, role, strategy| {
        let note = Note::new(role, strategy, format!("{} of {call}", role.as_str()));
        Item::Note(Note { call_id: Some(call.to_owned()), ..note })
    };
    let items = vec![
        calls(&["a", "b"]),
        result("a"),
        result("b"),
        about("a", Role::System, Strategy::Auto),
        about("b", Role::System, Strategy::ToolResult),
        about("a", Role::User, Strategy::Auto),
        about("a", Role::System, Strategy::UserMessage),
        about("x", Role::System, Strategy::Auto),
        calls(&["c"]),
        result("c"),
        about("c", Role::System, Strategy::Auto),
    ];
    let turns = summary(items);
    assert!(
        turns[1].ends_with(
            "notes [(\"system of a\", Some(0)), (\"system of b\", Some(1)), (\"user of a\", None), \
             (\"system of a\", None), (\"system of x\", None)]"
        ),
        "{}",
        turns[1]
    );
    assert!(turns[3].ends_with("notes [(\"system of c\", None)]"), "{}", turns[3]);
}

#[test]
fn notes_before_a_prompt_go_with_it() {
    let items = vec![
        note("at the start", Strategy::Auto, false),
        Item::Prompt("one".to_owned()),
        calls(&[]),
        note("  ", Strategy::Auto, false),
        note("between", Strategy::ToolResult, false),
        Item::Prompt("two".to_owned()),
        Item::Prompt("three".to_owned()),
    ];
    assert_eq!(
        summary(items),
        [
            "notes [\"at the start\"] prompt Some(\"one\")",
            "reply with 0 calls",
            "notes [\"between\"] prompt Some(\"two\")",
            "notes [] prompt Some(\"three\")",
        ]
    );
}

#[test]
fn ephemeral_note_is_last_in_one_request() {
    let mut items = vec![note("now", Strategy::Auto, true), Item::Prompt("one".to_owned())];
    assert_eq!(summary(items.clone()), ["notes [] prompt Some(\"one\")", "last [\"now\"]"]);
    items.push(calls(&[]));
    assert_eq!(summary(items), ["notes [] prompt Some(\"one\")", "reply with 0 calls"]);
}

#[test]
fn missing_result_is_added_and_late_result_is_a_note() {
    let items = vec![calls(&["a", "b"]), result("b"), Item::Prompt("go on".to_owned()), result("a")];
    assert_eq!(
        summary(items),
        [
            "reply with 2 calls".to_owned(),
            format!("results [(\"b\", \"done b\"), (\"a\", {INTERRUPTED:?})] notes []"),
            "notes [] prompt Some(\"go on\")".to_owned(),
            "notes [\"A late result of tool_a:\\ndone a\"] prompt None".to_owned(),
        ]
    );
}
