//! The server over standard input and output: one message a line.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::Server;

/// Requests that somebody no longer wants an answer to, by their ids as JSON.
type Cancelled = Arc<Mutex<HashSet<String>>>;

/// Answers until the other end closes its side. Requests are answered in the order they come; meanwhile another thread
/// reads on, so that one that is taken back while it waits, or is being worked on, gets no answer.
pub fn serve(server: &Server, from: impl BufRead + Send + 'static, mut to: impl Write) -> io::Result<()> {
    let cancelled = Cancelled::default();
    let (sender, lines) = mpsc::channel();
    let seen = Arc::clone(&cancelled);
    // Not joined: it waits for a line that may never come, and ends with the process.
    std::thread::spawn(move || {
        for line in from.split(b'\n') {
            let line = line.map(|line| String::from_utf8_lossy(&line).into_owned());
            let ends = line.is_err();
            if let Ok(text) = &line {
                note_cancelled(text, &seen);
            }
            if sender.send(line).is_err() || ends {
                return;
            }
        }
    });
    for line in lines {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let id = request_id(&line);
        let is_cancelled = || {
            let mut cancelled = cancelled.lock().unwrap_or_else(PoisonError::into_inner);
            id.as_ref().is_some_and(|id| cancelled.remove(id))
        };
        if is_cancelled() {
            continue;
        }
        if let Some(answer) = server.answer_text(&line)
            && !is_cancelled()
        {
            // One write, so that a line is never seen in halves.
            to.write_all(format!("{answer}\n").as_bytes())?;
            to.flush()?;
        }
    }
    Ok(())
}

fn note_cancelled(line: &str, cancelled: &Cancelled) {
    if !line.contains("notifications/cancelled") {
        return;
    }
    let Ok(message) = serde_json::from_str::<Value>(line) else { return };
    if message.get("method").and_then(Value::as_str) == Some("notifications/cancelled")
        && let Some(id) = message.pointer("/params/requestId")
    {
        cancelled.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_string());
    }
}

/// The id of a request that can be taken back; the first of all, by which both ends meet, cannot.
fn request_id(line: &str) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    let method = message.get("method")?.as_str()?;
    (method != "initialize").then(|| message.get("id").map(Value::to_string))?
}
