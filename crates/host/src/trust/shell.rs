//! A command line as the shell takes it apart: which commands it has, and which parts of their words it makes up
//! while it runs. Not the whole grammar; where it is not understood, a part counts as made up.

/// Stands in a word for a part that is known only when the line runs.
pub(super) const MADE: char = '\u{1}';

/// Stands before a wildcard that the shell replaces by whatever is there.
pub(super) const WILD: char = '\u{2}';

/// Substitutions within substitutions are looked through so deep.
const DEEPEST: usize = 4;

/// Variables that lead into the project, or home: a path behind them is one that is known.
const KNOWN: [&str; 6] =
    ["PWD", "HOME", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "TENTER_PROJECT_ROOT"];

/// Substitutions of which the same is true.
const KNOWN_LINES: [&str; 2] = ["pwd", "git rev-parse --show-toplevel"];

/// One command of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// Its words, without quotes.
    pub(super) words: Vec<String>,
    /// Whether another writes what it reads.
    pub(super) piped: bool,
    /// The files it reads as its input.
    pub(super) inputs: Vec<String>,
    /// The files it writes its output to.
    pub(super) outputs: Vec<String>,
}

/// The commands of a line, those of substitutions among them.
pub(super) fn commands(line: &str) -> Vec<Simple> {
    within(line, DEEPEST)
}

/// What a word says without the parts that are made up, up to the first of them.
pub(super) fn known_part(word: &str) -> &str {
    word.split(MADE).next().unwrap_or_default()
}

fn within(line: &str, levels: usize) -> Vec<Simple> {
    let mut parser = Parser { signs: line.chars().collect(), levels, ..Parser::default() };
    parser.all();
    parser.found
}

#[derive(Default)]
struct Parser {
    signs: Vec<char>,
    at: usize,
    levels: usize,
    found: Vec<Simple>,
    now: Simple,
    /// The word that is being read; none between words.
    word: Option<String>,
    /// What the next word is for.
    target: Target,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Target {
    #[default]
    Word,
    Input,
    Output,
}

impl Parser {
    fn all(&mut self) {
        while let Some(sign) = self.next() {
            match sign {
                '&' if self.target == Target::Output && self.word.is_none() => {}
                '&' if self.peek() == Some('>') => {}
                '\n' | ';' | '(' | ')' | '&' => self.end_command(false),
                '|' => {
                    let either = self.take('|');
                    self.take('&');
                    self.end_command(!either);
                }
                '<' | '>' if self.peek() == Some('(') => {
                    self.at += 1;
                    let inner = self.until_closed('(', ')');
                    self.substitute(&inner);
                }
                '<' => self.redirect(Target::Input),
                '>' => self.redirect(Target::Output),
                '#' if self.word.is_none() => {
                    while self.peek().is_some_and(|sign| sign != '\n') {
                        self.at += 1;
                    }
                }
                _ if sign.is_whitespace() => self.end_word(),
                '\\' => {
                    if let Some(next) = self.next().filter(|next| *next != '\n') {
                        self.push(next);
                    }
                }
                '\'' => self.literal(),
                '"' => self.quoted(),
                '{' if self.in_braces() => self.push(MADE),
                '*' | '?' | '[' if sign != '[' || self.is_closed_by(']') => {
                    self.push(WILD);
                    self.push(sign);
                }
                _ => self.expanding(sign),
            }
        }
        self.end_command(false);
    }

    fn next(&mut self) -> Option<char> {
        let sign = self.peek();
        self.at += 1;
        sign
    }

    fn peek(&self) -> Option<char> {
        self.signs.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn push(&mut self, sign: char) {
        self.word.get_or_insert_default().push(sign);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match std::mem::take(&mut self.target) {
            Target::Word => self.now.words.push(word),
            Target::Input => self.now.inputs.push(word),
            Target::Output => self.now.outputs.push(word),
        }
    }

    fn end_command(&mut self, piped: bool) {
        self.end_word();
        self.target = Target::Word;
        let ended = std::mem::replace(&mut self.now, Simple { piped, ..Simple::default() });
        if !(ended.words.is_empty() && ended.inputs.is_empty() && ended.outputs.is_empty()) {
            self.found.push(ended);
        }
    }

    fn redirect(&mut self, target: Target) {
        // The number of `2>` is no argument.
        if self.word.as_ref().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        while self.take('<') || self.take('>') || self.take('|') {}
        self.target = target;
    }

    /// Between single quotes nothing is made up but what tenter puts in, of which a whole argument may consist.
    fn literal(&mut self) {
        self.word.get_or_insert_default();
        while let Some(sign) = self.next().filter(|sign| *sign != '\'') {
            let made = sign == '{' && self.placeholder();
            self.push(if made { MADE } else { sign });
        }
    }

    fn quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(sign) = self.next().filter(|sign| *sign != '"') {
            match sign {
                '\\' => {
                    if let Some(next) = self.next().filter(|next| *next != '\n') {
                        self.push(next);
                    }
                }
                _ => self.expanding(sign),
            }
        }
    }

    fn expanding(&mut self, sign: char) {
        match sign {
            '`' => {
                let inner: String = self.signs[self.at..].iter().take_while(|sign| **sign != '`').collect();
                self.at += inner.chars().count() + 1;
                self.substitute(&inner);
            }
            '$' => self.dollar(),
            _ => self.push(sign),
        }
    }

