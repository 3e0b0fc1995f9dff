//! Events and hooks inside one program: for those who build an agent on the kernel.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tenter_contract::{
    Abilities, Approval, Event, EventKind, Facts, Handler, HookFailure, HookId, HookReply, HookReport,
    HookSpec, HumanAnswer, Layer, Outcome, Said,
};

use crate::dispatch::{self, Step};
use crate::matching;
use crate::registry::{Handle, Registry};

type Function = Box<dyn Fn(&Event) -> HookReply + Send + Sync>;

/// Asks functions about events, by the same rules as every other hook.
///
/// A question to a person stays in the outcome: the program that embeds tenter can ask it.
#[derive(Default)]
pub struct Emitter {
    registry: Registry,
    functions: HashMap<Handle, Function>,
}

impl Emitter {
    /// Registers a function for an event. Lower priorities are asked first; equal ones in the order of
    /// registration.
    pub fn register(
        &mut self,
        event: EventKind,
        name: &str,
        priority: i32,
        function: impl Fn(&Event) -> HookReply + Send + Sync + 'static,
    ) -> Handle {
        let mut hook = HookSpec::new(HookId::new(Layer::Embedded, name), event, Handler::InProcess);
        hook.priority = priority;
        self.register_hook(hook, function)
    }

    /// Registers a function with everything a hook can have: matcher, conditions, failure policy.
    pub fn register_hook(
        &mut self,
        hook: HookSpec,
        function: impl Fn(&Event) -> HookReply + Send + Sync + 'static,
    ) -> Handle {
        let handle = self.registry.register(hook);
        self.functions.insert(handle, Box::new(function));
        handle
    }

    /// Takes exactly that registration away.
    pub fn unregister(&mut self, handle: Handle) -> Option<Arc<HookSpec>> {
        self.functions.remove(&handle);
        self.registry.unregister(handle)
    }

    /// All hooks in the order in which they are asked.
    pub fn list(&self) -> impl Iterator<Item = (Handle, &Arc<HookSpec>)> {
        self.registry.list()
    }

    /// Asks every hook the event concerns and folds what they say.
    pub fn emit(&self, event: Event) -> Outcome {
        let mut step = dispatch::begin(Arc::new(event), &self.registry, &Abilities::EVERYTHING);
        loop {
            step = match step {
                Step::RunHooks { event, invocations, then } => then.resume(
                    invocations
                        .iter()
                        .enumerate()
                        .map(|(n, asked)| (n, self.ask(asked.handle, &event)))
                        .collect(),
                ),
                // Functions of one program look at no place; paths are compared by text.
                Step::GatherFacts { event, then } => {
                    then.resume(Facts { paths: Vec::new(), ..event.facts.clone() })
                }
                Step::AskHuman { question, then, .. } => {
                    then.resume(Approval::of(question, HumanAnswer::LeftToHost))
                }
                Step::Finish(outcome) => return *outcome,
            };
        }
    }

    /// Asks every hook the event concerns, whatever the others say, and returns each report in order.
    pub fn emit_and_collect(&self, event: &Event) -> Vec<(HookId, HookReport)> {
        self.registry
            .list()
            .filter(|(_, hook)| matching::concerns(hook, event))
            .map(|(handle, hook)| (hook.id.clone(), self.ask(handle, event)))
            .collect()
    }

    /// A panic in a function is that hook's failure, not the program's.
    fn ask(&self, handle: Handle, event: &Event) -> HookReport {
        let Some(function) = self.functions.get(&handle) else {
            return HookReport::of(Said::Failure(HookFailure::Missing {
                detail: "it was unregistered".to_owned(),
            }));
        };
        HookReport::of(match catch_unwind(AssertUnwindSafe(|| function(event))) {
            Ok(reply) => Said::Reply(reply),
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(ToString::to_string);
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                Said::Failure(HookFailure::Panicked { detail: text.unwrap_or_else(|| "a panic".to_owned()) })
            }
        })
    }
}
