//! A store of the product, filled with texts and asked as users and hooks ask it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tempfile::TempDir;
use tenter_contract::Timestamp;
use tenter_contract::ports::Clock;
use tenter_memory::{
    ContextRequest, Depth, Embedder, Memory, MemoryConfig, MemoryQuery, Occasion, Scope, SearchMode,
};
use tenter_store::StateFolder;

use crate::Result;
use crate::measures::READ;

/// A memory in a folder of its own. Each text is a memory, and its place is in its id.
pub(crate) struct Store {
    memory: Memory,
    _home: TempDir,
}

impl Store {
    /// A store with all these texts.
    pub(crate) fn of_all(texts: &[String], embedder: &Arc<dyn Embedder>) -> Result<Self> {
        Self::of(texts, &(0..texts.len()).collect::<Vec<_>>(), embedder)
    }

    /// A store with these texts of a longer list, by their places in it.
    pub(crate) fn of(texts: &[String], places: &[usize], embedder: &Arc<dyn Embedder>) -> Result<Self> {
        let home = tempfile::tempdir()?;
        let means =
            MemoryConfig { clock: Arc::new(Still), embedder: Arc::clone(embedder), secrets: Vec::new() };
        let memory = Memory::open(StateFolder::new(home.path().to_owned()), means);
        let mut lines = String::new();
        for place in places {
            let line = json!({ "memory": {
                "id": format!("mem_20260101_000000_{place:06}"), "content": texts[*place], "category": "context",
                "importance": 1.0, "created_at": "2026-01-01T00:00:00Z",
            }});
            writeln!(lines, "{line}")?;
        }
        let imported = memory.import(&mut lines.as_bytes(), None)?;
        if imported.taken != places.len() {
            return Err(format!("not everything could be stored: {imported:?}").into());
        }
        Ok(Self { memory, _home: home })
    }

    /// The places of what is found, best first.
    pub(crate) fn find(&self, question: &str, mode: SearchMode) -> Result<Vec<usize>> {
        let query = MemoryQuery { mode, limit: READ, ..MemoryQuery::new(question, Scope::Everywhere) };
        let hits = self.memory.retrieve_memories(&query)?;
        hits.iter().map(|hit| place(&hit.memory.id)).collect()
    }

    /// The places of what `memory.recall` adds to a prompt.
    pub(crate) fn recall(&self, prompt: &str) -> Result<Vec<usize>> {
        let request = ContextRequest::new(prompt, Depth::Rich, Scope::Everywhere);
        let request = ContextRequest { occasion: Occasion::Unasked, ..request };
        self.memory.assemble_context(&request)?.cited.iter().map(|cited| place(&cited.id)).collect()
    }
}

fn place(id: &str) -> Result<usize> {
    Ok(id.rsplit('_').next().unwrap_or_default().parse()?)
}

/// All texts are of the same age.
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(1_790_000_000_000)
    }
}

/// Embeds each text once: the same ones are put into many stores.
pub(crate) struct Once<Model> {
    model: Model,
    known: Mutex<HashMap<String, Vec<i8>>>,
}

impl<Model: Embedder + 'static> Once<Model> {
    pub(crate) fn shared(model: Model) -> Arc<dyn Embedder> {
        Arc::new(Self { model, known: Mutex::default() })
    }
}

impl<Model: Embedder> Embedder for Once<Model> {
    fn model_id(&self) -> &str {
        self.model.model_id()
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    fn embed(&self, text: &str) -> Vec<i8> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(text.to_owned()).or_insert_with(|| self.model.embed(text)).clone()
    }
}
