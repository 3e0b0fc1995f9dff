//! The server over standard input and output: one message a line.

use std::io::{self, BufRead, Write};
use std::sync::{Arc, mpsc};

use super::Server;
use super::input_line::InputLine;
use super::waiting::Waiting;

/// Answers requests in their order until the input ends. Another thread reads ahead, so that a cancelled request gets no
/// answer.
pub fn serve(server: &Server, from: impl BufRead + Send + 'static, mut to: impl Write) -> io::Result<()> {
    let waiting = Arc::new(Waiting::default());
    let (sender, lines) = mpsc::channel();
    let noted = Arc::clone(&waiting);
    // Not joined: it waits for a line that may never come, and ends with the process.
    std::thread::spawn(move || {
        for (number, line) in (0_u64..).zip(from.split(b'\n')) {
            let line = line.map(|bytes| InputLine::read(&bytes)).inspect(|line| noted.note(number, line));
            let ends = line.is_err();
            if sender.send((number, line)).is_err() || ends {
                return;
            }
        }
    });
    for (number, line) in lines {
        let line = line?;
        let answer = if waiting.wants(number) { server.answer_line(&line) } else { None };
        let wanted = waiting.wants(number);
        waiting.end(number);
        if let Some(answer) = answer.filter(|_| wanted) {
            // One write, so that a line is never seen in halves.
            to.write_all(format!("{answer}\n").as_bytes())?;
            to.flush()?;
        }
    }
    Ok(())
}
