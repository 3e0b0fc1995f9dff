//! Command lines and their trees. The lines are those of the three readers that this crate replaced, and more.

use std::fmt::Write;
use std::time::Instant;

use proptest::prelude::*;

use super::*;

/// A tree on one line: `·` between words, `⟨…⟩` around expansions, `(…)` around groups, `[…]` around compound
/// commands, `;`, `&&`, `||` and `&` behind pipelines.
fn show(list: &List) -> String {
    let mut text = String::new();
    for pipeline in &list.pipelines {
        let commands: Vec<String> = pipeline.commands.iter().map(show_command).collect();
        let negated = if pipeline.negated { "!" } else { "" };
        let joint = match pipeline.joint {
            Joint::And => " && ",
            Joint::Or => " || ",
            Joint::Then => "; ",
            Joint::Background => " & ",
        };
        let _ = write!(text, "{negated}{}{joint}", commands.join(" | "));
    }
    text.trim_end().trim_end_matches(';').to_owned()
}

fn show_command(command: &Command) -> String {
    let mut parts = Vec::new();
    if !command.words.is_empty() {
        parts.push(command.words.iter().map(show_word).collect::<Vec<_>>().join("·"));
    }
    match &command.body {
        Body::None => {}
        Body::Group(list) => parts.push(format!("({})", show(list))),
        Body::Compound(lists) => {
            parts.push(format!("[{}]", lists.iter().map(show).collect::<Vec<_>>().join("/")));
        }
    }
    for redirect in &command.redirects {
        let number = redirect.descriptor.map(|number| number.to_string()).unwrap_or_default();
        let body = redirect.body.as_ref().map(|body| format!("{:?}", show_word(body))).unwrap_or_default();
        parts.push(format!("{number}{:?}:{}{body}", redirect.operator, show_word(&redirect.target)));
    }
    parts.join(" ")
}

fn show_word(word: &Word) -> String {
    word.replace_expansions(|text, expansion, raw| {
        if expansion.lists.is_empty() {
            let _ = write!(text, "⟨{raw}⟩");
        } else {
            let lists: Vec<String> = expansion.lists.iter().map(show).collect();
            let _ = write!(text, "⟨{:?} {}⟩", expansion.kind, lists.join("/"));
        }
    })
}

#[test]
fn lines_become_trees() {
    for (line, expected) in LINES {
        let script = parse(line);
        assert_eq!(show(&script.list), *expected, "{line}");
        assert_eq!(script.flaw, None, "{line}");
    }
}

