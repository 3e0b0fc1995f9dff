//! Incomplete answers without an error.

use serde_json::Value;

use super::Chat;
use super::served::{self, Answer};

#[test]
fn incomplete_answers_have_an_exit_code() {
    for (words, finish, reason, stdout, reported) in [
        ("Done.", "stop", "done", "Done.\n", ""),
        ("The first half", "length", "cut", "The first half\n", "warning: the answer is cut off"),
        ("Not that.", "content_filter", "refused", "Not that.\n", "refused to answer"),
        (" \n", "stop", "empty", "", "warning: the answer of the model is empty"),
    ] {
        let server = || format!("{}/v1#m", served::with(&[], [Answer::Words(words, finish)]));
        let chat = Chat::new("", "");
        let code = i32::from(reason != "done");
        let ran = chat.call(&["-p", "work", "--model", &server()]).run();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), stdout), "{reason}: {ran:?}");
        assert!(ran.stderr.contains(reported), "{reason}: {ran:?}");
        assert_eq!(ran.stderr.contains("--resume chat-"), code == 1, "{reason}: {ran:?}");
        let ran = chat.call(&["-p", "work", "--json", "--model", &server()]).run();
        let done: Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
        assert_eq!((&done["reason"], &done["exit_code"]), (&reason.into(), &code.into()), "{ran:?}");
        assert_eq!(done["text"], words, "{ran:?}");
    }
}

#[test]
fn terminal_warns_of_a_cut_answer() {
    let server = served::with(&[], [Answer::Words("The first half", "length")]);
    let chat = Chat::new("", "");
    let mut talking = chat.talk(&["--model", &format!("{server}/v1#m")]);
    talking.says("work");
    talking.terminal.comes("The first half");
    talking.terminal.comes("warning: the answer is cut off");
    talking.leaves();
}

/// Nothing is typed wrong where a server is not there, or has nothing to offer.
#[test]
fn useless_server_is_an_error_with_hint() {
    let closed = format!("http://{}", crate::loopback::closed_port());
    let missing = served::at_models("404 Not Found", "{}".to_owned(), []);
    let (empty, silent) = (served::with(&[], []), served::with(&["nomic-embed-text", "bge-m3"], []));
    for (spec, reported, hint) in [
        (format!("{closed}/v1"), "cannot be reached", "start the server, or check the address".to_owned()),
        (format!("{closed}/v1#x"), "cannot be reached", "the conversation is saved".to_owned()),
        (format!("{missing}/at/v1"), "404", format!("behind `#`: {missing}/at/v1#NAME\n")),
        (empty.clone(), "has no models\n", format!("behind `#`: {empty}/v1#NAME\n")),
        (silent, "has no chat model, only nomic-embed-text, bge-m3\n", "behind `#`".to_owned()),
    ] {
        let chat = Chat::new("", "");
        let ran = chat.call(&["-p", "work", "--model", &spec]).run();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{spec}: {ran:?}");
        assert!(ran.stderr.contains(reported) && ran.stderr.contains(&hint), "{spec}: {ran:?}");
        let ran = chat.call(&["-p", "work", "--json", "--model", &spec]).run();
        let error = ran.stdout.lines().find(|line| line.contains("\"type\":\"error\"")).unwrap();
        assert!(error.contains("\"kind\":\"model\""), "{spec}: {ran:?}");
    }
}

#[test]
fn first_chat_model_is_selected_and_named() {
    let models = ["nomic-embed-text", "qwen3-reranker", "qwen3:8b", "llama3.2"];
    let server = served::with(&models, [Answer::Words("Hello.", "stop")]);
    let ran = Chat::new("", "").call(&["-p", "greet", "--model", &server]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Hello.\n"), "{ran:?}");
    let reported =
        format!("[tenter] asking {server}/v1#qwen3:8b, the first model of that server that talks; ");
    assert!(ran.stderr.starts_with(&reported), "{ran:?}");
}
