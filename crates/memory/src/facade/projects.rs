//! Projects under every name they were known by.

use std::sync::atomic::Ordering;

use tenter_ghap::ErrorKind;

use super::Memory;
use crate::error::MemoryError;
use crate::project::Project;
use crate::store::Store;
use crate::types::{Counts, KnownProject};

impl Memory {
    /// Notes the present name of a project, if that can be done.
    pub fn note_project(&self, project: &Project) {
        let _ = self.with_store_as_it_is(|store| store.note(project));
    }

    /// The name under which what is learned in a project is stored. Where the store cannot be asked, it is the one that
    /// the project claims: nothing can be read then.
    pub fn name_of(&self, project: &Project) -> String {
        let claimed = || project.as_str().to_owned();
        if project.place().is_none() || self.unusable.load(Ordering::Relaxed) {
            return claimed();
        }
        self.with_store_as_it_is(|store| Ok(store.name_of(project))).unwrap_or_else(|_| claimed())
    }

    /// The name that a clone claims and does not share, because no person has linked it yet.
    pub fn apart(&self, project: &Project) -> Option<String> {
        self.with_store_as_it_is(|store| Ok(store.apart(project))).ok().flatten()
    }

    /// Lets a clone share what is known under the name of its origin. The caller has a person's yes.
    pub fn link(&self, project: &Project) -> Result<(), MemoryError> {
        self.with_store(|store| store.link(project))
    }

    /// Every project that something is known of, most of it first.
    pub fn projects(&self) -> Result<Vec<KnownProject>, MemoryError> {
        self.with_store(|store| store.known_projects())
    }

    /// The names under which what is known of this project is stored, the present one first.
    pub fn names_of(&self, project: &Project) -> Vec<String> {
        self.names(Some(project)).into_iter().flatten().collect()
    }

    /// Puts everything that is known under these names under that of another project. An entry that is being worked on
    /// stays with its session.
    pub fn move_project(&self, from: &[String], to: &str) -> Result<Counts, MemoryError> {
        if from.iter().any(|name| name == to) {
            return Err(
                MemoryError::validation("it is there already").with_hint("name two different projects")
            );
        }
        if to.trim().is_empty() {
            return Err(MemoryError::validation("the project has no name").with_hint("`here` is this one"));
        }
        let moved = self.with_store(|store| store.move_project(from, to))?;
        if moved == Counts::default() {
            return Err(MemoryError::not_found(format!(
                "nothing is known of a project `{}`",
                from.join("` or `")
            ))
            .with_hint("`tenter memory projects` lists those there are"));
        }
        Ok(moved)
    }

    /// The names of a project, the present one first; of none that is none. A store that could not be opened just now
    /// is not waited for again.
    pub(super) fn names(&self, project: Option<&Project>) -> Vec<Option<String>> {
        let Some(project) = project else { return vec![None] };
        let present = || vec![Some(project.as_str().to_owned())];
        if self.unusable.load(Ordering::Relaxed) {
            return present();
        }
        let names = self.with_store_as_it_is(|store| Ok(store.names(project)));
        names.map_or_else(|_| present(), |names| names.into_iter().map(Some).collect())
    }

    pub(super) fn names_in(store: &Store, project: Option<&Project>) -> Vec<Option<String>> {
        match project {
            Some(project) => store.names(project).into_iter().map(Some).collect(),
            None => vec![None],
        }
    }

    /// Does something under the first name under which it is found.
    pub(super) fn under_any_name<T>(
        &self,
        project: Option<&Project>,
        attempt: impl Fn(Option<&str>) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        let mut refused = None;
        for name in self.names(project) {
            match attempt(name.as_deref()) {
                Err(error) if error.kind == ErrorKind::NotFound => refused = refused.or(Some(error)),
                done => return done,
            }
        }
        // There is always the present name.
        Err(refused.unwrap_or_else(|| MemoryError::not_found("no project was named")))
    }
}
