//! What to do next: the steps of an event and their continuations.
//!
//! Each step carries its own continuation, so it is impossible to report on hooks that were not started or
//! to answer a question that was not asked. The order of things:
//!
//! 1. hooks one after another, neighbours that say so together, each seeing the rewrites before it;
//! 2. if the input was rewritten, guards that stand before the last rewriter are asked once more;
//! 3. a rewrite this agent cannot carry denies, before anyone is bothered with a question;
//! 4. one question to a person, about the final input, naming everyone who asks.

use std::sync::Arc;

use tenter_contract::outcome::Round;
use tenter_contract::{
    Approval, ApprovalQuestion, AskUser, Capabilities, Decision, Degradation, Event, ExecutionMode, Facts,
    HookReport, HookRun, HookSpec, Limits, Outcome, RewriteInput, Source,
};

use crate::fold::Folding;
use crate::matching;
use crate::registry::{Handle, Registry};

/// What the runtime must do next.
#[must_use = "a step that nobody takes leaves the agent waiting"]
#[derive(Debug)]
pub enum Step {
    /// Run these hooks; they may run at the same time.
    RunHooks {
        /// The event as it stands now, earlier rewrites included.
        event: Arc<Event>,
        /// Who is asked. Never empty.
        invocations: Vec<Invocation>,
        /// Where the reports go.
        then: AwaitingReports,
    },
    /// Find out what hooks ask of the place, again: a rewrite has changed what the call touches.
    GatherFacts {
        /// The event as it stands now.
        event: Arc<Event>,
        /// Where the facts go.
        then: AwaitingFacts,
    },
    /// Put this question to a person.
    AskHuman {
        /// The event as it stands after every rewrite.
        event: Arc<Event>,
        /// The question.
        question: ApprovalQuestion,
        /// Whether the agent itself can put it to its user.
        host: HostAsks,
        /// Where the answer goes.
        then: AwaitingAnswer,
    },
    /// Nothing is left to do.
    Finish(Box<Outcome>),
}

/// One hook, to be run for one event.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// Its registration.
    pub handle: Handle,
    /// The hook.
    pub hook: Arc<HookSpec>,
    /// What came of those it waits for.
    pub previous: Vec<HookRun>,
    /// How much it may inject.
    pub limits: Limits,
}

/// Begins with an event: which hooks it concerns, and what this agent can carry.
pub fn begin(event: Arc<Event>, registry: &Registry, capabilities: &Capabilities) -> Step {
    let hooks = registry
        .list()
        .filter(|(_, hook)| hook.event == event.kind)
        .map(|(handle, hook)| {
            let (hook, limits) = (Arc::clone(hook), *registry.limits());
            Invocation { handle, hook, previous: Vec::new(), limits }
        })
        .collect();
    let folding = Folding::new(event, *registry.limits());
    Progress { hooks, next: 0, round: Round::First, capabilities: *capabilities, folding }.advance()
}

/// Waits for what came of the hooks of a [`Step::RunHooks`].
#[derive(Debug)]
pub struct AwaitingReports {
    progress: Progress,
    /// Where the invocations stand in `progress.hooks`.
    places: Vec<usize>,
}

impl AwaitingReports {
    /// Goes on with one report per invocation, each with the number of its invocation. They may come in the
    /// order in which the hooks finished; they are folded in the order of the files.
    #[inline(never)]
    pub fn resume(mut self, mut reports: Vec<(usize, HookReport)>) -> Step {
        reports.sort_by_key(|(number, _)| *number);
        let before = self.progress.folding.event();
        for (number, report) in reports {
            let Some(place) = self.places.get(number) else { continue };
            let mut hook = Arc::clone(&self.progress.hooks[*place].hook);
            if hook.may_allow && !matching::is_within(&hook, &before) {
                Arc::make_mut(&mut hook).may_allow = false;
            }
            self.progress.folding.add_report(*place, &hook, self.progress.round, report);
        }
        let by_path = self.progress.hooks.iter().any(|asked| !asked.hook.when.path.is_empty());
        let event = self.progress.folding.event();
        if by_path && !Arc::ptr_eq(&before, &event) && before.tool != event.tool {
            return Step::GatherFacts { event, then: AwaitingFacts { progress: self.progress } };
        }
        self.progress.advance()
    }
}

