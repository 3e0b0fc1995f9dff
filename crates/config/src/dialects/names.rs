//! Names for hooks that have none where they come from, and names that can be typed and addressed here.

use std::collections::HashSet;

use tenter_contract::{Dialect, HookId};

use super::draft::{Converted, Name};

/// Gives every draft a name of its own that does not change as long as the file does not: the system, the
/// event, and the number of the hook there.
pub(super) fn assign_names(converted: &mut Converted) {
    let stated = converted.drafts.iter().filter_map(|draft| match &draft.name {
        Name::Stated(name) => Some(proper(name)),
        Name::From(_) => None,
    });
    let mut taken: HashSet<String> = HashSet::new();
    let reserved: HashSet<String> = stated.collect();
    let mut counted: Vec<(String, usize)> = Vec::new();
    for draft in &mut converted.drafts {
        let name = match &draft.name {
            Name::Stated(stated) => {
                let name = free(proper(stated), &taken);
                if name != *stated {
                    let text = format!("is called `{name}` here; names are typed in commands and are unique");
                    let place = draft.place;
                    draft.changed(place, "name", text);
                }
                name
            }
            Name::From(label) => {
                let number = next(&mut counted, label);
                let wanted = proper(&format!("{}-{label}-{number}", converted.dialect.as_str()));
                let mut occupied = taken.clone();
                occupied.extend(reserved.iter().cloned());
                free(wanted, &occupied)
            }
        };
        taken.insert(name.clone());
        draft.name = Name::Stated(name);
    }
}

/// Whether a name was made up here, so that another may be made up without a word.
pub fn is_generated(name: &str, dialect: Dialect) -> bool {
    let rest = name.strip_prefix(dialect.as_str()).and_then(|rest| rest.strip_prefix('-'));
    rest.and_then(|rest| rest.rsplit_once('-')).is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}

fn next(counted: &mut Vec<(String, usize)>, label: &str) -> usize {
    if let Some((_, count)) = counted.iter_mut().find(|(known, _)| known == label) {
        *count += 1;
        return *count;
    }
    counted.push((label.to_owned(), 1));
    1
}

/// The nearest name that can be one.
fn proper(name: &str) -> String {
    if HookId::is_proper_name(name) {
        return name.to_owned();
    }
    let fit = |c: char| if c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '.' | '-') { c } else { '-' };
    let name: String = name.chars().map(fit).collect();
    let name = name.trim_matches(['-', ' ', '.', '_']);
    let name: String = name.chars().take(72).collect();
    if HookId::is_proper_name(&name) { name } else { "hook".to_owned() }
}

fn free(name: String, taken: &HashSet<String>) -> String {
    if !taken.contains(&name) {
        return name;
    }
    let numbered = (2..).map(|number: u32| format!("{name}-{number}"));
    numbered.into_iter().find(|other| !taken.contains(other)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_are_recognised() {
        for (name, expected) in [
            ("claude-PreToolUse-1", true),
            ("claude-Stop-12", true),
            ("claude-guard", false),
            ("no-force-push", false),
            ("amazonq-stop-1", false),
        ] {
            assert_eq!(is_generated(name, Dialect::Claude), expected, "{name}");
        }
    }

    #[test]
    fn every_name_becomes_one_that_can_be_typed() {
        for (name, expected) in [
            ("git-status", "git-status"),
            ("Prüfen & melden", "Pr-fen - melden"),
            ("../x", "x"),
            ("???", "hook"),
            ("", "hook"),
        ] {
            assert_eq!(proper(name), expected, "{name}");
        }
    }
}
