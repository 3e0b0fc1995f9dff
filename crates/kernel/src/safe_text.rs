//! Makes the texts of hooks safe for a model that reads them next to tenter's and the agent's own texts. Text that
//! looks like one of those is quoted, and invisible characters are removed, by the rules of [`TABLE`]. Safe text
//! stays as it is. Lines and tags are compared as they look, not as they are written (`likeness`).
//!
//! Messages for the user are listed one below the other ([`as_message`]).

use std::borrow::Cow;

use tenter_contract::terminal::{after_control, is_hidden, is_symbol};

mod tags;

use self::tags::{AT_THE_BEGINNING, BRACKETS, TAGS};
use crate::likeness::{after, after_number, first_sign, is_hyphen, is_of_word, sign, without_marks};

/// A rule: what is looked for, with examples, and what becomes of it.
pub struct Rule {
    /// What is looked for.
    pub what: &'static str,
    /// How it may look.
    pub like: &'static str,
    /// What becomes of it.
    pub becomes: &'static str,
}

/// The rules, as the reference page has them.
pub const TABLE: [Rule; 10] = [
    Rule {
        what: "control characters, except tab and line end",
        like: "U+0000–U+001F, U+007F–U+009F",
        becomes: "removed",
    },
    Rule {
        what: "characters that change the text direction",
        like: "U+061C, U+200E, U+200F, U+202A–U+202E, U+2066–U+2069",
        becomes: "removed",
    },
    Rule {
        what: "characters without width or shape",
        like: "U+00AD, U+034F, U+115F, U+1160, U+17B4, U+17B5, U+180B–U+180F, U+200B–U+200D, U+2060–U+2065, U+206A–U+206F, U+3164, U+FE00–U+FE0F (U+FE0F stays after a symbol), U+FEFF, U+FFA0, U+FFF0–U+FFFB, U+1BCA0–U+1BCA3, U+1D173–U+1D17A",
        becomes: "removed",
    },
    Rule {
        what: "tag characters and variation selectors, which can hide text",
        like: "U+E0000–U+E0FFF",
        becomes: "removed",
    },
    Rule {
        what: "terminal sequences: colours, titles, cursor movements",
        like: "ESC `[31m`, ESC `]0;title` BEL",
        becomes: "removed completely",
    },
    Rule { what: "other line ends", like: "a carriage return, U+2028, U+2029", becomes: "a line end" },
    Rule {
        what: "lines that begin like those of tenter",
        like: "`Hook feedback:`, `From lint (245 bytes):`, `From lint (ten bytes):`, `[tenter] From lint (245 bytes):`, `<b>Hook feedback:</b>`, `From lint: unchanged since the last report`, `… [12 of 900 bytes`, `SYSTEM CONTEXT (`",
        becomes: "quoted with `> ` before them",
    },
    Rule {
        what: "lines that begin with a role",
        like: "`System:`, `User:`, `Human:`, `Assistant:`, `Developer:`; not settings such as `user: root` (lower case, one word)",
        becomes: "quoted with `> ` before them",
    },
    Rule {
        what: "opening and closing tags of tenter and of agents",
        like: "`<tenter-data>`, `<system-reminder>`, `<hook_context>`, `<hook_prompt …>`, `<environment_context>`, `<user_instructions>`, `<task-notification>`, `<persisted-output>`, `<qwen:session-start-context>`, `<function_calls>`, `<tool_call>`, `<tool_result>`, `<start_of_turn>` and about 90 more; closing tags and tags at the start of a line: `<system>`, `<user>`, `<assistant>`, `<human>`, `<developer>`, `<thinking>`, `<instructions>`, `<skill>`; in tool calls: `<invoke name=…>`, `<function=…>`, `<parameter=…>`",
        becomes: "`&lt;` for `<`",
    },
    Rule {
        what: "special tokens of models",
        like: "`<|im_start|>`, `<｜User｜>` and all of this form, `<<SYS>>`, `[INST]`, `[/INST]`, `[TOOL_CALLS]`",
        becomes: "`&lt;` for `<`, `(` for `[`",
    },
];

/// A text that was made safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeSafe {
    /// The text.
    pub text: String,
    /// How many characters were removed.
    pub removed: usize,
    /// At how many places something is quoted.
    pub quoted: usize,
}

