//! The memory's server: lines of MCP.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| tenter_fuzz::mcp(data));
