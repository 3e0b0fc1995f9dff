//! Open questions, and answering them.

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
use super::{ApprovalFolder, read_json, remove, write_json};
use crate::clock::now;
use crate::json;
use crate::place::{names_in, open_private};

/// The prefix of a folder that takes no more answers.
pub(super) const CLOSED: &str = "closed-";
/// The prefix of a finished folder.
pub(super) const OVER: &str = "over-";
/// The prefix of a question file without a folder.
pub(super) const ENTERING: &str = "entering-";
/// The question before it is opened.
pub(super) const DRAFT: &str = "draft.json";
pub(super) const QUESTION: &str = "question.json";
pub(super) const ANSWER: &str = "answer.json";

/// How long the answering process waits until the owner has read the answer.
const TAKEN_WITHIN: Duration = Duration::from_secs(2);

/// The file of a question.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct QuestionFile {
    #[serde(flatten)]
    pub(super) request: ApprovalRequestV1,
    pub(super) owner: Owner,
}

/// The file of an answer.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AnswerFile {
    /// The label of the chosen option.
    pub(super) option: String,
}

/// An open question.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenQuestion {
    /// The question.
    pub request: ApprovalRequest,
    /// The process that waits.
    pub pid: u32,
}

/// An accepted answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The chosen option.
    pub choice: Choice,
    /// The question.
    pub request: ApprovalRequest,
    /// Whether the owner has read it. A stopped owner reads it when it resumes.
    pub taken: bool,
}

/// Why an answer did not count.
#[derive(Debug)]
pub enum NotAnswered {
    /// There is no such question, or no longer.
    Unknown,
    /// It was answered before.
    Answered {
        /// With this option.
        option: String,
    },
    /// Its time is up.
    TooLate,
    /// The process that asks has died.
    OwnerDied,
    /// It has no such option.
    NoSuchOption {
        /// Its options.
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

    /// Whether a question is not over: its grants do not count yet.
    pub(super) fn is_undecided(&self, id: &str) -> bool {
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
            // A question that was answered, or whose time is up, stays until its owner resumes.
            if let Some(request) = question.request.request()
                && now() < request.until
                && !questions.join(&name).join(ANSWER).exists()
                && owner::is_alive(&file, question.owner)?
            {
                open.push(OpenQuestion { request, pid: question.owner.pid });
            }
        }
        open.sort_by_key(|question| (question.request.asked, question.request.id.clone()));
        Ok(open)
    }

    /// Answers a question with one of its options, and waits a moment for the owner to read the answer.
    pub fn answer(&self, id: &str, typed: &str) -> Result<Chosen, NotAnswered> {
        let plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let folder = self.questions().join(id);
        let found = if plain { read_question(&folder.join(QUESTION))? } else { None };
        let (file, question) = found.ok_or(NotAnswered::Unknown)?;
        let request = question.request.request().ok_or(NotAnswered::Unknown)?;
        let Some(choice) = request.question.choice(typed).cloned() else {
            return Err(NotAnswered::NoSuchOption { options: request.question.options });
        };
        if !owner::is_alive(&file, question.owner)? {
            return Err(NotAnswered::OwnerDied);
        }
        if now() >= request.until {
            return Err(NotAnswered::TooLate);
        }
        place(&folder, &AnswerFile { option: choice.label.clone() }, &request)?;
        // Only the owner renames the folder, after it has read the answer.
        let until = Instant::now() + TAKEN_WITHIN;
        while folder.exists() {
            if !owner::is_alive(&file, question.owner)? && folder.exists() {
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

/// Writes an answer to the folder of its question, which must exist, before the deadline.
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
    // The owner compares the same time, so that both agree.
    if fs::metadata(&path).is_ok_and(|file| deadline::named_at(&file) >= request.until) {
        remove(&path)?;
        return Err(NotAnswered::TooLate);
    }
    Ok(())
}

/// A question and its open file, if it exists and is complete.
pub(super) fn read_question(path: &Path) -> io::Result<Option<(File, QuestionFile)>> {
    let mut file = match open_private(path) {
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(json::typed(&bytes).ok().map(|question| (file, question)))
}
