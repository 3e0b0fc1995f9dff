//! Payloads of the plugin in OpenCode, which are those in Kilo too.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| tenter_fuzz::agent("opencode", data));
