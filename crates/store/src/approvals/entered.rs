//! A question of this process, from its entry to its end.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use tenter_contract::ports::{EnteredInquiry, ShelfError};
use tenter_contract::{HumanAnswer, Inquiry, SessionGrant};
use tenter_protocol::v1::inquiry::InquiryV1;

use super::deadline::{self, Deadline};
use super::owner::Owner;
use super::questions::{ANSWER, AnswerFile, CLOSED, DRAFT, ENTERING, OVER, QUESTION, QuestionFile};
use super::{ApprovalFolder, grants, new_id, read_json, unusable};
use crate::place::our_file;

/// A question of this process.
pub(super) struct Entered {
    register: ApprovalFolder,
    inquiry: Inquiry,
    folder: PathBuf,
    /// From when it is open.
    deadline: Option<Deadline>,
    /// The system takes the lock from a process that dies.
    _locked: File,
}

/// Enters a question. Its file is whole and locked before anybody can find it.
pub(super) fn enter(register: &ApprovalFolder, inquiry: &Inquiry) -> io::Result<Entered> {
    let questions = register.questions();
    register.state.make_folder(&questions)?;
    loop {
        let id = new_id();
        let folder = questions.join(&id);
        if register.is_on_its_way(&id) {
            continue;
        }
        let inquiry = Inquiry { id: id.clone(), ..inquiry.clone() };
        let question = QuestionFile { inquiry: InquiryV1::of(&inquiry), owner: Owner::this() };
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
                return Ok(Entered { register, inquiry, folder, deadline: None, _locked: file });
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
    fn answered(&self) -> Option<HumanAnswer> {
        let path = self.folder.join(ANSWER);
        let answer: AnswerFile = read_json(&path).ok()??;
        let given = deadline::placed(&fs::metadata(&path).ok()?);
        if self.deadline.is_some_and(|deadline| !deadline.admits(given)) {
            return None;
        }
        let choice = self.inquiry.question.choice(&answer.option)?;
        Some(choice.answer())
    }

    /// Gives the folder another name. Nobody finds it under the old one.
    fn rename(&mut self, state: &str) -> io::Result<()> {
        let renamed = self.register.questions().join(format!("{state}{}", self.inquiry.id));
        fs::rename(&self.folder, &renamed)?;
        self.folder = renamed;
        Ok(())
    }
}

impl EnteredInquiry for Entered {
    fn inquiry(&self) -> &Inquiry {
        &self.inquiry
    }

    fn open(&mut self) -> Result<(), ShelfError> {
        let (draft, question) = (self.folder.join(DRAFT), self.folder.join(QUESTION));
        self.deadline = Some(Deadline::at(self.inquiry.until));
        fs::rename(draft, &question).map_err(unusable(&question))
    }

    fn answer(&self) -> Option<HumanAnswer> {
        self.answered()
    }

    fn time_is_up(&self) -> bool {
        self.deadline.is_some_and(|deadline| deadline.is_past())
    }

    fn settle(&mut self, answer: HumanAnswer) -> Result<HumanAnswer, ShelfError> {
        self.rename(CLOSED).map_err(unusable(&self.folder.clone()))?;
        Ok(self.answered().unwrap_or(answer))
    }

    fn close(mut self: Box<Self>, granted: &[SessionGrant]) -> Result<(), ShelfError> {
        let kept = grants::keep(&self.register, &self.inquiry.id, granted);
        self.rename(OVER).map_err(unusable(&self.folder.clone()))?;
        // Nobody looks into it again, so what cannot be removed is only litter.
        drop(fs::remove_dir_all(&self.folder));
        kept
    }
}
