//! The way to one server: proxy and TLS configuration.

use std::fmt;
use std::time::Duration;

use ureq::http::Uri;
use ureq::tls::TlsConfig;
use ureq::{Agent, Proxy};

use crate::{Environment, proxy, roots};

/// The way to one server.
#[derive(Clone, Debug, Default)]
pub struct Route {
    proxy: Option<Proxy>,
    tls: Option<TlsConfig>,
}

/// An environment in which a server cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RouteError {
    /// The value of this proxy variable is not an address.
    InvalidProxy(String),
    /// The machine has no trusted certificates.
    NoRoots,
}

impl Route {
    /// Resolves the way to a server. Certificates are loaded for `https` only.
    pub fn resolve(url: &Uri, environment: &Environment) -> Result<Self, RouteError> {
        let tls = (url.scheme_str() == Some("https")).then(|| roots::load(environment)).transpose()?;
        Ok(Self { proxy: proxy::select(url, environment)?, tls })
    }

    /// An agent for this route. It follows no redirects, because headers may hold keys for one server alone, and it
    /// returns every status as a response. `connect_timeout` limits name lookup and connection, each.
    pub fn agent(&self, connect_timeout: Option<Duration>) -> Agent {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_resolve(connect_timeout)
            .timeout_connect(connect_timeout)
            .proxy(self.proxy.clone());
        if let Some(tls) = &self.tls {
            config = config.tls_config(tls.clone());
        }
        config.build().into()
    }
}

impl RouteError {
    /// The command or setting that helps.
    pub fn hint(&self) -> String {
        match self {
            Self::InvalidProxy(name) => {
                format!("set {name} to an address such as http://proxy.example:3128, or unset it")
            }
            Self::NoRoots => "install the package `ca-certificates`, or set SSL_CERT_FILE".to_owned(),
        }
    }
}

impl fmt::Display for RouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The value may contain a password, so it is not shown.
            Self::InvalidProxy(name) => write!(f, "the variable `{name}` is not a proxy address"),
            Self::NoRoots => {
                f.write_str("this machine has no trusted certificates, so `https` servers cannot be verified")
            }
        }
    }
}

impl std::error::Error for RouteError {}
