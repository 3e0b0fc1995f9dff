//! The body of a request.

use std::io::{BufRead, Read};

use super::request::{LineRead, RequestError, line};

/// The limit of the real APIs.
const BODY_LIMIT: usize = 32 * 1024 * 1024;
/// A chunk's size and its extensions, or one trailer.
const CHUNK_LINE_LIMIT: usize = 1024;
const TRAILERS_LIMIT: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Nothing,
    Length(usize),
    /// Until the chunk of no bytes.
    Chunks,
}

impl Framing {
    /// Conflicting headers are refused: two readers of one connection would see different requests.
    pub(super) fn from_headers(lengths: &[String], codings: &[String]) -> Result<Self, RequestError> {
        match (lengths, codings) {
            ([], []) => Ok(Self::Nothing),
            ([], [coding]) if coding == "chunked" => Ok(Self::Chunks),
            ([], _) => Err(RequestError::new(501, "this transfer encoding is not supported")),
            ([length], []) => match length.parse() {
                _ if !length.bytes().all(|byte| byte.is_ascii_digit()) => {
                    Err(RequestError::new(400, "the length of the body is not a number"))
                }
                Ok(length) if length <= BODY_LIMIT => Ok(Self::Length(length)),
                _ => Err(too_large()),
            },
            _ => Err(RequestError::new(400, "the length of the body is stated twice")),
        }
    }
}

pub(super) fn read(from: &mut impl BufRead, framing: &Framing) -> Result<Vec<u8>, RequestError> {
    let mut body = Vec::new();
    match framing {
        Framing::Nothing => {}
        Framing::Length(length) => exactly(from, *length, &mut body)?,
        Framing::Chunks => {
            loop {
                let size = chunk_size(from)?;
                if size == 0 {
                    break;
                }
                if size > BODY_LIMIT - body.len() {
                    return Err(too_large());
                }
                exactly(from, size, &mut body)?;
                if !chunk_line(from)?.is_empty() {
                    return Err(RequestError::new(400, "a chunk is longer than its stated length"));
                }
            }
            trailers(from)?;
        }
    }
    Ok(body)
}

fn exactly(from: &mut impl BufRead, length: usize, body: &mut Vec<u8>) -> Result<(), RequestError> {
    let wanted = u64::try_from(length).unwrap_or(u64::MAX);
    match from.take(wanted).read_to_end(body) {
        Ok(read) if read == length => Ok(()),
        Ok(_) => Err(RequestError::new(400, "the body is shorter than its stated length")),
        Err(error) => Err(RequestError::new(400, &format!("the body breaks off: {error}"))),
    }
}

fn chunk_size(from: &mut impl BufRead) -> Result<usize, RequestError> {
    let line = chunk_line(from)?;
    let size = line.split(';').next().unwrap_or_default().trim();
    let proper = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_hexdigit());
    match usize::from_str_radix(size, 16) {
        Ok(size) if proper => Ok(size),
        Err(_) if proper => Err(too_large()),
        _ => Err(RequestError::new(400, "the size of a chunk is not a number")),
    }
}

fn trailers(from: &mut impl BufRead) -> Result<(), RequestError> {
    for _ in 0..TRAILERS_LIMIT {
        if chunk_line(from)?.is_empty() {
            return Ok(());
        }
    }
    Err(RequestError::new(431, "too many trailers"))
}

/// A line between chunks, without its end.
fn chunk_line(from: &mut impl BufRead) -> Result<String, RequestError> {
    match line(from, CHUNK_LINE_LIMIT) {
        Ok(LineRead::Text(text)) => {
            Ok(String::from_utf8_lossy(&text).trim_end_matches(['\r', '\n']).to_owned())
        }
        Ok(LineRead::TooLong) => Err(RequestError::new(400, "the line before a chunk is too long")),
        Ok(LineRead::End) | Err(_) => Err(RequestError::new(400, "the body breaks off")),
    }
}

fn too_large() -> RequestError {
    RequestError::new(413, &format!("the body is larger than {BODY_LIMIT} bytes"))
}
