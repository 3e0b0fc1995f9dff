//! The command line of the benchmark.

use crate::Result;

/// Enough for a steady median; about half a minute with Python and Node among the programs.
const ROUNDS: usize = 200;

/// What the command line says.
pub(crate) struct Arguments {
    /// How often each program is started.
    pub(crate) rounds: usize,
    /// How the result is printed.
    pub(crate) form: Form,
}

/// How the result is printed.
pub(crate) enum Form {
    /// For people.
    Table,
    /// One JSON object.
    Json,
}

impl Arguments {
    /// Reads `--rounds N` and `--json`; `None` if this is not a benchmark run. Cargo passes `--bench` as the last
    /// argument, a test runner does not.
    pub(crate) fn parse(words: &[String]) -> Result<Option<Self>> {
        if !words.iter().any(|word| word == "--bench") {
            return Ok(None);
        }
        let mut arguments = Self { rounds: ROUNDS, form: Form::Table };
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "--bench" => {}
                "--json" => arguments.form = Form::Json,
                "--rounds" => {
                    let number = words.next().unwrap_or_default();
                    arguments.rounds = number.parse().ok().filter(|rounds| *rounds > 0).ok_or_else(|| {
                        format!("`--rounds {number}`: write a number above 0, as in `--rounds 200`")
                    })?;
                }
                _ => return Err(format!("`{word}` is not known; there are `--rounds N` and `--json`").into()),
            }
        }
        Ok(Some(arguments))
    }
}