const LINES: &[(&str, &str)] = &[
    ("", ""),
    ("a 'b c' \"d $x\" e\\ f", "a·b c·d ⟨$x⟩·e f"),
    ("a && b || c; d & e", "a && b || c; d & e"),
    ("a 2>&1 | tail -3", "a 2Duplicate:1 | tail·-3"),
    ("a |& tee x", "a 2Duplicate:1 | tee·x"),
    ("a &>x; b 2>/dev/null; c 1>>/dev/null", "a WriteBoth:x; b 2Write:/dev/null; c 1Append:/dev/null"),
    ("a >&2 2>>x >&f <&3", "a Duplicate:2 2Append:x WriteBoth:f Duplicate:3"),
    ("a 2>>b >|c &>d <e <>f", "a 2Append:b Write:c WriteBoth:d Read:e ReadWrite:f"),
    ("a>b", "a Write:b"),
    ("echo 2 > x", "echo·2 Write:x"),
    ("! a", "!a"),
    ("( cd x && a ) | b", "(cd·x && a) | b"),
    ("a || { b; exit 1; }", "a || (b; exit·1)"),
    ("(a) > x", "(a) Write:x"),
    ("a # b > c\nc \\\n  d", "a; c·d"),
    ("a#b", "a#b"),
    ("a |\n b &&\n c", "a | b && c"),
    ("cat > x <<'EOF'\npytest\nEOF\nb", "cat Write:x HereDocument:EOF\"pytest\\n\"; b"),
    ("cat > a <<'EOF' | b\nx > y\nEOF\nc", "cat Write:a HereDocument:EOF\"x > y\\n\" | b; c"),
    ("a <<< 'b' <<-E\n\tx\n\tE\n", "a HereString:b HereDocument:E\"\\tx\\n\""),
    ("a <<A <<B; c\n1\nA\n2\nB\nd", "a HereDocument:A\"1\\n\" HereDocument:B\"2\\n\"; c; d"),
    ("cat <<E\nx $(rm y)\nE", "cat HereDocument:E\"x ⟨Command rm·y⟩\\n\""),
    ("cat <<E \"\nrm x\n\"; rm y\nE\n", "cat·\nrm x\n HereDocument:E\"rm x\\n\\\"; rm y\\n\"; rm·y"),
    ("if a; then b; elif c; then d; else e; fi | f", "[a/b/c/d/e] | f"),
    ("while a; do b; done < x; until c; do d; done", "[a/b] Read:x; [c/d]"),
    ("for x in 1 2; do a; done", "for·x·in·1·2 [a]"),
    ("for x; do a; done; for x do b; done; for x\ndo c\ndone", "for·x [a]; for·x [b]; for·x [c]"),
    ("for ((i=0; i<3; i++)); do a; done", "for·((i=0; i<3; i++)) [a]"),
    ("case $x in a|b) c;; (d) e ;& *) f; esac; g", "case·⟨$x⟩·a·b·d·⟨*⟩ [c/e/f]; g"),
    ("f() { sh \"$1\"; }; f x", "function·f [(sh·⟨$1⟩)]; f·x"),
    ("function f { a; }; g () (b)", "function·f [(a)]; function·g [(b)]"),
    ("x=$(a | b 'c') y", "x=⟨Command a | b·c⟩·y"),
    ("echo \"a && b\"", "echo·a && b"),
    ("echo \"$(b > c)\" `d`", "echo·⟨Command b Write:c⟩·⟨Command d⟩"),
    ("a <(b) >(c)", "a·⟨Process b⟩·⟨Process c⟩"),
    ("diff <(sh a) b", "diff·⟨Process sh·a⟩·b"),
    ("a `b \\`c\\``", "a·⟨Command b·⟨Command c⟩⟩"),
    ("a \"$(b \"c d\" $(e))\"", "a·⟨Command b·c d·⟨Command e⟩⟩"),
    ("a $(case x in y) z;; esac)", "a·⟨Command case·x·y [z]⟩"),
    ("${CLAUDE_PROJECT_DIR:-.}/c.sh ${x} $1 $@ $", "⟨${CLAUDE_PROJECT_DIR:-.}⟩/c.sh·⟨${x}⟩·⟨$1⟩·⟨$@⟩·$"),
    ("a ${x:-$(rm y)} ${z:-'}'}b", "a·⟨Variable rm·y⟩·⟨${z:-'}'}⟩b"),
    ("a $((1 + $(b) * (2)))", "a·⟨Arithmetic b⟩"),
    ("a $((b); c)", "a·⟨Command (b); c⟩"),
    ("x=(a $(b)) y=1 c", "x=⟨Array b⟩·y=1·c"),
    (
        "a {b,$(c)}d {tool.path} {} '{tool.path}' '{ print }'",
        "a·⟨Brace c⟩d·⟨{tool.path}⟩·⟨{}⟩·⟨{tool.path}⟩·{ print }",
    ),
    ("ls *.md a?b [ab] [ -f x ]", "ls·⟨*⟩.md·a⟨?⟩b·⟨[⟩ab]·[·-f·x·]"),
    ("a $'\\x63\\141\\u0074\\n\\'' $\"b\"", "a·⟨cat\n'⟩·b"),
    ("sh c\\$x \\> y", "sh·c$x·>·y"),
    ("r'm' .cla\"ude\"/settings.json", "rm·.claude/settings.json"),
    ("A=1 env -i B=2 sh c", "A=1·env·-i·B=2·sh·c"),
    ("((i++))", "((i++))"),
    ("[[ a || b ]]", "[[·a || b·]]"),
    ("time a; coproc b", "time·a; b"),
    ("a\r\nb", "a; b"),
];

