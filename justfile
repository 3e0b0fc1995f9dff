# Everything that is done here more than once. CI calls scripts/test, which runs the same commands.

# Compile and lint, without running anything.
check:
    cargo clippy --workspace --all-targets -- -D warnings

# All tests.
test *ARGS:
    cargo nextest run --workspace {{ARGS}}

fmt:
    cargo fmt

lint:
    cargo fmt --check
    cargo clippy --workspace --all-targets -- -D warnings

# Executable documentation.
scenarios:
    cargo nextest run -p tenter-cli scenarios

# Show changed snapshots one by one (cargo install cargo-insta).
snapshots:
    cargo insta review

# Rewrite the committed JSON schemas.
schemas:
    UPDATE_SCHEMAS=1 cargo test -p tenter-protocol schemas

# Rewrite the generated parts of the documents, and what comes out of the commands in them.
docs:
    UPDATE_DOCS=1 cargo test -p tenter-host
    UPDATE_DOCS=1 cargo test -p tenter-cli --bin tenter the_page_of_commands
    UPDATE_DOCS=1 cargo test -p tenter-cli --test it documents

# Every budget in one run, with both builds and the programs they are compared with.
bench *ARGS:
    scripts/dist
    cargo build --release --locked --example nothing
    cargo bench -p tenter-cli --bench table -- {{ARGS}}

# How well what was stored is found again, by words, by meaning and by both.
eval:
    scripts/evaluation/run

# The instructions of a hook call, compared with the committed figures; `--update` writes them.
instructions *ARGS:
    scripts/instructions {{ARGS}}

# A static binary in target/dist: musl where that target is installed, else the C library linked in.
dist:
    scripts/dist

# The real agents from npm, in pinned versions, against a scripted model.
prove:
    cargo build --release
    scripts/prove "${CARGO_TARGET_DIR:-target}/release/tenter"

# Every reader of foreign bytes, a minute each (needs a C++ compiler).
fuzz *ARGS:
    scripts/fuzz {{ARGS}}

# What users see first.
demo:
    cargo run --release -- demo

# Licences, bans and sources of dependencies (cargo install cargo-deny).
deny:
    cargo deny check licenses bans sources
