//! Settings as people and programs write them: any indentation, tabs, line ends, comments, commas.

use std::fmt::Write;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A settings text.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) text: String,
    /// An object or list above our entries is empty, so its layout cannot be recovered from the text.
    pub(crate) has_empty_places: bool,
}

/// A value that a test may change without touching hooks.
pub(crate) const CHANGES: &str = "\"a value that changes\"";

const EVENTS: [&str; 8] = [
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "WorktreeCreate",
    "SessionEnd",
    "BeforeTool",
    "PreCompress",
    "NewEvent",
];

/// How a text is laid out.
#[derive(Clone, Debug)]
struct Style {
    newline: &'static str,
    unit: &'static str,
    mark: &'static str,
    end: &'static str,
    layout: Layout,
    /// Chooses the text between two tokens.
    seed: u64,
}

#[derive(Clone, Copy, Debug)]
enum Layout {
    OneLine,
    Neat,
    /// Anything that parses.
    Wild,
}

pub(crate) fn settings() -> impl Strategy<Value = Written> {
    (content(), style()).prop_map(|(value, mut style)| {
        let mut text = style.mark.to_owned();
        style.between(&mut text, "");
        style.write(&mut text, &value, "");
        style.between(&mut text, "");
        text.push_str(style.end);
        let hooks = value.get("hooks");
        let lists = hooks.and_then(Value::as_object).into_iter().flat_map(Map::values);
        let has_empty_places = value == json!({})
            || hooks == Some(&json!({}))
            || lists.into_iter().any(|groups| groups == &json!([]));
        Written { text, has_empty_places }
    })
}

fn style() -> impl Strategy<Value = Style> {
    (
        prop::sample::select(vec!["\n", "\r\n"]),
        prop::sample::select(vec!["  ", "\t", "    ", " "]),
        prop::sample::select(vec!["", "", "\u{FEFF}"]),
        prop::sample::select(vec!["", "\n", "\r\n", " \n\n"]),
        prop::sample::select(vec![Layout::OneLine, Layout::Neat, Layout::Wild, Layout::Wild]),
        any::<u64>(),
    )
        .prop_map(|(newline, unit, mark, end, layout, seed)| Style {
            newline,
            unit,
            mark,
            end,
            layout,
            seed,
        })
}

fn content() -> impl Strategy<Value = Value> {
    let command =
        prop::sample::select(vec!["./guard.sh", "echo \"é\\n\"", "my tenter hook", "tenter audit verify"]);
    let handler = command.prop_map(|command| json!({"type": "command", "command": command}));
    let group = prop_oneof![
        6 => (prop::option::of("[A-Z][a-z]{0,3}"), prop::collection::vec(handler, 0..3)).prop_map(|(matcher, handlers)| {
            let mut group = Map::new();
            group.extend(matcher.map(|matcher| ("matcher".to_owned(), json!(matcher))));
            group.insert("hooks".to_owned(), json!(handlers));
            Value::Object(group)
        }),
        1 => Just(json!(null)),
        1 => Just(json!("odd")),
        1 => Just(json!({"hooks": {"command": "tenter hook claude"}})),
    ];
    let event = (prop::sample::select(EVENTS.to_vec()), prop::collection::vec(group, 0..3));
    let hooks = prop::collection::vec(event, 0..4).prop_map(|events| {
        let events = events.into_iter().map(|(event, groups)| (event.to_owned(), json!(groups)));
        Value::Object(events.collect())
    });
    let other = prop::sample::select(vec![
        ("model", json!("a value that changes")),
        ("permissions", json!({"allow": ["Bash(git status)", "a value that changes"], "deny": []})),
        ("cleanupPeriodDays", json!(30.5)),
        ("env", json!({})),
        ("unknown // key", json!([1, [], {"hooks": {"Stop": []}}])),
        ("disableAllHooks", json!(true)),
    ]);
    let others = prop::collection::vec(other, 0..4);
    (others.clone(), prop::option::of(hooks), others).prop_map(|(before, hooks, after)| {
        let mut settings = Map::new();
        settings.extend(before.into_iter().map(|(key, value)| (key.to_owned(), value)));
        settings.extend(hooks.map(|hooks| ("hooks".to_owned(), hooks)));
        settings.extend(after.into_iter().map(|(key, value)| (key.to_owned(), value)));
        Value::Object(settings)
    })
}

impl Style {
    fn write(&mut self, text: &mut String, value: &Value, indent: &str) {
        let deeper = format!("{indent}{}", self.unit);
        let (open, close, count) = match value {
            Value::Object(fields) => ('{', '}', fields.len()),
            Value::Array(items) => ('[', ']', items.len()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                text.push_str(&value.to_string());
                return;
            }
        };
        text.push(open);
        for index in 0..count {
            self.between(text, &deeper);
            match value {
                Value::Object(fields) => {
                    let (key, field) = fields.iter().nth(index).unwrap();
                    write!(text, "{}:", json!(key)).unwrap();
                    text.push_str(if matches!(self.layout, Layout::Neat) { " " } else { "" });
                    self.anywhere(text, &deeper);
                    self.write(text, field, &deeper);
                }
                _ => self.write(text, &value[index], &deeper),
            }
            self.anywhere(text, &deeper);
            let trailing = matches!(self.layout, Layout::Wild) && self.chance(4) == 0;
            if index + 1 < count || trailing {
                text.push(',');
            }
        }
        if count > 0 || matches!(self.layout, Layout::Wild) {
            self.between(text, indent);
        }
        text.push(close);
    }

    /// Where a neat writer breaks the line.
    fn between(&mut self, text: &mut String, indent: &str) {
        match self.layout {
            Layout::OneLine => {}
            Layout::Neat
                if text.trim_start_matches('\u{FEFF}').is_empty()
                    || (indent.is_empty() && text.ends_with('}')) => {}
            Layout::Neat => text.extend([self.newline, indent]),
            Layout::Wild => self.anywhere(text, indent),
        }
    }

    /// Where only a wild one writes anything.
    fn anywhere(&mut self, text: &mut String, indent: &str) {
        if !matches!(self.layout, Layout::Wild) {
            return;
        }
        for _ in 0..self.chance(3) {
            match self.chance(7) {
                0 => text.push(' '),
                1 => text.extend([self.newline, indent]),
                2 => text.push_str("/* a \"comment\", } */"),
                3 => text.extend(["// to the end ]  ", self.newline]),
                4 => text.push('\t'),
                5 => text.extend([self.newline, self.newline]),
                _ => text.extend([" // ,", self.newline, indent]),
            }
        }
    }

    fn chance(&mut self, of: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % of
    }
}
