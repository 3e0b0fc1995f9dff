//! Aligns Markdown tables. A table is held back until it is complete, because any row may widen a column.

pub(crate) struct Tables {
    line: Line,
    fenced: bool,
    /// Lines that begin with `|` and may be a table.
    rows: Vec<String>,
}

enum Line {
    /// Text that may begin a row.
    Begun(String),
    Row(String),
    Other,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    /// A complete table, without its last line end.
    Table(Table),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    sides: Vec<Side>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Middle,
    Right,
}

/// Renders a cell, and counts its columns.
pub(crate) struct Cell {
    pub(crate) shown: String,
    pub(crate) width: usize,
}

impl Default for Tables {
    fn default() -> Self {
        Self { line: Line::Begun(String::new()), fenced: false, rows: Vec::new() }
    }
}

impl Tables {
    /// Adds text; returns the pieces that are complete.
    pub(crate) fn add(&mut self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for c in text.chars() {
            self.add_char(c, &mut pieces);
        }
        pieces
    }

    pub(crate) fn end(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let whole = std::mem::take(self);
        match whole.line {
            Line::Row(row) => close(&[whole.rows, vec![row]].concat(), &mut pieces),
            Line::Begun(begun) => {
                close(&whole.rows, &mut pieces);
                if !begun.is_empty() {
                    if !pieces.is_empty() {
                        say("\n", &mut pieces);
                    }
                    say(&begun, &mut pieces);
                }
            }
            Line::Other => {}
        }
        pieces
    }

    fn add_char(&mut self, c: char, pieces: &mut Vec<Piece>) {
        match &mut self.line {
            Line::Row(row) if c == '\n' => {
                self.rows.push(std::mem::take(row));
                self.line = Line::Begun(String::new());
            }
            Line::Row(row) => row.push(c),
            Line::Other => {
                say(c.encode_utf8(&mut [0; 4]), pieces);
                if c == '\n' {
                    self.line = Line::Begun(String::new());
                }
            }
            Line::Begun(begun) => {
                begun.push(c);
                let begun = begun.clone();
                self.settle(&begun, pieces);
            }
        }
    }

    fn settle(&mut self, begun: &str, pieces: &mut Vec<Piece>) {
        let rest = begun.trim_start_matches(' ');
        if rest.starts_with('|') && !self.fenced {
            self.line = Line::Row(rest.to_owned());
            return;
        }
        if rest.is_empty() || (rest.len() < 3 && "```".starts_with(rest)) {
            return;
        }
        self.fenced ^= rest.starts_with("```");
        let rows = std::mem::take(&mut self.rows);
        if !rows.is_empty() {
            close(&rows, pieces);
            say("\n", pieces);
        }
        say(begun, pieces);
        self.line = if begun.ends_with('\n') { Line::Begun(String::new()) } else { Line::Other };
    }
}

fn say(text: &str, pieces: &mut Vec<Piece>) {
    match pieces.last_mut() {
        Some(Piece::Text(before)) => before.push_str(text),
        Some(Piece::Table(_)) | None => pieces.push(Piece::Text(text.to_owned())),
    }
}

/// Parses lines as a table, if the second one is a rule.
fn close(rows: &[String], pieces: &mut Vec<Piece>) {
    if rows.is_empty() {
        return;
    }
    match Table::parse(rows) {
        Some(table) => pieces.push(Piece::Table(table)),
        None => say(&rows.join("\n"), pieces),
    }
}

impl Table {
    fn parse(lines: &[String]) -> Option<Self> {
        let [head, below, rows @ ..] = lines else { return None };
        let mut sides = cells(below).iter().map(|cell| side(cell)).collect::<Option<Vec<Side>>>()?;
        let rows: Vec<Vec<String>> = [head].into_iter().chain(rows).map(|line| cells(line)).collect();
        let most = rows.iter().map(Vec::len).max().unwrap_or(0).max(sides.len());
        sides.resize(most, Side::Left);
        Some(Self { rows, sides })
    }

