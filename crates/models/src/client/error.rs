//! Failures of a request to a model, with the next step.

use std::fmt;
use std::time::Duration;

use super::Reply;

/// Why there is no reply. The text ends with the next step and never contains a key.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelError {
    /// The cause.
    pub cause: FailureCause,
    /// The server.
    pub place: String,
    /// The server's message, or another reason, on one line.
    pub message: String,
    /// The part of the reply that was received before the failure, without incomplete calls.
    pub received: Box<Reply>,
}

/// What went wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureCause {
    /// The server refuses the request with this status. The variable of the key, if the key is the problem.
    Refused(u16, Option<&'static str>),
    /// The server was overloaded at every try: how many there were, and the pause that the server asks for.
    Busy(u32, Option<Duration>),
    /// There is no connection.
    Unreachable,
    /// No byte came for this long.
    Stalled(Duration),
    /// The reply broke off.
    Cut,
    /// The reply exceeds a limit, so the connection was closed.
    Endless,
    /// The response is not a reply; its first bytes.
    Garbage(String),
    /// The conversation exceeds the context window.
    TooLong,
    /// The user stopped the request.
    Stopped,
}

impl ModelError {
    /// An error before anything was received.
    pub fn new(cause: FailureCause, place: &str, message: impl Into<String>) -> Self {
        Self { cause, place: place.to_owned(), message: message.into(), received: Box::default() }
    }

    /// The request was stopped by the user.
    pub fn stopped(received: Reply) -> Self {
        Self { received: Box::new(received), ..Self::new(FailureCause::Stopped, "", "") }
    }

    /// The part of the reply that was received before the failure, if there is any.
    pub fn received(&self) -> Option<&Reply> {
        (!self.received.blocks.is_empty()).then_some(&self.received)
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const OR_ANOTHER: &str = "try again, or select another model";
        let Self { cause, place, message, .. } = self;
        let (problem, next) = match cause {
            FailureCause::Refused(status, Some(variable)) => (
                format!("{place} does not accept the key ({status}: {message})"),
                format!("set {variable} to one that is valid"),
            ),
            FailureCause::Refused(404, _) => (
                format!("{place} does not have that (404: {message})"),
                "check the name of the model and the address".to_owned(),
            ),
            FailureCause::Refused(300..400, _) => (
                format!("{place} redirects to another address, and tenter sends no key there"),
                "use that address".to_owned(),
            ),
            FailureCause::Refused(status, _) => (
                format!("{place} refuses the request ({status}: {message})"),
                "change it, or select another model".to_owned(),
            ),
            FailureCause::Busy(tries, wait) => {
                let tried = if *tries == 1 { "once".to_owned() } else { format!("{tries} times") };
                let in_a_while = || "try again later, or select another model".to_owned();
                let next = wait.map(|wait| format!("try again in {}", format_duration(wait)));
                (format!("{place} is busy ({message}), asked {tried}"), next.unwrap_or_else(in_a_while))
            }
            FailureCause::Unreachable => (
                format!("{place} cannot be reached: {message}"),
                "check the address, the network and the proxy settings".to_owned(),
            ),
            FailureCause::Stalled(silence) => {
                (format!("{place} sent nothing for {}", format_duration(*silence)), OR_ANOTHER.to_owned())
            }
            FailureCause::Cut => {
                (format!("the reply of {place} broke off ({message})"), "try again".to_owned())
            }
            FailureCause::Endless => {
                (format!("the reply of {place} does not end ({message})"), OR_ANOTHER.to_owned())
            }
            FailureCause::Garbage(start) => (
                format!("the response of {place} is not a reply: {message}; it starts with {start:?}"),
                "check that the address belongs to this API, or try again".to_owned(),
            ),
            FailureCause::TooLong => (
                format!("the conversation is too long for this model ({message})"),
                "shorten it, or select a model with a larger context window".to_owned(),
            ),
            FailureCause::Stopped => ("stopped".to_owned(), "send another prompt to go on".to_owned()),
        };
        write!(f, "{problem}; {next}")
    }
}

impl std::error::Error for ModelError {}

pub(super) fn format_duration(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_millis() >= 500);
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..120 => format!("{seconds} s"),
        _ => format!("{} min", seconds.div_ceil(60)),
    }
}
