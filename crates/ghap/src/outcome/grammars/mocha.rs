//! `mocha`: `2 passing (3ms)`, `1 pending`, `1 failing`, each on a line; with `--reporter tap` as TAP.

use super::{Reading, node};

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let own = line.trim();
        let mut words = own.split_whitespace();
        match (words.next().and_then(|number| number.parse::<u64>().ok()), words.next()) {
            (Some(number), Some(word @ "passing")) if own.ends_with(')') => {
                reading.close(own);
                reading.count(number, word);
            }
            (Some(number), Some(word @ ("pending" | "failing"))) if words.next().is_none() => {
                reading.count(number, word);
                if word == "failing" {
                    reading.closing = format!("{}{}{own}", reading.closing, separator(&reading.closing));
                }
            }
            _ if own.starts_with("Error: No test files found") => reading.empty = true,
            _ if own.starts_with("Exception during run:") || own.starts_with("Error: Cannot find module") => {
                reading.breaks(own);
            }
            // `1) numbers`, and below it `subtracts:`
            _ if reading.counts.failed > 0 => {
                if let Some((number, suite)) = own.split_once(") ")
                    && number.bytes().all(|digit| digit.is_ascii_digit())
                    && let Some(name) = lines.peek().and_then(|next| next.trim().strip_suffix(':'))
                {
                    reading.fails(&format!("{suite} {name}"));
                }
            }
            _ => {}
        }
    }
    if reading == Reading::default() { node::read(text) } else { reading }
}

fn separator(before: &str) -> &'static str {
    if before.is_empty() { "" } else { ", " }
}
