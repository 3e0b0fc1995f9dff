//! Hook files in TOML.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tenter_config::Format;

fuzz_target!(|data: &[u8]| tenter_fuzz::hook_file(Format::Toml, data));