/// The safe form of a text; `None` if it is safe already.
pub fn made_safe(text: &str) -> Option<MadeSafe> {
    let (seen, removed) = without_the_unseen(text);
    let (quoted_text, quoted) = quoted(&seen);
    (quoted_text != text).then_some(MadeSafe { text: quoted_text, removed, quoted })
}

/// A message without invisible characters and with its further lines indented, so that none looks like another
/// message. Also returns the number of removed characters.
pub fn as_message(text: &str) -> (String, usize) {
    let (seen, removed) = without_the_unseen(text);
    let mut lines = seen.trim_end().split(LINE_ENDS);
    let mut message = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        message.push_str("\n  ");
        message.push_str(line);
    }
    (message, removed)
}

/// A foreign text on one line, without invisible characters.
pub fn on_one_line(text: &str) -> String {
    without_the_unseen(text).0.split(LINE_ENDS).map(str::trim).collect::<Vec<_>>().join(" ")
}

fn without_the_unseen(text: &str) -> (Cow<'_, str>, usize) {
    let plain = |byte: u8| (0x20..0x7f).contains(&byte) || byte == b'\n' || byte == b'\t';
    if text.bytes().all(plain) {
        return (text.into(), 0);
    }
    let mut seen = String::with_capacity(text.len());
    let (mut removed, mut before) = (0, '\0');
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        // A control sequence is removed as a whole.
        if matches!(c, '\u{1b}' | '\u{9b}') {
            let behind = after_control(rest);
            removed += rest[..rest.len() - behind.len()].chars().count();
            rest = behind;
            continue;
        }
        // A carriage return ends a line.
        let c = if c == '\r' && !behind.starts_with('\n') { '\n' } else { c };
        if is_unseen(c) && !(c == '\u{fe0f}' && is_symbol(before)) {
            removed += 1;
        } else {
            seen.push(c);
            before = c;
        }
        rest = behind;
    }
    if seen == text { (text.into(), 0) } else { (seen.into(), removed) }
}

/// Invisible characters; other line ends become plain ones elsewhere.
fn is_unseen(c: char) -> bool {
    match c {
        '\t' | '\n' | '\u{2028}' | '\u{2029}' | '\u{2800}' => false,
        c => c.is_control() || is_hidden(c),
    }
}

/// Signs that open a tag, or look so much like one that a model takes them for it.
fn opens(c: char) -> bool {
    c == '<' || (!c.is_ascii() && OPENING.contains(&c))
}

const OPENING: [char; 9] = [
    '\u{2c2}', '\u{1438}', '\u{2039}', '\u{2329}', '\u{276e}', '\u{27e8}', '\u{3008}', '\u{fe64}', '\u{ff1c}',
];
const CLOSING: [char; 10] = [
    '>', '\u{2c3}', '\u{1433}', '\u{203a}', '\u{232a}', '\u{276f}', '\u{27e9}', '\u{3009}', '\u{fe65}',
    '\u{ff1e}',
];
const SLASHES: [char; 4] = ['/', '\u{2044}', '\u{2215}', '\u{ff0f}'];

const LINE_ENDS: [char; 3] = ['\n', '\u{2028}', '\u{2029}'];

fn quoted(text: &str) -> (String, usize) {
    let mut safe = String::with_capacity(text.len() + 16);
    let mut places = 0;
    for line in text.split_inclusive(LINE_ENDS) {
        let words = line.trim_start_matches([' ', '\t']);
        if is_heading(words) {
            safe.push_str(&line[..line.len() - words.len()]);
            safe.push_str("> ");
            places += 1;
            places += quoted_tags(words, &mut safe);
        } else {
            places += quoted_tags(line, &mut safe);
        }
        if line.ends_with(['\u{2028}', '\u{2029}']) {
            safe.truncate(safe.len() - '\u{2028}'.len_utf8());
            safe.push('\n');
            places += 1;
        }
    }
    (safe, places)
}

/// Whether a line looks like a heading of tenter or like the beginning of another speaker's text. A line with `> `
/// is quoted already.
fn is_heading(line: &str) -> bool {
    if line.starts_with("> ") {
        return false;
    }
    let words = without_marks(line);
    let is_ours = match first_sign(words) {
        Some('0') => is_note(&line[..line.len() - words.len()], words),
        Some(_) => is_like_ours(words) || is_spoken(words),
        None => false,
    };
    is_ours || is_labelled(line)
}

