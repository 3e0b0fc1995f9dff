//! The embedding port, and the models behind it: the built-in one, or all-MiniLM-L6-v2 from a folder that the user selected.
//!
//! The selection is a line in `memory/model`, so that every session and hook finds it. While the folder is missing, no
//! text is embedded again and search compares words alone.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tenter_store::{StateFolder, read_regular_text};

use crate::embedding::minilm::{self, MiniLm, NoModel};
use crate::embedding::{DIMENSIONS, Embedding, MODEL_ID, OUR_MODELS};

/// The name that users type for the built-in model.
pub const BUILT_IN: &str = "built-in";

/// Makes vectors of texts. Vectors of two models cannot be compared, so each is stored with the model's id.
pub trait Embedder: Send + Sync {
    /// The id of the model. Another id means that all texts are embedded again.
    fn model_id(&self) -> &str;

    /// The length of a vector.
    fn dimensions(&self) -> usize;

    /// The vector of a text, scaled so that its largest number is about 127. All zeros for a text without known words.
    fn embed(&self, text: &str) -> Vec<i8>;

    /// How many texts it embeds without a noticeable delay.
    fn at_once(&self) -> usize {
        5_000
    }

    /// Whether texts that another model has embedded are embedded again without a request of the user.
    fn takes_over(&self, _other: &str) -> bool {
        true
    }

    /// Whether texts get a vector at all. Loads the model if necessary.
    fn can_embed(&self) -> bool {
        true
    }

    /// Why the selected model is not in use, and what to do about it.
    fn trouble(&self) -> Option<&str> {
        None
    }
}

/// The built-in model.
#[derive(Clone, Debug, Default)]
pub struct StaticModel {
    /// Why it replaces the selected model. It leaves the vectors of that one alone then.
    instead_of: Option<String>,
}

impl Embedder for StaticModel {
    fn model_id(&self) -> &str {
        MODEL_ID
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, text: &str) -> Vec<i8> {
        Embedding::from_text(text).to_bytes().map(u8::cast_signed).to_vec()
    }

    /// Only earlier versions of itself are replaced. A model that the user selected stays.
    fn takes_over(&self, other: &str) -> bool {
        self.instead_of.is_none() && other.starts_with(OUR_MODELS)
    }

    fn trouble(&self) -> Option<&str> {
        self.instead_of.as_deref()
    }
}

/// The model in a folder, loaded when the first text is embedded.
struct FolderModel {
    folder: PathBuf,
    loaded: OnceLock<Result<MiniLm, String>>,
}

impl FolderModel {
    fn model(&self) -> Option<&MiniLm> {
        let loaded = self.loaded.get_or_init(|| MiniLm::open(&self.folder).map_err(|why| describe(&why)));
        loaded.as_ref().ok()
    }
}

impl Embedder for FolderModel {
    fn model_id(&self) -> &str {
        minilm::MODEL_ID
    }

    fn dimensions(&self) -> usize {
        minilm::DIMENSIONS
    }

    /// Without its file a text gets zeros, and is found by its words.
    fn embed(&self, text: &str) -> Vec<i8> {
        let vector = self.model().and_then(|model| model.embed(text));
        vector.map_or_else(|| vec![0; minilm::DIMENSIONS], |vector| vector.to_vec())
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
        self.loaded.get()?.as_ref().err().map(String::as_str)
    }
}

/// The model that the user selected, or the built-in one. Checks that its files exist, and does not load them yet.
pub fn selected_model(state: &StateFolder) -> Arc<dyn Embedder> {
    let Some(folder) = selected_model_folder(state) else { return Arc::new(StaticModel::default()) };
    match MiniLm::check_files(&folder) {
        Ok(()) => Arc::new(FolderModel { folder, loaded: OnceLock::new() }),
        Err(why) => Arc::new(StaticModel { instead_of: Some(describe(&why)) }),
    }
}

/// The model of a folder, loaded.
pub fn folder_model(folder: &Path) -> Result<impl Embedder + use<>, NoModel> {
    let loaded = OnceLock::from(Ok(MiniLm::open(folder)?));
    Ok(FolderModel { folder: folder.to_owned(), loaded })
}

/// The selected folder, if there is one.
pub fn selected_model_folder(state: &StateFolder) -> Option<PathBuf> {
    let line = read_regular_text(&selection_file(state), 64 * 1024).ok()?;
    let line = line.trim();
    (!line.is_empty()).then(|| PathBuf::from(line))
}

/// Selects the model of a folder, which the caller has checked; `None` selects the built-in one.
pub fn select_model(state: &StateFolder, folder: Option<&Path>) -> io::Result<()> {
    let path = selection_file(state);
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

fn selection_file(state: &StateFolder) -> PathBuf {
    state.path().join("memory").join("model")
}

fn describe(why: &NoModel) -> String {
    format!(
        "{why}. Until then words alone are compared; `tenter memory reindex --model {BUILT_IN}` goes back"
    )
}