/// Waits for the facts of a [`Step::GatherFacts`].
#[derive(Debug)]
pub struct AwaitingFacts {
    progress: Progress,
}

impl AwaitingFacts {
    /// Goes on with what is known now.
    #[inline(never)]
    pub fn resume(mut self, facts: Facts) -> Step {
        self.progress.folding.set_facts(facts);
        self.progress.advance()
    }
}

/// Waits for the answer to a [`Step::AskHuman`].
#[derive(Debug)]
pub struct AwaitingAnswer {
    progress: Progress,
}

impl AwaitingAnswer {
    /// Goes on with what the person, or nobody, said. What holds then is what would have held had nobody asked.
    #[inline(never)]
    pub fn resume(self, approval: Approval) -> Step {
        let mut outcome = self.progress.folding.outcome();
        let Approval { question, answer } = &approval;
        outcome.decision = Decision::answered(question, answer, outcome.decision);
        outcome.approval = Some(approval);
        Step::Finish(Box::new(outcome))
    }
}

/// Whether an agent can put a question to its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostAsks {
    /// It can.
    Yes,
    /// It can put the plain part of it, allow once or deny: better than to deny because nobody else is there.
    AsLastResort,
    /// It cannot, or not such a question, or nobody sits there.
    No,
}

/// How far an event has come.
#[derive(Debug)]
struct Progress {
    /// The hooks of this round, in order.
    hooks: Vec<Invocation>,
    next: usize,
    round: Round,
    capabilities: Capabilities,
    folding: Folding,
}

impl Progress {
    fn advance(mut self) -> Step {
        if self.folding.denied() {
            return self.finish();
        }
        let places = self.next_group();
        if !places.is_empty() {
            let invocations = places.iter().map(|place| self.invocation(*place)).collect();
            return Step::RunHooks {
                event: self.folding.event(),
                invocations,
                then: AwaitingReports { progress: self, places },
            };
        }
        match self.round {
            Round::First => self.rejudge(),
            Round::Rejudge => self.conclude(),
        }
    }

    #[inline(never)]
    fn invocation(&self, place: usize) -> Invocation {
        let Invocation { handle, hook, limits, .. } = &self.hooks[place];
        let runs = self.folding.runs().iter();
        let previous = runs.filter(|run| hook.waits_for(&run.hook)).cloned().collect();
        Invocation { handle: *handle, hook: Arc::clone(hook), previous, limits: *limits }
    }

    /// The next hook that is concerned by the event as it stands now, and its parallel neighbours.
    fn next_group(&mut self) -> Vec<usize> {
        let event = self.folding.event();
        let mut group: Vec<usize> = Vec::new();
        while let Some(Invocation { hook, .. }) = self.hooks.get(self.next) {
            if matching::concerns(hook, &event) {
                let joins = group.first().is_none_or(|first| together(&self.hooks[*first].hook, hook))
                    && !group.iter().any(|place| hook.waits_for(&self.hooks[*place].hook.id));
                if !joins {
                    break;
                }
                group.push(self.next);
                if hook.execution_mode == ExecutionMode::Alone {
                    self.next += 1;
                    break;
                }
            }
            self.next += 1;
        }
        group
    }

    /// Asks guards that stand before the last rewriter about the final input. They are matched anew: a guard
    /// that had nothing to say about the original may have much to say about the rewrite.
    #[inline(never)]
    fn rejudge(mut self) -> Step {
        let Some(last_rewriter) = self.folding.last_rewriter() else { return self.conclude() };
        self.hooks.truncate(last_rewriter);
        // One that looks only at some events has had its look at this one, and one that nobody waits for judges none.
        self.hooks.retain(|Invocation { hook, .. }| {
            hook.rejudge && hook.every.is_none() && hook.execution_mode != ExecutionMode::Background
        });
        self.next = 0;
        self.round = Round::Rejudge;
        self.advance()
    }