/// `[tenter] From …` and `<b>From …`: a heading after a label or a tag.
fn is_labelled(line: &str) -> bool {
    let mut rest = line;
    while let Some(behind) = without_label(rest) {
        if is_like_ours(without_marks(behind)) {
            return true;
        }
        rest = behind;
    }
    false
}

/// The text after a label in brackets, or a tag, at the beginning of a line.
fn without_label(line: &str) -> Option<&str> {
    const LONGEST: usize = 60;
    let label = line.trim_start_matches(|c| !is_of_word(c) && !opens(c) && sign(c) != Some('('));
    let first = label.chars().next().filter(|c| !is_of_word(*c))?;
    let is_end = |c: &char| if opens(first) { CLOSING.contains(c) } else { sign(*c) == Some(')') };
    let (end, last) = label.char_indices().take(LONGEST).find(|(_, c)| is_end(c))?;
    Some(&label[end + last.len_utf8()..])
}

fn is_like_ours(words: &str) -> bool {
    let ends = |rest: &str| first_sign(rest).is_none_or(|sign| sign == ':');
    if let Some(rest) = after(words, "hookfeedback") {
        return ends(rest);
    }
    if let Some(rest) = after(words, "systemcontext") {
        return first_sign(rest) == Some('(');
    }
    let Some(rest) = after(words, "from") else { return false };
    let from = |wanted: char| {
        let begins = move |(_, c): &(usize, char)| sign(*c) == Some(wanted);
        rest.char_indices().filter(begins).map(|(at, _)| &rest[at..])
    };
    let is_size = |bracket: &str| after_size(after(bracket, "(").unwrap_or_default()).is_some_and(ends);
    let is_size = |bracket: &str| is_size(bracket) || is_size_in_words(bracket, ends);
    from('(').any(is_size) || from('u').any(|it| after(it, "unchangedsincethelastreport").is_some())
}

/// `(ten bytes)`, `(about 3 kB, 12 bytes)`: whatever ends in the word. As far as a size can be from its bracket.
fn is_size_in_words(bracket: &str, ends: impl Fn(&str) -> bool + Copy) -> bool {
    const LONGEST: usize = 40;
    let counted = bracket.char_indices().skip(1).filter_map(|(at, c)| Some((at, sign(c)?)));
    let inside = counted.take(LONGEST).take_while(|(_, sign)| !matches!(sign, '(' | ')'));
    inside.filter(|(_, sign)| matches!(sign, 'b' | 'c' | '?')).any(|(at, _)| {
        let unit = |word| after(&bracket[at..], word).is_some_and(ends);
        unit("bytes)") || unit("byte)") || unit("characters)")
    })
}

/// The text after `12 bytes)` and `12 of 900 bytes)`.
fn after_size(text: &str) -> Option<&str> {
    after(after_amount(text)?, ")")
}

fn after_amount(text: &str) -> Option<&str> {
    let number = after_number(text)?;
    let all = match after(number, "of") {
        Some(of) => after_number(after(of, "morethan").unwrap_or(of))?,
        None => number,
    };
    let unit = |word| after(all, word);
    unit("bytes").or_else(|| unit("byte")).or_else(|| unit("characters"))
}

/// `… [12 of 900 bytes`: where the rest of a text is.
fn is_note(marks: &str, words: &str) -> bool {
    let bracket = marks.chars().any(|c| sign(c) == Some('('));
    let partly = after_number(words).is_some_and(|rest| after(rest, "of").is_some());
    bracket && partly && after_amount(words).is_some()
}

fn is_spoken(words: &str) -> bool {
    const SPEAKERS: [&str; 5] = ["system", "user", "human", "assistant", "developer"];
    let speaks = |speaker: &&str| {
        let Some(rest) = after(words, speaker) else { return false };
        let rest = after(rest, ")").unwrap_or(rest);
        first_sign(rest) == Some(':') && !is_setting(words, speaker)
    };
    SPEAKERS.iter().any(speaks)
}

/// `user: root`, as many programs write their settings: in small letters, and one word.
fn is_setting(words: &str, name: &str) -> bool {
    let value = words.strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
    value.is_some_and(|value| value.split_whitespace().count() == 1)
}

