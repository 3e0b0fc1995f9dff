//! Calls that reached tenter more than once: every delivery has a record, and the first has what the hooks said.

use std::collections::{BTreeMap, BTreeSet};

use tenter_contract::Timestamp;
use tenter_protocol::v1::record::RecordV1;
use tenter_store::audit::read::Filter;

use crate::error::CliError;

/// What two deliveries of one call have in common, and when the first one came.
type Call = (String, String, Option<String>, String);

/// The records of first deliveries, as far as the trail has them.
#[derive(Default)]
pub(crate) struct FirstDeliveries {
    found: BTreeMap<Call, u64>,
}

impl FirstDeliveries {
    /// Looks for those of records that are later deliveries. Where there are none, nothing is read.
    pub(crate) fn of<'r>(records: impl Iterator<Item = &'r RecordV1>) -> Result<Self, CliError> {
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

    /// What a later delivery is one of; none if the record is none.
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
