//! Search by words: SQLite's FTS5, asked as the store asks it.

use rusqlite::Connection;
use tenter_memory::fusion::Question;

use crate::Result;

/// Words that every English question has.
const STOP_WORDS: &str = " a about after again all also am an and any are as at be because been before being between \
    but by can could did do does doing don done down during each few for from further get give go had has have having he \
    help her here him his how i if in into is it its just know let like ll look make me more most my need no nor not now \
    of off on once one only or other our out over own please re s same see she should so some still such t take than \
    thanks that the their them then there these they this those through to too try under until up us use very want was \
    way we were what when where which while who why will with would yes you your ";

/// The words of many texts.
pub(crate) struct Words {
    database: Connection,
    texts: usize,
}

impl Words {
    pub(crate) fn of(texts: &[String]) -> Result<Self> {
        let mut database = Connection::open_in_memory()?;
        database
            .execute_batch("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter unicode61')")?;
        let transaction = database.transaction()?;
        for (place, text) in texts.iter().enumerate() {
            transaction
                .execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (i64::try_from(place)?, text))?;
        }
        transaction.commit()?;
        Ok(Self { database, texts: texts.len() })
    }

    /// The texts that have one of the question's words, with their BM25, and what the words weigh.
    pub(crate) fn find(&self, asked: &str) -> Result<(Vec<(usize, f32)>, Question)> {
        let words = telling(asked);
        let mut question = Question::new(self.texts);
        let mut count = self.database.prepare("SELECT count(*) FROM words WHERE words MATCH ?")?;
        for word in &words {
            let places: u32 = count.query_row([format!("\"{word}\"")], |row| row.get(0))?;
            question = question.with_word(usize::try_from(places)?);
        }
        if words.is_empty() {
            return Ok((Vec::new(), question));
        }
        let query = words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ");
        let sql = "SELECT rowid, -bm25(words) FROM words WHERE words MATCH ? ORDER BY rank LIMIT 100";
        let mut statement = self.database.prepare(sql)?;
        let rows = statement.query_map([query], |row| Ok((row.get::<_, u32>(0)?, row.get(1)?)))?;
        let mut found = Vec::new();
        for row in rows {
            let (place, bm25) = row?;
            found.push((usize::try_from(place)?, bm25));
        }
        Ok((found, question))
    }
}

fn telling(question: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in question.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        if !all.contains(&word) {
            all.push(word);
        }
    }
    let telling: Vec<String> =
        all.iter().filter(|word| !STOP_WORDS.contains(&format!(" {word} "))).cloned().collect();
    if telling.is_empty() { all } else { telling }
}
