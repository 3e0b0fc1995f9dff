//! A program that does nothing, built as tenter is: what starting any program of this kind costs. The benchmark
//! compares with it (`docs/reference/bench.md`).

fn main() {}
