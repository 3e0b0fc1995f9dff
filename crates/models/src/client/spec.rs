//! The name of a model: `anthropic:MODEL`, `openai:MODEL`, `gemini:MODEL`, `http://…`, `scripted:FILE`.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::PathBuf;

use tenter_contract::similar;
use tenter_net::http::Uri;
use tenter_net::{Route, RouteError, server_address, variable};

use super::Model;
use super::api_key::ApiKey;
use super::exchange::Connections;
use super::remote_model::RemoteModel;
use super::retry::RetryPolicy;
use super::scripted_model::ScriptedModel;
use crate::Api;
use crate::script::Script;
use crate::server::ServerOptions;

const FORMS: &str =
    "write anthropic:MODEL, openai:MODEL, gemini:MODEL, http://HOST/v1#MODEL or scripted:FILE";

const INVALID_URL: &str = "the model's address is not a valid URL";

/// The variable with the key of a server that is named by its address. A provider's key goes to that provider alone.
pub const SERVER_KEY: &str = "TENTER_MODEL_KEY";

/// A model, as a user names it.
#[derive(Clone, PartialEq, Eq)]
pub struct ModelSpec {
    /// The user's text, without secrets.
    name: String,
    kind: Kind,
    patience: RetryPolicy,
}

#[derive(Clone, PartialEq, Eq)]
enum Kind {
    /// A model of a provider that has an API of its own.
    Provider(&'static Provider, String),
    /// A server with OpenAI's Chat Completions, and its model if one is named.
    Server { base: String, model: Option<String> },
    /// A script and its API.
    ScriptedModel(Api, PathBuf),
}

#[derive(Debug, PartialEq, Eq)]
struct Provider {
    name: &'static str,
    api: Api,
    /// The variables of the key; the first one is suggested.
    keys: &'static [&'static str],
    address: &'static str,
    base: &'static str,
    example: &'static str,
}

const PROVIDERS: [Provider; 3] = [
    Provider {
        name: "anthropic",
        api: Api::Anthropic,
        keys: &["ANTHROPIC_API_KEY"],
        address: "ANTHROPIC_BASE_URL",
        base: "https://api.anthropic.com",
        example: "claude-sonnet-4-5",
    },
    Provider {
        name: "openai",
        api: Api::OpenAiResponses,
        keys: &["OPENAI_API_KEY"],
        address: "OPENAI_BASE_URL",
        base: "https://api.openai.com/v1",
        example: "gpt-5",
    },
    Provider {
        name: "gemini",
        api: Api::Gemini,
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        address: "GOOGLE_GEMINI_BASE_URL",
        base: "https://generativelanguage.googleapis.com",
        example: "gemini-2.5-pro",
    },
];

/// Every variable that may hold a key.
pub fn key_variables() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().flat_map(|provider| provider.keys).copied().chain([SERVER_KEY])
}

/// Why a model cannot be used at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// The party that can fix it.
    pub fault: Fault,
    /// The problem.
    pub message: String,
    /// The next step for the user.
    pub hint: String,
}

/// The party that can fix an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The user who named the model, or configured this machine.
    User,
    /// The server: the same name may work another time.
    Server,
}

impl ModelSpec {
    /// Parses a model name.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let text = text.trim();
        let (name, kind) = match text.split_once(':') {
            None if text.is_empty() => return Err(SpecError::new("no model is named", FORMS)),
            None => return Err(SpecError::new(format!("`{text}` is not the name of a model"), FORMS)),
            Some(("http" | "https", rest)) if rest.starts_with("//") => parse_server(text)?,
            Some((word, rest)) => (text.to_owned(), parse_kind(word, rest)?),
        };
        Ok(Self { name, kind, patience: RetryPolicy::default() })
    }

    /// The same with other limits and retries.
    #[must_use]
    pub fn with_policy(self, patience: RetryPolicy) -> Self {
        Self { patience, ..self }
    }

    /// Connects the model, with keys and addresses from this environment.
    pub fn connect(&self, environment: &[(OsString, OsString)]) -> Result<Box<dyn Model>, SpecError> {
        match &self.kind {
            Kind::Provider(provider, model) => self.provider(provider, model, environment),
            Kind::Server { base, model } => self.server(base, model.as_deref(), environment),
            Kind::ScriptedModel(api, file) => self.scripted(*api, file),
        }
    }

    fn provider(
        &self,
        provider: &Provider,
        model: &str,
        environment: &[(OsString, OsString)],
    ) -> Result<Box<dyn Model>, SpecError> {
        let (name, wanted) = (provider.name, provider.keys[0]);
        let found = provider.keys.iter().find_map(|key| Some((*key, variable(key, environment)?)));
        let Some((source, key)) = found else {
            let message = format!("{wanted} is not set, and {name} needs a key");
            return Err(SpecError::new(message, format!("type: export {wanted}=…")));
        };
        let other = variable(provider.address, environment);
        // Some programs write the address with `/v1`, others without.
        let end = if provider.api == Api::OpenAiResponses { "/v1" } else { "" };
        let address = other.unwrap_or(provider.base);
        let (base, url) = base_url(address, end).ok_or_else(|| {
            let hint = format!("set it to an address such as {}, or unset it", provider.base);
            SpecError::new(format!("{} is not an address", provider.address), hint)
        })?;
        let base = match end {
            "" => base.trim_end_matches("/v1").trim_end_matches("/v1beta").to_owned(),
            _ => base,
        };
        Ok(Box::new(self.remote(provider.api, model, base, &url, (source, Some(key)), environment)?))
    }

    fn server(
        &self,
        base: &str,
        model: Option<&str>,
        environment: &[(OsString, OsString)],
    ) -> Result<Box<dyn Model>, SpecError> {
        let (base, url) = base_url(base, "/v1").ok_or_else(|| SpecError::new(INVALID_URL, FORMS))?;
        let key = (SERVER_KEY, variable(SERVER_KEY, environment));
        let name = model.unwrap_or_default();
        let mut remote = self.remote(Api::OpenAiChat, name, base, &url, key, environment)?;
        if model.is_none() {
            remote.model = remote.first_model()?;
            remote.name = format!("{}#{}", self.name, remote.model);
        }
        Ok(Box::new(remote))
    }

    fn remote(
        &self,
        api: Api,
        model: &str,
        base: String,
        url: &Uri,
        (variable, key): (&'static str, Option<&str>),
        environment: &[(OsString, OsString)],
    ) -> Result<RemoteModel, SpecError> {
        Ok(RemoteModel {
            name: self.name.clone(),
            model: model.to_owned(),
            api,
            base,
            place: server_address(url),
            key: key.map(|key| ApiKey::new(key.to_owned())),
            variable: Some(variable),
            connections: Connections::new(Route::resolve(url, environment)?),
            patience: self.patience,
        })
    }

    fn scripted(&self, api: Api, file: &PathBuf) -> Result<Box<dyn Model>, SpecError> {
        let place = file.display();
        let text = fs::read_to_string(file).map_err(|error| {
            SpecError::new(format!("{place} cannot be read: {error}"), "check the path of the script")
        })?;
        let project = std::env::current_dir().unwrap_or_default();
        let script = Script::read(&text, &project.to_string_lossy())
            .map_err(|error| SpecError::new(format!("{place}, {error}"), error.hint()))?;
        let options = ServerOptions { api: Some(api), ..ServerOptions::default() };
        let model = ScriptedModel::start(&self.name, script, options, self.patience).map_err(|error| {
            let message = format!("the scripted model cannot listen on 127.0.0.1: {error}");
            SpecError::new(message, "check whether this machine has a loopback interface")
        })?;
        Ok(Box::new(model))
    }
}

