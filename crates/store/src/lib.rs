//! State between two events: the audit trail, sessions, approval requests, and trust in projects.
//!
//! All of it is plain files below one [`StateFolder`]. Every tool call of every agent opens some of them. So no file is
//! opened before it is needed, no folder is listed to append or to recall, and a folder is created only after an open
//! has failed without it.

mod byte_lock;
mod place;
mod regular;
mod hex;
mod json;
mod clock;
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
