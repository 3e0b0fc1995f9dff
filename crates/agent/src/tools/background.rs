//! Background commands: their new output and their end.

use std::io;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::params::listed;
use super::shell::{self, OutputSink, ShellEnd};
use super::workspace::lock;

const MOST: usize = 16;
/// Most unread bytes of each stream; older ones are dropped.
const MOST_UNREAD: usize = 1024 * 1024;

/// The background commands of a session. They end with it.
#[derive(Debug, Default)]
pub(super) struct Background {
    shells: Vec<Shell>,
}

#[derive(Debug)]
struct Shell {
    id: String,
    buffer: Arc<Mutex<ShellBuffer>>,
    stop_flag: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct ShellBuffer {
    streams: [StreamBuffer; 2],
    end: Option<ShellEnd>,
}

/// Unread bytes, and the number of dropped ones before them.
#[derive(Debug, Default)]
struct StreamBuffer {
    bytes: Vec<u8>,
    dropped: usize,
}

#[derive(Debug)]
pub(super) struct ShellOutput {
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) end: Option<ShellEnd>,
}

impl Background {
    /// Starts a command; returns its id.
    pub(super) fn start(&mut self, command: Command, line: &str) -> Result<String, String> {
        if self.shells.iter().filter(|shell| lock(&shell.buffer).end.is_none()).count() >= MOST {
            return Err(format!("{MOST} commands run in the background already; end one with `KillShell`."));
        }
        let id = format!("shell_{}", self.shells.len() + 1);
        let (buffer, stop_flag) = (Arc::<Mutex<ShellBuffer>>::default(), Arc::<AtomicBool>::default());
        let (to_write, ends, line) = (Arc::clone(&buffer), Arc::clone(&stop_flag), line.to_owned());
        let (started, result) = sync_channel::<io::Result<()>>(1);
        // The thread that waits for the process must start it.
        let thread = thread::spawn(move || {
            let shell = match shell::start(command, &line) {
                Ok(shell) => shell,
                Err(error) => return drop(started.send(Err(error))),
            };
            drop(started.send(Ok(())));
            let sink = |stream| BufferSink { buffer: Arc::clone(&to_write), stream };
            let result = shell.run([sink(0), sink(1)], None, &|| ends.load(Ordering::Relaxed));
            lock(&to_write).end = Some(result.end);
        });
        match result.recv().unwrap_or_else(|_| Err(io::Error::other("its thread crashed"))) {
            Ok(()) => {
                self.shells.push(Shell { id: id.clone(), buffer, stop_flag, thread: Some(thread) });
                Ok(id)
            }
            Err(error) => Err(format!("The shell could not be started: {error}.")),
        }
    }

    /// The output since the last read.
    pub(super) fn read_new(&self, id: &str) -> Result<ShellOutput, String> {
        let mut buffer = lock(&self.find(id)?.buffer);
        let [stdout, stderr] = buffer.streams.each_mut().map(StreamBuffer::take);
        Ok(ShellOutput { stdout, stderr, end: buffer.end })
    }

    /// Ends a command with every process it started; returns its new output.
    pub(super) fn end(&mut self, id: &str) -> Result<ShellOutput, String> {
        self.shells.iter_mut().filter(|shell| shell.id == id).for_each(Shell::end);
        self.read_new(id)
    }

    fn find(&self, id: &str) -> Result<&Shell, String> {
        self.shells.iter().find(|shell| shell.id == id).ok_or_else(|| {
            if self.shells.is_empty() {
                return format!("There is no `{id}`: no command was started with `run_in_background`.");
            }
            let ids = listed(self.shells.iter().map(|shell| shell.id.as_str()));
            format!("There is no `{id}`; there are {ids}.")
        })
    }
}

impl Shell {
    fn end(&mut self) {
        self.stop_flag.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic there has ended the process too.
            let _ = thread.join();
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // All receive the signal before the first is joined.
        for shell in &self.shells {
            shell.stop_flag.store(true, Ordering::Relaxed);
        }
        self.shells.iter_mut().for_each(Shell::end);
    }
}

impl StreamBuffer {
    fn take(&mut self) -> String {
        let Self { bytes, dropped } = std::mem::take(self);
        let text = String::from_utf8_lossy(&bytes);
        if dropped == 0 {
            return text.into_owned();
        }
        format!("[… {dropped} bytes were dropped unread …]\n{text}")
    }
}

struct BufferSink {
    buffer: Arc<Mutex<ShellBuffer>>,
    stream: usize,
}

impl OutputSink for BufferSink {
    fn receive(&mut self, bytes: &[u8]) {
        let unread = &mut lock(&self.buffer).streams[self.stream];
        unread.bytes.extend_from_slice(bytes);
        // Up to twice as much is kept, so that the front is dropped rarely.
        if unread.bytes.len() > 2 * MOST_UNREAD {
            let front = unread.bytes.len() - MOST_UNREAD;
            unread.bytes.drain(..front);
            unread.dropped += front;
        }
    }
}
