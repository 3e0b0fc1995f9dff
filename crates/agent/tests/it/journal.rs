//! Sessions resumed after a crash.

use std::fs::{self, OpenOptions};
use std::io::Write;

use serde_json::json;
use tenter_agent::Journal;
use tenter_agent::journal::sessions;
use tenter_models::client::{Block, Item, Reply, ToolUse};

use crate::kit::{ModelReply, World, briefly, prompt};

#[test]
fn resumed_session_has_every_item() {
    let world = World::new([ModelReply::Calls(vec![("Look", json!({"at": 1}))]), ModelReply::Text("Seen.")]);
    let folder = world.path().join("chats");
    prompt(&mut world.agent_with(Journal::begin(&folder, "s1", "p", "scripted", 0).unwrap()), "Look")
        .unwrap();
    let path = folder.join("s1.jsonl");
    let (journal, head) = Journal::resume(&path).unwrap();
    assert_eq!((head.session.as_str(), head.project.as_str()), ("s1", "p"));
    prompt(&mut world.agent_with(journal), "And?").unwrap();
    assert_eq!(
        briefly(&world.asked(2)),
        ["prompt: Look", "reply: Look", r#"result: {"at":1}"#, "reply: Seen.", "prompt: And?"]
    );
    let found = sessions(&folder).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].first_prompt.as_deref(), Some("Look"));
}

