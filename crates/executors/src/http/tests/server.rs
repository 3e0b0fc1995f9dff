//! A web server for tests: real sockets, and as rude as a test wants it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// What a test does with one request.
type Play = dyn Fn(&Request, &mut dyn Write) + Send + Sync;

/// A request, as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// `GET /path HTTP/1.1`
    pub(crate) line: String,
    /// Names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn path(&self) -> &str {
        self.line.split(' ').nth(1).unwrap()
    }
}

/// A server that plays until the test ends.
pub(crate) struct TestServer {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Request>>>,
}

impl TestServer {
    pub(crate) fn plain(play: impl Fn(&Request, &mut dyn Write) + Send + Sync + 'static) -> Self {
        Self::open("http", play, |stream| Box::new(stream))
    }

    pub(crate) fn secure(play: impl Fn(&Request, &mut dyn Write) + Send + Sync + 'static) -> Self {
        let certificate = CertificateDer::from(include_bytes!("tls/server.der").as_slice());
        let key = PrivateKeyDer::try_from(include_bytes!("tls/server-key.der").as_slice()).unwrap();
        let config = ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let config = Arc::new(config);
        Self::open("https", play, move |stream| {
            Box::new(StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), stream))
        })
    }

    /// What has arrived so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.received.lock().unwrap().clone()
    }

    fn open(
        scheme: &str,
        play: impl Fn(&Request, &mut dyn Write) + Send + Sync + 'static,
        wrap: impl Fn(TcpStream) -> Box<dyn Stream> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("{scheme}://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (play, log): (Arc<Play>, _) = (Arc::new(play), Arc::clone(&requests));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, play, log) = (wrap(stream.unwrap()), Arc::clone(&play), Arc::clone(&log));
                thread::spawn(move || {
                    while let Some(request) = received(&mut *stream) {
                        log.lock().unwrap().push(request.clone());
                        play(&request, &mut stream);
                        let _ = stream.flush();
                        // One exchange per connection unless the test says otherwise.
                        if request.header("x-keep").is_none() {
                            return;
                        }
                    }
                });
            }
        });
        Self { url, received: requests }
    }
}

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

fn received(stream: &mut dyn Stream) -> Option<Request> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let line = lines.next()?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").map(|(_, value)| value.parse());
    let mut body = vec![0; length.map_or(0, Result::unwrap)];
    stream.read_exact(&mut body).ok()?;
    Some(Request { line, headers, body })
}

/// Writes a whole answer; a client that has gone away already is no fault of the server.
pub(crate) fn answer(out: &mut dyn Write, status: &str, headers: &[(&str, &str)], body: &str) {
    let own = format!("Content-Length: {}\r\nConnection: close\r\n", body.len());
    let headers: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let text = format!("HTTP/1.1 {status}\r\n{own}{}\r\n{body}", headers.concat());
    let _ = out.write_all(text.as_bytes());
}