#[test]
fn flawed_lines_keep_their_commands() {
    for (line, expected, flaw) in [
        ("a 'never closed", "a·never closed", Flaw::Unclosed),
        ("unclosed \"quote $(and more", "unclosed·quote ⟨Command and·more⟩", Flaw::Unclosed),
        ("a) b", "a; b", Flaw::Unexpected),
        ("a; done; b", "a; b", Flaw::Unexpected),
        ("case a in b) c", "case·a·b [c]", Flaw::Unclosed),
        ("(a; b", "(a; b)", Flaw::Unclosed),
        ("if a; then b", "[a/b]", Flaw::Unclosed),
        ("a (b) c", "a; (b); c", Flaw::Unexpected),
        ("a >", "a", Flaw::Unexpected),
        ("$((a", "⟨Command (a)⟩", Flaw::Unclosed),
    ] {
        let script = parse(line);
        assert_eq!((show(&script.list).as_str(), script.flaw), (expected, Some(flaw)), "{line}");
    }
    let deep = parse(&format!("{} rm x", "$(".repeat(100)));
    assert_eq!(deep.flaw, Some(Flaw::TooDeep));
    let visits = deep.list.commands();
    assert!(visits.iter().any(|visit| visit.command.texts().iter().any(|text| text.ends_with("rm x"))));
}

#[test]
fn spans_are_places_in_the_source() {
    let line = "a \"b $(c 'd')\" > e; f";
    let script = parse(line);
    let visits = script.list.commands();
    let spans: Vec<&str> = visits.iter().map(|visit| &line[visit.command.span.clone()]).collect();
    assert_eq!(spans, ["c 'd'", "a \"b $(c 'd')\" > e", "f"]);
    assert_eq!(&line[visits[1].command.words[1].span.clone()], "\"b $(c 'd')\"");
}

#[test]
fn group_members_read_the_pipe_of_the_group() {
    let script = parse("a | (b; $(c)) | d");
    let visits = script.list.commands();
    let piped: Vec<bool> = visits.iter().map(|visit| visit.piped).collect();
    assert_eq!(piped, [false, true, true, false, true, true]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the limit is one of time")]
fn long_lines_take_linear_time() {
    for unit in [
        "a b c && ",
        "abc ",
        "$(",
        "(",
        "{ ",
        "'a b' ",
        "$(echo x) ",
        "cat <<A\nx\nA\n",
        "cat <<A \"$(\n",
        "`",
        "\\`",
        "$((",
        "((a);",
        "if ",
        "case x in ",
        "a=(",
        "${x",
        "{",
        "[",
        "{a,",
        "f() ",
        "cat <<A ",
        "! ",
        "\"$(",
        "<(",
        "'",
    ] {
        let line = unit.repeat(256 * 1024 / unit.len());
        let start = Instant::now();
        parse(&line);
        // In a debug build, under load, four times the length that must be read in 10 ms.
        assert!(start.elapsed().as_millis() < 4000, "{unit:?}: {:?}", start.elapsed());
    }
}

proptest! {
    #[test]
    fn any_text_has_a_tree_with_valid_spans(line in "[a$()`'\"\\\\<>|&;{}#\nEäO !=0-]{0,60}") {
        let script = parse(&line);
        for visit in script.list.commands() {
            for word in &visit.command.words {
                prop_assert!(word.expansions.iter().all(|it| word.text.get(it.range.clone()).is_some()));
                word.replace_expansions(|_, _, _| {});
            }
        }
    }

    #[test]
    fn words_of_the_grammar_have_a_tree(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..30)) {
        parse(&words.join(" "));
        parse(&words.concat());
    }
}

const WORDS: &[&str] = &[
    "if", "then", "fi", "for", "in", "do", "done", "case", "esac", ";;", "{", "}", "(", ")", "$(", "`", "\"",
    "'", "a", "<<E", "\nE\n", "\n", "|", "&&", "&", ">", "2>", "$((", "))", "${", "x=(", "function", "f()",
    "!", "\\", "$'", "#",
];
