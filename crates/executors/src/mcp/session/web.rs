//! A server that is reached by streamable HTTP, question after question.

use std::ffi::OsString;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{LONGEST_MESSAGE, Question, Waiting, stopped};
use crate::http::client::Deadline;
use crate::mcp::streamable::{Session, Setting};
use crate::mcp::talk::Talk;
use crate::secrets::Secrets;

/// How often the stop flag is polled.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Where the server is, and the session that it has with us, if it has one.
pub(super) struct Web {
    url: String,
    headers: Vec<(String, String)>,
    environment: Vec<(OsString, OsString)>,
    session: Option<(Session, Talk)>,
}

impl Web {
    /// A connection that is not open yet; checks address and headers.
    pub(super) fn to(
        url: &str,
        headers: &[(String, String)],
        environment: &[(OsString, OsString)],
        secrets: &mut Secrets,
    ) -> Result<Self, String> {
        let web = Self {
            url: url.to_owned(),
            headers: headers.to_vec(),
            environment: environment.to_vec(),
            session: None,
        };
        web.begun(Duration::ZERO, secrets)?;
        Ok(web)
    }

    /// Sends a request on its own thread, which ends with the time limit. A caller that stops does not wait for it and
    /// starts another session next time.
    pub(super) fn ask(
        &mut self,
        question: Question,
        waiting: Waiting<'_>,
    ) -> Result<Map<String, Value>, String> {
        let method = question.method;
        let (session, talk) = match self.session.take() {
            Some((session, talk)) => (session.with_deadline(Deadline::after(waiting.time)), Some(talk)),
            None => (self.begun(waiting.time, &mut Secrets::default())?, None),
        };
        let (give, take) = sync_channel(1);
        thread::spawn(move || drop(give.send(asked(session, talk, question))));
        loop {
            match take.recv_timeout(CHECK_INTERVAL) {
                Ok((session, outcome)) => {
                    self.session = session;
                    return outcome;
                }
                Err(RecvTimeoutError::Timeout) if (waiting.stop)() => return Err(stopped(method)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(format!("`{method}` could not be asked")),
            }
        }
    }

    fn begun(&self, time: Duration, secrets: &mut Secrets) -> Result<Session, String> {
        let setting = Setting {
            url: &self.url,
            headers: &self.headers,
            ours: &self.environment,
            deadline: Deadline::after(time),
            most: LONGEST_MESSAGE,
        };
        Session::of(&setting, secrets, &mut Vec::new()).map_err(|failure| failure.to_string())
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        if let Some((session, _)) = self.session.take() {
            session.leave();
        }
    }
}

type Asked = (Option<(Session, Talk)>, Result<Map<String, Value>, String>);

/// A session that had trouble is not used again: the server may have forgotten it.
fn asked(mut session: Session, talk: Option<Talk>, question: Question) -> Asked {
    let method = question.method;
    let (mut talk, sent) = if let Some(mut talk) = talk {
        let message = talk.again(question);
        let sent = session.post(&message, &mut talk).map(drop);
        (talk, sent)
    } else {
        let mut talk = Talk::about(question);
        let sent = session.converse(&mut talk);
        (talk, sent)
    };
    match (sent, talk.outcome()) {
        (Ok(()), Some(outcome)) => {
            let greeted = talk.version().is_some();
            (greeted.then_some((session, talk)), outcome)
        }
        (Ok(()), None) => (None, Err(format!("the server did not answer `{method}`"))),
        (Err(failure), _) => (None, Err(failure.to_string())),
    }
}
