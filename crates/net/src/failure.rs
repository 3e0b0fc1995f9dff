//! Why an exchange with a server failed.

use std::io::ErrorKind;

use ureq::Error;

/// The cause of a failed exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A time limit of the request has passed.
    TimedOut,
    /// The server closed the connection in the middle of its response.
    Closed,
    /// Another cause, as text that follows "cannot be reached: ".
    Other(String),
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        Self::Other(match error {
            Error::Timeout(_) => return Self::TimedOut,
            Error::Io(error) if error.kind() == ErrorKind::TimedOut => return Self::TimedOut,
            Error::Io(error) => {
                let inner = error.get_ref();
                let tls =
                    inner.and_then(|inner| inner.downcast_ref().or_else(|| inner.source()?.downcast_ref()));
                match tls {
                    Some(tls) => tls_reason(tls),
                    None if error.kind() == ErrorKind::UnexpectedEof => return Self::Closed,
                    None => error.to_string(),
                }
            }
            Error::Rustls(tls) => tls_reason(tls),
            Error::HostNotFound => "the host name is unknown".to_owned(),
            Error::ConnectProxyFailed(_) => "the proxy refuses the connection".to_owned(),
            Error::Protocol(why) => format!("the response is not HTTP: {why}"),
            other => other.to_string(),
        })
    }
}

fn tls_reason(error: &rustls::Error) -> String {
    match error {
        rustls::Error::InvalidCertificate(_) => format!(
            "its certificate is not accepted ({error}); \
             if your own authority issued it, set SSL_CERT_FILE to the authority's certificate"
        ),
        _ => format!("no secure connection: {error}"),
    }
}