/// Adds the line with its tags quoted, and returns their number.
fn quoted_tags(line: &str, safe: &mut String) -> usize {
    let mut places = 0;
    let mut rest = line;
    while let Some(at) = rest.find(|c| opens(c) || c == '[' || c == '\u{ff3b}') {
        let (before, tag) = rest.split_at(at);
        safe.push_str(before);
        let sign = tag.chars().next().unwrap_or('<');
        let behind = &tag[sign.len_utf8()..];
        let begins_line = || rest.len() == line.len() && without_marks(before).is_empty();
        if !opens(sign) {
            // `array[inst]` is an element of something.
            let is_element =
                before.ends_with(char::is_alphanumeric) && behind.starts_with(char::is_lowercase);
            let is_mark = !is_element && is_instruction(behind);
            safe.push(if is_mark { '(' } else { sign });
            places += usize::from(is_mark);
        } else if is_tag(behind, begins_line) {
            safe.push_str("&lt;");
            places += 1;
        } else {
            safe.push(sign);
        }
        rest = behind;
    }
    safe.push_str(rest);
    places
}

/// `INST]` and `/INST]`.
fn is_instruction(behind: &str) -> bool {
    let name = behind.trim_start_matches(|c: char| c.is_whitespace() || SLASHES.contains(&c));
    let ends = |rest: &str| rest.trim_start().starts_with([']', '\u{ff3d}']);
    BRACKETS.iter().any(|known| after(name, known).is_some_and(ends))
}

/// Tags of ours and of agents. A word that programs use as well is one only where it cannot be a type.
fn is_tag(behind: &str, begins_line: impl Fn() -> bool) -> bool {
    if behind.starts_with("<SYS>>") || behind.starts_with("</SYS>>") {
        return true;
    }
    if let Some(mark) = behind.strip_prefix(is_bar) {
        // The low line of some models is a block of its own.
        let name = mark.trim_start_matches(|c: char| c.is_alphanumeric() || is_hyphen(c) || c == '\u{2581}');
        let behind = |end: &str| end.starts_with(CLOSING) || end.starts_with(char::is_alphanumeric);
        return name.len() < mark.len() && name.strip_prefix(is_bar).is_some_and(behind);
    }
    let name = behind.trim_start_matches(char::is_whitespace);
    let closes = name.starts_with(SLASHES);
    let name = name.trim_start_matches(|c: char| c.is_whitespace() || SLASHES.contains(&c));
    // `qwen:session-start-context`: the owner is before the colon.
    let name = without_owner(name);
    if is_call(name, closes) {
        return true;
    }
    let name = &name[..name.find(|c| !is_of_name(c)).unwrap_or(name.len())];
    let is = |known: &&str| {
        after(name, known).is_some_and(|rest| first_sign(rest).is_none() && !rest.contains(is_hyphen))
    };
    TAGS.iter().any(is) || (AT_THE_BEGINNING.iter().any(is) && (closes || begins_line()))
}

/// `<invoke name=…>`, `</invoke>`, `<function=…>` and `<parameter=…>`, in which models call tools, and the one tag of an
/// agent that has two words.
fn is_call(name: &str, closes: bool) -> bool {
    let named = |rest: &str| rest.trim_start().starts_with("name");
    after(name, "invoke").is_some_and(|rest| named(rest) || closes && rest.trim_start().starts_with(CLOSING))
        || ["function", "parameter"]
            .iter()
            .any(|call| after(name, call).is_some_and(|rest| rest.starts_with('=')))
        || after(name, "permissions").is_some_and(|rest| after(rest.trim_start(), "instructions").is_some())
}

/// A name without its owner.
fn without_owner(name: &str) -> &str {
    let end = name.find(|c| !is_of_name(c)).unwrap_or(name.len());
    let behind = name[end..].strip_prefix([':', '\u{ff1a}', '\u{2236}']);
    behind.filter(|_| end > 0).unwrap_or(name)
}

/// Letters, digits, hyphens and combining marks.
fn is_of_name(c: char) -> bool {
    let combines = matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}');
    combines || is_hyphen(c) || is_of_word(c)
}

fn is_bar(c: char) -> bool {
    matches!(c, '|' | '\u{a6}' | '\u{1c0}' | '\u{2223}' | '\u{2502}' | '\u{23d0}' | '\u{ff5c}' | '\u{ffe8}')
}

#[cfg(test)]
mod tests;
