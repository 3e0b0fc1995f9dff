//! `memory.outcome` where what was learned can be searched: a failure while nothing is tracked comes with a warning by
//! what went wrong before. Everything else about it is the same in both programs.

use tenter_ghap::Domain;
use tenter_ghap::outcome::{Captured, Finding, Kind, Settings, capture, start_tracking};

use super::call::Call;
use crate::context::PremortemRequest;
use crate::error::MemoryError;

pub(super) fn run(call: &mut Call<'_>) -> Result<(), MemoryError> {
    let settings =
        Settings { matchers: call.texts("matchers"), auto_capture: call.switch("auto_capture", true) };
    match capture(call.event, &settings, call.kept.memory.entries())? {
        Captured::Nothing => {}
        Captured::Asks(prompt) => call.report_quoting(prompt.words),
        Captured::Untracked(finding) => {
            if call.kept.memory.entries().claim_premortem(&call.who())? {
                warn(call, &finding)?;
            }
        }
    }
    Ok(())
}

/// Says what went wrong before, and what to do now.
fn warn(call: &mut Call<'_>, finding: &Finding) -> Result<(), MemoryError> {
    let request = PremortemRequest::new(domain(finding.kind), call.scope());
    let request = PremortemRequest { max_tokens: call.within(request.max_tokens), ..request };
    let (premortem, trouble) = match call.kept.memory.premortem(&request) {
        Ok(assembled) => (assembled.markdown, Ok(())),
        Err(error) => (String::new(), Err(error)),
    };
    let advice = start_tracking(finding);
    match advice.split_once("\n\n").filter(|_| !premortem.is_empty()) {
        Some((failed, prompt)) => {
            call.inject_recalled(format!("{failed}\n\n{premortem}"));
            call.report(prompt.to_owned());
        }
        None => call.report(advice),
    }
    trouble
}

/// What somebody does who has just seen this fail.
fn domain(kind: Kind) -> Domain {
    match kind {
        Kind::Test => Domain::Debugging,
        Kind::Build => Domain::Configuration,
    }
}
