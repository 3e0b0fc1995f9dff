//! A shell line as lists of pipelines, with what joins them: what one needs to know whose exit code a line has.
//!
//! This is no shell. Words are read without quotes, here-documents stand beside the command that reads them,
//! `$(…)` stays text. Loops and conditions are read through: what they contain is there, and [`List::loose`] says
//! that nobody knows whether it ran. The guard of our own files divides lines too
//! (`executors/src/builtin/protect_config/words.rs`), but it has to be suspicious, and this has to be sure.

use std::iter::Peekable;
use std::str::Chars;

/// Pipelines, one after the other.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct List {
    pub(super) pipelines: Vec<Pipeline>,
    /// A loop, a condition or a function is among them.
    pub(super) loose: bool,
}

/// Commands that feed each other.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub(super) stages: Vec<Stage>,
    /// `! command`
    pub(super) negated: bool,
    /// What stands behind it.
    pub(super) joint: Joint,
}

/// What stands between two pipelines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Joint {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;`, the end of a line, the end of all
    #[default]
    Then,
    /// `&`
    Background,
}

/// One command of a pipeline.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Stage {
    /// Its words, without quotes; none of a group.
    pub(super) words: Vec<String>,
    /// What `( … )` or `{ …; }` contains.
    pub(super) group: Option<List>,
    /// What it reads from here-documents.
    pub(super) bodies: Vec<String>,
    /// Its standard output goes into a file.
    pub(super) stdout_gone: bool,
    /// That file.
    pub(super) stdout_file: Option<String>,
    /// Its standard error goes into a file.
    pub(super) stderr_gone: bool,
}

/// Deeper brackets than these are left unread.
const DEEPEST: usize = 16;
/// They begin or divide what may run or not.
const KEYWORDS: [&str; 13] =
    ["if", "then", "elif", "else", "fi", "while", "until", "for", "do", "done", "case", "esac", "function"];

/// Reads a line.
pub(super) fn parse(line: &str) -> List {
    let mut reader = Reader { rest: line.chars().peekable(), waiting: Vec::new(), loose: false };
    reader.list(0)
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    /// Where the here-documents end that begin behind this line.
    waiting: Vec<String>,
    loose: bool,
}

/// What the reader finds between commands.
enum Token {
    Word { text: String, quoted: bool },
    Pipe { with_errors: bool },
    Joint(Joint),
    Open,
    Close,
    Redirection { from: Option<char>, operator: String },
    HereDocuments(Vec<String>),
    End,
}

