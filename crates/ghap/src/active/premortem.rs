//! Claims the warning about earlier failures, which an agent gets once until it resolves an entry.

use std::io;

use super::folder::{ActiveFolder, unusable};
use crate::error::GhapError;
use crate::who::Who;

impl ActiveFolder {
    /// Whether the warning was claimed.
    pub fn is_premortem_claimed(&self, who: &Who) -> bool {
        self.file(&Self::name(who), "premortem").exists()
    }

    /// Claims the warning; true for the first caller.
    pub fn claim_premortem(&self, who: &Who) -> Result<bool, GhapError> {
        let path = self.file(&Self::name(who), "premortem");
        let mut options = tenter_store::our_file();
        options.write(true).create_new(true);
        let made = match options.open(&path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                self.state.make_folder(&self.path).and_then(|()| options.open(&path))
            }
            made => made,
        };
        match made {
            Ok(_) => Ok(true),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(cause) => Err(unusable(&path)(cause)),
        }
    }
}
