//! Finds the first delivery of calls that reached tenter more than once. Its record has the replies of the hooks.

use std::collections::{BTreeMap, BTreeSet};

use tenter_contract::Timestamp;
use tenter_protocol::v1::record::RecordV1;
use tenter_store::audit::read::Filter;

use crate::error::CliError;

/// The key of a call: session, event, call id and the time of its first delivery.
type Call = (String, String, Option<String>, String);

/// The numbers of the records of first deliveries.
#[derive(Default)]
pub(crate) struct FirstDeliveries {
    found: BTreeMap<Call, u64>,
}

impl FirstDeliveries {
    /// Finds the first deliveries of these records. Reads nothing if none of them is a later delivery.
    pub(crate) fn find<'r>(records: impl Iterator<Item = &'r RecordV1>) -> Result<Self, CliError> {
        let wanted: BTreeSet<Call> = records.filter_map(first_of).collect();
        let moments = wanted.iter().map(|(.., at)| Timestamp::parse(at));
        let Some(since) = moments.min() else { return Ok(Self::default()) };
        let mut found = BTreeMap::new();
        for record in crate::trail::records(Filter { since, ..Filter::default() })? {
            let record = record?;
            let call = call(&record, &record.timestamp);
            if record.decision.is_some() && record.delivered_first.is_none() && wanted.contains(&call) {
                found.insert(call, record.seq);
            }
        }
        Ok(Self { found })
    }

    /// The number of the record that has the hooks of this call.
    pub(crate) fn number(&self, record: &RecordV1) -> Option<u64> {
        self.found.get(&first_of(record)?).copied()
    }

    /// Describes a later delivery; `None` for a first one.
    pub(crate) fn in_words(&self, record: &RecordV1) -> Option<String> {
        let at = record.delivered_first.as_deref()?;
        Some(match self.number(record) {
            Some(number) => format!("the call of record {number}, delivered again"),
            None => format!("a call of {at}, delivered again"),
        })
    }
}

fn first_of(record: &RecordV1) -> Option<Call> {
    Some(call(record, record.delivered_first.as_deref()?))
}

fn call(record: &RecordV1, at: &str) -> Call {
    let id = record.tool.as_ref().and_then(|tool| tool.call_id.clone());
    (record.session_id.clone(), record.event.clone(), id, at.to_owned())
}