impl Reader<'_> {
    fn list(&mut self, depth: usize) -> List {
        let mut list = List::default();
        let mut pipeline = Pipeline::default();
        let mut stage = Stage::default();
        loop {
            match self.token() {
                Token::Word { text, quoted: false } if stage.words.is_empty() && text == "!" => {
                    pipeline.negated = true;
                }
                Token::Word { text, quoted: false }
                    if stage.words.is_empty() && KEYWORDS.contains(&text.as_str()) =>
                {
                    self.loose = true;
                    // The words behind `for` and `case` are no command.
                    if matches!(text.as_str(), "for" | "case" | "function") {
                        stage.words.push(":".to_owned());
                    }
                }
                Token::Word { text, quoted: false } if stage.words.is_empty() && text == "{" => {
                    self.group(&mut stage, depth);
                }
                Token::Word { text, quoted: false } if stage.words.is_empty() && text == "}" => break,
                Token::Word { text, .. } => stage.words.push(text),
                // `name() { … }` is no run before it is called.
                Token::Open if !stage.words.is_empty() => self.loose = true,
                Token::Open => self.group(&mut stage, depth),
                Token::Close if depth == 0 => self.loose = true,
                Token::Close | Token::End => break,
                Token::Redirection { from, operator } => self.redirect(&mut stage, from, &operator),
                Token::Pipe { with_errors } => {
                    stage.stderr_gone &= !with_errors;
                    pipeline.push(&mut stage);
                }
                // Behind a `|` the next line belongs to the pipeline.
                Token::Joint(Joint::Then) if !pipeline.stages.is_empty() && stage == Stage::default() => {}
                Token::Joint(joint) => {
                    pipeline.push(&mut stage);
                    list.push(&mut pipeline, joint);
                }
                Token::HereDocuments(bodies) => {
                    pipeline.push(&mut stage);
                    list.push(&mut pipeline, Joint::Then);
                    if let Some(last) = list.pipelines.last_mut().and_then(|last| last.stages.first_mut()) {
                        last.bodies.extend(bodies);
                    }
                }
            }
        }
        pipeline.push(&mut stage);
        list.push(&mut pipeline, Joint::Then);
        list.loose = self.loose;
        list
    }

    fn group(&mut self, stage: &mut Stage, depth: usize) {
        if depth < DEEPEST {
            stage.group = Some(self.list(depth + 1));
        }
    }

    fn redirect(&mut self, stage: &mut Stage, from: Option<char>, operator: &str) {
        // Without a word it is a mistake of whoever wrote the line, and the shell will say so.
        let Token::Word { text: target, .. } = self.token() else { return };
        match operator {
            "<<" | "<<-" => self.waiting.push(target),
            "<" | "<<<" | "<&" | "<>" => {}
            // To where the other one goes, which is told at the same place.
            ">&" if target.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {}
            _ => {
                let shown = target == "/dev/stdout" || target == "/dev/stderr" || target == "/dev/tty";
                let both = operator.starts_with('&') || operator == ">&" && from.is_none();
                let of_stdout = !shown && (both || from.is_none_or(|from| from == '1'));
                stage.stdout_gone |= of_stdout;
                stage.stderr_gone |= !shown && (both || from == Some('2'));
                if of_stdout {
                    stage.stdout_file = Some(target);
                }
            }
        }
    }

    fn token(&mut self) -> Token {
        loop {
            let Some(&next) = self.rest.peek() else { return Token::End };
            match next {
                '\n' => {
                    self.rest.next();
                    let bodies = self.bodies();
                    if bodies.is_empty() {
                        return Token::Joint(Joint::Then);
                    }
                    return Token::HereDocuments(bodies);
                }
                next if next.is_whitespace() => {
                    self.rest.next();
                }
                '#' => while self.rest.next_if(|next| *next != '\n').is_some() {},
                '\\' if self.continues() => {}
                ';' | '&' | '|' | '(' | ')' | '<' | '>' => return self.operator(next),
                _ => return self.word(),
            }
        }
    }

    /// Skips a line end that a backslash hides.
    fn continues(&mut self) -> bool {
        let mut ahead = self.rest.clone();
        ahead.next();
        let hidden = ahead.next() == Some('\n');
        if hidden {
            self.rest = ahead;
        }
        hidden
    }

    fn operator(&mut self, first: char) -> Token {
        self.rest.next();
        let mut then = |next: char| self.rest.next_if_eq(&next).is_some();
        match first {
            ';' => {
                // `;;` ends a branch.
                then(';');
                Token::Joint(Joint::Then)
            }
            '&' if then('&') => Token::Joint(Joint::And),
            '&' if then('>') => {
                then('>');
                Token::Redirection { from: None, operator: "&>".to_owned() }
            }
            '&' => Token::Joint(Joint::Background),
            '|' if then('|') => Token::Joint(Joint::Or),
            '|' => Token::Pipe { with_errors: then('&') },
            '(' => Token::Open,
            ')' => Token::Close,
            _ => self.redirection(None, first),
        }
    }

    fn redirection(&mut self, from: Option<char>, first: char) -> Token {
        let mut operator = String::from(first);
        while let Some(next) = self.rest.next_if(|next| matches!(next, '<' | '>' | '&' | '|')) {
            operator.push(next);
        }
        if operator == "<<"
            && let Some(next) = self.rest.next_if_eq(&'-')
        {
            operator.push(next);
        }
        Token::Redirection { from, operator }
    }

    fn word(&mut self) -> Token {
        let mut text = String::new();
        let mut quoted = false;
        while let Some(&next) = self.rest.peek() {
            match next {
                '\'' => {
                    quoted = true;
                    self.rest.next();
                    text.extend(std::iter::from_fn(|| self.rest.next_if(|next| *next != '\'')));
                    self.rest.next();
                }
                '"' => {
                    quoted = true;
                    self.rest.next();
                    self.double_quotes(&mut text);
                }
                '\\' => {
                    if !self.continues() {
                        self.rest.next();
                        text.extend(self.rest.next());
                    }
                }
                '$' => {
                    self.rest.next();
                    self.dollar(&mut text);
                }
                // The older spelling of `$(…)`.
                '`' => {
                    self.rest.next();
                    text.push_str("$(");
                    text.extend(std::iter::from_fn(|| self.rest.next_if(|next| *next != '`')));
                    text.push(')');
                    self.rest.next();
                }
                '<' | '>' if text.len() == 1 && text.as_bytes()[0].is_ascii_digit() && !quoted => {
                    self.rest.next();
                    return self.redirection(text.chars().next(), next);
                }
                ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                next if next.is_whitespace() => break,
                next => {
                    text.push(next);
                    self.rest.next();
                }
            }
        }
        Token::Word { text, quoted }
    }

    fn double_quotes(&mut self, text: &mut String) {
        while let Some(next) = self.rest.next() {
            match next {
                '"' => return,
                '\\' => match self.rest.next() {
                    Some('\n') | None => {}
                    Some(hidden @ ('"' | '\\' | '$' | '`')) => text.push(hidden),
                    Some(plain) => text.extend(['\\', plain]),
                },
                '$' => self.dollar(text),
                next => text.push(next),
            }
        }
    }

    /// What follows a `$`: of `$(…)` everything up to its end, brackets included; it may hold quotes and more.
    fn dollar(&mut self, text: &mut String) {
        text.push('$');
        let mut depth = 0_usize;
        while let Some(next) = self.rest.next_if(|next| depth > 0 || *next == '(') {
            text.push(next);
            match next {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn bodies(&mut self) -> Vec<String> {
        let mut bodies = Vec::new();
        for delimiter in std::mem::take(&mut self.waiting) {
            let mut body = String::new();
            while self.rest.peek().is_some() {
                let line: String = std::iter::from_fn(|| self.rest.next_if(|next| *next != '\n')).collect();
                self.rest.next();
                if line.trim_start_matches('\t') == delimiter {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            bodies.push(body);
        }
        bodies
    }
}

impl Pipeline {
    fn push(&mut self, stage: &mut Stage) {
        let stage = std::mem::take(stage);
        if stage != Stage::default() {
            self.stages.push(stage);
        }
    }
}

impl List {
    fn push(&mut self, pipeline: &mut Pipeline, joint: Joint) {
        let pipeline = Pipeline { joint, ..std::mem::take(pipeline) };
        if !pipeline.stages.is_empty() {
            self.pipelines.push(pipeline);
        } else if let Some(last) = self.pipelines.last_mut()
            && last.joint == Joint::Then
            && joint == Joint::Background
        {
            last.joint = joint;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(list: &List) -> String {
        let pipelines = list.pipelines.iter().map(|pipeline| {
            let stages = pipeline.stages.iter().map(|stage| {
                let mut shown = match &stage.group {
                    Some(group) => format!("({})", self::shown(group)),
                    None => stage.words.join("·"),
                };
                shown.extend(stage.stdout_gone.then_some(" 1>"));
                shown.extend(stage.stderr_gone.then_some(" 2>"));
                shown.extend(stage.bodies.iter().map(|body| format!(" <<{body:?}")));
                shown
            });
            let negated = if pipeline.negated { "!" } else { "" };
            let joint = match pipeline.joint {
                Joint::And => " &&",
                Joint::Or => " ||",
                Joint::Then => ";",
                Joint::Background => " &",
            };
            format!("{negated}{}{joint}", stages.collect::<Vec<_>>().join(" | "))
        });
        let loose = if list.loose { "~ " } else { "" };
        format!("{loose}{}", pipelines.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_line_is_lists_of_pipelines() {
        for (line, expected) in [
            ("a 'b c' \"d $x\" e\\ f", "a·b c·d $x·e f;"),
            ("a && b || c; d & e", "a && b || c; d & e;"),
            ("a 2>&1 | tail -3", "a | tail·-3;"),
            ("a |& tee x", "a | tee·x;"),
            ("a >x 2>&1", "a 1>;"),
            ("a &>x; b 2>/dev/null; c 1>/dev/null", "a 1> 2>; b 2>; c 1>;"),
            ("a >&2 2>>x", "a 2>;"),
            ("! a", "!a;"),
            ("( cd x && a ) | b", "(cd·x && a;) | b;"),
            ("a || { b; exit 1; }", "a || (b; exit·1;);"),
            ("a # b\nc \\\n  d", "a; c·d;"),
            ("cat > x <<'EOF'\npytest\nEOF\nb", "cat 1> <<\"pytest\\n\"; b;"),
            ("if a; then b; fi", "~ a; b;"),
            ("for x in 1 2; do a; done", "~ :·x·in·1·2; a;"),
            ("x=$(a | b 'c') y", "x=$(a | b 'c')·y;"),
            ("echo \"a && b\"", "echo·a && b;"),
            ("a |\n b &&\n c", "a | b && c;"),
            ("a;;b", "a; b;"),
            ("a 'never closed", "a·never closed;"),
            ("echo 2 > x", "echo·2 1>;"),
        ] {
            assert_eq!(shown(&parse(line)), expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "[a$()`'\"\\\\<>|&;{}#\nEäO !-]{0,60}") {
            parse(&line);
        }
    }
}
