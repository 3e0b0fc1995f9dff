//! A question of this process, from its creation to its end.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use tenter_contract::ports::{EnteredRequest, StateError};
use tenter_contract::{ApprovalAnswer, ApprovalRequest, Choice, SessionGrant};
use tenter_protocol::v1::approval_request::ApprovalRequestV1;

use super::deadline::{self, Deadline};
use super::owner::Owner;
use super::questions::{ANSWER, AnswerFile, CLOSED, DRAFT, ENTERING, OVER, QUESTION, QuestionFile};
use super::{ApprovalFolder, grants, new_id, read_json, unusable};
use crate::place::our_file;

/// A question of this process.
pub(super) struct Entered {
    register: ApprovalFolder,
    request: ApprovalRequest,
    folder: PathBuf,
    /// Set when it is opened.
    deadline: Option<Deadline>,
    /// The system releases the lock if the process dies.
    _locked: File,
}

/// Creates a question. Its file is complete and locked before another process can find it.
pub(super) fn enter(register: &ApprovalFolder, request: &ApprovalRequest) -> io::Result<Entered> {
    let questions = register.questions();
    register.state.make_folder(&questions)?;
    loop {
        let id = new_id();
        let folder = questions.join(&id);
        if register.is_undecided(&id) {
            continue;
        }
        let request = ApprovalRequest { id: id.clone(), ..request.clone() };
        let question = QuestionFile { request: ApprovalRequestV1::new(&request), owner: Owner::this() };
        let draft = register.path.join(format!("{ENTERING}{id}"));
        let mut file = our_file().write(true).read(true).create_new(true).open(&draft)?;
        let entered = file
            .lock()
            .and_then(|()| Ok(serde_json::to_vec_pretty(&question)?))
            .and_then(|bytes| file.write_all(&bytes))
            .and_then(|()| fs::DirBuilder::new().mode(0o700).create(&folder))
            .and_then(|()| fs::rename(&draft, folder.join(DRAFT)));
        match entered {
            Ok(()) => {
                let register = register.clone();
                return Ok(Entered { register, request, folder, deadline: None, _locked: file });
            }
            Err(cause) => {
                drop(fs::remove_file(&draft));
                if cause.kind() != ErrorKind::AlreadyExists {
                    drop(fs::remove_dir(&folder));
                    return Err(cause);
                }
            }
        }
    }
}

impl Entered {
    fn answered(&self) -> Option<ApprovalAnswer> {
        let path = self.folder.join(ANSWER);
        let answer: AnswerFile = read_json(&path).ok()??;
        let answered = deadline::named_at(&fs::metadata(&path).ok()?);
        if self.deadline.is_some_and(|deadline| !deadline.admits(answered)) {
            return None;
        }
        self.request.question.choice(&answer.option).map(Choice::answer)
    }

    /// Renames the folder to its next state.
    fn rename(&mut self, state: &str) -> io::Result<()> {
        let renamed = self.register.questions().join(format!("{state}{}", self.request.id));
        fs::rename(&self.folder, &renamed)?;
        self.folder = renamed;
        Ok(())
    }
}

impl EnteredRequest for Entered {
    fn request(&self) -> &ApprovalRequest {
        &self.request
    }

    fn open(&mut self) -> Result<(), StateError> {
        let (draft, question) = (self.folder.join(DRAFT), self.folder.join(QUESTION));
        self.deadline = Some(Deadline::new(self.request.until));
        fs::rename(draft, &question).map_err(unusable(&question))
    }

    fn answer(&self) -> Option<ApprovalAnswer> {
        self.answered()
    }

    fn time_is_up(&self) -> bool {
        self.deadline.is_some_and(|deadline| deadline.is_past())
    }

    fn settle(&mut self, answer: ApprovalAnswer) -> Result<ApprovalAnswer, StateError> {
        self.rename(CLOSED).map_err(unusable(&self.folder.clone()))?;
        Ok(self.answered().unwrap_or(answer))
    }

    fn close(mut self: Box<Self>, granted: &[SessionGrant]) -> Result<(), StateError> {
        let kept = grants::keep(&self.register, &self.request.id, granted);
        self.rename(OVER).map_err(unusable(&self.folder.clone()))?;
        // No process reads it again, so a folder that cannot be removed is only litter.
        drop(fs::remove_dir_all(&self.folder));
        kept
    }
}
