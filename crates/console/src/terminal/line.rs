//! The current line of input, and the meaning of keys.

/// What was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Nothing that is complete.
    Nothing,
    /// A line, or a digit.
    Answer(String),
    /// The tab key.
    Later,
    /// The end of the input.
    Stop,
}

/// How keys arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// One by one: a digit on an empty line answers at once, words with Enter.
    Singly,
    /// Line by line.
    InLines,
}

#[derive(Debug)]
pub(crate) struct InputLine {
    taken: Taken,
    typed: Vec<u8>,
    escape: Escape,
}

/// Position in the escape sequence of a key like an arrow, whose digits the user has not typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    Outside,
    Begun,
    /// Up to a letter or `~`.
    Inside,
    /// One more character.
    Single,
}

const END_OF_INPUT: u8 = 0x04;
const ESCAPE: u8 = 0x1b;
const CLEAR_LINE: u8 = 0x15;

impl InputLine {
    pub(crate) fn new(taken: Taken) -> Self {
        Self { taken, typed: Vec::new(), escape: Escape::Outside }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.typed).into_owned()
    }

    pub(crate) fn clear(&mut self) {
        self.typed.clear();
    }

    pub(crate) fn accept(&mut self, byte: u8) -> Typed {
        match self.taken {
            Taken::InLines => self.add(byte),
            Taken::Singly => {
                if self.is_of_a_special_key(byte) {
                    Typed::Nothing
                } else {
                    self.press(byte)
                }
            }
        }
    }

    fn press(&mut self, byte: u8) -> Typed {
        match byte {
            b'\t' => {
                self.clear();
                return Typed::Later;
            }
            b'1'..=b'9' if self.typed.is_empty() => return Typed::Answer(char::from(byte).to_string()),
            END_OF_INPUT if self.typed.is_empty() => return Typed::Stop,
            0x7f | 0x08 => {
                let text = self.text();
                let kept = text.char_indices().next_back().map_or(0, |(at, _)| at);
                self.typed.truncate(kept);
            }
            CLEAR_LINE => self.clear(),
            b'\r' | b'\n' | b' '.. => return self.add(byte),
            // No other control key types anything.
            _ => {}
        }
        Typed::Nothing
    }

    fn add(&mut self, byte: u8) -> Typed {
        if !matches!(byte, b'\n' | b'\r') {
            self.typed.push(byte);
            return Typed::Nothing;
        }
        let line = self.text();
        self.clear();
        match line.trim() {
            "" => Typed::Nothing,
            "q" => Typed::Stop,
            "s" => Typed::Later,
            answer => Typed::Answer(answer.to_owned()),
        }
    }

    fn is_of_a_special_key(&mut self, byte: u8) -> bool {
        let (next, is_part) = match (self.escape, byte) {
            (_, ESCAPE) => (Escape::Begun, true),
            (Escape::Begun, b'[') | (Escape::Inside, b' '..=b'?') => (Escape::Inside, true),
            (Escape::Begun, b'O') => (Escape::Single, true),
            // The last of it; behind a bare Escape, a letter that was pressed together with Alt.
            (Escape::Inside | Escape::Single, _) | (Escape::Begun, b'a'..=b'z' | b'A'..=b'Z') => {
                (Escape::Outside, true)
            }
            (Escape::Begun | Escape::Outside, _) => (Escape::Outside, false),
        };
        self.escape = next;
        is_part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results in order, and the rest of the line.
    fn typed(taken: Taken, keys: &str) -> (Vec<Typed>, String) {
        let mut line = InputLine::new(taken);
        let wanted = keys.bytes().map(|byte| line.accept(byte)).filter(|typed| *typed != Typed::Nothing);
        let wanted = wanted.collect();
        (wanted, line.text())
    }

    fn answer(text: &str) -> Typed {
        Typed::Answer(text.to_owned())
    }

    #[test]
    fn digit_answers_at_once() {
        for (keys, wanted, left) in [
            ("1", vec![answer("1")], ""),
            ("11", vec![answer("1"), answer("1")], ""),
            ("0", vec![], "0"),
            ("x1", vec![], "x1"),
            ("x\u{7f}1", vec![answer("1")], ""),
            ("ä\u{8}1", vec![answer("1")], ""),
            ("xyz\u{15}2", vec![answer("2")], ""),
            ("Allow always\r", vec![answer("Allow always")], ""),
            ("allow\t\r", vec![Typed::Later], ""),
            ("\r\n", vec![], ""),
            ("\u{4}", vec![Typed::Stop], ""),
            ("q\r", vec![Typed::Stop], ""),
        ] {
            assert_eq!(typed(Taken::Singly, keys), (wanted, left.to_owned()), "{keys:?}");
        }
    }

    #[test]
    fn special_keys_answer_nothing() {
        for (name, keys) in [
            ("up", "\u{1b}[A"),
            ("delete", "\u{1b}[3~"),
            ("ctrl-right", "\u{1b}[1;5C"),
            ("home", "\u{1b}OH"),
            ("f1", "\u{1b}OP"),
            ("alt-a", "\u{1b}a"),
            ("escape", "\u{1b}"),
            ("ctrl-a", "\u{1}"),
        ] {
            assert_eq!(typed(Taken::Singly, keys), (vec![], String::new()), "{name}");
        }
        assert_eq!(typed(Taken::Singly, "\u{1b}[A2"), (vec![answer("2")], String::new()));
    }

    #[test]
    fn line_counts_when_complete() {
        for (keys, wanted, left) in [
            ("1", vec![], "1"),
            ("1\n2\n", vec![answer("1"), answer("2")], ""),
            ("s\nq\n", vec![Typed::Later, Typed::Stop], ""),
        ] {
            assert_eq!(typed(Taken::InLines, keys), (wanted, left.to_owned()), "{keys:?}");
        }
    }
}
