//! Which model makes the vectors: the one in the program, or one that the user has in a folder and has chosen.
//!
//! The choice is a line in `memory/model`, so that every session and every hook finds it. A folder that is gone is no
//! reason to embed thousands of texts again: until it is back, or the choice is taken back, words alone are compared.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tenter_store::{StateFolder, read_regular_text};

use crate::embedder::{Embedder, StaticModel};
use crate::embedding::minilm::{self, MiniLm, NoModel};

/// What a user types to go back to the model in the program.
pub const BUILT_IN: &str = "built-in";

/// The model that was chosen, or the one in the program. Its files are looked at and not read yet.
pub fn chosen_model(state: &StateFolder) -> Arc<dyn Embedder> {
    let Some(folder) = chosen_folder(state) else { return Arc::new(StaticModel) };
    match MiniLm::look(&folder) {
        Ok(()) => Arc::new(FromFolder { folder, opened: OnceLock::new() }),
        Err(why) => Arc::new(InItsPlace { why: told(&why) }),
    }
}

/// The folder that was chosen, if one was.
pub fn chosen_folder(state: &StateFolder) -> Option<PathBuf> {
    let line = read_regular_text(&file(state), 64 * 1024).ok()?;
    let line = line.trim();
    (!line.is_empty()).then(|| PathBuf::from(line))
}

/// Chooses the model of a folder, which must be one that can be used; none: the one in the program.
pub fn choose_model(state: &StateFolder, folder: Option<&Path>) -> io::Result<()> {
    let path = file(state);
    let Some(folder) = folder else {
        return match fs::remove_file(path) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
            _ => Ok(()),
        };
    };
    let draft = path.with_extension("new");
    let mut file = state.open_or_create(&draft)?;
    file.set_len(0)?;
    writeln!(file, "{}", folder.display())?;
    file.sync_all()?;
    fs::rename(draft, path)
}

fn file(state: &StateFolder) -> PathBuf {
    state.path().join("memory").join("model")
}

fn told(why: &NoModel) -> String {
    format!(
        "{why}. Until then words alone are compared; `tenter memory reindex --model {BUILT_IN}` goes back"
    )
}

/// A model in a folder, read when the first text is embedded.
struct FromFolder {
    folder: PathBuf,
    opened: OnceLock<Result<MiniLm, String>>,
}

impl FromFolder {
    fn model(&self) -> Option<&MiniLm> {
        let opened = self.opened.get_or_init(|| MiniLm::open(&self.folder).map_err(|why| told(&why)));
        opened.as_ref().ok()
    }
}

impl Embedder for FromFolder {
    fn model_id(&self) -> &str {
        minilm::MODEL_ID
    }

    fn dimensions(&self) -> usize {
        minilm::DIMENSIONS
    }

    fn embed(&self, text: &str) -> Vec<i8> {
        self.model().map_or_else(|| vec![0; minilm::DIMENSIONS], |model| Embedder::embed(model, text))
    }

    fn can_embed(&self) -> bool {
        self.model().is_some()
    }

    fn at_once(&self) -> usize {
        minilm::AT_ONCE
    }

    fn takes_over(&self, _: &str) -> bool {
        false
    }

    fn trouble(&self) -> Option<&str> {
        self.opened.get()?.as_ref().err().map(String::as_str)
    }
}

/// The model in the program, where the chosen one cannot be used. It leaves the vectors of that one as they are.
struct InItsPlace {
    why: String,
}

impl Embedder for InItsPlace {
    fn model_id(&self) -> &str {
        StaticModel.model_id()
    }

    fn dimensions(&self) -> usize {
        StaticModel.dimensions()
    }

    fn embed(&self, text: &str) -> Vec<i8> {
        StaticModel.embed(text)
    }

    fn takes_over(&self, _: &str) -> bool {
        false
    }

    fn trouble(&self) -> Option<&str> {
        Some(&self.why)
    }
}
