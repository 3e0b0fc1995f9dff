//! Lines as agents type them, and what is seen in them.

use super::*;

/// Runs as `runner/kind`, with what the exit code says: `=` both ways, `0` only that it passed, `1` only that it
/// failed, `?` nothing; and `…` if the end of the output is not shown.
fn shown(line: &str, matchers: &[&str]) -> String {
    let runs = recognise(line, matchers).into_iter().map(|run| {
        let code = match (run.zero_means_passed, run.nonzero_means_failed) {
            (true, true) => '=',
            (true, false) => '0',
            (false, true) => '1',
            (false, false) => '?',
        };
        let end = if run.end_shown { "" } else { "…" };
        format!("{:?}/{:?}{code}{end}", run.runner, run.kind)
    });
    runs.collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(shown(line, &[]), *expected, "{line}");
    }
}

#[test]
fn every_runner_is_known() {
    check(&[
        ("pytest", "Pytest/Test="),
        ("pytest -q tests/test_auth.py::test_login -k 'a or b'", "Pytest/Test="),
        ("python -m pytest", "Pytest/Test="),
        ("python3.11 -X dev -m pytest -x", "Pytest/Test="),
        (".venv/bin/pytest", "Pytest/Test="),
        (".venv/bin/python -m pytest", "Pytest/Test="),
        ("coverage run -m pytest", "Pytest/Test="),
        ("python -m coverage run --source a -m unittest", "Unittest/Test="),
        ("python -m unittest", "Unittest/Test="),
        ("python3 -m unittest discover -v -s tests", "Unittest/Test="),
        ("python manage.py test app", "Unittest/Test="),
        ("cargo test", "Cargo/Test="),
        ("cargo +nightly --locked t -p x -- --nocapture", "Cargo/Test="),
        ("cargo test --no-run", "Cargo/Build="),
        ("cargo nextest run -p x", "Nextest/Test="),
        ("cargo build --release", "Cargo/Build="),
        ("cargo b", "Cargo/Build="),
        ("cargo check --all-targets", "Cargo/Build="),
        ("jest", "Jest/Test="),
        ("npx jest src/a.test.js", "Jest/Test="),
        ("npx jest --watch=false", "Jest/Test="),
        ("node_modules/.bin/jest --ci", "Jest/Test="),
        ("npx vitest run", "Vitest/Test="),
        ("pnpm vitest", "Vitest/Test="),
        ("yarn jest -t x", "Jest/Test="),
        ("pnpm exec mocha", "Mocha/Test="),
        ("npx --yes mocha test/", "Mocha/Test="),
        ("node --test", "NodeTest/Test="),
        ("node --import tsx --test test/*.ts", "NodeTest/Test="),
        ("go test ./...", "Go/Test="),
        ("go test -run TestX -v ./pkg", "Go/Test="),
        ("go build ./...", "Go/Build="),
        ("go test -c", "Go/Build="),
        ("npm test", "Script/Test="),
        ("npm t", "Script/Test="),
        ("npm test -- --watch=false", "Script/Test="),
        ("npm --prefix web run test:unit", "Script/Test="),
        ("npm run -s build", "Script/Build="),
        ("npm build", "Script/Build="),
        ("pnpm test", "Script/Test="),
        ("pnpm -r --filter web run build", "Script/Build="),
        ("yarn", ""),
        ("yarn test", "Script/Test="),
        ("yarn run build", "Script/Build="),
        ("yarn workspace web test", "Script/Test="),
        ("bun run test", "Script/Test="),
        ("make test", "Make/Test="),
        ("make -C sub -j4 check V=1", "Make/Test="),
        ("make build", "Make/Build="),
        ("make build test", "Make/Test="),
        ("make all", "Make/Build="),
        ("make", "Make/Build="),
        ("make -j 4 V=1", "Make/Build="),
        ("make -C sub -f x.mk", "Make/Build="),
        ("tsc", "Tsc/Build="),
        ("npx tsc --noEmit -p .", "Tsc/Build="),
        ("./gradlew test --tests Foo", "Gradle/Test="),
        ("gradle :app:assembleDebug", "Gradle/Build="),
        ("gradle build -x test", "Gradle/Build="),
        ("mvn -q test", "Maven/Test="),
        ("./mvnw -B verify -Dit=x", "Maven/Test="),
        ("mvn package -DskipTests", "Maven/Build="),
        ("mvn verify -DskipTests", "Maven/Build="),
        ("dotnet test --no-build", "Dotnet/Test="),
        ("dotnet build", "Dotnet/Build="),
        ("rspec spec/a_spec.rb:3", "Rspec/Test="),
        ("bundle exec rspec", "Rspec/Test="),
        ("vendor/bin/phpunit --filter x", "Phpunit/Test="),
        ("php -d memory_limit=1G vendor/bin/phpunit", "Phpunit/Test="),
        ("ctest --test-dir build --output-on-failure", "Ctest/Test="),
        ("cmake --build build -j", "Cmake/Build="),
        ("cmake --build build --target test", "Cmake/Test="),
        ("bats test/", "Bats/Test="),
    ]);
}

