//! Reading a request.

use std::io::{self, BufRead, Write};

use super::body::{self, Framing};

const HEAD_LIMIT: usize = 64 * 1024;
const HEADERS_LIMIT: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path, without the query.
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) body: Vec<u8>,
    pub(crate) connection: Connection,
}

/// The use of a connection after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    Keep,
    Close,
    /// The client uses HTTP/1.0, which has no chunks.
    CloseUnchunked,
}

/// A request that cannot be answered. The connection is closed, because the start of the next request is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestError {
    pub(crate) status: u16,
    pub(crate) why: String,
}

impl RequestError {
    pub(super) fn new(status: u16, why: &str) -> Self {
        Self { status, why: why.to_owned() }
    }
}

pub(crate) type ReadRequest = Result<Option<Request>, RequestError>;

/// Reads the next request; `None` when the client has left. `answer` receives an interim response.
pub(crate) fn read(from: &mut impl BufRead, answer: &mut impl Write) -> ReadRequest {
    let Some(head) = head(from)? else { return Ok(None) };
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_LIMIT];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(&head) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Err(RequestError::new(400, "the request ends too early")),
        Err(httparse::Error::TooManyHeaders) => return Err(RequestError::new(431, "too many headers")),
        Err(error) => return Err(RequestError::new(400, &format!("this is not an HTTP request: {error}"))),
    }
    let (Some(method), Some(target), Some(version)) = (parsed.method, parsed.path, parsed.version) else {
        return Err(RequestError::new(400, "this is not an HTTP request"));
    };
    let target = origin_form(target);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let all = |name: &str| {
        let same = parsed.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
        same.map(|header| String::from_utf8_lossy(header.value).trim().to_ascii_lowercase())
            .collect::<Vec<String>>()
    };
    if all("content-encoding").iter().any(|coding| coding != "identity") {
        return Err(RequestError::new(415, "compressed bodies are not supported"));
    }
    let framing = Framing::from_headers(&all("content-length"), &all("transfer-encoding"))?;
    if framing != Framing::Nothing && all("expect").iter().any(|expect| expect == "100-continue") {
        let _ = answer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").and_then(|()| answer.flush());
    }
    let connection = all("connection");
    let has = |word: &str| connection.iter().any(|it| it.split(',').any(|part| part.trim() == word));
    let connection = match version {
        0 => Connection::CloseUnchunked,
        _ if has("close") => Connection::Close,
        _ => Connection::Keep,
    };
    let body = body::read(from, &framing)?;
    Ok(Some(Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        body,
        connection,
    }))
}

/// A target as a path; clients behind a proxy setting send the whole address.
fn origin_form(target: &str) -> &str {
    let Some(rest) = target.strip_prefix("http://") else { return target };
    rest.find('/').map_or("/", |slash| &rest[slash..])
}

/// Everything up to and with the empty line.
fn head(from: &mut impl BufRead) -> Result<Option<Vec<u8>>, RequestError> {
    let mut head = Vec::new();
    loop {
        match line(from, HEAD_LIMIT - head.len()) {
            // The client has left, or was idle.
            Ok(LineRead::End) | Err(_) if head.is_empty() => return Ok(None),
            Ok(LineRead::End) => return Err(RequestError::new(400, "the request ends too early")),
            Ok(LineRead::TooLong) => {
                return Err(RequestError::new(431, "the head of the request is too large"));
            }
            // Empty lines before a request are skipped.
            Ok(LineRead::Text(text)) if head.is_empty() && is_empty(&text) => {}
            Ok(LineRead::Text(text)) => {
                let last = is_empty(&text);
                head.extend(text);
                if last {
                    return Ok(Some(head));
                }
            }
            Err(error) => return Err(RequestError::new(400, &format!("the request breaks off: {error}"))),
        }
    }
}

pub(super) enum LineRead {
    Text(Vec<u8>),
    /// More than was allowed without an end.
    TooLong,
    End,
}

/// Reads a line of at most `limit` bytes.
pub(super) fn line(from: &mut impl BufRead, limit: usize) -> io::Result<LineRead> {
    let mut text = Vec::new();
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    let read = io::Read::take(from, limit).read_until(b'\n', &mut text)?;
    Ok(match text.last() {
        Some(b'\n') => LineRead::Text(text),
        _ if u64::try_from(read).unwrap_or(u64::MAX) == limit => LineRead::TooLong,
        _ => LineRead::End,
    })
}

fn is_empty(line: &[u8]) -> bool {
    matches!(line, b"\r\n" | b"\n")
}

#[cfg(test)]
mod tests;
