//! Tests of the kernel from outside: one binary, one kit.

mod kit;
mod fold;
mod emit;
