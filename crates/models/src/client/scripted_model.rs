//! A scripted model over real HTTP on loopback.

use std::io;

use tenter_net::Route;

use super::exchange::Connections;
use super::remote_model::RemoteModel;
use super::{Model, ModelError, Reply, ReplyPiece, Request, RetryPolicy, StopFlag};
use crate::{Api, Script, ScriptReport, ScriptServer, ServerOptions};

/// A scripted model and its server, which ends with it.
pub struct ScriptedModel {
    remote: RemoteModel,
    server: ScriptServer,
}

impl ScriptedModel {
    /// Starts a scripted model; without an API in the options it serves Anthropic's.
    pub fn start(
        name: &str,
        script: Script,
        options: ServerOptions,
        patience: RetryPolicy,
    ) -> io::Result<Self> {
        let api = options.api.unwrap_or(Api::Anthropic);
        let server = ScriptServer::start(script, options)?;
        let place = server.url();
        let base = match api {
            Api::Anthropic | Api::Gemini => place.clone(),
            Api::OpenAiResponses | Api::OpenAiChat => format!("{place}/v1"),
        };
        let remote = RemoteModel {
            name: name.to_owned(),
            model: "scripted".to_owned(),
            api,
            base,
            place,
            key: None,
            variable: None,
            connections: Connections::new(Route::default()),
            patience,
        };
        Ok(Self { remote, server })
    }

    /// Stops the server and returns the report.
    pub fn finish(self) -> ScriptReport {
        self.server.finish()
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        self.remote.name()
    }

    fn ask(
        &self,
        request: &Request<'_>,
        on_piece: &mut dyn FnMut(ReplyPiece<'_>),
        stop: &StopFlag,
    ) -> Result<Reply, ModelError> {
        self.remote.ask(request, on_piece, stop)
    }
}
