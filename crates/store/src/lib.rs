//! What lasts between two events: the audit trail, the session folder, questions to people, and what of projects
//! is trusted.
//!
//! All are plain files below one [`StateFolder`]. Every tool call of every agent comes through here, so
//! nothing is opened before it is needed, no folder is listed to append or to recall, and folders are made
//! only after an open has failed for want of one.

mod byte_lock;
mod place;
mod regular;
mod hex;
mod json;
mod injection;
pub mod audit;
pub mod sessions;
pub mod approvals;
pub mod replies;
pub mod trust;
pub mod trusted_roots;
pub mod good_files;
pub mod granted;
pub mod agents;
pub mod process;
mod traces;

pub use agents::RunningAgents;
pub use approvals::ApprovalFolder;
pub use audit::TrailFile;
pub use audit::lock::patient_lock;
pub use good_files::{GoodVersion, GoodVersions, Hold, KeptVersion, LostGuard};
pub use granted::{GrantedChange, granted_changes};
pub use hex::file_name;
pub use place::{StateFolder, open_plain, open_private, open_to_read, our_file, read_plain, why_unwritable};
pub use process::AgentProcess;
pub use regular::{open_regular, read_regular, read_regular_text};
pub use replies::ReplyFolder;
pub use sessions::{Ledger, SessionFolders};
pub use traces::{Trace, traces};
pub use trust::{TrustEntry, TrustFolder, TrustedFile};
pub use trusted_roots::TrustedRoots;
