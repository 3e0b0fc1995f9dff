//! House rules that a machine can check. A message says what to do, since a newcomer reads it in need.

use std::collections::BTreeSet;
use std::path::Path;

use crate::tree;

/// Files above this length are split at the next natural seam.
const LONGEST: usize = 500;
/// Files that may be longer, each with its reason.
const LONGER: [(&str, &str); 0] = [];

#[test]
fn every_source_file_opens_with_what_it_is_for() {
    for file in tree::files("crates", "rs") {
        let text = tree::text(&file);
        let tests_beside_their_code = file.ends_with("/tests.rs");
        assert!(
            text.starts_with("//!") || tests_beside_their_code,
            "{file}: begin it with a `//!` line that says what it is for"
        );
    }
}

#[test]
fn no_file_is_too_long_to_read() {
    for file in ["rs", "py"].into_iter().flat_map(|extension| tree::files("crates", extension)) {
        let lines = tree::text(&file).lines().count();
        let excused = LONGER.iter().any(|(name, _)| *name == file);
        assert!(
            lines <= LONGEST || excused,
            "{file} has {lines} lines: split it, or give a reason in tidy.rs"
        );
    }
}

#[test]
fn no_file_is_forgotten() {
    for file in tree::files("crates", "rs") {
        let path = Path::new(&file);
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let folder = path.parent().unwrap();
        let crate_root = ["lib", "main", "build", "tenter_hook"].contains(&stem.as_str());
        let target = folder.ends_with("tests") || folder.ends_with("benches") || folder.ends_with("examples");
        if crate_root || target {
            continue;
        }
        let (module, parent) = if stem == "mod" {
            (folder.file_name().unwrap().to_string_lossy().into_owned(), folder.parent().unwrap())
        } else {
            (stem, folder)
        };
        let mut homes = vec![parent.join("mod.rs"), parent.join("lib.rs"), parent.join("main.rs")];
        homes.push(parent.with_extension("rs"));
        if parent.ends_with("tests") {
            let roots = tree::files(&parent.to_string_lossy(), "rs").into_iter().map(Into::into);
            homes.extend(roots.filter(|root: &std::path::PathBuf| root.parent() == Some(parent)));
        }
        let declared = homes.iter().filter(|home| tree::root().join(home).is_file()).any(|home| {
            tree::text(&home.to_string_lossy()).lines().any(|line| {
                let line = line.trim();
                let declared = line.strip_suffix(&format!("mod {module};"));
                declared.is_some_and(|visible| visible.is_empty() || visible.starts_with("pub"))
            })
        });
        assert!(declared, "{file} is in no module: nothing compiles it, and a test in it never runs");
    }
}

#[test]
fn nothing_is_left_to_be_done_in_the_code() {
    for file in tree::files("crates", "rs") {
        for word in ["FIX\u{4d}E", "TO\u{44}O", "XX\u{58}"] {
            assert!(
                !tree::text(&file).contains(word),
                "{file} has a {word}: do it, or write it down as an issue"
            );
        }
    }
}

#[test]
fn files_named_in_documents_exist() {
    let documents =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "AGENTS.md"].map(str::to_owned);
    let further = ["docs", "examples", "scenarios"].into_iter().flat_map(|folder| tree::files(folder, "md"));
    for document in documents.into_iter().chain(further) {
        let text = tree::text(&document);
        for (number, piece) in text.split('`').enumerate() {
            let path = piece.trim_end_matches('/');
            let is_code = number % 2 == 1
                && ["crates/", "docs/", "scenarios/", "scripts/"].iter().any(|p| path.starts_with(p));
            if is_code && !path.contains(['*', '<', ' ', '{', '\n']) {
                assert!(tree::root().join(path).exists(), "{document} names `{path}`, which does not exist");
            }
        }
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = target.split('#').next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let from = tree::root().join(&document);
            assert!(
                from.parent().unwrap().join(target).exists(),
                "{document} links to {target}, which does not exist"
            );
        }
    }
}

#[test]
fn every_scenario_of_a_specification_stands_on_its_page() {
    let page = tree::text("docs/reference/specifications.md");
    for scenario in tree::files("scenarios", "md").iter().filter(|file| file.starts_with("scenarios/seed-")) {
        assert!(page.contains(&format!("(../../{scenario})")), "{scenario}: add it to specifications.md");
    }
}

#[test]
fn recipes_named_in_documents_are_in_the_justfile() {
    let justfile = tree::text("justfile");
    let recipes: BTreeSet<&str> = justfile
        .lines()
        .filter(|line| !line.starts_with([' ', '#', '[']) && !line.contains(":="))
        .filter_map(|line| line.split_once(':'))
        .filter_map(|(head, _)| head.split_whitespace().next())
        .collect();
    for document in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "AGENTS.md"] {
        for named in tree::text(document).split("`just ").skip(1) {
            let recipe = named.split(['`', ' ']).next().unwrap();
            assert!(
                recipes.contains(recipe),
                "{document} names `just {recipe}`, which the justfile does not have"
            );
        }
    }
}

/// The words of the glossary's first version. Each has an ordinary word in its place.
const PRIVATE_WORDS: &str = "desk desks inquiry inquiries asker asked_by unfit fitted fitting stumble stumbled told heard \
    errand errands keeper keepers household companion keepsake keepsakes vantage docket ruling rulings onlooker \
    foreseen workshop discreet heeded understudy senseless spoilt hindrance abilities whoever nobody somebody";