#[test]
fn a_command_that_only_mentions_a_runner_is_left_alone() {
    check(&[
        ("echo pytest", ""),
        ("grep \"cargo test\" README.md", ""),
        ("pip install pytest", ""),
        ("cat pytest.ini", ""),
        ("git commit -m \"fix npm test\"", ""),
        ("git commit -m 'x && pytest'", ""),
        ("which jest", ""),
        ("command -v pytest", ""),
        ("type pytest", ""),
        ("pytest --version", ""),
        ("pytest --collect-only -q", ""),
        ("pytest --help | head", ""),
        ("cargo test -- --list", ""),
        ("cargo test --help", ""),
        ("cargo nextest list", ""),
        ("cargo install cargo-nextest", ""),
        ("cargo add pytest", ""),
        ("cargo clippy", ""),
        ("npm install --save-dev jest", ""),
        ("npm ls vitest", ""),
        ("npm run", ""),
        ("npm run lint", ""),
        ("npm run test:watch", ""),
        ("npm run build-docs", ""),
        ("yarn docs:build", ""),
        ("pnpm build-storybook", ""),
        ("make build-image", ""),
        ("npx jest --listTests", ""),
        ("npx vitest list", ""),
        ("node test.js", ""),
        ("node -e 'console.log(\"node --test\")'", ""),
        ("go version", ""),
        ("go test -list .", ""),
        ("make -n test", ""),
        ("make clean", ""),
        ("make help", ""),
        ("gradle tasks", ""),
        ("mvn --version", ""),
        ("dotnet test --list-tests", ""),
        ("ctest -N", ""),
        ("cmake -S . -B build", ""),
        ("ls tests # pytest", ""),
        ("cat > run.sh <<'EOF'\npytest\nEOF", ""),
        ("python -c 'import pytest'", ""),
        ("python test_auth.py", ""),
        ("vim pytest.py", ""),
        ("ps aux | grep pytest", ""),
        ("pkill pytest", ""),
        ("find . -name '*test*' | xargs grep pytest", ""),
        ("alias t='cargo test'", ""),
        ("watch cargo test", ""),
        ("tsc --init", ""),
        ("tsc --watch", ""),
        ("npx jest --watch", ""),
        ("make lint-check", ""),
        ("npm run check", ""),
        ("test -f Makefile", ""),
        ("", ""),
    ]);
}