/// An address may have a password in it.
impl fmt::Debug for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ModelSpec({})", self.name)
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl SpecError {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { fault: Fault::User, message: message.into(), hint: hint.into() }
    }
}

impl From<RouteError> for SpecError {
    fn from(error: RouteError) -> Self {
        Self::new(error.to_string(), error.hint())
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.hint)
    }
}

impl std::error::Error for SpecError {}

/// A server by its address, and its name without credentials.
fn parse_server(text: &str) -> Result<(String, Kind), SpecError> {
    let (address, model) = text.split_once('#').unwrap_or((text, ""));
    let example = "write an address such as http://localhost:11434/v1#qwen3";
    let (base, url) = base_url(address, "/v1").ok_or_else(|| SpecError::new(INVALID_URL, example))?;
    let path = base.parse::<Uri>().map(|url| url.path().to_owned()).unwrap_or_default();
    let name = format!("{}{path}", server_address(&url));
    let model = (!model.is_empty()).then(|| model.to_owned());
    let name = model.as_ref().map_or(name.clone(), |model| format!("{name}#{model}"));
    Ok((name, Kind::Server { base, model }))
}

fn parse_kind(word: &str, rest: &str) -> Result<Kind, SpecError> {
    if let Some(provider) = PROVIDERS.iter().find(|provider| provider.name == word) {
        // Gemini's model is part of the path.
        let forbidden = if provider.api == Api::Gemini { "/?#%" } else { "" };
        if rest.is_empty() || !rest.chars().all(|c| c.is_ascii_graphic() && !forbidden.contains(c)) {
            let hint = format!("write {word}:MODEL, such as {word}:{}", provider.example);
            return Err(SpecError::new(format!("`{word}:{rest}` is not a model of {word}"), hint));
        }
        return Ok(Kind::Provider(provider, rest.to_owned()));
    }
    let api = match word.split_once('+') {
        None if word == "scripted" => Api::Anthropic,
        Some(("scripted", api)) => {
            Api::ALL.into_iter().find(|known| known.name() == api).ok_or_else(|| {
                let hint = format!("behind `+`, write one of {}", Api::ALL.map(Api::name).join(", "));
                SpecError::new(format!("`{api}` is not an API"), hint)
            })?
        }
        _ => {
            let hint = match similar::nearest(word, ["anthropic", "openai", "gemini", "scripted"]) {
                Some(near) => format!("did you mean `{near}:{rest}`?"),
                None => FORMS.to_owned(),
            };
            return Err(SpecError::new(format!("`{word}` is not a provider of models"), hint));
        }
    };
    if rest.is_empty() {
        return Err(SpecError::new("the script has no file", "write scripted:FILE"));
    }
    Ok(Kind::ScriptedModel(api, PathBuf::from(rest)))
}

/// A URL to which paths can be added. One without a path gets the usual end of the API.
fn base_url(address: &str, end: &str) -> Option<(String, Uri)> {
    let address = address.split(['?', '#']).next()?.trim_end_matches('/');
    let address = address.strip_suffix("/chat/completions").unwrap_or(address);
    let url: Uri = address.parse().ok()?;
    if !matches!(url.scheme_str(), Some("http" | "https")) || url.host().is_none_or(str::is_empty) {
        return None;
    }
    let bare = matches!(url.path(), "" | "/");
    Some((if bare { format!("{address}{end}") } else { address.to_owned() }, url))
}
