//! The tree of a shell command line. Spans are byte ranges of the source.

use std::ops::Range;

/// A command line, as far as it was understood.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Every command that was found, also in a text with flaws.
    pub list: List,
    /// The first thing that no shell would accept, or that is nested too deep.
    pub flaw: Option<Flaw>,
}

/// Why a tree is not certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A quote, bracket or compound command has no end.
    Unclosed,
    /// A word or operator has no meaning at its place.
    Unexpected,
    /// The rest is nested too deep. It is in the tree as one word of raw text.
    TooDeep,
}

/// Pipelines in their order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct List {
    /// The pipelines.
    pub pipelines: Vec<Pipeline>,
}

/// Commands that feed each other.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// The commands; at least one.
    pub commands: Vec<Command>,
    /// `! command`
    pub negated: bool,
    /// The operator behind it.
    pub joint: Joint,
}

/// The operator behind a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joint {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;`, the end of a line or of the text
    #[default]
    Then,
    /// `&`
    Background,
}

/// One command of a pipeline.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Its place in the source.
    pub span: Range<usize>,
    /// Its words. A compound command has those of its head: `for x in a b`.
    pub words: Vec<Word>,
    /// Its redirections.
    pub redirects: Vec<Redirect>,
    /// The commands inside of it.
    pub body: Body,
}

/// The commands inside of a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// A simple command has none.
    #[default]
    None,
    /// `( … )` and `{ …; }`
    Group(List),
    /// `if`, `while`, `until`, `for`, `select`, `case` and functions: lists that run once, often or never.
    Compound(Vec<List>),
}

/// A word.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Its text without quotes. Expansions are raw, backticks are written as `$(…)`.
    pub text: String,
    /// Its place in the source.
    pub span: Range<usize>,
    /// A part of it was quoted.
    pub quoted: bool,
    /// The parts that the shell replaces, in their order.
    pub expansions: Vec<Expansion>,
}

/// A part of a word that the shell replaces.
#[derive(Debug, PartialEq, Eq)]
pub struct Expansion {
    /// Its place in [`Word::text`].
    pub range: Range<usize>,
    /// Its kind.
    pub kind: ExpansionKind,
    /// The commands that run for it.
    pub lists: Vec<List>,
}

/// Kinds of expansions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpansionKind {
    /// `$x`, `${x:-y}`
    Variable,
    /// `$(…)` and backticks
    Command,
    /// `<(…)`, `>(…)`
    Process,
    /// `$((…))`
    Arithmetic,
    /// `x=(…)`
    Array,
    /// `$'…'`, already decoded
    Escapes,
    /// `*`, `?`, `[…]`, `@(…)`
    Glob,
    /// `{a,b}`, and placeholders of hook files such as `{tool.path}`, these also between single quotes
    Brace,
}

/// A redirection.
#[derive(Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The number before the operator.
    pub descriptor: Option<u32>,
    /// The operator.
    pub operator: RedirectOperator,
    /// The file, descriptor, text or delimiter behind it.
    pub target: Word,
    /// The text of a here-document.
    pub body: Option<Word>,
}

/// Operators of redirections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectOperator {
    /// `<`
    Read,
    /// `<>`
    ReadWrite,
    /// `>`, `>|`
    Write,
    /// `>>`
    Append,
    /// `&>`, `&>>`, `>& file`
    WriteBoth,
    /// `<& 3`, `>& 1`
    Duplicate,
    /// `<<`, `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

impl RedirectOperator {
    /// Whether it writes to a file.
    pub fn writes(self) -> bool {
        matches!(self, Self::ReadWrite | Self::Write | Self::Append | Self::WriteBoth)
    }
}

/// A command as [`List::commands`] returns it.
#[derive(Clone, Copy, Debug)]
pub struct CommandVisit<'a> {
    /// The command.
    pub command: &'a Command,
    /// Its standard input comes from another command.
    pub piped: bool,
}

impl List {
    /// Every command: those of substitutions before the command they belong to, then the commands inside of it.
    pub fn commands(&self) -> Vec<CommandVisit<'_>> {
        let mut found = Vec::new();
        self.collect(false, &mut found);
        found
    }

    fn collect<'a>(&'a self, piped: bool, found: &mut Vec<CommandVisit<'a>>) {
        for pipeline in &self.pipelines {
            for (at, command) in pipeline.commands.iter().enumerate() {
                let piped = piped || at > 0;
                let of_redirects =
                    command.redirects.iter().flat_map(|it| [Some(&it.target), it.body.as_ref()]);
                for word in command.words.iter().chain(of_redirects.flatten()) {
                    for list in word.expansions.iter().flat_map(|expansion| &expansion.lists) {
                        list.collect(false, found);
                    }
                }
                found.push(CommandVisit { command, piped });
                for list in command.body.lists() {
                    list.collect(piped, found);
                }
            }
        }
    }
}

impl Body {
    /// The lists inside.
    pub fn lists(&self) -> &[List] {
        match self {
            Self::None => &[],
            Self::Group(list) => std::slice::from_ref(list),
            Self::Compound(lists) => lists,
        }
    }
}

impl Command {
    /// The texts of its words.
    pub fn texts(&self) -> Vec<&str> {
        self.words.iter().map(|word| word.text.as_str()).collect()
    }

    /// The texts of its here-documents and, if wanted, its here-strings.
    pub fn input_texts(&self, here_strings: bool) -> impl Iterator<Item = &str> {
        self.redirects.iter().filter_map(move |redirect| match redirect.operator {
            RedirectOperator::HereString if here_strings => Some(redirect.target.text.as_str()),
            _ => redirect.body.as_ref().map(|body| body.text.as_str()),
        })
    }
}

impl Word {
    /// Whether it is this word without quotes and expansions, as reserved words are.
    pub fn is_bare(&self, text: &str) -> bool {
        self.text == text && !self.quoted && self.expansions.is_empty()
    }

    /// The text, with every expansion replaced: `replace` adds to the text what stands for one.
    pub fn replace_expansions(&self, mut replace: impl FnMut(&mut String, &Expansion, &str)) -> String {
        let mut text = String::with_capacity(self.text.len());
        let mut end = 0;
        for expansion in &self.expansions {
            text.push_str(&self.text[end..expansion.range.start]);
            replace(&mut text, expansion, &self.text[expansion.range.clone()]);
            end = expansion.range.end;
        }
        text.push_str(&self.text[end..]);
        text
    }
}

/// Whether a word sets a variable: `A=1`, `A+=1`.
pub fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    word.split_once('=').is_some_and(|(name, _)| is_name(name.strip_suffix('+').unwrap_or(name)))
}

/// The name of a program, without folders and the endings of Windows. `$(which pytest)` is `pytest`.
pub fn program_name(word: &str) -> &str {
    let asked = word.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')).map(str::trim);
    let found = asked.and_then(|line| {
        let asks = ["which ", "command -v ", "type -p "];
        asks.iter().find_map(|ask| line.strip_prefix(ask)).map(str::trim)
    });
    let word = found.filter(|name| !name.contains(char::is_whitespace)).unwrap_or(word);
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    [".exe", ".cmd"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}
