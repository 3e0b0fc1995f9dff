//! A text's words, as BERT's tokenizer takes them apart: lower case, no accents, punctuation by itself.

use super::file::{ModelFile, Special};

/// Words of more characters are no words; BERT does not check them.
const MOST_CHARACTERS: usize = 100;

impl ModelFile<'_> {
    /// Calls back for each word, until that says no. With `humps`, `readTimeout` is two, as a reader sees it.
    pub(super) fn each_word(&self, text: &str, humps: bool, take: impl FnMut(&str) -> bool) {
        Words { model: self, word: String::new(), take, going: true }.read(text, humps);
    }
}

struct Words<'a, Take> {
    model: &'a ModelFile<'a>,
    word: String,
    take: Take,
    going: bool,
}

impl<Take: FnMut(&str) -> bool> Words<'_, Take> {
    fn read(&mut self, text: &str, humps: bool) {
        let mut before = ' ';
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            if !self.going {
                return;
            }
            if humps && character.is_ascii_uppercase() {
                let next_is_small = characters.peek().is_some_and(char::is_ascii_lowercase);
                let hump = before.is_ascii_lowercase() || before.is_ascii_digit();
                if hump || (before.is_ascii_uppercase() && next_is_small) {
                    self.end_word();
                }
            }
            before = character;
            self.character(character);
        }
        self.end_word();
    }

    fn character(&mut self, character: char) {
        // Most characters of most texts; their rows in the tables say the same.
        if character.is_ascii_alphanumeric() {
            self.word.push(character.to_ascii_lowercase());
        } else if let Some(parts) = hangul(character) {
            parts.into_iter().flatten().for_each(|part| self.word.push(part));
        } else if let Some(others) = self.model.folded(character) {
            let alone = self.model.special(character) == Some(Special::Alone);
            if alone {
                self.end_word();
            }
            others.for_each(|other| self.settled(other));
            if alone {
                self.end_word();
            }
        } else {
            self.settled(character);
        }
    }

    /// A character that becomes nothing else any more.
    fn settled(&mut self, character: char) {
        match self.model.special(character) {
            None => self.word.push(character),
            Some(Special::Dropped) => {}
            Some(Special::Space) => self.end_word(),
            Some(Special::Alone) => {
                self.end_word();
                self.word.push(character);
                self.end_word();
            }
        }
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() && self.going {
            if self.word.len() <= MOST_CHARACTERS || self.word.chars().count() <= MOST_CHARACTERS {
                self.going = (self.take)(&self.word);
            }
            self.word.clear();
        }
    }
}

fn hangul(syllable: char) -> Option<[Option<char>; 3]> {
    const FIRST: u32 = 0xac00;
    const LAST: u32 = 0xd7a3;
    const VOWELS: u32 = 21;
    const ENDINGS: u32 = 28;
    let code = u32::from(syllable);
    if !(FIRST..=LAST).contains(&code) {
        return None;
    }
    let at = code - FIRST;
    let (start, vowel, ending) = (at / (VOWELS * ENDINGS), at / ENDINGS % VOWELS, at % ENDINGS);
    let ending = (ending > 0).then(|| char::from_u32(0x11a7 + ending)).flatten();
    Some([char::from_u32(0x1100 + start), char::from_u32(0x1161 + vowel), ending])
}