/// The same for words that are private only together.
const PRIVATE_PHRASES: [&str; 10] = [
    "hand over",
    "become whole",
    "whole program",
    "in force",
    "are we open",
    "kept aside",
    "set aside",
    "turned over",
    "careful desk",
    "fuller build",
];
/// Names that are ordinary words and say too little as the name of a type.
const VAGUE_TYPES: &str = "Query Question Given Told Heard Listener Said Company Partner Remains Beside Shelf Delivery \
    Fund Fate Carried Watched Front Takes Stands Standing Covers Means Manner Stage Line Part Aside Beyond Unmet House";
/// Functions that do not say what they do.
const VAGUE_FUNCTIONS: &str =
    "of look look_around look_up see_to told given said hear tell carry fit stumble";

/// Words of a text or of identifiers, in lower case: `ApprovalDesk` has two.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in line.chars() {
        let begins = character.is_uppercase() && before.is_lowercase();
        if begins || !character.is_alphabetic() && !words.last().unwrap().is_empty() {
            words.push(String::new());
        }
        if character.is_alphabetic() {
            words.last_mut().unwrap().extend(character.to_lowercase());
        }
        before = character;
    }
    words
}

/// Our own code and prose: no recorded payloads, no words of the agents.
fn own_texts() -> Vec<String> {
    let code = ["rs", "md", "py", "ts", "js", "snap"].into_iter().flat_map(|end| tree::files("crates", end));
    let prose = ["docs", "examples", "scenarios"].into_iter().flat_map(|folder| tree::files(folder, "md"));
    let pages =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "AGENTS.md"];
    let all = code.chain(prose).chain(pages.map(str::to_owned));
    all.filter(|file| {
        !file.contains("/fixtures/") && !file.contains("/evaluation/") && !file.ends_with("tidy.rs")
    })
    .collect()
}

#[test]
fn private_words_stay_out() {
    let private: BTreeSet<&str> = PRIVATE_WORDS.split_whitespace().collect();
    let mut found = Vec::new();
    for file in own_texts() {
        for (number, line) in tree::text(&file).lines().enumerate() {
            let words = words(line);
            let text = words
                .iter()
                .filter(|word| !word.is_empty())
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(" ");
            let word = words.iter().map(String::as_str).find(|word| private.contains(word));
            let phrase = || {
                PRIVATE_PHRASES
                    .into_iter()
                    .find(|phrase| format!(" {text} ").contains(&format!(" {phrase} ")))
            };
            if let Some(word) = word.or_else(phrase) {
                found.push(format!("{file}:{}: `{word}`: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "use an ordinary word:\n{}", found.join("\n"));
}

#[test]
fn names_say_what_they_name() {
    let types: BTreeSet<&str> = VAGUE_TYPES.split_whitespace().collect();
    let functions: BTreeSet<&str> = VAGUE_FUNCTIONS.split_whitespace().collect();
    let mut found = Vec::new();
    for file in tree::files("crates", "rs") {
        for (number, line) in tree::text(&file).lines().enumerate() {
            let mut words = line.split(|character: char| !character.is_alphanumeric() && character != '_');
            while let Some(word) = words.next() {
                let vague = match word {
                    "struct" | "enum" | "trait" | "type" => &types,
                    "fn" => &functions,
                    _ => continue,
                };
                if words.next().is_some_and(|name| vague.contains(name))
                    && !line.trim_start().starts_with("//")
                {
                    found.push(format!("{file}:{}: {}", number + 1, line.trim()));
                }
            }
        }
    }
    assert!(found.is_empty(), "qualify the type, or name the action:\n{}", found.join("\n"));
}

/// The rate at the start of version 0.1 was 25 per 1,000 words.
#[test]
fn guides_use_plain_words() {
    let counted: BTreeSet<&str> = ["what", "whoever", "nobody", "somebody", "told", "stands"].into();
    let (mut all, mut stiff) = (0, 0);
    for file in tree::files("docs/guides", "md").into_iter().chain(["README.md".to_owned()]) {
        let text = tree::text(&file);
        // Neither blocks nor spans of code.
        let prose = text.split("```").step_by(2).flat_map(|part| part.split('`').step_by(2));
        for word in prose.flat_map(words).filter(|word| !word.is_empty()) {
            all += 1;
            stiff += usize::from(counted.contains(word.as_str()));
        }
    }
    assert!(stiff * 1000 <= 6 * all, "{stiff} of {all} words in README and guides are stiff: {counted:?}");
}

/// The page and the code name the same stages in the same order.
#[test]
fn stages_in_architecture_are_those_of_handle() {
    let code = tree::text("crates/runtime/src/handle.rs");
    let answer = code.split("fn answer(").nth(1).unwrap().split("\n    }\n").next().unwrap();
    let handle = code.split("fn handle(").nth(1).unwrap();
    assert!(answer.contains("self.receive(") && answer.contains("respond::to_agent("));
    let called = handle.split("self.").skip(1).filter_map(|call| call.split('(').next());
    let stages = called.map(|path| path.rsplit('.').next().unwrap());
    let in_code: Vec<&str> = ["receive"].into_iter().chain(stages).chain(["respond"]).collect();

    let page = tree::text("ARCHITECTURE.md");
    let table = page.split("| stage |").nth(1).unwrap().split("\n\n").next().unwrap();
    let cells = table.lines().skip(2).filter_map(|row| row.trim_start_matches("| ").split(" |").next());
    let in_page: Vec<&str> = cells.map(|cell| cell.trim_matches('`')).collect();
    assert_eq!(in_page, in_code);
}
