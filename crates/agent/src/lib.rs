//! An agent of our own: the host in which every event happens and every effect is carried.
//!
//! [`tools`] are what its model may call.

pub mod tools;
