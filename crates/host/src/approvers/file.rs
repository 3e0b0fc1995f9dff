//! Questions and answers as files in a folder that another program serves: a chat bot, a ticket system.
//!
//! tenter writes `<id>.question.json` (`tenter schema request`). The other program writes `<id>.answer.json` with
//! `{"option": "Allow"}`, under another name first, and renames it. tenter renames an answer that is no option of the
//! question to `<id>.refused.json`, and the question stays. When the question is over, tenter removes both files.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tenter_contract::ports::{Acceptance, Approver, Waiting};
use tenter_contract::{ApprovalAnswer, ApprovalRequest, ApproverName};
use tenter_protocol::v1::approval_request::ApprovalRequestV1;
use tenter_store::open_private;

use super::watch::wait;

/// Larger than any answer.
const LARGEST_ANSWER: u64 = 64 * 1024;

/// Asks by files in a folder.
#[derive(Clone, Debug)]
pub struct FileApprover {
    /// The folder that is used if the hook file names none. It lies in tenter's state, which agents may not write.
    own: PathBuf,
}

#[derive(Deserialize)]
struct AnswerWire {
    option: String,
}

impl FileApprover {
    /// The approver with this folder, unless the hook file names another.
    pub fn new(own: PathBuf) -> Self {
        Self { own }
    }

    fn folder(&self, named: Option<&ApproverName>) -> Option<PathBuf> {
        match named {
            Some(ApproverName::File { folder: None }) => Some(self.own.clone()),
            Some(ApproverName::File { folder: Some(folder) }) => Some(match folder.strip_prefix("~/") {
                Some(rest) => PathBuf::from(std::env::var_os("HOME")?).join(rest),
                None => PathBuf::from(folder),
            }),
            Some(ApproverName::Watch | ApproverName::Deny | ApproverName::Allow) | None => None,
        }
    }
}

impl Approver for FileApprover {
    fn name(&self) -> &'static str {
        "file"
    }

    fn takes(&self, request: &ApprovalRequest, named: Option<&ApproverName>) -> Acceptance {
        let Some(folder) = self.folder(named) else { return Acceptance::NotMine };
        match make_usable(&folder, request) {
            Ok(()) => Acceptance::Yes,
            Err(why) => Acceptance::No {
                why: format!("the folder for questions, {}, cannot be used: {why}", folder.display()),
            },
        }
    }

    fn ask(
        &self,
        request: &ApprovalRequest,
        named: Option<&ApproverName>,
        waiting: &dyn Waiting,
    ) -> ApprovalAnswer {
        let Some(folder) = self.folder(named) else {
            return ApprovalAnswer::NoApprover { why: "no folder is named for questions".to_owned() };
        };
        let path = |kind: &str| folder.join(format!("{}.{kind}.json", request.id));
        if let Err(error) = write_question(&folder, &path("question"), request) {
            let why = format!("the question cannot be written to {}: {error}", folder.display());
            return ApprovalAnswer::NoApprover { why };
        }
        let answer = wait(waiting, || {
            let option = read_option(&path("answer"))?;
            let choice = request.question.choice(&option);
            if choice.is_none() {
                drop(fs::rename(path("answer"), path("refused")));
            }
            choice.map(tenter_contract::Choice::answer)
        });
        for kind in ["question", "answer", "refused"] {
            drop(fs::remove_file(path(kind)));
        }
        answer
    }
}

/// Makes the folder, and refuses one that others can write: they could answer.
fn make_usable(folder: &Path, request: &ApprovalRequest) -> Result<(), String> {
    if !folder.is_absolute() {
        return Err("it is not an absolute path".to_owned());
    }
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    let about = made.and_then(|()| fs::metadata(folder)).map_err(|error| error.to_string())?;
    if about.uid() != rustix::process::geteuid().as_raw() {
        return Err("it belongs to another user".to_owned());
    }
    if about.mode() & 0o022 != 0 {
        return Err("others can write it; run `chmod go-w` on it".to_owned());
    }
    let real = fs::canonicalize(folder).map_err(|error| error.to_string())?;
    let places = [request.event.project_root.as_deref(), request.event.cwd.as_deref()];
    let inside = places.into_iter().flatten().any(|place| {
        fs::canonicalize(place).is_ok_and(|place| place != Path::new("/") && real.starts_with(place))
    });
    if inside {
        Err("it lies where the agent works, which could then answer itself".to_owned())
    } else {
        Ok(())
    }
}

fn write_question(folder: &Path, path: &Path, request: &ApprovalRequest) -> io::Result<()> {
    let draft = folder.join(format!(".{}.draft", request.id));
    let bytes = serde_json::to_vec_pretty(&ApprovalRequestV1::new(request))?;
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)
        .and_then(|mut file| file.write_all(&bytes))
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        drop(fs::remove_file(&draft));
    }
    written
}

/// The chosen option, if there is a complete answer of this user. An incomplete one may still be completed.
fn read_option(path: &Path) -> Option<String> {
    // A file that others can write, or a link, is no answer of this user.
    let file = open_private(path).ok()?;
    let mut bytes = Vec::new();
    file.take(LARGEST_ANSWER).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice::<AnswerWire>(&bytes).ok().map(|answer| answer.option)
}
