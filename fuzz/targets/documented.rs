//! Payloads of the agents that are known from documents; the first byte says whose.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| tenter_fuzz::documented(data));
