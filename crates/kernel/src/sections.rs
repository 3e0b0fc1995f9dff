//! Selects the hooks of an agent by the sections of hook files.
//!
//! A section of a hook file is for one agent: the one with that id, else of that type, else that program. Its hooks
//! are added to the inherited ones, or replace them (`override: true`).

use std::sync::Arc;

use tenter_contract::{Event, HookSet, HookSpec, Layer, Override};

/// The active hooks of the agent of this event.
pub fn active_hooks(set: HookSet, event: &Event) -> Vec<Arc<HookSpec>> {
    let HookSet { mut hooks, overrides, .. } = set;
    if hooks.iter().all(|hook| hook.section.is_none()) && overrides.is_empty() {
        return hooks;
    }
    let sections = Sections::new(&hooks, &overrides, event);
    hooks.retain(|hook| sections.status(hook, &overrides) == SectionStatus::Active);
    hooks
}

/// Whether the agent of this event has a hook.
pub fn status(hook: &HookSpec, set: &HookSet, event: &Event) -> SectionStatus {
    Sections::new(&set.hooks, &set.overrides, event).status(hook, &set.overrides)
}

/// Whether an agent has a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionStatus {
    /// It has.
    Active,
    /// The hook is in the section of another agent.
    OtherAgent(String),
    /// The agent's own section replaces the inherited hooks.
    Replaced(Override),
}

/// The section of each layer that is for the agent.
struct Sections(Vec<(Layer, String)>);

impl Sections {
    fn new(hooks: &[Arc<HookSpec>], overrides: &[Override], event: &Event) -> Self {
        let written: Vec<(Layer, &str)> = hooks
            .iter()
            .filter_map(|hook| Some((hook.id.layer, hook.section.as_deref()?)))
            .chain(overrides.iter().map(|it| (it.layer, it.section.as_str())))
            .collect();
        // The most specific name wins: a section for the sub-agent excludes one for the program.
        let names = [event.agent_id.as_deref(), event.agent_type.as_deref(), Some(event.agent.as_str())];
        let nearest = |layer: Layer| {
            let of_layer =
                |name: &&str| written.iter().any(|(other, section)| *other == layer && same(section, name));
            names.into_iter().flatten().find(of_layer).map(|name| (layer, name.to_owned()))
        };
        Self(Layer::ALL.into_iter().filter_map(nearest).collect())
    }

    fn status(&self, hook: &HookSpec, overrides: &[Override]) -> SectionStatus {
        match &hook.section {
            Some(section) if self.spoken_to(hook.id.layer, section) => SectionStatus::Active,
            Some(section) => SectionStatus::OtherAgent(section.clone()),
            None => self
                .replacing(hook, overrides)
                .map_or(SectionStatus::Active, |it| SectionStatus::Replaced(it.clone())),
        }
    }

    fn spoken_to(&self, layer: Layer, section: &str) -> bool {
        self.0.iter().any(|(other, name)| *other == layer && same(section, name))
    }

    /// Managed hooks always stay; a project replaces only hooks of projects.
    fn replacing<'o>(&self, hook: &HookSpec, overrides: &'o [Override]) -> Option<&'o Override> {
        overrides.iter().find(|it| {
            let reach = match it.layer {
                Layer::Project | Layer::Local => matches!(hook.id.layer, Layer::Project | Layer::Local),
                Layer::Managed | Layer::User | Layer::Profile | Layer::Embedded => {
                    hook.id.layer != Layer::Managed || it.layer == Layer::Managed
                }
            };
            reach && it.event == hook.event && self.spoken_to(it.layer, &it.section)
        })
    }
}

/// Agents are addressed in any case, as everywhere.
fn same(section: &str, name: &str) -> bool {
    section.eq_ignore_ascii_case(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenter_contract::{AgentName, EventKind, Handler, HookId, Timestamp};

    fn hook(layer: Layer, name: &str, section: Option<&str>) -> HookSpec {
        let mut hook = HookSpec::new(HookId::new(layer, name), EventKind::ToolPost, Handler::InProcess);
        hook.section = section.map(str::to_owned);
        hook
    }

    fn event(id: Option<&str>, kind: Option<&str>) -> Event {
        let agent = AgentName::from_static("claude");
        let mut event = Event::new(EventKind::ToolPost, agent, None, Timestamp::default());
        event.agent_id = id.map(str::to_owned);
        event.agent_type = kind.map(str::to_owned);
        event
    }

    fn replacing(layer: Layer, section: &str) -> Override {
        Override { layer, section: section.to_owned(), event: EventKind::ToolPost }
    }

    fn names(set: HookSet, event: &Event) -> String {
        active_hooks(set, event).iter().map(|hook| hook.id.name.clone()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn section_extends_only_its_agent() {
        let set =
            HookSet::new(vec![hook(Layer::User, "all", None), hook(Layer::User, "own", Some("Reviewer"))]);
        assert_eq!(names(set.clone(), &event(Some("reviewer"), None)), "all own");
        assert_eq!(names(set.clone(), &event(None, Some("reviewer"))), "all own");
        assert_eq!(names(set, &event(None, None)), "all");
    }

    #[test]
    fn most_specific_agent_name_wins() {
        let set = HookSet::new(vec![
            hook(Layer::User, "id", Some("a1")),
            hook(Layer::User, "type", Some("reviewer")),
            hook(Layer::User, "program", Some("claude")),
        ]);
        assert_eq!(names(set.clone(), &event(Some("a1"), Some("reviewer"))), "id");
        assert_eq!(names(set.clone(), &event(Some("a2"), Some("reviewer"))), "type");
        assert_eq!(names(set, &event(None, None)), "program");
    }

    #[test]
    fn override_replaces_inherited_hooks() {
        let mut set =
            HookSet::new(vec![hook(Layer::User, "all", None), hook(Layer::User, "own", Some("claude"))]);
        set.overrides = vec![replacing(Layer::User, "claude")];
        assert_eq!(names(set.clone(), &event(None, None)), "own");
        set.hooks.pop();
        assert_eq!(names(set, &event(None, None)), "");
    }

    #[test]
    fn override_respects_layers() {
        let all = vec![
            hook(Layer::Managed, "managed", None),
            hook(Layer::User, "user", None),
            hook(Layer::Project, "project", None),
            hook(Layer::Local, "local", None),
        ];
        for (layer, left) in [
            (Layer::User, "managed"),
            (Layer::Profile, "managed"),
            (Layer::Project, "managed user"),
            (Layer::Local, "managed user"),
        ] {
            let set = HookSet { overrides: vec![replacing(layer, "claude")], ..HookSet::new(all.clone()) };
            assert_eq!(names(set, &event(None, None)), left, "{layer:?}");
        }
    }
}