#[test]
fn incomplete_line_is_dropped_and_open_calls_end() {
    let world = World::new([]);
    let folder = world.path().join("chats");
    drop(Journal::begin(&folder, "s1", "p", "scripted", 0).unwrap());
    let path = folder.join("s1.jsonl");
    let call = Block::Call(ToolUse { id: "c".to_owned(), name: "Look".to_owned(), ..ToolUse::default() });
    let reply = Item::Reply(Reply { blocks: vec![call], ..Reply::default() });
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    for item in [Item::Prompt("Go".to_owned()), reply] {
        writeln!(file, "{}", json!({"item": item})).unwrap();
    }
    write!(file, r#"{{"item":{{"result":{{"call_id":"c","na"#).unwrap();
    drop(file);
    let before = fs::read_to_string(&path).unwrap();
    for is_first in [true, false] {
        let (journal, _) = Journal::resume(&path).unwrap();
        let found =
            journal.lost_lines().map(|it| (it.line, it.lines, fs::read_to_string(&it.original).unwrap()));
        assert_eq!(found, is_first.then(|| (4, 1, before.clone())));
        if let Some(left_out) = journal.lost_lines() {
            let text = left_out.to_string();
            assert!(text.contains("cannot be read (it is cut off, as after a crash"), "{text}");
            assert!(text.contains("that line is left out"), "{text}");
        }
        let agent = world.agent_with(journal);
        let items = briefly(&agent.talk().now().items);
        assert_eq!(items[..2], ["prompt: Go", "reply: Look"]);
        assert!(items.len() == 3 && items[2].starts_with("failure: It was interrupted"), "{items:?}");
    }
}

#[test]
fn last_line_may_lack_its_end() {
    let world = World::new([]);
    let folder = world.path().join("chats");
    prompt(&mut world.agent_with(Journal::begin(&folder, "s1", "p", "scripted", 0).unwrap()), "One").unwrap();
    let path = folder.join("s1.jsonl");
    let content = fs::read_to_string(&path).unwrap();
    fs::write(&path, content.trim_end()).unwrap();
    for prompts in 1..3 {
        let (journal, _) = Journal::resume(&path).unwrap();
        assert_eq!(journal.lost_lines(), None);
        let mut agent = world.agent_with(journal);
        assert_eq!(agent.talk().now().items.len(), 2 * prompts);
        prompt(&mut agent, "More").unwrap();
    }
}

#[test]
fn session_cut_anywhere_can_be_resumed() {
    let world = World::new([
        ModelReply::Calls(vec![("Look", json!({})), ("Look", json!({"a": 1}))]),
        ModelReply::Text("Bye."),
    ]);
    let folder = world.path().join("chats");
    prompt(&mut world.agent_with(Journal::begin(&folder, "s1", "p", "scripted", 0).unwrap()), "Look")
        .unwrap();
    let path = folder.join("s1.jsonl");
    let content = fs::read(&path).unwrap();
    let head = content.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for end in head..=content.len() {
        fs::write(&path, &content[..end]).unwrap();
        let (journal, _) = Journal::resume(&path).unwrap();
        let items = world.agent_with(journal).talk().now();
        let calls =
            items.items.iter().filter(|item| matches!(item, Item::Reply(it) if it.calls().count() == 2));
        let results = items.items.iter().filter(|item| matches!(item, Item::Result(_))).count();
        assert_eq!(calls.count() * 2, results, "cut at {end}");
    }
}

#[test]
fn session_of_a_later_format_is_not_changed() {
    let world = World::new([]);
    let path = world.path().join("s.jsonl");
    let later = r#"{"v":2,"session":"s","project":"p","began":0,"more":true}"#;
    fs::write(&path, format!("{later}\nwhat is this")).unwrap();
    let error = Journal::resume(&path).unwrap_err().to_string();
    assert_eq!(error, "it is not a readable session: its format is 2, and this program knows 1");
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{later}\nwhat is this"));
}

/// A session of two prompts, whose line with this number was overwritten.
fn corrupt_session(world: &World, line: usize) -> (std::path::PathBuf, String) {
    let folder = world.path().join("chats");
    let mut agent = world.agent_with(Journal::begin(&folder, "s1", "p", "scripted", 0).unwrap());
    prompt(&mut agent, "One").unwrap();
    prompt(&mut agent, "Two").unwrap();
    drop(agent);
    let path = folder.join("s1.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[line - 1] = "{\"item\": \0\0\0";
    let text = format!("{}\n", lines.join("\n"));
    fs::write(&path, &text).unwrap();
    (path, text)
}

#[test]
fn unreadable_line_ends_the_resumed_part() {
    for (line, lines, kept) in [
        (4, 2, &["prompt: One", "reply: Done."][..]),
        (5, 1, &["prompt: One", "reply: Done.", "prompt: Two"]),
    ] {
        let world = World::new([]);
        let (path, before) = corrupt_session(&world, line);
        assert_eq!(sessions(path.parent().unwrap()).unwrap()[0].first_prompt.as_deref(), Some("One"));
        let (journal, _) = Journal::resume(&path).unwrap();
        let left_out = journal.lost_lines().unwrap().clone();
        assert_eq!((left_out.line, left_out.lines), (line, lines));
        assert_eq!(fs::read_to_string(&left_out.original).unwrap(), before);
        let text = left_out.to_string();
        let place = format!("line {line} of {} cannot be read (invalid JSON at column 10)", path.display());
        assert!(text.starts_with(&place) && text.contains("The original file is kept as "), "{text}");
        let mut agent = world.agent_with(journal);
        assert_eq!(briefly(&agent.talk().now().items), kept);
        prompt(&mut agent, "Three").unwrap();
        drop(agent);
        let (journal, _) = Journal::resume(&path).unwrap();
        assert_eq!(journal.lost_lines(), None);
        let items = world.agent_with(journal).talk().now();
        assert_eq!(briefly(&items.items)[kept.len()..], ["prompt: Three", "reply: Done."]);
        assert_eq!(
            sessions(path.parent().unwrap()).unwrap().len(),
            1,
            "the quarantined copy is not a session"
        );
    }
}

#[test]
fn unreadable_line_before_a_compaction_is_harmless() {
    let world = World::new([]);
    let (path, before) = corrupt_session(&world, 2);
    let more = "\"compacted\"\n{\"item\":{\"prompt\":\"So far\"}}\n";
    fs::write(&path, format!("{before}{more}")).unwrap();
    let (journal, _) = Journal::resume(&path).unwrap();
    assert_eq!(journal.lost_lines(), None);
    assert_eq!(briefly(&world.agent_with(journal).talk().now().items), ["prompt: So far"]);
}

#[test]
fn both_corrupt_copies_are_kept() {
    let world = World::new([]);
    let (path, first) = corrupt_session(&world, 5);
    drop(Journal::resume(&path).unwrap());
    let second = format!("{}nonsense\n", fs::read_to_string(&path).unwrap());
    fs::write(&path, &second).unwrap();
    let (journal, _) = Journal::resume(&path).unwrap();
    let kept = |count: u32| fs::read_to_string(format!("{}.corrupt-{count}", path.display())).unwrap();
    assert_eq!((kept(1), kept(2)), (first, second));
    assert_eq!(journal.lost_lines().unwrap().lines, 1);
}
