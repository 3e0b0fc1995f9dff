//! The form of the database.

use rusqlite::{Connection, Transaction};

use crate::words::Axis;

/// The form this tenter writes. A later form is refused before anything is written.
pub(crate) const VERSION: i64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collection {
    Experiences(Axis),
    Memories,
}

impl Collection {
    pub(crate) const ALL: [Self; 5] = [
        Self::Experiences(Axis::Full),
        Self::Experiences(Axis::Strategy),
        Self::Experiences(Axis::Surprise),
        Self::Experiences(Axis::RootCause),
        Self::Memories,
    ];

    /// Its number in the table of indexed texts, which must never change.
    pub(super) const fn number(self) -> i64 {
        match self {
            Self::Experiences(Axis::Full) => 1,
            Self::Experiences(Axis::Strategy) => 2,
            Self::Experiences(Axis::Surprise) => 3,
            Self::Experiences(Axis::RootCause) => 4,
            Self::Memories => 5,
        }
    }

    /// The table of its words, and the name of what is made of it.
    pub(crate) const fn table(self) -> &'static str {
        match self {
            Self::Experiences(Axis::Full) => "words_full",
            Self::Experiences(Axis::Strategy) => "words_strategy",
            Self::Experiences(Axis::Surprise) => "words_surprise",
            Self::Experiences(Axis::RootCause) => "words_root_cause",
            Self::Memories => "words_memory",
        }
    }
}

/// Numbers are never used twice, so that files made from the database can know what is new.
const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE experiences (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    project TEXT,
    domain TEXT NOT NULL,
    status TEXT NOT NULL,
    tier TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    resolved_ms INTEGER NOT NULL,
    superseded_by TEXT,
    entry TEXT NOT NULL
);
CREATE INDEX experiences_by_time ON experiences (resolved_ms);
CREATE INDEX experiences_by_project ON experiences (project, resolved_ms);
CREATE INDEX experiences_by_session ON experiences (session);
CREATE TABLE memories (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    project TEXT,
    category TEXT NOT NULL,
    importance REAL NOT NULL,
    tags TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    superseded_by TEXT,
    content TEXT NOT NULL
);
CREATE INDEX memories_by_time ON memories (created_ms);
CREATE INDEX memories_by_content ON memories (content);
CREATE TABLE journal (
    id TEXT PRIMARY KEY,
    created_ms INTEGER NOT NULL,
    project TEXT,
    working_directory TEXT,
    project_name TEXT,
    reflected_ms INTEGER,
    page TEXT NOT NULL,
    log TEXT
) WITHOUT ROWID;
CREATE TABLE sides (
    shelf INTEGER NOT NULL, -- number of the collection
    number INTEGER NOT NULL,
    text TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (shelf, number)
) WITHOUT ROWID;
";

/// What form 2 added: the names under which each clone was known, and what was forgotten.
const TABLES_OF_2: &str = "
CREATE TABLE identities (mark TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (mark, name)) WITHOUT ROWID;
CREATE INDEX identities_by_name ON identities (name);
CREATE TABLE forgotten (id TEXT PRIMARY KEY, kind TEXT NOT NULL, moment_ms INTEGER NOT NULL) WITHOUT ROWID;
";

pub(super) fn prepare(connection: &mut Connection, model: &str) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Two processes may have come to the same file; the second finds it done.
    let before = version(&transaction)?;
    if before == 0 {
        transaction.execute_batch(TABLES)?;
        for collection in Collection::ALL {
            make_words(&transaction, collection)?;
        }
        set(&transaction, "model", model)?;
        // Files that were made from another database of this place are none of this one.
        set(&transaction, "rewritten", crate::live::now().unix_ms.cast_signed())?;
    }
    if before < VERSION {
        transaction.execute_batch(TABLES_OF_2)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    Ok(before == 0)
}

/// The words of a collection, without the texts themselves: those are indexed texts. A word that is taken out is taken out of the
/// file, not just marked.
fn make_words(transaction: &Transaction<'_>, collection: Collection) -> rusqlite::Result<()> {
    let table = collection.table();
    transaction.execute_batch(&format!(
        "CREATE VIRTUAL TABLE {table} USING fts5 (text, content = '', tokenize = 'porter unicode61');
         INSERT INTO {table} ({table}, rank) VALUES ('secure-delete', 1);"
    ))
}

/// The form of the database; 0 for one that is empty.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

pub(super) fn get<T: rusqlite::types::FromSql>(connection: &Connection, key: &str) -> rusqlite::Result<T> {
    connection.prepare_cached("SELECT value FROM meta WHERE key = ?")?.query_row([key], |row| row.get(0))
}

pub(super) fn set(connection: &Connection, key: &str, value: impl rusqlite::ToSql) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?, ?)")?;
    statement.execute(rusqlite::params![key, value]).map(|_| ())
}
