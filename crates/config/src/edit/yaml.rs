//! YAML: by its lines, as deep as their neighbours.

use super::{NewEntry, in_style, inline, without_piece};
use crate::dialects::yaml_scalar;

/// What is added to a file that has no hook at this event.
pub(super) fn under_event(entry: &NewEntry) -> String {
    format!("  {}:\n{}", entry.event, indented(entry, 4))
}

fn indented(entry: &NewEntry, by: usize) -> String {
    let pad = " ".repeat(by);
    let name = format!("{pad}- name: {}\n", yaml_scalar(&entry.name));
    name + &entry.lines(&format!("{pad}  "), ": ", yaml_scalar)
}

/// The entry as an item of a list that is written in one line.
pub(super) fn on_one_line(entry: &NewEntry) -> String {
    inline(&entry.keys(), ": ", yaml_scalar)
}

pub(super) fn ways(entry: &NewEntry, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let ways =
        [at_the_end_of_its_event(entry, &lines), at_the_end_of_hooks(entry, &lines), at_the_end(entry, text)];
    ways.into_iter().flatten().collect()
}

fn at_the_end_of_its_event(entry: &NewEntry, lines: &[&str]) -> Option<String> {
    let hooks = lines.iter().position(|line| line.trim_end() == "hooks:")?;
    let key = |line: &&str| {
        let bare = line.trim().trim_end_matches(':').trim_matches(['"', '\'']);
        line.starts_with(' ') && bare == entry.event && line.trim_end().ends_with(':')
    };
    let at = hooks + 1 + lines.get(hooks + 1..)?.iter().position(key)?;
    let own = depth(lines.get(at)?);
    // In YAML the items of a list may have the indentation of their key.
    let item = lines.get(at + 1..)?.iter().find(|line| !is_blank(line))?;
    let items = if item.trim_start().starts_with("- ") { depth(item) } else { own + 2 };
    let within =
        |line: &str| depth(line) > own || (depth(line) == own && line.trim_start().starts_with("- "));
    let end = end_of(lines, at, within);
    Some(insert(lines, end, &indented(entry, items)))
}

fn at_the_end_of_hooks(entry: &NewEntry, lines: &[&str]) -> Option<String> {
    let hooks = lines.iter().position(|line| line.trim_end() == "hooks:")?;
    let end = end_of(lines, hooks, |line| depth(line) > 0);
    Some(insert(lines, end, &under_event(entry)))
}

fn at_the_end(entry: &NewEntry, text: &str) -> Option<String> {
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Some(format!("{text}{}", in_style(&format!("{gap}hooks:\n{}", under_event(entry)), text)))
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The line after the last one that belongs to the block which begins at a line.
fn end_of(lines: &[&str], at: usize, within: impl Fn(&str) -> bool) -> usize {
    let rest = lines.iter().enumerate().skip(at + 1);
    let block = rest.take_while(|(_, line)| is_blank(line) || within(line));
    block.filter(|(_, line)| !is_blank(line)).last().map_or(at + 1, |(number, _)| number + 1)
}

fn insert(lines: &[&str], at: usize, piece: &str) -> String {
    let (before, after) = lines.split_at(at.min(lines.len()));
    let (before, after) = (before.concat(), after.concat());
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let piece = in_style(&format!("{gap}{piece}"), &format!("{before}{after}"));
    format!("{before}{piece}{after}")
}

/// Every text into which the entry may have been put.
pub(super) fn without(entry: &NewEntry, text: &str) -> Vec<String> {
    let under = under_event(entry);
    let pieces = [format!("hooks:\n{under}"), under].into_iter();
    pieces
        .chain((0..=12).map(|by| indented(entry, by)))
        .flat_map(|piece| [piece.clone(), format!("\n{piece}")])
        .flat_map(|piece| without_piece(text, &in_style(&piece, text)))
        .collect()
}
