//! A model server with fixed responses.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::json;

/// One answer to a request for words, in the stream of OpenAI's Chat Completions.
#[derive(Clone, Copy)]
pub(super) enum Answer {
    /// These words, and this for why they end.
    Words(&'static str, &'static str),
}

/// Starts one with these models, which answers these one after another; its address.
pub(super) fn with(models: &[&str], answers: impl IntoIterator<Item = Answer>) -> String {
    let listed: Vec<_> = models.iter().map(|id| json!({"id": id})).collect();
    at_models("200 OK", json!({"data": listed}).to_string(), answers)
}

/// The same with another answer to who asks for its models.
pub(super) fn at_models(
    status: &'static str,
    models: String,
    answers: impl IntoIterator<Item = Answer>,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut answers: VecDeque<Answer> = answers.into_iter().collect();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let answer = if requested(&connection).starts_with("GET ") {
                whole(status, "application/json", &models)
            } else {
                answers.pop_front().map_or_else(|| whole("500 Gone", "text/plain", "no more"), text_of)
            };
            // Who asked may have gone.
            drop(connection.write_all(answer.as_bytes()));
        }
    });
    format!("http://{address}")
}

fn whole(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

fn text_of(answer: Answer) -> String {
    let chunk = |delta: serde_json::Value, finish: Option<&str>| {
        let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
        format!("data: {chunk}\n\n")
    };
    match answer {
        Answer::Words(words, finish) => {
            let words = chunk(json!({"content": words}), None);
            let body = format!("{words}{}data: [DONE]\n\n", chunk(json!({}), Some(finish)));
            whole("200 OK", "text/event-stream", &body)
        }
    }
}

/// Reads a request to its end; its first line.
fn requested(connection: &TcpStream) -> String {
    let mut reader = BufReader::new(connection);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.to_ascii_lowercase());
    }
    let length = lines.iter().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    reader.read_exact(&mut vec![0; length]).unwrap();
    lines.first().map(|line| line.to_ascii_uppercase()).unwrap_or_default()
}
