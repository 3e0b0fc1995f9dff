//! Loopback servers for hooks. They live as long as the test process.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};

/// A server that gives every request this answer; returns its URL.
pub(crate) fn answers(status: &'static str, body: &'static str) -> String {
    let (listener, url) = listening();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map(Result::unwrap) {
            let mut request = [0; 16 * 1024];
            let _ = stream.read(&mut request);
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close");
            let _ = write!(stream, "{head}\r\n\r\n{body}");
            // Reads the rest of the request, so that the client does not lose the answer.
            while stream.read(&mut request).is_ok_and(|count| count > 0) {}
        }
    });
    url
}

/// A server that accepts connections and never answers.
pub(crate) fn silent() -> String {
    let (listener, url) = listening();
    std::mem::forget(listener);
    url
}

/// An address without a listener.
pub(crate) fn closed_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn listening() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (listener, url)
}
