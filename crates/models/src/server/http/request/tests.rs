use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> ReadRequest {
    read(&mut text.as_bytes(), &mut Vec::new())
}

fn post(path: &str, body: &str) -> Request {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    Request {
        method: "POST".to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        body: body.as_bytes().to_vec(),
        connection: Connection::Keep,
    }
}

#[test]
fn bodies_come_with_a_length_in_chunks_or_not_at_all() {
    for (text, expected) in [
        ("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET", post("/a", "abc")),
        ("POST /a?x=1&y HTTP/1.1\r\ncontent-length: 0\r\n\r\n", post("/a?x=1&y", "")),
        ("POST /a HTTP/1.1\r\n\r\n", post("/a", "")),
        ("\r\nPOST http://127.0.0.1:80/a HTTP/1.1\n\n", post("/a", "")),
        (
            "POST /a HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n",
            post("/a", "abc0123456789"),
        ),
        (
            "POST /a HTTP/1.1\r\nConnection: x, close\r\n\r\n",
            Request { connection: Connection::Close, ..post("/a", "") },
        ),
        ("POST /a HTTP/1.0\r\n\r\n", Request { connection: Connection::CloseUnchunked, ..post("/a", "") }),
    ] {
        assert_eq!(parse(text), Ok(Some(expected)), "{text}");
    }
    assert_eq!(parse(""), Ok(None));
}

#[test]
fn what_is_malformed_too_large_or_in_doubt_is_refused() {
    let long = "x".repeat(HEAD_LIMIT);
    let many = "a: b\r\n".repeat(HEADERS_LIMIT + 1);
    for (text, status) in [
        ("hello\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n", 400),
        ("GET / HTTP/2.0\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\na : b\r\n\r\n", 400),
        (&format!("GET /{long} HTTP/1.1\r\n\r\n"), 431),
        (&format!("GET / HTTP/1.1\r\n{many}\r\n"), 431),
        ("POST / HTTP/1.1\r\ncontent-length: 99999999\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\ncontent-length: 99999999999999999999999\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\ncontent-length: +3\r\n\r\nabc", 400),
        ("POST / HTTP/1.1\r\ncontent-length: 3\r\ncontent-length: 3\r\n\r\nabc", 400),
        ("POST / HTTP/1.1\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\nabc", 400),
        ("POST / HTTP/1.1\r\ntransfer-encoding: gzip, chunked\r\n\r\nabc", 501),
        ("POST / HTTP/1.1\r\ncontent-encoding: gzip\r\n\r\n", 415),
        ("POST / HTTP/1.1\r\ncontent-length: 4\r\n\r\nabc", 400),
        ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", 400),
        ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nfffffff\r\n", 413),
        ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 413),
        ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n", 400),
    ] {
        let refusal = parse(text).unwrap_err();
        assert_eq!(refusal.status, status, "{}: {}", &text[..text.len().min(80)], refusal.why);
    }
}

#[test]
fn a_client_that_waits_for_a_word_gets_it() {
    let text = "POST / HTTP/1.1\r\nExpect: 100-continue\r\ncontent-length: 2\r\n\r\nab";
    let mut answer = Vec::new();
    assert!(read(&mut text.as_bytes(), &mut answer).is_ok());
    assert_eq!(answer, b"HTTP/1.1 100 Continue\r\n\r\n");
}

proptest! {
    #[test]
    fn whatever_comes_is_a_request_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&mut bytes.as_slice(), &mut Vec::new());
    }

    #[test]
    fn whatever_follows_a_sound_beginning_is_a_request_or_refused(
        rest in "(content-length: [0-9]{1,3}|transfer-encoding: chunked|x:[ -~]{0,9}|\r\n|[0-9a-f]{1,2}\r\n|[ -~]{0,20}|\n){0,12}"
    ) {
        let _ = parse(&format!("POST /v1/messages HTTP/1.1\r\n{rest}"));
    }

    #[test]
    fn a_body_is_the_same_however_it_is_cut(body in "[ -~\r\n]{0,200}", size in 1_usize..50) {
        let chunk = |chunk: &[u8]| format!("{:X}\r\n{}\r\n", chunk.len(), String::from_utf8_lossy(chunk));
        let chunks = body.as_bytes().chunks(size).map(chunk).collect::<Vec<_>>().concat();
        let text = format!("POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n{chunks}0\r\n\r\n");
        prop_assert_eq!(parse(&text), Ok(Some(post("/a", &body))));
    }
}