#[test]
fn what_a_run_is_wrapped_in_is_seen_through() {
    check(&[
        ("cd x && pytest", "Pytest/Test="),
        ("cd x; pytest", "Pytest/Test="),
        ("A=1 B='2 3' pytest", "Pytest/Test="),
        ("env -u X A=1 pytest", "Pytest/Test="),
        ("timeout 60 pytest", "Pytest/Test="),
        ("timeout -k 5 --signal=TERM 2m cargo test", "Cargo/Test="),
        ("time pytest", "Pytest/Test="),
        ("time -p make test", "Make/Test="),
        ("nice -n 10 cargo test", "Cargo/Test="),
        ("sudo -u me pytest", "Pytest/Test="),
        ("poetry run pytest", "Pytest/Test="),
        ("uv run --with x pytest -q", "Pytest/Test="),
        ("uv run python -m pytest", "Pytest/Test="),
        ("uv run -- pytest", "Pytest/Test="),
        ("pipenv run python -m unittest", "Unittest/Test="),
        ("conda run -n env pytest", "Pytest/Test="),
        ("CI=1 timeout 60 npx --yes jest", "Jest/Test="),
        ("bash -c 'cd x && pytest'", "Pytest/Test="),
        ("bash -lc \"cargo test --workspace\"", "Cargo/Test="),
        ("env A=1 bash -c 'pytest'", "Pytest/Test="),
        ("sh -c 'bash -c \"pytest\"'", "Pytest/Test="),
        ("eval 'pytest -q'", "Pytest/Test="),
        ("bash <<'EOF'\ncd x\npytest\nEOF", "Pytest/Test="),
        ("(cd x && cargo test)", "Cargo/Test="),
        ("{ cargo test; }", "Cargo/Test="),
        ("cargo test 2>&1", "Cargo/Test="),
        ("cd x &&\n  pytest \\\n  -q", "Pytest/Test="),
        ("git diff --name-only | xargs pytest", "Pytest/Test="),
    ]);
}

#[test]
fn an_exit_code_counts_only_for_the_run_whose_it_is() {
    check(&[
        ("pytest | tail -5", "Pytest/Test?"),
        ("pytest 2>&1 | tee log | tail -5", "Pytest/Test?"),
        ("pytest | head -20", "Pytest/Test?…"),
        ("pytest | grep FAILED", "Pytest/Test?…"),
        ("set -o pipefail; pytest | tail -5", "Pytest/Test="),
        ("set -euo pipefail\npytest | tee log\necho done", "Pytest/Test="),
        ("set -o pipefail; pytest | grep x", "Pytest/Test0…"),
        ("bash -o pipefail -c 'pytest | tail'", "Pytest/Test="),
        // A failure of the whole line cannot be, so it says nothing.
        ("pytest || true", "Pytest/Test1"),
        ("pytest || echo failed", "Pytest/Test1"),
        ("pytest || exit 1", "Pytest/Test="),
        ("pytest || { echo no; exit 2; }", "Pytest/Test="),
        ("pytest; echo $?", "Pytest/Test?"),
        ("pytest && echo ok", "Pytest/Test="),
        ("pytest && git push", "Pytest/Test0"),
        ("! pytest", "Pytest/Test?"),
        ("pytest &", ""),
        ("npm start & pytest", "Pytest/Test="),
        ("pytest > log 2>&1", "Pytest/Test=…"),
        ("pytest > log 2>&1; tail -5 log", "Pytest/Test?…"),
        ("make build 2>/dev/null", "Make/Build=…"),
        ("if pytest; then echo ok; fi", "Pytest/Test?…"),
        ("for i in 1 2 3; do pytest; done", "Pytest/Test?…"),
        ("npm ci && npm test", "Script/Test0…"),
        ("cargo build && cargo test", "Cargo/Build0 Cargo/Test0…"),
        ("cargo build; cargo test", "Cargo/Build? Cargo/Test="),
        ("set -e; cargo build; cargo test", "Cargo/Build0 Cargo/Test0…"),
        ("(pytest | tail) && echo ok", "Pytest/Test?"),
        ("pytest a && pytest b | tail", "Pytest/Test0 Pytest/Test?…"),
        ("git stash; pytest; git stash pop", "Pytest/Test?"),
    ]);
}

#[test]
fn matchers_say_what_counts() {
    let own = ["pytest", "npm test", "./run-tests.sh", "make test"];
    for (line, expected) in [
        ("pytest -q", "Pytest/Test="),
        ("poetry run pytest", "Pytest/Test="),
        ("/x/bin/pytest", "Pytest/Test="),
        ("npm test", "Script/Test="),
        ("npm run test", ""),
        ("cargo test", ""),
        ("./run-tests.sh fast", "Other/Test="),
        ("cat ./run-tests.sh", ""),
        ("./run-tests.sh --help", ""),
        ("make test", "Make/Test="),
        ("pytest --version", ""),
    ] {
        assert_eq!(shown(line, &own), expected, "{line}");
    }
    assert_eq!(shown("just build-all", &["just build-all"]), "Other/Build=");
}
