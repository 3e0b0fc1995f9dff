//! Under which names a project is known. A clone keeps its mark when its origin changes or its folder is moved, so the
//! names it has had are rows of that mark, and what is stored under any of them is found.

use rusqlite::{Connection, params};

use super::Store;
use super::refusal::refusal;
use crate::error::MemoryError;
use crate::project::{Place, Project};
use crate::questions::Scope;

/// Whose rows count, with all the names under which they may be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Everybody's.
    All,
    /// Those of a project under any of these names, and those of none.
    Of(Vec<String>),
}

impl Whose {
    /// Whether something that is stored under this name counts.
    pub(crate) fn takes(&self, project: Option<&str>) -> bool {
        match (self, project) {
            (Self::All, _) | (_, None) => true,
            (Self::Of(names), Some(project)) => names.iter().any(|name| name == project),
        }
    }
}

impl Store {
    /// Whose rows these are.
    pub(crate) fn whose(&self, scope: &Scope) -> Whose {
        match scope {
            Scope::Everywhere => Whose::All,
            Scope::Project(project) => Whose::Of(self.names(project)),
        }
    }

    /// The names of a project, the present one first. Where they cannot be read that one is all.
    pub(crate) fn names(&self, project: &Project) -> Vec<String> {
        let mut names = vec![project.as_str().to_owned()];
        if let Ok(others) = other_names(&self.connection, project) {
            names.extend(others.into_iter().filter(|name| name != project.as_str()));
        }
        names
    }

    /// Notes that a clone has this name now. Nearly always that is known, and nothing is written.
    pub(crate) fn note(&mut self, project: &Project) -> Result<(), MemoryError> {
        let Some(place) = project.place() else { return Ok(()) };
        let row = params![place.mark, project.as_str()];
        let refused = refusal(&self.path);
        let known = self
            .connection
            .prepare_cached("SELECT 1 FROM identities WHERE mark = ? AND name = ?")
            .and_then(|mut statement| statement.exists(row))
            .map_err(&refused)?;
        if known {
            return Ok(());
        }
        self.change(|transaction, _| {
            transaction
                .execute("INSERT OR IGNORE INTO identities VALUES (?, ?)", row)
                .map(|_| ())
                .map_err(&refused)
        })
    }
}

/// The names this clone has had; the folders that had the present name, because a folder is nobody else's; and its own
/// folder, unless another clone lay there.
fn other_names(connection: &Connection, project: &Project) -> rusqlite::Result<Vec<String>> {
    let place = project.place();
    let (mark, root) = place.map_or(("", ""), |Place { root, mark }| (mark.as_str(), root.as_str()));
    let of_folder = Place::mark_of_folder(root);
    connection
        .prepare_cached(
            "SELECT name FROM identities WHERE mark = ?1 \
             UNION SELECT b.name FROM identities a JOIN identities b USING (mark) \
             WHERE a.name = ?2 AND b.name LIKE '/%' \
             UNION SELECT ?3 WHERE ?3 <> '' AND NOT EXISTS \
             (SELECT 1 FROM identities WHERE name = ?3 AND mark NOT IN (?1, ?4))",
        )?
        .query_map(params![mark, project.as_str(), root, of_folder], |row| row.get(0))?
        .collect()
}
