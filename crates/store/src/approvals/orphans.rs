//! Questions whose owners have died: withdrawn and recorded.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use tenter_contract::ApprovalRequest;

use super::questions::{
    ANSWER, AnswerFile, CLOSED, DRAFT, ENTERING, OVER, QUESTION, QuestionFile, read_question,
};
use super::{ApprovalFolder, grants, owner, read_json};
use crate::clock::is_older;
use crate::place::names_in;

/// A folder without a question is about to get one. After this time its process has died.
const LITTER: Duration = Duration::from_mins(1);

/// Passes every question whose owner has died to `record`, and removes it if that succeeds.
pub(super) fn withdraw(
    register: &ApprovalFolder,
    record: &mut dyn FnMut(&ApprovalRequest, &str) -> bool,
) -> io::Result<()> {
    for name in names_in(&register.path)?.iter().filter(|name| name.starts_with(ENTERING)) {
        remove_litter(&register.path.join(name));
    }
    let questions = register.questions();
    for name in names_in(&questions)? {
        let folder = questions.join(&name);
        if name.starts_with(OVER) {
            drop(fs::remove_dir_all(&folder));
            continue;
        }
        let found = match read_question(&folder.join(QUESTION))? {
            Some(question) => Some((question, true)),
            None => read_question(&folder.join(DRAFT))?.map(|question| (question, false)),
        };
        let Some(((file, question), was_put)) = found else {
            remove_litter(&folder);
            continue;
        };
        // Of several processes, the one that gets the lock withdraws it.
        if owner::is_alive(&file, question.owner)? || file.try_lock().is_err() || !folder.exists() {
            continue;
        }
        let Some(request) = question.request.request() else {
            remove_litter(&folder);
            continue;
        };
        let why = why(&folder, &name, was_put, &question);
        grants::revoke_question(register, &request)?;
        if record(&request, &why) {
            fs::remove_dir_all(&folder)?;
        }
    }
    Ok(())
}

fn why(folder: &Path, name: &str, was_put: bool, question: &QuestionFile) -> String {
    let pid = question.owner.pid;
    let answer: Option<AnswerFile> = read_json(&folder.join(ANSWER)).ok().flatten();
    match answer {
        Some(answer) => format!(
            "tenter (process {pid}) ended after `{}` was chosen and before the agent was notified; nothing was granted",
            answer.option
        ),
        None if !was_put => format!("tenter (process {pid}) ended before the question was put"),
        None if name.starts_with(CLOSED) => {
            format!("tenter (process {pid}) ended when the time of the question was up")
        }
        None => format!("tenter (process {pid}) ended while it waited for an answer"),
    }
}

fn remove_litter(folder: &Path) {
    if is_older(folder, LITTER) {
        // If it cannot be removed, it stays litter.
        drop(fs::remove_dir_all(folder).or_else(|_| fs::remove_file(folder)));
    }
}
