//! Open questions, for those who answer them.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tenter_contract::{ApprovalRequest, Choice};
use tenter_protocol::v1::approval_request::ApprovalRequestV1;

use super::deadline;
use super::owner::{self, Owner};
use super::{ApprovalFolder, names_in, read_json, remove, write_json};
use crate::json;
use crate::place::open_private;

/// The beginning of the name of one that no one can answer any more, and of one of which only litter is left.
pub(super) const CLOSED: &str = "closed-";
pub(super) const OVER: &str = "over-";
/// The beginning of the name of one that has no folder yet.
pub(super) const ENTERING: &str = "entering-";
/// What is asked, before and after others may see it.
pub(super) const DRAFT: &str = "draft.json";
pub(super) const QUESTION: &str = "question.json";
/// What was answered.
pub(super) const ANSWER: &str = "answer.json";

/// How long the answering process waits until it is taken.
const TAKEN_WITHIN: Duration = Duration::from_secs(2);

/// A question as it lies in its folder.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct QuestionFile {
    #[serde(flatten)]
    pub(super) request: ApprovalRequestV1,
    pub(super) owner: Owner,
}

/// An answer as it lies next to its question.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AnswerFile {
    /// The label that was chosen.
    pub(super) option: String,
}

/// An open question of this process.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenQuestion {
    /// The question.
    pub request: ApprovalRequest,
    /// The process that waits.
    pub pid: u32,
}

/// An answer that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// What was chosen.
    pub choice: Choice,
    /// Of which question.
    pub request: ApprovalRequest,
    /// Whether the asker has taken it. One that is stopped takes it when it goes on.
    pub taken: bool,
}

/// Why an answer did not count.
#[derive(Debug)]
pub enum NotAnswered {
    /// There is no such question, or not any more.
    Unknown,
    /// It was answered before.
    Answered {
        /// With this option.
        option: String,
    },
    /// Its time is up.
    TooLate,
    /// The asker has died.
    OwnerDied,
    /// It has no such option.
    NoSuchOption {
        /// Those it has.
        options: Vec<Choice>,
    },
    /// The folder cannot be used.
    Unusable(io::Error),
}

impl From<io::Error> for NotAnswered {
    fn from(cause: io::Error) -> Self {
        Self::Unusable(cause)
    }
}

impl ApprovalFolder {
    /// The folder of all questions.
    pub(super) fn questions(&self) -> PathBuf {
        self.path.join("questions")
    }

    /// Whether a question is still on its way: what it grants does not count yet.
    pub(super) fn is_on_its_way(&self, id: &str) -> bool {
        let questions = self.questions();
        questions.join(id).exists() || questions.join(format!("{CLOSED}{id}")).exists()
    }

    /// Every question that can be answered now, oldest first.
    pub fn open_questions(&self) -> io::Result<Vec<OpenQuestion>> {
        let questions = self.questions();
        let mut open = Vec::new();
        for name in names_in(&questions)? {
            if name.starts_with(CLOSED) || name.starts_with(OVER) {
                continue;
            }
            let Some((file, question)) = read_question(&questions.join(&name).join(QUESTION))? else {
                continue;
            };
            // One that was answered, or whose time is up, lies there until its owner goes on.
            if let Some(request) = question.request.request()
                && deadline::now() < request.until
                && !questions.join(&name).join(ANSWER).exists()
                && owner::lives(&file, question.owner)?
            {
                open.push(OpenQuestion { request, pid: question.owner.pid });
            }
        }
        open.sort_by_key(|question| (question.request.asked, question.request.id.clone()));
        Ok(open)
    }

    /// Answers a question with one of its options, and returns what was chosen when the asker has taken that.
    pub fn answer(&self, id: &str, typed: &str) -> Result<Chosen, NotAnswered> {
        let plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let folder = self.questions().join(id);
        let found = if plain { read_question(&folder.join(QUESTION))? } else { None };
        let (file, question) = found.ok_or(NotAnswered::Unknown)?;
        let request = question.request.request().ok_or(NotAnswered::Unknown)?;
        let choice = request.question.choice(typed).cloned();
        let choice =
            choice.ok_or_else(|| NotAnswered::NoSuchOption { options: request.question.options.clone() })?;
        if !owner::lives(&file, question.owner)? {
            return Err(NotAnswered::OwnerDied);
        }
        if deadline::now() >= request.until {
            return Err(NotAnswered::TooLate);
        }
        place(&folder, &AnswerFile { option: choice.label.clone() }, &request)?;
        // It lies there. That it was taken is seen by the folder's new name, and only its owner gives it one.
        let until = Instant::now() + TAKEN_WITHIN;
        while folder.exists() {
            if !owner::lives(&file, question.owner)? && folder.exists() {
                return Err(NotAnswered::OwnerDied);
            }
            if Instant::now() >= until {
                return Ok(Chosen { choice, request, taken: false });
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(Chosen { choice, request, taken: true })
    }
}

/// Puts an answer into the folder of its question, which must be there, while there is time.
fn place(folder: &Path, answer: &AnswerFile, request: &ApprovalRequest) -> Result<(), NotAnswered> {
    let path = folder.join(ANSWER);
    match write_json(&path, answer) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Err(NotAnswered::TooLate),
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {
            let before: Option<AnswerFile> = read_json(&path)?;
            return Err(before.map_or(NotAnswered::TooLate, |it| NotAnswered::Answered { option: it.option }));
        }
        written => drop(written?),
    }
    // Its owner looks at the same moment, so that both say the same.
    let in_time = fs::metadata(&path).map_or(true, |file| deadline::placed(&file) < request.until);
    if in_time {
        Ok(())
    } else {
        remove(&path)?;
        Err(NotAnswered::TooLate)
    }
}

/// A question and its open file, if it is there and whole.
pub(super) fn read_question(path: &Path) -> io::Result<Option<(File, QuestionFile)>> {
    let mut file = match open_private(path) {
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // A part of a question is none.
    Ok(json::typed(&bytes).ok().map(|question| (file, question)))
}
