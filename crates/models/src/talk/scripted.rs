//! A model that plays a script, asked over real HTTP on loopback.

use std::io;

use super::exchange::Connections;
use super::remote::Remote;
use super::retry::Patience;
use super::web::Web;
use super::{Model, ModelError, Piece, Reply, Request, Stop};
use crate::apis::Api;
use crate::script::Script;
use crate::server::{Options, Server};
use crate::stage::Report;

/// A scripted model and its server, which ends with it.
pub struct Scripted {
    remote: Remote,
    server: Option<Server>,
}

impl Scripted {
    /// Starts one. Without an API of its own it speaks Anthropic's.
    pub fn start(name: &str, script: Script, options: Options, patience: Patience) -> io::Result<Self> {
        let api = options.api.unwrap_or(Api::Anthropic);
        let server = Server::start(script, options)?;
        let place = server.url();
        let base = match api {
            Api::Anthropic | Api::Gemini => place.clone(),
            Api::OpenAiResponses | Api::OpenAiChat => format!("{place}/v1"),
        };
        let remote = Remote {
            name: name.to_owned(),
            model: "scripted".to_owned(),
            api,
            base,
            place,
            key: None,
            variable: None,
            connections: Connections::new(Web::direct()),
            patience,
        };
        Ok(Self { remote, server: Some(server) })
    }

    /// Ends the play and tells how it went.
    pub fn finish(mut self) -> Report {
        self.server.take().map(Server::finish).unwrap_or_default()
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        self.remote.name()
    }

    fn ask(
        &self,
        request: &Request<'_>,
        hear: &mut dyn FnMut(Piece<'_>),
        stop: &Stop,
    ) -> Result<Reply, ModelError> {
        self.remote.ask(request, hear, stop)
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.finish();
        }
    }
}
