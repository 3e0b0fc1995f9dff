//! `make`, and `cmake --build`: `make: *** [Makefile:2: test] Error 1`, and nothing of its own if all is well.

use super::Reading;

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    for line in text.lines() {
        let Some((program, error)) = line.split_once(": *** ") else {
            if line.starts_with("ninja: build stopped") {
                reading.failed = true;
                line.trim().clone_into(&mut reading.closing);
            } else if line.starts_with("Error: ") && line.ends_with(" is not a directory")
                || line.starts_with("Error: could not load cache")
            {
                reading.never_began(line);
            }
            continue;
        };
        let name = program.split('[').next().unwrap_or(program);
        if !matches!(name, "make" | "gmake") {
            continue;
        }
        // A target that is not there was not run, unless another one needs it; nor is a program that is not there.
        let missing = error.starts_with("No rule to make target") && !error.contains("needed by")
            || error.starts_with("No targets specified")
            || error.ends_with("] Error 127")
            || error.ends_with("] Error 126");
        if missing && !reading.failed {
            reading.absent = true;
        } else if !missing {
            reading.failed = true;
        }
        line.trim().clone_into(&mut reading.closing);
    }
    reading
}
