//! Shell command lines.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| tenter_fuzz::shell(data));
