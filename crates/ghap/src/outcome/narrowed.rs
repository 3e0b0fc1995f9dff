//! Detects commands that run only some of the tests. Such a run says nothing about all tests.

use tenter_shell::{contains_word, program_name};

use super::run::{Kind, Run, Runner};

/// Options that select tests in most runners.
const CHOOSING: &str = "\
    -k -m --lf --last-failed --sw --stepwise --deselect --ignore --ignore-glob -t --testNamePattern \
    --testPathPattern --testPathPatterns -g --grep --fgrep -o --onlyChanged --onlyFailures --only- \
    failures --next-failure --changed --shard --findRelatedTests --related --filter --group --exclude- \
    group --testsuite --example --tag --test-name-pattern --test-only --test-shard --selectProjects \
    --project --tests -pl --projects -rf --exclude-task --rerun-failed --workspace --partition -Dtest -Dit.test";

/// Options that select tests in one runner.
const fn own(runner: Runner) -> &'static str {
    match runner {
        Runner::Cargo | Runner::Nextest => {
            "--lib --bin --bins --doc --test --example --examples --bench --benches -p --package --exclude -E \
             --filter-expr --skip --ignored"
        }
        Runner::Go => "-run -short -skip",
        Runner::Ctest => "-R -E -L -LE -I",
        Runner::Gradle => "-x",
        Runner::Rspec => "-e",
        Runner::Mocha | Runner::Bats => "-f",
        Runner::Script => "-w -F",
        _ => "",
    }
}

/// Options whose value selects no tests.
const VALUED: &str = "\
    -n -c -p -j --jobs --tb --maxfail --color --config --config-file --rootdir --cov --cov-report \
    --junitxml --manifest-path --features -F --target --target-dir --profile --message-format -Z -C \
    --cwd --prefix --dir --reporter --require -r --test-threads -timeout -count --test-dir --verbosity";

pub(super) fn is_narrowed(run: &Run) -> bool {
    if run.kind == Kind::Build {
        return false;
    }
    if run.fed {
        return true;
    }
    let chooses = |word: &String| {
        let name = word.split('=').next().unwrap_or(word);
        // For cargo, `--workspace` means all tests.
        let cargo = matches!(run.runner, Runner::Cargo | Runner::Nextest);
        contains_word(CHOOSING, name) && !(cargo && contains_word("--workspace --tests --profile", name))
            || contains_word(own(run.runner), name)
    };
    let words = run.words.get(1..).unwrap_or_default();
    if words.iter().any(chooses) {
        return true;
    }
    let mut operands = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if contains_word(VALUED, word) && !word.contains('=') {
            words.next();
        } else if !word.starts_with('-') {
            operands.push(word.as_str());
        }
    }
    names_a_part(run.runner, &operands)
}

/// Whether a run stops at the first failure, so that other failures are unknown.
pub(super) fn stops_early(run: &Run) -> bool {
    let has = |options: &str| {
        run.words.iter().any(|word| contains_word(options, word.split('=').next().unwrap_or(word)))
    };
    // `-qx`
    let letters = |word: &String| {
        word.strip_prefix('-').is_some_and(|letters| {
            letters.contains('x') && letters.bytes().all(|letter| b"xqvsl".contains(&letter))
        })
    };
    match run.runner {
        Runner::Pytest => has("--exitfirst --maxfail") || run.words.iter().any(letters),
        Runner::Unittest => has("-f --failfast"),
        // cargo does not start the next test program.
        Runner::Cargo => !has("--no-fail-fast"),
        Runner::Go => has("-failfast --failfast"),
        Runner::Rspec => has("--fail-fast"),
        Runner::Ctest => has("--stop-on-failure"),
        Runner::Phpunit => run.words.iter().any(|word| word.starts_with("--stop-on-")),
        Runner::Jest | Runner::Vitest | Runner::Mocha | Runner::Script => has("--bail -b -x"),
        _ => false,
    }
}

fn names_a_part(runner: Runner, operands: &[&str]) -> bool {
    let is_whole = |word: &str| {
        let last = program_name(word.trim_end_matches('/'));
        last.is_empty()
            || contains_word(". tests test spec t __tests__ all", last)
            || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let other_than = |own: &str| operands.iter().any(|word| !contains_word(own, word));
    let rest = |own: &str| operands.iter().any(|word| !contains_word(own, word) && !is_whole(word));
    match runner {
        // Without a pattern go tests one package.
        Runner::Go => !operands.iter().any(|word| word.ends_with("...") || *word == "all"),
        Runner::Cargo | Runner::Nextest => {
            operands.iter().any(|word| !word.starts_with('+') && !contains_word("test t nextest run r", word))
        }
        Runner::Script => rest("run run-script") || operands.iter().filter(|word| is_whole(word)).count() > 1,
        Runner::Make | Runner::Cmake => other_than("test tests check all build"),
        Runner::Gradle => other_than("test check build clean"),
        Runner::Maven => rest("clean verify package install integration-test"),
        Runner::Dotnet => {
            operands.iter().any(|word| !contains_word("test vstest", word) && !is_solution(word))
        }
        Runner::Unittest => rest("discover test"),
        Runner::Vitest => rest("run"),
        _ => rest(""),
    }
}

fn is_solution(word: &str) -> bool {
    std::path::Path::new(word).extension().is_some_and(|end| end == "sln" || end == "slnx")
}

#[cfg(test)]
mod tests {
    use super::super::recognise;
    use super::*;

    #[test]
    fn narrowed_runs_are_detected() {
        for (line, expected) in [
            ("pytest", false),
            ("pytest -q tests/", false),
            ("pytest -n 4 --tb short", false),
            ("python -m pytest", false),
            ("pytest tests/test_auth.py", true),
            ("pytest tests/unit", true),
            ("pytest -k login", true),
            ("pytest --lf", true),
            ("cargo test", false),
            ("cargo test --workspace", false),
            ("cargo test --all-features -- --nocapture", false),
            ("cargo test a", true),
            ("cargo test -- a", true),
            ("cargo test --lib", true),
            ("cargo test -p store", true),
            ("cargo nextest run", false),
            ("cargo nextest run -E 'test(a)'", true),
            ("go test ./...", false),
            ("go test", true),
            ("go test -run TestA ./...", true),
            ("npm test", false),
            ("npm run test", false),
            ("npm test -- cart", true),
            ("npm run test:unit", true),
            ("npx jest", false),
            ("npx jest -t cart", true),
            ("npx vitest run", false),
            ("npx vitest run src/cart", true),
            ("make test", false),
            ("make check", false),
            ("make test-unit", true),
            ("mvn test", false),
            ("mvn -Dtest=Cart test", true),
            ("./gradlew test", false),
            ("./gradlew test --tests Cart", true),
            ("./gradlew :app:test", true),
            ("dotnet test", false),
            ("dotnet test App.sln", false),
            ("dotnet test --filter Cart", true),
            ("bundle exec rspec", false),
            ("bundle exec rspec spec/cart_spec.rb", true),
            ("ctest", false),
            ("ctest -R cart", true),
            ("python -m unittest", false),
            ("python -m unittest discover", false),
            ("python -m unittest tests.test_cart", true),
        ] {
            let runs = recognise(line, &[]);
            assert_eq!(is_narrowed(&runs[0]), expected, "{line}");
        }
    }
}
