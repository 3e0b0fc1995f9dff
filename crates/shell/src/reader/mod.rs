//! Reads a shell command line: the grammar of bash, as far as it decides which commands run.
//!
//! Every text has a tree. Where a shell would stop at a mistake the reader goes on, so that a guard sees the rest.
//! `[[ … ]]` and `((…))` are read as ordinary commands, because `sh` may be a shell that has neither.
//! The time is linear in the length of the text.

mod redirects;
mod words;

use crate::syntax::{Body, Command, Flaw, Joint, List, Pipeline, Script, Word};

const DEEPEST: usize = 24;

/// Reads a command line.
pub fn parse(source: &str) -> Script {
    let mut reader = Reader::new(source, 0);
    let list = reader.list(&[]);
    Script { list, flaw: reader.flaw }
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
    depth: usize,
    flaw: Option<Flaw>,
    /// Where reading goes on behind the next line end: after the here-documents of this line.
    resume: usize,
    /// Bytes of here-documents that may still be searched for substitutions.
    budget: usize,
    /// The next character that ends a brace or bracket, and whether it closes it.
    brace: (usize, bool),
    bracket: (usize, bool),
}

impl<'a> Reader<'a> {
    fn new(source: &'a str, depth: usize) -> Self {
        Self {
            source,
            at: 0,
            depth,
            flaw: None,
            resume: 0,
            budget: source.len() * 4,
            brace: (0, false),
            bracket: (0, false),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    fn starts(&self, text: &str) -> bool {
        self.source.as_bytes()[self.at.min(self.source.len())..].starts_with(text.as_bytes())
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.starts(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn note(&mut self, flaw: Flaw) {
        self.flaw.get_or_insert(flaw);
    }

    /// Reads something nested, or the rest of the text as one raw word.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> T, raw: impl FnOnce(Word) -> T) -> T {
        if self.depth < DEEPEST {
            self.depth += 1;
            let found = read(self);
            self.depth -= 1;
            return found;
        }
        self.note(Flaw::TooDeep);
        let span = self.at.min(self.source.len())..self.source.len();
        self.at = span.end;
        raw(Word { text: self.source[span.clone()].to_owned(), span, ..Word::default() })
    }

    /// Pipelines up to one of these words or operators, which is not passed.
    fn list(&mut self, until: &[&str]) -> List {
        self.nested(
            |reader| reader.pipelines(until),
            |word| {
                let command = Command { span: word.span.clone(), words: vec![word], ..Command::default() };
                List { pipelines: vec![Pipeline { commands: vec![command], ..Pipeline::default() }] }
            },
        )
    }

    /// The same, with the word or operator that ends it.
    fn closed_list(&mut self, close: &str) -> List {
        let list = self.list(&[close]);
        self.close(close);
        list
    }

    fn close(&mut self, close: &str) {
        if !self.take(close) {
            self.note(Flaw::Unclosed);
        }
    }

    fn pipelines(&mut self, until: &[&str]) -> List {
        let mut list = List::default();
        loop {
            self.skip_separators(until.contains(&";;"));
            if self.peek().is_none() || until.iter().any(|close| self.is_closed_by(close)) {
                return list;
            }
            let before = self.at;
            let mut pipeline = self.pipeline();
            pipeline.joint = self.joint();
            if !pipeline.commands.is_empty() {
                push(&mut list.pipelines, pipeline);
            }
            if self.at == before {
                self.note(Flaw::Unexpected);
                self.at += 1;
            }
        }
    }

    fn is_closed_by(&self, close: &str) -> bool {
        let is_word = close.starts_with(|first: char| first.is_ascii_alphabetic() || first == '}');
        self.starts(close) && (!is_word || self.peek_at(close.len()).is_none_or(ends_word))
    }

    /// Spaces, line ends, comments, and semicolons without a command.
    fn skip_separators(&mut self, in_case: bool) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'\n') => self.end_line(),
                Some(b';') if !(in_case && (self.starts(";;") || self.starts(";&"))) => self.at += 1,
                _ => return,
            }
        }
    }

    /// Spaces, hidden line ends and comments.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.take("\\\n") => {}
                Some(b'#') => {
                    let rest = &self.source.as_bytes()[self.at..];
                    self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Passes a line end and the here-documents that follow it.
    fn end_line(&mut self) {
        self.at = (self.at + 1).max(self.resume).min(self.source.len());
    }

    fn pipeline(&mut self) -> Pipeline {
        let mut pipeline = Pipeline::default();
        while self.is_closed_by("!") && self.peek_at(1).is_none_or(ends_word) {
            self.at += 1;
            pipeline.negated = true;
            self.skip_blanks();
        }
        loop {
            let command = self.command();
            if command.words.is_empty() && command.redirects.is_empty() && command.body == Body::None {
                return pipeline;
            }
            push(&mut pipeline.commands, command);
            self.skip_blanks();
            if self.starts("||") || !self.take("|") {
                return pipeline;
            }
            // `|&` is `2>&1 |`.
            if self.take("&")
                && let Some(command) = pipeline.commands.last_mut()
            {
                command.redirects.push(redirects::stderr_to_stdout(self.at));
            }
            self.skip_separators(false);
        }
    }

    fn joint(&mut self) -> Joint {
        self.skip_blanks();
        if self.take("&&") {
            Joint::And
        } else if self.take("||") {
            Joint::Or
        } else if self.peek() == Some(b'&') {
            self.at += 1;
            Joint::Background
        } else {
            if self.peek() == Some(b';') && !self.starts(";;") && !self.starts(";&") {
                self.at += 1;
            }
            Joint::Then
        }
    }

    fn command(&mut self) -> Command {
        self.skip_blanks();
        let mut command = Command::default();
        let start = self.at;
        if self.take("(") {
            command.body = Body::Group(self.closed_list(")"));
        }
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(b'\n' | b';' | b'|' | b')') => break,
                Some(b'&') if self.peek_at(1) != Some(b'>') => break,
                Some(b'(') if self.is_function(&command) => self.function(&mut command),
                Some(b'(') => {
                    self.note(Flaw::Unexpected);
                    break;
                }
                Some(b'<' | b'>') if self.peek_at(1) != Some(b'(') => self.redirect(None, &mut command),
                Some(b'&') => self.redirect(None, &mut command),
                Some(_) if command.body != Body::None => break,
                Some(_) => self.next_word(&mut command),
            }
        }
        command.span = start..self.at.min(self.source.len());
        command
    }

    fn next_word(&mut self, command: &mut Command) {
        let word = self.word();
        let is_first = command.words.is_empty() && command.redirects.is_empty();
        let redirects = matches!(self.peek(), Some(b'<' | b'>')) && !word.quoted;
        if redirects && let Ok(number) = word.text.parse() {
            self.redirect(Some(number), command);
        } else if !(is_first && !word.quoted && word.expansions.is_empty() && self.reserved(&word, command)) {
            command.words.push(word);
        }
    }

    /// Reads the compound command that a reserved word begins; whether the word was one.
    fn reserved(&mut self, word: &Word, command: &mut Command) -> bool {
        match word.text.as_str() {
            "{" => command.body = Body::Group(self.closed_list("}")),
            "if" => {
                let mut lists = vec![self.closed_list("then")];
                loop {
                    lists.push(self.list(&["elif", "else", "fi"]));
                    if self.take("elif") {
                        lists.push(self.closed_list("then"));
                    } else if !self.take("else") {
                        break;
                    }
                }
                self.close("fi");
                command.body = Body::Compound(lists);
            }
            "while" | "until" => {
                command.body = Body::Compound(vec![self.closed_list("do"), self.closed_list("done")]);
            }
            "for" | "select" => {
                command.words.push(synthetic(word));
                self.for_loop(command);
            }
            "case" => {
                command.words.push(synthetic(word));
                self.case(command);
            }
            "function" => {
                self.skip_blanks();
                command.words.push(self.word());
                self.function(command);
            }
            "then" | "do" | "done" | "fi" | "elif" | "else" | "esac" | "}" => self.note(Flaw::Unexpected),
            "coproc" => {}
            _ => return false,
        }
        true
    }

    fn for_loop(&mut self, command: &mut Command) {
        self.skip_blanks();
        if self.starts("((")
            && let Some(end) = self.arithmetic_end(self.at + 2)
        {
            command.words.push(self.raw_word(end));
        }
        loop {
            self.skip_blanks();
            let is_head = command.words.len() != 2 || !self.is_closed_by("do");
            if self.peek().is_none_or(|byte| b";\n&|()<>".contains(&byte)) || !is_head {
                break;
            }
            command.words.push(self.word());
        }
        self.skip_separators(false);
        let close = if self.take("{") { "}" } else { "done" };
        if close == "done" {
            self.close("do");
        }
        command.body = Body::Compound(vec![self.closed_list(close)]);
    }

    fn case(&mut self, command: &mut Command) {
        let mut lists = Vec::new();
        self.skip_blanks();
        command.words.push(self.word());
        self.skip_separators(false);
        self.close("in");
        loop {
            self.skip_separators(false);
            if self.is_closed_by("esac") || self.peek().is_none() {
                break;
            }
            self.take("(");
            loop {
                self.skip_blanks();
                command.words.push(self.word());
                self.skip_blanks();
                if !self.take("|") {
                    break;
                }
            }
            self.close(")");
            let before = self.at;
            lists.push(self.list(&[";;", ";&", "esac"]));
            let ended = [";;&", ";;", ";&"].iter().any(|end| self.take(end));
            if self.at == before && !ended && !self.is_closed_by("esac") {
                self.at += 1;
            }
        }
        self.close("esac");
        command.body = Body::Compound(lists);
    }

    fn is_function(&self, command: &Command) -> bool {
        let behind = self.source.as_bytes()[self.at + 1..].iter().find(|byte| !b" \t".contains(byte));
        command.words.len() == 1 && command.redirects.is_empty() && behind == Some(&b')')
    }

    /// The body of a function, whose name is the only word.
    fn function(&mut self, command: &mut Command) {
        self.skip_blanks();
        if self.take("(") {
            self.skip_blanks();
            self.close(")");
        }
        self.skip_separators(false);
        let head = Word { text: "function".to_owned(), span: self.at..self.at, ..Word::default() };
        command.words.insert(0, head);
        let body = self.nested(Self::command, |word| Command { words: vec![word], ..Command::default() });
        let pipeline = Pipeline { commands: vec![body], ..Pipeline::default() };
        command.body = Body::Compound(vec![List { pipelines: vec![pipeline] }]);
    }
}

/// Adds to a list that mostly has one element. The default of four, at some hundred bytes each, made long lines slow.
fn push<T>(list: &mut Vec<T>, element: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(element);
}

fn synthetic(word: &Word) -> Word {
    Word { text: word.text.clone(), span: word.span.clone(), ..Word::default() }
}

fn ends_word(byte: u8) -> bool {
    b" \t\r\n;&|()<>".contains(&byte)
}
