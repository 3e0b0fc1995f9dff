//! A session with a server over streamable HTTP.

use std::ffi::OsString;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{LONGEST_MESSAGE, McpRequest, Waiting, stopped};
use crate::http::client::Deadline;
use crate::interrupt::CHECK_INTERVAL;
use crate::mcp::conversation::Conversation;
use crate::mcp::streamable::{Session, Setting};
use crate::secrets::Secrets;

/// The address of the server, and the open session.
pub(super) struct Web {
    url: String,
    headers: Vec<(String, String)>,
    environment: Vec<(OsString, OsString)>,
    session: Option<(Session, Conversation)>,
}

impl Web {
    /// A connection that is not open yet; checks address and headers.
    pub(super) fn new(
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
        web.open_session(Duration::ZERO, secrets)?;
        Ok(web)
    }

    /// Sends a request on its own thread, which ends with the time limit. A caller that stops does not wait for it and
    /// starts another session next time.
    pub(super) fn ask(
        &mut self,
        request: McpRequest,
        waiting: Waiting<'_>,
    ) -> Result<Map<String, Value>, String> {
        let method = request.method;
        let (session, conversation) = match self.session.take() {
            Some((session, conversation)) => {
                (session.with_deadline(Deadline::after(waiting.time)), Some(conversation))
            }
            None => (self.open_session(waiting.time, &mut Secrets::default())?, None),
        };
        let (sender, receiver) = sync_channel(1);
        thread::spawn(move || drop(sender.send(send_request(session, conversation, request))));
        loop {
            match receiver.recv_timeout(CHECK_INTERVAL) {
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

    fn open_session(&self, time: Duration, secrets: &mut Secrets) -> Result<Session, String> {
        let setting = Setting {
            url: &self.url,
            headers: &self.headers,
            ours: &self.environment,
            deadline: Deadline::after(time),
            most: LONGEST_MESSAGE,
        };
        Session::open(&setting, secrets, &mut Vec::new()).map_err(|failure| failure.to_string())
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        if let Some((session, _)) = self.session.take() {
            session.close();
        }
    }
}

type Sent = (Option<(Session, Conversation)>, Result<Map<String, Value>, String>);

/// A session with an error is not used again: the server may have forgotten it.
fn send_request(mut session: Session, conversation: Option<Conversation>, request: McpRequest) -> Sent {
    let method = request.method;
    let (mut conversation, sent) = if let Some(mut conversation) = conversation {
        let message = conversation.next_request(request);
        let sent = session.post(&message, &mut conversation).map(drop);
        (conversation, sent)
    } else {
        let mut conversation = Conversation::new(request);
        let sent = session.converse(&mut conversation);
        (conversation, sent)
    };
    match (sent, conversation.outcome()) {
        (Ok(()), Some(outcome)) => {
            let greeted = conversation.version().is_some();
            (greeted.then_some((session, conversation)), outcome)
        }
        (Ok(()), None) => (None, Err(format!("the server did not answer `{method}`"))),
        (Err(failure), _) => (None, Err(failure.to_string())),
    }
}
