//! Servers on loopback for hooks that ask one. They live as long as the test's process.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};

/// One that gives every request this answer; its address as a URL.
pub(crate) fn answers(status: &'static str, body: &'static str) -> String {
    let (listener, url) = listening();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map(Result::unwrap) {
            let mut request = [0; 16 * 1024];
            let _ = stream.read(&mut request);
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close");
            let _ = write!(stream, "{head}\r\n\r\n{body}");
            // What the client still sends is read, so that it does not lose the answer.
            while stream.read(&mut request).is_ok_and(|count| count > 0) {}
        }
    });
    url
}

/// One that takes connections and says nothing.
pub(crate) fn silent() -> String {
    let (listener, url) = listening();
    std::mem::forget(listener);
    url
}

/// An address without a listener.
pub(crate) fn closed_port() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn listening() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (listener, url)
}
