//! Answers that are none, or half of one, although no error came with them.

use serde_json::Value;

use super::Chat;
use super::served::{self, Answer};

#[test]
fn an_answer_that_is_cut_refused_or_empty_is_not_taken_for_a_whole_one() {
    for (words, finish, reason, stdout, told) in [
        ("Done.", "stop", "done", "Done.\n", ""),
        ("The first half", "length", "cut", "The first half\n", "warning: the answer breaks off"),
        ("Not that.", "content_filter", "refused", "Not that.\n", "refused to answer"),
        (" \n", "stop", "empty", "", "warning: the model answered without a word"),
    ] {
        let server = || format!("{}/v1#m", served::with(&[], [Answer::Words(words, finish)]));
        let chat = Chat::new("", "");
        let code = i32::from(reason != "done");
        let ran = chat.call(&["-p", "work", "--model", &server()]).run();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), stdout), "{reason}: {ran:?}");
        assert!(ran.stderr.contains(told), "{reason}: {ran:?}");
        assert_eq!(ran.stderr.contains("--resume chat-"), code == 1, "{reason}: {ran:?}");
        let ran = chat.call(&["-p", "work", "--json", "--model", &server()]).run();
        let done: Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
        assert_eq!((&done["reason"], &done["exit_code"]), (&reason.into(), &code.into()), "{ran:?}");
        assert_eq!(done["text"], words, "{ran:?}");
    }
}

#[test]
fn half_an_answer_is_told_on_a_terminal_too() {
    let server = served::with(&[], [Answer::Words("The first half", "length")]);
    let mut talking = Chat::new("", "").talk(&["--model", &format!("{server}/v1#m")]);
    talking.says("work");
    talking.terminal.comes("The first half");
    talking.terminal.comes("warning: the answer breaks off");
    talking.leaves();
}
