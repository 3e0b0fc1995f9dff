//! Commands that run while the agent goes on: what they have written since somebody looked, and their end.

use std::io;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::keys::listed;
use super::shell::{self, End, Takes};
use super::workplace::held;

/// So many may run at once.
const MOST: usize = 16;
/// So much of what nobody has read yet is held of each stream, the latest of it.
const MOST_UNREAD: usize = 1024 * 1024;

/// The commands of a session that run beside it. They end with it.
#[derive(Debug, Default)]
pub(super) struct Background {
    shells: Vec<Shell>,
}

#[derive(Debug)]
struct Shell {
    id: String,
    written: Arc<Mutex<Written>>,
    is_to_end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What a command has written since somebody looked.
#[derive(Debug, Default)]
struct Written {
    streams: [Unread; 2],
    end: Option<End>,
}

/// Bytes that nobody has read, and how many went before them unread.
#[derive(Debug, Default)]
struct Unread {
    bytes: Vec<u8>,
    dropped: usize,
}

/// What is told of a command.
#[derive(Debug)]
pub(super) struct News {
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// How it ended, if it has.
    pub(super) end: Option<End>,
}

impl Background {
    /// Starts a command; returns what it is known by.
    pub(super) fn start(&mut self, command: Command, line: &str) -> Result<String, String> {
        if self.shells.iter().filter(|shell| held(&shell.written).end.is_none()).count() >= MOST {
            return Err(format!("{MOST} commands run in the background already; end one with `KillShell`."));
        }
        let id = format!("shell_{}", self.shells.len() + 1);
        let (written, is_to_end) = (Arc::<Mutex<Written>>::default(), Arc::<AtomicBool>::default());
        let (to_write, ends, line) = (Arc::clone(&written), Arc::clone(&is_to_end), line.to_owned());
        let (started, hear) = sync_channel::<io::Result<()>>(1);
        // It is started by the thread that sees it end.
        let thread = thread::spawn(move || {
            let shell = match shell::start(command, &line) {
                Ok(shell) => shell,
                Err(error) => return drop(started.send(Err(error))),
            };
            drop(started.send(Ok(())));
            let sink = |stream| Sink { written: Arc::clone(&to_write), stream };
            let over = shell.listen([sink(0), sink(1)], None, &|| ends.load(Ordering::Relaxed));
            held(&to_write).end = Some(over.end);
        });
        match hear.recv().unwrap_or_else(|_| Err(io::Error::other("it broke"))) {
            Ok(()) => {
                self.shells.push(Shell { id: id.clone(), written, is_to_end, thread: Some(thread) });
                Ok(id)
            }
            Err(error) => Err(format!("The shell could not be started: {error}.")),
        }
    }

    /// What a command has written since the last look.
    pub(super) fn look(&self, id: &str) -> Result<News, String> {
        let mut written = held(&self.find(id)?.written);
        let [stdout, stderr] = written.streams.each_mut().map(Unread::take);
        Ok(News { stdout, stderr, end: written.end })
    }

    /// Ends a command with everything it started; what it wrote since the last look comes with it.
    pub(super) fn end(&mut self, id: &str) -> Result<News, String> {
        self.find(id)?;
        if let Some(shell) = self.shells.iter_mut().find(|shell| shell.id == id) {
            shell.end();
        }
        self.look(id)
    }

    fn find(&self, id: &str) -> Result<&Shell, String> {
        self.shells.iter().find(|shell| shell.id == id).ok_or_else(|| {
            if self.shells.is_empty() {
                return format!("There is no `{id}`: nothing was started with `run_in_background`.");
            }
            let ids = listed(self.shells.iter().map(|shell| shell.id.as_str()));
            format!("There is no `{id}`; there are {ids}.")
        })
    }
}

impl Shell {
    fn end(&mut self) {
        self.is_to_end.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // Whoever panicked there has ended its process too.
            let _ = thread.join();
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // All of them hear of it before anybody waits for the first.
        for shell in &self.shells {
            shell.is_to_end.store(true, Ordering::Relaxed);
        }
        self.shells.iter_mut().for_each(Shell::end);
    }
}

impl Unread {
    fn take(&mut self) -> String {
        let Self { bytes, dropped } = std::mem::take(self);
        let text = String::from_utf8_lossy(&bytes);
        if dropped == 0 {
            return text.into_owned();
        }
        format!("[… {dropped} bytes went by unread …]\n{text}")
    }
}

/// Where one stream of a command goes.
struct Sink {
    written: Arc<Mutex<Written>>,
    stream: usize,
}

impl Takes for Sink {
    fn take(&mut self, bytes: &[u8]) {
        let unread = &mut held(&self.written).streams[self.stream];
        unread.bytes.extend_from_slice(bytes);
        // Up to twice as much is held, so that the front is dropped rarely.
        if unread.bytes.len() > 2 * MOST_UNREAD {
            let front = unread.bytes.len() - MOST_UNREAD;
            unread.bytes.drain(..front);
            unread.dropped += front;
        }
    }
}
