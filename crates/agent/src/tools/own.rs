//! A tool of ours, as data: what the model is told of it, and what it does with an input that fits its keys.

use serde_json::{Map, Value};
use tenter_contract::ToolKind;

use super::keys::{self, Given, Key};
use super::{Ran, Tool, Workplace};

/// What a tool does. An error says why it did not, and what to do instead.
pub(super) type Run = fn(&Given<'_>, &Workplace, &dyn Fn() -> bool) -> Result<Ran, String>;

/// A tool of ours.
pub(super) struct Own {
    pub(super) name: &'static str,
    pub(super) kind: ToolKind,
    pub(super) description: &'static str,
    pub(super) keys: &'static [Key],
    pub(super) alone: bool,
    pub(super) run: Run,
}

impl Tool for Own {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> ToolKind {
        self.kind
    }

    fn description(&self) -> &str {
        self.description
    }

    fn schema(&self) -> Value {
        keys::schema(self.keys)
    }

    fn alone(&self) -> bool {
        self.alone
    }

    fn objection(&self, input: &Map<String, Value>) -> Option<String> {
        Given::to(self.name, self.keys, input).err()
    }

    fn run(&self, input: &Map<String, Value>, at: &Workplace, stop: &dyn Fn() -> bool) -> Ran {
        Given::to(self.name, self.keys, input)
            .and_then(|given| (self.run)(&given, at, stop))
            .unwrap_or_else(Ran::failed)
    }
}
