//! The steps of an event and their continuations.
//!
//! Each step has its own continuation, so a caller cannot report on hooks that were not started, or answer a
//! question that was not asked. The order:
//!
//! 1. hooks run one after another, parallel ones together; each gets the rewrites before it;
//! 2. if the input was rewritten, guards before the last rewriter run again;
//! 3. a rewrite that the agent does not support denies, before a person is asked;
//! 4. one question to a person, about the final input, with the prompts of all hooks that ask.

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
#[must_use = "the agent waits until the step is run"]
#[derive(Debug)]
pub enum Step {
    /// Run these hooks; they may run at the same time.
    RunHooks {
        /// The current event, earlier rewrites included.
        event: Arc<Event>,
        /// The hooks. Never empty.
        invocations: Vec<Invocation>,
        /// Continues with the reports.
        then: AwaitingReports,
    },
    /// Find the facts again: a rewrite has changed the paths of the call.
    GatherFacts {
        /// The current event.
        event: Arc<Event>,
        /// Continues with the facts.
        then: AwaitingFacts,
    },
    /// Ask a person.
    AskHuman {
        /// The event after every rewrite.
        event: Arc<Event>,
        /// The question.
        question: ApprovalQuestion,
        /// Whether the agent itself can ask its user.
        host: HostAsks,
        /// Continues with the answer.
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
    /// The runs of the hooks it waits for.
    pub previous: Vec<HookRun>,
    /// How much it may inject.
    pub limits: Limits,
}

/// Begins an event with the hooks and the agent's capabilities.
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

/// Waits for the reports of a [`Step::RunHooks`].
#[derive(Debug)]
pub struct AwaitingReports {
    progress: Progress,
    /// The indexes of the invocations in `progress.hooks`.
    places: Vec<usize>,
}

impl AwaitingReports {
    /// Continues with one report per invocation, each with the number of its invocation. They may come in any order;
    /// they are folded in the order of the files.
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
    /// Continues with the facts.
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
    /// Continues with the answer. If it permits the call, the decision is the one without the question.
    #[inline(never)]
    pub fn resume(self, approval: Approval) -> Step {
        let mut outcome = self.progress.folding.outcome();
        let Approval { question, answer } = &approval;
        outcome.decision = Decision::answered(question, answer, outcome.decision);
        outcome.approval = Some(approval);
        Step::Finish(Box::new(outcome))
    }
}

/// Whether an agent can ask its user a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostAsks {
    /// It can.
    Yes,
    /// It can ask allow once or deny, if no approver answers.
    AsLastResort,
    /// It cannot ask this question, or no user is there.
    No,
}

/// The progress of an event.
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

    /// The next hook that matches the current event, and the parallel hooks after it.
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

    /// Runs the guards before the last rewriter again, with the final input. They are matched again, because a
    /// rewrite may match other guards.
    #[inline(never)]
    fn rejudge(mut self) -> Step {
        let Some(last_rewriter) = self.folding.last_rewriter() else { return self.conclude() };
        self.hooks.truncate(last_rewriter);
        // Hooks with `every` have counted this event already, and background hooks decide nothing.
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

/// Whether the host can ask the question itself.
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
