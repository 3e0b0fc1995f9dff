//! `memory.outcome` in the full binary: a failure without an active entry gets a warning with earlier failures. The rest is
//! the same as in `tenter-hook`.

use tenter_ghap::Domain;
use tenter_ghap::outcome::{Captured, Finding, Kind, Settings, about, capture, start_tracking};

use super::call::HookCall;
use crate::context::{Assembled, Occasion, PremortemRequest};
use crate::error::MemoryError;

pub(super) fn run(call: &mut HookCall<'_>) -> Result<(), MemoryError> {
    let settings =
        Settings { matchers: call.texts("matchers"), auto_capture: call.switch("auto_capture", true) };
    match capture(call.event, &settings, call.services.memory.entries())? {
        Captured::Nothing => {}
        Captured::Asks(prompt) => call.report_quoting(prompt.words),
        Captured::Untracked(finding) => {
            if is_first(call) {
                warn(call, &finding)?;
            }
        }
    }
    Ok(())
}

/// Whether this is the first warning in this cycle.
fn is_first(call: &mut HookCall<'_>) -> bool {
    call.services.memory.entries().claim_premortem(&call.who()).unwrap_or_else(|error| {
        // If nothing can be written, warn once in the session.
        call.note(error.to_string());
        call.is_first(&tenter_contract::SessionClaim::MemoryWarned)
    })
}

fn warn(call: &mut HookCall<'_>, finding: &Finding) -> Result<(), MemoryError> {
    let context = call.context();
    let request = PremortemRequest::new(domain(finding.kind), call.scope());
    let (max_tokens, known) = (call.within(request.max_tokens), call.known(context.as_ref()));
    let about = about(call.event, finding);
    // A new context no longer has the agent's own entries.
    let delivered = context.as_ref().filter(|context| context.generation == 0).map(|_| call.who());
    let request =
        PremortemRequest { about, max_tokens, known, occasion: Occasion::Unasked, delivered, ..request };
    let (premortem, trouble) = match call.services.memory.premortem(&request) {
        Ok(assembled) => (assembled, Ok(())),
        Err(error) => (Assembled::default(), Err(error)),
    };
    let advice = start_tracking(finding);
    match advice.split_once("\n\n").filter(|_| !premortem.markdown.is_empty()) {
        Some((failed, prompt)) => {
            let markdown = format!("{failed}\n\n{}", premortem.markdown);
            call.inject_once(context.as_ref(), Assembled { markdown, ..premortem });
            call.report(prompt.to_owned());
        }
        None => call.report(advice),
    }
    trouble
}

fn domain(kind: Kind) -> Domain {
    match kind {
        Kind::Test => Domain::Debugging,
        Kind::Build => Domain::Configuration,
    }
}
