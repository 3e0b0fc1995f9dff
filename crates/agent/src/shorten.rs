//! Shortens a conversation to its end, and each long text in it to its start.

use serde_json::Value;
use tenter_models::client::{Block, Item, Note, Reply, ToolResult, ToolUse};

/// One text gets at most this part of the room, so that one long result does not displace the rest.
const PART: usize = 8;

/// Halves a conversation this number of times. The last items stay; a line counts the dropped ones.
pub(crate) fn shortened(items: &[Item], halved: u32) -> Vec<Item> {
    if halved == 0 {
        return items.to_vec();
    }
    let room = items.iter().map(size).sum::<usize>() >> halved;
    let most = room / PART;
    let mut left = room;
    let mut kept: Vec<Item> = Vec::new();
    for item in items.iter().rev() {
        let item = if size(item) > most { cut(item, most) } else { item.clone() };
        left = match left.checked_sub(size(&item)) {
            Some(left) => left,
            None => break,
        };
        kept.push(item);
    }
    if kept.len() < items.len() {
        let gone = items.len() - kept.len();
        kept.push(Item::Prompt(format!("[The conversation is too long: {gone} entries are left out here.]")));
    }
    kept.reverse();
    kept
}

fn size(item: &Item) -> usize {
    serde_json::to_vec(item).map_or(0, |bytes| bytes.len())
}

/// Cuts each text of an item.
fn cut(item: &Item, most: usize) -> Item {
    match item {
        Item::Prompt(text) => Item::Prompt(shorten_text(text, most)),
        Item::Note(note) => Item::Note(Note { text: shorten_text(&note.text, most), ..note.clone() }),
        Item::Result(result) => {
            Item::Result(ToolResult { output: shorten_text(&result.output, most), ..result.clone() })
        }
        Item::Reply(reply) => {
            let blocks = reply.blocks.iter().filter_map(|block| match block {
                Block::Text(text) => Some(Block::Text(shorten_text(text, most))),
                Block::Call(call) => Some(Block::Call(cut_call(call, most))),
                // Partial thoughts are useless.
                Block::Kept(_) => None,
            });
            Item::Reply(Reply { blocks: blocks.collect(), ..reply.clone() })
        }
    }
}

fn cut_call(call: &ToolUse, most: usize) -> ToolUse {
    let input = call.input.iter().map(|(key, value)| {
        let value = match value {
            Value::String(text) => Value::String(shorten_text(text, most)),
            Value::Array(_) | Value::Object(_) => Value::String(shorten_text(&value.to_string(), most)),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        };
        (key.clone(), value)
    });
    ToolUse { input: input.collect(), ..call.clone() }
}

fn shorten_text(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    format!("{}[… {} bytes are left out]", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn conversation() -> Vec<Item> {
        let call = |number: usize| {
            let input = Map::from_iter([("content".to_owned(), json!("x".repeat(3_000)))]);
            Block::Call(ToolUse::new(format!("c{number}"), "Write", input))
        };
        let result = |number: usize| ToolResult {
            call_id: format!("c{number}"),
            name: "Write".to_owned(),
            output: "ä".repeat(500 * number),
            failed: false,
        };
        let mut items = vec![Item::Prompt("Write files.".to_owned())];
        for number in 0..40 {
            items.push(Item::Reply(Reply { blocks: vec![call(number)], ..Reply::default() }));
            items.push(Item::Result(result(number)));
        }
        items.push(Item::Prompt("And now?".to_owned()));
        items
    }

    #[test]
    fn halving_keeps_the_end() {
        let items = conversation();
        let total: usize = items.iter().map(size).sum();
        assert_eq!(shortened(&items, 0), items);
        for halved in 1..8 {
            let short = shortened(&items, halved);
            let size: usize = short.iter().map(size).sum();
            assert!(size <= (total >> halved) + 200, "{halved}: {size} of {total}");
            assert_eq!(short.last(), items.last(), "{halved}");
            let Some(Item::Prompt(text)) = short.first() else { panic!("{:?}", short.first()) };
            assert!(text.ends_with("entries are left out here.]"), "{text}");
        }
    }

    #[test]
    fn long_text_is_cut_and_the_rest_stays() {
        let long = "y".repeat(100_000);
        let items = [
            Item::Prompt("Read it.".to_owned()),
            Item::Prompt(long),
            Item::Prompt("What does it say?".to_owned()),
        ];
        let short = shortened(&items, 1);
        assert_eq!((short.len(), &short[0], &short[2]), (3, &items[0], &items[2]));
        let Item::Prompt(cut) = &short[1] else { panic!("{:?}", short[1]) };
        assert!(cut.ends_with("y[… 93746 bytes are left out]"), "{}", &cut[cut.len() - 60..]);
    }
}
