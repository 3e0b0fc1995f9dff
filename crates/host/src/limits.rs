//! Combines the limits of all layers. A later layer overrides an earlier one, with two exceptions: no layer may exceed the
//! limits of the machine's owner, and a project can only tighten.

use tenter_config::LimitSetting;
use tenter_contract::{Layer, Level, Limits, Message};

use crate::hook_files::HookFile;

/// The active limits, and the refused ones as problems. Limits of a project that is not trusted do not count.
pub(crate) fn combine(files: &[HookFile], project_is_trusted: bool) -> (Limits, Vec<Message>) {
    let mut limits = Limits::default();
    let mut owners = Limits::default();
    let mut owned: Vec<&str> = Vec::new();
    let mut refused = Vec::new();
    for file in files {
        let Ok(loaded) = &file.content else { continue };
        for setting in &loaded.limits {
            let limit = setting.limit;
            let why_not = match file.layer {
                Layer::Managed => {
                    limit.apply(&mut owners);
                    owned.push(limit.key());
                    None
                }
                Layer::User | Layer::Profile | Layer::Embedded => {
                    let above = owned.contains(&limit.key()) && limit.loosens(&owners);
                    above.then_some("the owner of this machine allows no more")
                }
                Layer::Project | Layer::Local if !project_is_trusted => continue,
                Layer::Project | Layer::Local => {
                    limit.loosens(&limits).then_some("a project can only tighten")
                }
            };
            match why_not {
                Some(why) => refused.push(refusal(file, setting, &limits, why)),
                None => limit.apply(&mut limits),
            }
        }
    }
    (limits, refused)
}

fn refusal(file: &HookFile, setting: &LimitSetting, limits: &Limits, why: &str) -> Message {
    let LimitSetting { limit, line } = setting;
    let (key, value, counts) = (limit.key(), limit.value(), limit.of(limits).value());
    let hint = match file.layer {
        Layer::Project | Layer::Local => {
            format!("write `{key}: {counts}` or something stricter, or set it in your own hook file")
        }
        Layer::Managed | Layer::User | Layer::Profile | Layer::Embedded => {
            format!("write `{key}: {counts}` or something stricter")
        }
    };
    let name = &file.name;
    let text = format!(
        "error: `limits.{key}: {value}` does not count, `{counts}` does: {why}\n  --> {name}:{line}\nhint: {hint}"
    );
    Message { text, level: Level::Error }
}

#[cfg(test)]
mod tests {
    use tenter_config::{Format, SourceText, load};
    use tenter_contract::{OverBudget, OverLimit};

    use super::*;

    fn file(layer: Layer, limits: &str) -> HookFile {
        let text = format!("version: 1\nlimits: {{ {limits} }}\n");
        let name = format!("{}.yaml", layer.as_str());
        let source = SourceText { name: &name, folder: "/", layer, format: Format::Yaml, text: &text };
        let loaded = load(&source);
        assert_eq!(loaded.problems, []);
        HookFile::on_disk(layer, name.clone(), Ok(loaded))
    }

    #[test]
    fn later_layers_override_within_owner_limits() {
        let files = [
            file(Layer::Managed, "turn_tokens: 800"),
            file(Layer::User, "turn_tokens: 5000, session_tokens: 99999, over_limit: spill"),
            file(Layer::Profile, "turn_tokens: 500, over_limit: truncate"),
        ];
        let (limits, refused) = combine(&files, false);
        let expected = Limits {
            turn_tokens: 500,
            session_tokens: 99_999,
            over_limit: OverLimit::Truncate,
            ..Limits::default()
        };
        assert_eq!(limits, expected);
        let texts: Vec<String> = refused.into_iter().map(|message| message.text).collect();
        assert_eq!(
            texts,
            [
                "error: `limits.turn_tokens: 5000` does not count, `800` does: the owner of this machine allows no more\n  --> user.yaml:2\nhint: write `turn_tokens: 800` or something stricter"
            ]
        );
    }

    /// Security case C3: a project widens its own rights.
    #[test]
    fn project_only_tightens_if_trusted() {
        let files = [
            file(Layer::User, "turn_tokens: 900, over_budget: enforce"),
            file(
                Layer::Project,
                "turn_tokens: 901, injection_bytes: 2KiB, over_budget: warn, over_limit: spill",
            ),
            file(Layer::Local, "injection_bytes: 4KiB, memory_tokens: 10"),
        ];
        let (limits, refused) = combine(&files, true);
        let expected = Limits {
            turn_tokens: 900,
            injection_bytes: 2048,
            memory_tokens: 10,
            over_budget: OverBudget::Enforce,
            ..Limits::default()
        };
        assert_eq!((limits, refused.len()), (expected, 4));
        assert_eq!(
            refused[0].text,
            "error: `limits.turn_tokens: 901` does not count, `900` does: a project can only tighten\n  --> project.yaml:2\nhint: write `turn_tokens: 900` or something stricter, or set it in your own hook file"
        );
        let (limits, refused) = combine(&files, false);
        let own = Limits { turn_tokens: 900, over_budget: OverBudget::Enforce, ..Limits::default() };
        assert_eq!((limits, refused), (own, Vec::new()));
    }
}
