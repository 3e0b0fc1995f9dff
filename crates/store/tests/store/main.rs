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
mod keys;
#[cfg(test)]
mod witnesses;
#[cfg(test)]
mod special_files;
#[cfg(test)]
mod power_cuts;
#[cfg(test)]
mod rotation;
#[cfg(test)]
mod spills;
#[cfg(test)]
mod steps;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod anchors;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod following;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod deliveries;
#[cfg(test)]
mod ledgers;
#[cfg(test)]
mod traces;
