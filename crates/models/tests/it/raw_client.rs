//! A plain HTTP client.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
use tenter_models::{Script, ScriptServer, ServerOptions};

/// A server that plays this script.
pub(crate) fn serve(script: &str) -> ScriptServer {
    serve_with(script, ServerOptions::default())
}

/// A server that plays this script with these options.
pub(crate) fn serve_with(script: &str, options: ServerOptions) -> ScriptServer {
    ScriptServer::start(Script::read(script, "/p").unwrap(), options).unwrap()
}

/// A connection, kept from request to request.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) body: String,
}

impl Client {
    pub(crate) fn new(server: &ScriptServer) -> Self {
        let url = server.url();
        let address = url.strip_prefix("http://").unwrap();
        assert!(address.starts_with("127.0.0.1:"), "{address}");
        Self { stream: BufReader::new(TcpStream::connect(address).unwrap()) }
    }

    /// Posts a value with its length.
    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Reply {
        let body = body.to_string();
        self.send(&format!("POST {path} HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len()));
        self.reply()
    }

    /// Sends these bytes.
    pub(crate) fn send(&mut self, bytes: &str) {
        self.stream.get_mut().write_all(bytes.as_bytes()).unwrap();
    }

    /// Reads one response, by its length or its chunks.
    pub(crate) fn reply(&mut self) -> Reply {
        let status = self.line().split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            match line.split_once(": ") {
                Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.to_owned())),
                None => break,
            }
        }
        let header = |name: &str| headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.clone());
        let body = match header("content-length") {
            Some(length) => self.bytes(length.parse().unwrap()),
            None if header("transfer-encoding").is_some() => self.chunks(),
            None => {
                let mut body = String::new();
                self.stream.read_to_string(&mut body).unwrap();
                body
            }
        };
        Reply { status, content_type: header("content-type").unwrap_or_default(), body }
    }

    fn chunks(&mut self) -> String {
        let mut body = String::new();
        loop {
            let size = usize::from_str_radix(&self.line(), 16).unwrap();
            body.push_str(&self.bytes(size));
            assert_eq!(self.line(), "");
            if size == 0 {
                return body;
            }
        }
    }

    fn bytes(&mut self, count: usize) -> String {
        let mut bytes = vec![0; count];
        self.stream.read_exact(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Reply {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.content_type, "application/json");
        serde_json::from_str(&self.body).unwrap()
    }

    /// The body as events: name and data.
    pub(crate) fn events(&self) -> Vec<(String, Value)> {
        assert_eq!(self.content_type, "text/event-stream");
        let event = |text: &str| {
            let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("");
            (field("event: ").to_owned(), serde_json::from_str(field("data: ")).unwrap())
        };
        self.body.split_terminator("\n\n").map(event).collect()
    }
}

/// A request to Anthropic's API that belongs to the conversation.
pub(crate) fn messages(messages: &Value) -> Value {
    json!({
        "model": "claude-x", "max_tokens": 100, "messages": messages,
        "tools": [{"name": "Bash", "input_schema": {"type": "object"}}],
    })
}

/// A prompt of the user.
pub(crate) fn prompt(text: &str) -> Value {
    json!([{"role": "user", "content": text}])
}
