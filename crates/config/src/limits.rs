//! `limits`: how much text hooks may put into the agent's context.

use tenter_contract::{Limits, OverBudget, OverLimit};

use crate::fields::{Field, Fields};
use crate::problem::{Expected, Finding, Findings, ProblemKind};
use crate::tree::Value;
use crate::values;

/// A limit as a file gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitSetting {
    /// Which, and how much.
    pub limit: Limit,
    /// The line it is in.
    pub line: u32,
}

/// The limits: the name of each, the type of its value, and its key, which is also its field of [`Limits`].
macro_rules! limits {
    ($($name:ident($type:ty) $key:ident;)+) => {
        /// One of the limits.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Limit {
            $( #[doc = stringify!($key)] $name($type), )+
        }

        impl Limit {
            /// Its key.
            pub fn key(self) -> &'static str {
                match self { $( Self::$name(_) => stringify!($key), )+ }
            }

            /// The same limit as these have it.
            #[must_use]
            pub fn of(self, limits: &Limits) -> Self {
                match self { $( Self::$name(_) => Self::$name(limits.$key), )+ }
            }

            /// Whether it lets more through than these do.
            pub fn loosens(self, limits: &Limits) -> bool {
                match self { $( Self::$name(value) => value > limits.$key, )+ }
            }

            /// Sets it.
            pub fn apply(self, limits: &mut Limits) {
                match self { $( Self::$name(value) => limits.$key = value, )+ }
            }
        }
    };
}

limits! {
    InjectionBytes(usize) injection_bytes;
    TurnTokens(u64) turn_tokens;
    MemoryTokens(u64) memory_tokens;
    SessionTokens(u64) session_tokens;
    OverLimit(OverLimit) over_limit;
    OverBudget(OverBudget) over_budget;
}

const KEYS: &str = "injection_bytes turn_tokens memory_tokens session_tokens over_limit over_budget";

/// More than any model reads.
const MOST_TOKENS: u32 = 10_000_000;

/// Every key of `limits`, for the reference page.
pub fn limit_keys() -> Vec<&'static str> {
    KEYS.split(' ').collect()
}

impl Limit {
    /// Its value, as it is written.
    pub fn value(self) -> String {
        match self {
            Self::InjectionBytes(bytes) => bytes.to_string(),
            Self::TurnTokens(tokens) | Self::MemoryTokens(tokens) | Self::SessionTokens(tokens) => {
                tokens.to_string()
            }
            Self::OverLimit(word) => word.as_str().to_owned(),
            Self::OverBudget(word) => word.as_str().to_owned(),
        }
    }
}

/// The limits that a section gives, in the order of the keys. A wrong one does not affect the others.
pub(crate) fn read(field: &Field<'_>, findings: &mut Findings) -> Vec<LimitSetting> {
    if field.node.value == Value::Null {
        return Vec::new();
    }
    let Some(fields) = findings.keep(Fields::from_field(field, "limits")) else { return Vec::new() };
    fields.check(KEYS, findings);
    let stated = |key: &'static str| {
        let field = fields.get(key)?;
        let limit = findings.keep(limit(key, &field))?;
        Some(LimitSetting { limit, line: field.key_place.line })
    };
    KEYS.split(' ').filter_map(stated).collect()
}

fn limit(key: &str, field: &Field<'_>) -> Result<Limit, Finding> {
    Ok(match key {
        "injection_bytes" => Limit::InjectionBytes(values::small_size(field)?),
        "turn_tokens" => Limit::TurnTokens(tokens(field)?),
        "memory_tokens" => Limit::MemoryTokens(tokens(field)?),
        "session_tokens" => Limit::SessionTokens(tokens(field)?),
        "over_limit" => {
            Limit::OverLimit(values::word(field, &OverLimit::ALL.map(|word| (word.as_str(), word)))?)
        }
        _ => Limit::OverBudget(values::word(field, &OverBudget::ALL.map(|word| (word.as_str(), word)))?),
    })
}

fn tokens(field: &Field<'_>) -> Result<u64, Finding> {
    let Value::Int(number) = field.node.value else { return Err(field.wrong_type(Expected::WholeNumber)) };
    u64::try_from(number).ok().filter(|tokens| *tokens <= u64::from(MOST_TOKENS)).ok_or_else(|| {
        let (key, most) = (field.path.clone(), MOST_TOKENS);
        field.problem(ProblemKind::OutOfRange { key, found: number, least: 0, most })
    })
}
