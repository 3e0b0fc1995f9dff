//! Payloads of an agent that is known from documents; `TENTER_FUZZ_AGENT` says which.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| tenter_fuzz::documented(data));