    /// The head, a rule, and the rows.
    pub(crate) fn lines(&self, show: impl Fn(&str) -> Cell, rule: impl Fn(&str) -> String) -> Vec<String> {
        let shown: Vec<Vec<Cell>> =
            self.rows.iter().map(|row| row.iter().map(|cell| show(cell)).collect()).collect();
        let width =
            |column: usize| shown.iter().filter_map(|row| row.get(column)).map(|cell| cell.width).max();
        let widths: Vec<usize> = (0..self.sides.len()).map(|column| width(column).unwrap_or(0)).collect();
        let mut lines: Vec<String> = shown.iter().map(|row| self.line(row, &widths)).collect();
        let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
        lines.insert(1, rule(&rules.join("  ")));
        lines
    }

    fn line(&self, row: &[Cell], widths: &[usize]) -> String {
        let mut line = String::new();
        for ((cell, width), side) in row.iter().zip(widths).zip(&self.sides) {
            let free = width - cell.width;
            let before = match side {
                Side::Left => 0,
                Side::Middle => free / 2,
                Side::Right => free,
            };
            line.push_str(&" ".repeat(before));
            line.push_str(&cell.shown);
            line.push_str(&" ".repeat(free - before + 2));
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// `| a | b \| c |`: two cells.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|');
    let line = if line.ends_with("\\|") { line } else { line.strip_suffix('|').unwrap_or(line) };
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in line.chars() {
        if let Some(cell) = cells.last_mut() {
            match c {
                '|' if escaped => {
                    cell.pop();
                    cell.push(c);
                }
                '|' => cells.push(String::new()),
                c => cell.push(c),
            }
        }
        escaped = c == '\\' && !escaped;
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Parses `---`, `:--`, `:-:` or `--:`.
fn side(cell: &str) -> Option<Side> {
    let dashes = cell.trim_start_matches(':').trim_end_matches(':');
    if dashes.is_empty() || dashes.chars().any(|c| c != '-') {
        return None;
    }
    Some(match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Side::Middle,
        (false, true) => Side::Right,
        (_, false) => Side::Left,
    })
}

/// Columns that a text takes on most terminals.
pub(crate) fn columns_of(text: &str) -> usize {
    let of = |c: char| match c {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1f9ff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    };
    text.chars().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, size: usize) -> String {
        let mut tables = Tables::default();
        let chars: Vec<char> = text.chars().collect();
        let mut pieces: Vec<Piece> =
            chars.chunks(size).flat_map(|piece| tables.add(&piece.iter().collect::<String>())).collect();
        pieces.extend(tables.end());
        let cell = |text: &str| Cell { shown: text.to_owned(), width: columns_of(text) };
        let show = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Table(table) => table.lines(cell, str::to_owned).join("\n"),
        };
        pieces.iter().map(show).collect()
    }

    #[test]
    fn chunking_does_not_change_tables() {
        for (text, expected) in [
            (
                "Look:\n| Name | Calls |\n|:--|--:|\n| parser | 12 |\n| 宽 | 3 |\nThat is all.\n",
                "Look:\nName    Calls\n──────  ─────\nparser     12\n宽          3\nThat is all.\n",
            ),
            ("|a|b|\n|-|:-:|\n|long one|c|", "a         b\n────────  ─\nlong one  c"),
            ("| a \\| b | c |\n|---|---|\n| 1 | 2 | 3 |\n", "a | b  c\n─────  ─  ─\n1      2  3"),
            ("a | b\n", "a | b\n"),
            ("| no table\n| at all\nend\n", "| no table\n| at all\nend\n"),
            ("|x", "|x"),
            ("```\n| a | b |\n|---|---|\n```\n", "```\n| a | b |\n|---|---|\n```\n"),
            ("| a |\n|---|\n| b |\n\nText", "a\n─\nb\n\nText"),
            ("  indented\n\n``", "  indented\n\n``"),
        ] {
            for size in [1, 2, 7, 200] {
                assert_eq!(shown(text, size), expected, "{text:?} in pieces of {size}");
            }
        }
    }
}
