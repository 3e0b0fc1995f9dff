use super::*;

fn appended(text: &str, path: &[Step<'_>], child: Child<'_>) -> String {
    let mut settings = JsonText::parse(text).unwrap();
    settings.append(path, child).unwrap();
    settings.into_text()
}

fn removed(text: &str, path: &[Step<'_>]) -> String {
    let mut settings = JsonText::parse(text).unwrap();
    settings.remove(path).unwrap();
    settings.into_text()
}

/// Adding gives this text, and taking out what was added gives the first again.
fn check_property(text: &str, expected: &str) {
    assert_eq!(appended(text, &[], Child::Property("new", "1")), expected, "added to {text:?}");
    assert_eq!(removed(expected, &[Step::Key("new")]), text, "taken out of {expected:?}");
}

fn check_element(text: &str, expected: &str) {
    let count = JsonText::parse(text).unwrap().value().unwrap().as_array().unwrap().len();
    assert_eq!(appended(text, &[], Child::Element("9")), expected, "added to {text:?}");
    assert_eq!(removed(expected, &[Step::Item(count)]), text, "taken out of {expected:?}");
}

#[test]
fn a_property_looks_like_its_neighbours_and_leaves_no_trace() {
    check_property("{}", "{\n  \"new\": 1\n}");
    check_property("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"new\": 1\n}\n");
    check_property("{\r\n\t\"a\": 1\r\n}", "{\r\n\t\"a\": 1,\r\n\t\"new\": 1\r\n}");
    check_property("{\n    \"a\": 1,\n}\n", "{\n    \"a\": 1,\n    \"new\": 1,\n}\n");
    check_property("{\"a\":1}", "{\"a\":1,\n  \"new\": 1}");
    check_property("\u{FEFF}{\"a\":1 }\n", "\u{FEFF}{\"a\":1,\n  \"new\": 1 }\n");
    check_property(
        "{\n  \"a\": 1 // mine\n  /* end */\n}",
        "{\n  \"a\": 1, // mine\n  /* end */\n  \"new\": 1\n}",
    );
    check_property("{ // nothing yet\n}", "{ // nothing yet\n  \"new\": 1\n}");
    check_property("{ /* nothing */ }", "{ /* nothing */\n  \"new\": 1 }");
    check_property(
        "{\n  \"a\": 1 /* , */\n  , // odd\n}",
        "{\n  \"a\": 1 /* , */\n  , // odd\n  \"new\": 1,\n}",
    );
}

#[test]
fn an_element_stays_on_the_line_if_the_others_do() {
    check_element("[]", "[9]");
    check_element("[1]", "[1, 9]");
    check_element("[ 1, 2 ]", "[ 1, 2, 9 ]");
    check_element("[1,]", "[1, 9,]");
    check_element("[\n  1\n]", "[\n  1,\n  9\n]");
    check_element("[1 // one\n]", "[1, // one\n  9\n]");
    check_element("[ // none\n]", "[ // none\n  9\n]");
    check_element("[ /* none */ ]", "[ /* none */ 9 ]");
}

#[test]
fn what_stands_around_a_removed_child_stays() {
    for (text, path, expected) in [
        ("[1, 2, 3]", Step::Item(0), "[2, 3]"),
        ("[1, 2, 3]", Step::Item(1), "[1, 3]"),
        ("[\n  1,\n  2\n]", Step::Item(0), "[\n  2\n]"),
        ("[ // a\n 1, 2\n]", Step::Item(0), "[ // a\n 2\n]"),
        ("[\n  1, // a\n  2 ]", Step::Item(1), "[\n  1 // a\n   ]"),
        ("[1 /* a */, /* b */ 2]", Step::Item(1), "[1 /* a */ /* b */]"),
        ("[1 /* a */, /* b */ 2]", Step::Item(0), "[ /* a *//* b */ 2]"),
        ("{\"a\": 1, \"b\": {} }", Step::Key("b"), "{\"a\": 1 }"),
        ("[ 1 ]", Step::Item(0), "[]"),
        ("[ 1 , ]", Step::Item(0), "[]"),
    ] {
        assert_eq!(removed(text, &[path]), expected, "{path:?} of {text:?}");
    }
}

#[test]
fn an_object_begins_after_the_comments() {
    for (text, expected) in [
        ("", "{}\n"),
        (" \n", "{}\n"),
        ("\u{FEFF}", "\u{FEFF}{}\n"),
        ("// mine", "// mine\n{}\n"),
        ("/* mine */\r\n", "/* mine */\r\n{}\r\n"),
    ] {
        let mut settings = JsonText::parse(text).unwrap();
        settings.start_object();
        assert_eq!(settings.into_text(), expected, "{text:?}");
    }
}

#[test]
fn what_is_no_json_or_not_clear_is_an_error() {
    let not_json = |text: &str| JsonText::parse(text).unwrap_err().to_string();
    assert_eq!(not_json("{\n  \"a\": 1\n  \"b\": 2\n}"), "it is not JSON: expected comma on line 2 column 9");
    assert_eq!(
        not_json("{ 'a': 1 }"),
        "it is not JSON: single-quoted strings are not allowed on line 1 column 3"
    );
    let mut twice = JsonText::parse("{\"a\": {}, \"a\": {}}").unwrap();
    let error = twice.append(&[Step::Key("a")], Child::Property("b", "1")).unwrap_err();
    assert_eq!(error, SettingsError::Twice { key: "a".to_owned() });
}
