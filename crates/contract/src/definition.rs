//! Whether a hook is still the one it was.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::HookSpec;

impl HookSpec {
    /// What decides what it says, as a number that another hook hardly has: what it runs and how its words are read,
    /// but neither when it is asked nor where it stands in its file.
    pub fn definition(&self) -> String {
        let Self { handler, inject_output, max_output, role, strategy, defaults, env, cwd, dialect, .. } =
            self;
        let mut hasher = DefaultHasher::new();
        format!("{handler:?} {inject_output:?} {max_output} {role:?} {strategy:?} {defaults:?} {env:?} {cwd:?} {dialect:?}")
            .hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }
}
