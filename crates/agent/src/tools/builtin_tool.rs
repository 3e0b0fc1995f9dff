//! A built-in tool as data: its description, its parameters and its function.

use serde_json::{Map, Value};
use tenter_contract::ToolKind;

use super::params::{self, Param, ToolInput};
use super::{Tool, ToolOutput, Workspace};

/// The function of a tool. The error explains the failure and the next step.
pub(super) type Run = fn(&ToolInput<'_>, &Workspace, &dyn Fn() -> bool) -> Result<ToolOutput, String>;

pub(super) struct BuiltinTool {
    pub(super) name: &'static str,
    pub(super) kind: ToolKind,
    pub(super) description: &'static str,
    pub(super) params: &'static [Param],
    pub(super) alone: bool,
    pub(super) run: Run,
}

impl Tool for BuiltinTool {
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
        params::schema(self.params)
    }

    fn alone(&self) -> bool {
        self.alone
    }

    fn check_input(&self, input: &Map<String, Value>) -> Option<String> {
        ToolInput::check(self.name, self.params, input).err()
    }

    fn run(&self, input: &Map<String, Value>, at: &Workspace, stop: &dyn Fn() -> bool) -> ToolOutput {
        ToolInput::check(self.name, self.params, input)
            .and_then(|input| (self.run)(&input, at, stop))
            .unwrap_or_else(ToolOutput::failed)
    }
}