    fn dollar(&mut self) {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let inner = self.until_closed('(', ')');
                self.substitute(&inner);
            }
            Some('{') => {
                self.at += 1;
                let inner = self.until_closed('{', '}');
                let end = inner.find(|c: char| !is_name(c)).unwrap_or(inner.len());
                let (name, rest) = inner.split_at(end);
                let known = KNOWN.contains(&name) && ["", ":-.", "-.", ":-$PWD", ":?"].contains(&rest);
                self.push(if known { '.' } else { MADE });
            }
            Some(first) if is_name(first) && !first.is_ascii_digit() => {
                let name: String = self.signs[self.at..].iter().take_while(|sign| is_name(**sign)).collect();
                self.at += name.chars().count();
                self.push(if KNOWN.contains(&name.as_str()) { '.' } else { MADE });
            }
            Some('\'' | '"') => self.push(MADE),
            Some(special) if special.is_ascii_digit() || "@*#?$!-".contains(special) => {
                self.at += 1;
                self.push(MADE);
            }
            _ => self.push('$'),
        }
    }

    /// Puts in what another line says, whose commands are commands of this one too.
    fn substitute(&mut self, inner: &str) {
        if KNOWN_LINES.contains(&inner.trim()) {
            return self.push('.');
        }
        if self.levels > 0 {
            self.found.extend(within(inner, self.levels - 1));
        }
        self.push(MADE);
    }

    /// The text up to where what was opened is closed, which is passed too.
    fn until_closed(&mut self, open: char, close: char) -> String {
        let mut inner = String::new();
        let mut depth = 1;
        let mut quote = None;
        while let Some(sign) = self.next() {
            match quote {
                Some(mark) if mark == sign => quote = None,
                None if sign == '\'' || sign == '"' => quote = Some(sign),
                None if sign == open => depth += 1,
                None if sign == close => depth -= 1,
                Some(_) | None => {}
            }
            if depth == 0 {
                break;
            }
            inner.push(sign);
        }
        inner
    }

    /// `{a,b}`, `{tool.path}` and `{}` stand for something else; `{ ls; }` does not. What stands for something is
    /// passed.
    fn in_braces(&mut self) -> bool {
        let rest = &self.signs[self.at..];
        let length =
            rest.iter().take_while(|sign| !(sign.is_whitespace() || "}'\"".contains(**sign))).count();
        let closed = rest.get(length) == Some(&'}');
        if closed {
            self.at += length + 1;
        }
        closed
    }

    /// `[ab]` is a wildcard, `[ a = b ]` is a command.
    fn is_closed_by(&self, close: char) -> bool {
        let rest = &self.signs[self.at..];
        rest.iter().take_while(|sign| !sign.is_whitespace()).any(|sign| *sign == close)
    }

    fn placeholder(&mut self) -> bool {
        let rest = &self.signs[self.at..];
        let length =
            rest.iter().take_while(|sign| sign.is_ascii_lowercase() || "._".contains(**sign)).count();
        let closed = rest.get(length) == Some(&'}');
        if closed {
            self.at += length + 1;
        }
        closed
    }
}

fn is_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands with `?` for what is made up.
    fn read(line: &str) -> Vec<String> {
        let shown = |it: &Simple| {
            let mut words: Vec<String> = it.piped.then(|| "|".to_owned()).into_iter().collect();
            words.extend(it.words.iter().cloned());
            words.extend(it.inputs.iter().map(|file| format!("<{file}")));
            words.extend(it.outputs.iter().map(|file| format!(">{file}")));
            words.join(" ").replace(MADE, "?").replace(WILD, "")
        };
        commands(line).iter().map(shown).collect()
    }

    #[test]
    fn lines_are_taken_apart_as_the_shell_takes_them_apart() {
        for (line, expected) in [
            ("sh scripts/$x.sh", &["sh scripts/?.sh"][..]),
            ("sh \"$PWD/c\".sh 'a $b'", &["sh ./c.sh a $b"]),
            ("${CLAUDE_PROJECT_DIR:-.}/c.sh ${x}", &["./c.sh ?"]),
            ("cat < in > out 2>> \"e r r\" 2>&1 &", &["cat <in >out >e r r >1"]),
            ("a && b || c; d | e |& f", &["a", "b", "c", "d", "| e", "| f"]),
            ("echo \"$(sh scripts/$x.sh)\" `date`", &["sh scripts/?.sh", "date", "echo ? ?"]),
            ("cd \"$(git rev-parse --show-toplevel)\" && ls", &["cd .", "ls"]),
            ("sh scripts/{a,b}.sh {tool.path} {}", &["sh scripts/?.sh ? ?"]),
            ("{ sh c; }", &["{ sh c", "}"]),
            ("ruff check {tool.path} # {x}", &["ruff check ?"]),
            ("sh '{tool.path}' '{ print }'", &["sh ? { print }"]),
            ("sh $'\\x63.sh'", &["sh ?\\x63.sh"]),
            ("sh c\\$x \\> y", &["sh c$x > y"]),
            ("f() { sh \"$1\"; }; f x", &["f", "{ sh ?", "}", "f x"]),
            ("diff <(sh a) b", &["sh a", "diff ? b"]),
            ("sh <<< \"$x\"", &["sh <?"]),
            ("unclosed \"quote $(and more", &["and more", "unclosed quote ?"]),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
    }
}
