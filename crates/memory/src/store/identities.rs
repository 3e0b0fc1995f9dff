//! The names of a project. A clone keeps its mark when its origin changes or its folder is moved, so rows under any earlier
//! name of the mark are found.
//!
//! The origin in a clone is only a claim. The first clone with an unused origin gets its name; every other clone has its own
//! name until the user links it.

use rusqlite::{Connection, params};

use super::Store;
use crate::error::MemoryError;
use crate::project::{Place, Project};
use crate::types::{Scope, is_pending};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    All,
    Of(Vec<String>),
}

impl Whose {
    pub(crate) fn takes(&self, project: Option<&str>) -> bool {
        match (self, project) {
            (Self::All, Some(project)) => !is_pending(project),
            (_, None) => true,
            (Self::Of(names), Some(project)) => names.iter().any(|name| name == project),
        }
    }
}

impl Store {
    pub(crate) fn whose(&self, scope: &Scope) -> Whose {
        match scope {
            Scope::Everywhere => Whose::All,
            Scope::Project(project) => Whose::Of(self.names(project)),
        }
    }

    /// The names of a project, the current one first.
    pub(crate) fn names(&self, project: &Project) -> Vec<String> {
        let present = self.name_of(project);
        let others = other_names(&self.connection, project, &present).unwrap_or_default();
        let others = others.into_iter().filter(|name| *name != present);
        std::iter::once(present.clone()).chain(others).collect()
    }

    /// The name for new rows: the origin if the clone may use it, otherwise its own name.
    pub(crate) fn name_of(&self, project: &Project) -> String {
        let Some(place) = project.place() else { return project.as_str().to_owned() };
        let connection = &self.connection;
        // If the database cannot be read, nothing is shared.
        let apart =
            place.root != project.as_str() && !may_have(connection, place, project.as_str()).unwrap_or(false);
        if !apart {
            return project.as_str().to_owned();
        }
        if own_folder_is_free(connection, place).unwrap_or(false) {
            place.root.clone()
        } else {
            format!("{} ({})", place.root, place.mark)
        }
    }

    /// The origin that the clone claims but may not use until the user links it.
    pub(crate) fn apart(&self, project: &Project) -> Option<String> {
        (self.name_of(project) != project.as_str()).then(|| project.as_str().to_owned())
    }

    pub(crate) fn link(&mut self, project: &Project) -> Result<(), MemoryError> {
        let Some(place) = project.place() else { return Ok(()) };
        let own = self.name_of(project);
        self.change(|transaction, _| {
            let mut insert = transaction.prepare("INSERT OR IGNORE INTO identities VALUES (?, ?)")?;
            for name in [own.as_str(), project.as_str()] {
                insert.execute(params![place.mark, name])?;
            }
            Ok(())
        })
    }

    /// Notes the current name of a clone. Usually it is known, and nothing is written.
    pub(crate) fn note(&mut self, project: &Project) -> Result<(), MemoryError> {
        let Some(place) = project.place() else { return Ok(()) };
        let name = self.name_of(project);
        let row = params![place.mark, name];
        let known = "SELECT EXISTS (SELECT 1 FROM identities WHERE mark = ? AND name = ?)";
        if self.query_one(known, row, |row| row.get(0))? {
            return Ok(());
        }
        self.change(|transaction, _| {
            transaction.execute("INSERT OR IGNORE INTO identities VALUES (?, ?)", row)?;
            Ok(())
        })
    }
}

/// Whether a clone has this name or is the first to claim it.
fn may_have(connection: &Connection, place: &Place, name: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM identities WHERE mark = ?1 AND name = ?2) \
             OR NOT (EXISTS (SELECT 1 FROM identities WHERE name = ?2) \
             OR EXISTS (SELECT 1 FROM experiences WHERE project = ?2) \
             OR EXISTS (SELECT 1 FROM memories WHERE project = ?2) \
             OR EXISTS (SELECT 1 FROM journal WHERE project = ?2))",
        )?
        .query_row(params![place.mark, name], |row| row.get(0))
}

fn own_folder_is_free(connection: &Connection, place: &Place) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT NOT EXISTS (SELECT 1 FROM identities WHERE name = ?1 AND mark NOT IN (?2, ?3))",
        )?
        .query_row(params![place.root, place.mark, Place::mark_of_folder(&place.root)], |row| row.get(0))
}

/// Earlier names of this clone, folders that had the current name, and its own folder unless another clone had it.
fn other_names(connection: &Connection, project: &Project, present: &str) -> rusqlite::Result<Vec<String>> {
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
        .query_map(params![mark, present, root, of_folder], |row| row.get(0))?
        .collect()
}
