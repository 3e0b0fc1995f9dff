//! Hooks that are functions of this program: their registry and executor.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tenter_contract::ports::{HookExecutor, HookSource};
use tenter_contract::{
    Event, EventKind, Handler, HookFailure, HookId, HookOutput, HookReply, HookReport, HookSet, HookSpec,
    Layer, Transcript,
};

use crate::panic_safe::panic_text;

type Function = dyn Fn(&Event) -> HookReply + Send + Sync;

/// A hook that is a function, with every default. Set its fields for conditions and failure policy.
pub fn in_process(event: EventKind, name: &str) -> HookSpec {
    HookSpec::new(HookId::new(Layer::Embedded, name), event, Handler::InProcess)
}

/// Identifies a registration, to undo exactly that one.
#[derive(Debug, PartialEq, Eq)]
pub struct Registration(u64);

/// Why a hook was not registered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the message of each variant shows its fields")]
pub enum NotRegistered {
    /// Two hooks of one name at one event would look the same in records and messages.
    NameTaken { hook: HookId, event: EventKind },
    /// Models and people read names in headings and lines, so a name must not look like the end of one.
    BadName { name: String },
}

impl fmt::Display for NotRegistered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NameTaken { hook, event } => {
                write!(
                    f,
                    "there is a hook `{hook}` at {event} already; unregister it first, or take another name"
                )
            }
            Self::BadName { name } => {
                write!(f, "{name:?} cannot be the name of a hook: {}", HookId::NAME_RULE)
            }
        }
    }
}

impl std::error::Error for NotRegistered {}

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// On the caller's thread, until it returns.
    Here,
    /// On its own thread, which is abandoned when the hook's time is up.
    Timed,
}

/// The registered functions, by event and in the order of registration. Clones share them: the session registers
/// functions, its runtime runs them.
#[derive(Clone, Default)]
pub(crate) struct Functions {
    entries: Arc<RwLock<Entries>>,
}

#[derive(Default)]
struct Entries {
    next: u64,
    hooks: HashMap<EventKind, Vec<Entry>>,
}

struct Entry {
    number: u64,
    hook: Arc<HookSpec>,
    function: Arc<Function>,
    call: Call,
}

impl Functions {
    pub(crate) fn register(
        &self,
        hook: HookSpec,
        call: Call,
        function: Arc<Function>,
    ) -> Result<Registration, NotRegistered> {
        if !HookId::is_proper_name(&hook.id.name) {
            return Err(NotRegistered::BadName { name: hook.id.name });
        }
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let number = entries.next;
        let of_event = entries.hooks.entry(hook.event.clone()).or_default();
        if of_event.iter().any(|entry| entry.hook.id == hook.id) {
            return Err(NotRegistered::NameTaken { hook: hook.id, event: hook.event });
        }
        of_event.push(Entry { number, hook: Arc::new(hook), function, call });
        entries.next += 1;
        Ok(Registration(number))
    }

    pub(crate) fn unregister(&self, Registration(number): &Registration) -> Option<HookSpec> {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        entries.hooks.values_mut().find_map(|of_event| {
            let place = of_event.iter().position(|entry| entry.number == *number)?;
            Some(Arc::unwrap_or_clone(of_event.remove(place).hook))
        })
    }

    fn find(&self, hook: &HookSpec) -> Option<(Arc<Function>, Call)> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.hooks.get(&hook.event)?.iter().find(|entry| entry.hook.id == hook.id)?;
        Some((Arc::clone(&entry.function), entry.call))
    }
}

/// A function that is registered during an event first runs at the next one.
impl HookSource for Functions {
    fn at(&self, event: Option<&Event>) -> Option<HookSet> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        Some(match event {
            Some(event) => HookSet::new(entries.hooks.get(&event.kind).into_iter().flatten().map(hook_of)),
            None => HookSet::new(entries.hooks.values().flatten().map(hook_of)),
        })
    }
}

fn hook_of(entry: &Entry) -> Arc<HookSpec> {
    Arc::clone(&entry.hook)
}

impl HookExecutor for Functions {
    fn runs(&self, hook: &HookSpec) -> bool {
        hook.handler == Handler::InProcess
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let begun = Instant::now();
        let output = match self.find(hook) {
            // No lock is held while it runs, so that it may register, unregister and emit.
            Some((function, Call::Here)) => call(&function, event),
            Some((function, Call::Timed)) => call_within(hook.timeout, function, event.clone()),
            None => HookOutput::Failure(HookFailure::Missing { detail: "it was unregistered".to_owned() }),
        };
        HookReport { output, transcript: Transcript { took: begun.elapsed(), ..Transcript::default() } }
    }
}

/// A panic in a function is a failure of that hook.
fn call(function: &Arc<Function>, event: &Event) -> HookOutput {
    match catch_unwind(AssertUnwindSafe(|| function(event))) {
        Ok(reply) => HookOutput::Reply(reply),
        Err(panic) => HookOutput::Failure(HookFailure::Failed {
            detail: format!("it panicked: {}", panic_text(panic.as_ref())),
        }),
    }
}

fn call_within(time: Duration, function: Arc<Function>, event: Event) -> HookOutput {
    let (sender, receiver) = mpsc::sync_channel(1);
    let run = move || {
        // The receiver is gone if the result came too late.
        let _ = sender.send(call(&function, &event));
    };
    if let Err(error) = thread::Builder::new().spawn(run) {
        return HookOutput::Failure(HookFailure::Missing { detail: format!("no thread for it: {error}") });
    }
    receiver.recv_timeout(time).unwrap_or(HookOutput::Failure(HookFailure::TimedOut { after: time }))
}