    fn conclude(mut self) -> Step {
        self.refuse_unsupported_rewrites();
        if self.folding.denied() {
            return self.finish();
        }
        match self.folding.question() {
            Some(question) => {
                match host_asks(self.capabilities.ask, &question, self.folding.event().attended) {
                    HostAsks::No if !self.capabilities.block.possible() => {
                        self.folding.degraded(Degradation::CannotAsk { prompt: question.prompt() });
                        self.finish()
                    }
                    host @ (HostAsks::Yes | HostAsks::AsLastResort | HostAsks::No) => Step::AskHuman {
                        event: self.folding.event(),
                        question,
                        host,
                        then: AwaitingAnswer { progress: self },
                    },
                }
            }
            None => self.finish(),
        }
    }

    #[inline(never)]
    fn refuse_unsupported_rewrites(&mut self) {
        let capabilities = self.capabilities;
        let kept = self.folding.kept_input(capabilities.rewrite_input);
        let supported = [
            (
                "tool_input",
                match capabilities.rewrite_input {
                    RewriteInput::Freely => true,
                    RewriteInput::OnlyWithAllow => self.folding.allowed(),
                    RewriteInput::MergedOver | RewriteInput::SamePatch(_) | RewriteInput::Only(_) => {
                        kept.is_empty()
                    }
                    RewriteInput::Never => false,
                },
            ),
            ("tool_output", self.folding.output_fits(capabilities.rewrite_output)),
            ("prompt", capabilities.rewrite_prompt.possible()),
            ("data", capabilities.rewrite_data.possible()),
        ];
        for (target, is_supported) in supported {
            let by = self.folding.rewriters(target);
            if is_supported || by.is_empty() {
                continue;
            }
            let denied = capabilities.block.possible();
            if denied {
                self.folding
                    .deny(Source::Tenter, rewrite_denial(target, &by, &kept, capabilities.rewrite_input));
            }
            self.folding.degraded(Degradation::CannotRewrite { target, by, denied });
        }
    }

    fn finish(self) -> Step {
        Step::Finish(Box::new(self.folding.outcome()))
    }
}

/// Why a rewrite denies.
#[inline(never)]
fn rewrite_denial(target: &str, by: &[Source], kept: &[String], capability: RewriteInput) -> String {
    let who = by.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if target == "tool_input" && !kept.is_empty() {
        let keys = kept.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        return match capability {
            RewriteInput::SamePatch(patch) => format!(
                "{who} rewrites {keys} of this call, and the agent takes nothing but another patch of the same files under `{patch}`"
            ),
            RewriteInput::Only(taken) => {
                let taken = taken.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
                format!("{who} rewrites {keys} of this call, and the agent takes nothing but another {taken}")
            }
            RewriteInput::Freely
            | RewriteInput::OnlyWithAllow
            | RewriteInput::MergedOver
            | RewriteInput::Never => {
                format!("{who} removes {keys} from the tool input of this call, and the agent would keep it")
            }
        };
    }
    let what = target.replace('_', " ");
    format!("{who} rewrites the {what} of this call, and the agent cannot take a rewrite here")
}

/// Whether the host can put the question itself.
fn host_asks(capability: AskUser, question: &ApprovalQuestion, attended: Option<bool>) -> HostAsks {
    match capability {
        AskUser::Anything => HostAsks::Yes,
        AskUser::Plainly if question.is_plain() => HostAsks::Yes,
        AskUser::Plainly if attended == Some(true) && question.has_plain_part() => HostAsks::AsLastResort,
        AskUser::Plainly | AskUser::Never => HostAsks::No,
    }
}

/// Whether two hooks may run at the same time.
fn together(a: &HookSpec, b: &HookSpec) -> bool {
    let runs_together = |hook: &HookSpec| match hook.execution_mode {
        ExecutionMode::Alone => false,
        ExecutionMode::Parallel | ExecutionMode::Background => true,
    };
    runs_together(a) && runs_together(b) && a.priority == b.priority
}
