//! The promises of the store, kept against many writers, crashes and tampering.

#[cfg(test)]
mod common;
#[cfg(test)]
mod appending;
#[cfg(test)]
mod many_writers;
#[cfg(test)]
mod crashes;
#[cfg(test)]
mod tampering;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod sessions;
