//! How a server is reached: through which proxy, and whom we believe that it is who it says it is.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls_native_certs::{CertificateResult, load_certs_from_paths, load_native_certs};
use ureq::http::Uri;
use ureq::http::uri::Authority;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Error, Proxy};

use super::{Fault, SpecError};

/// How long a name may be looked up, or a connection be made.
const PATIENCE: Duration = Duration::from_secs(20);

/// The way to one server.
#[derive(Clone, Debug)]
pub(super) struct Web {
    proxy: Option<Proxy>,
    tls: Option<TlsConfig>,
}

impl Web {
    /// The way to a server from here. Certificates are read only where they are needed.
    pub(super) fn to(url: &Uri, environment: &[(OsString, OsString)]) -> Result<Self, SpecError> {
        let tls = if url.scheme_str() == Some("https") { Some(trusted(environment)?) } else { None };
        Ok(Self { proxy: proxy(url, environment)?, tls })
    }

    /// The way to a server on this machine.
    pub(super) fn direct() -> Self {
        Self { proxy: None, tls: None }
    }

    /// Somebody to go that way. Redirects are not followed: a key is for one server.
    pub(super) fn agent(&self) -> Agent {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_resolve(Some(PATIENCE))
            .timeout_connect(Some(PATIENCE))
            .proxy(self.proxy.clone());
        let config = match &self.tls {
            Some(tls) => config.tls_config(tls.clone()),
            None => config,
        };
        config.build().into()
    }
}

/// A variable that has a value.
pub(super) fn variable(name: &str, environment: &[(OsString, OsString)]) -> Option<String> {
    let (_, value) = environment.iter().find(|(known, _)| known == name)?;
    let value = value.to_str()?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// An address for people: without names, passwords and what stands behind `?`.
pub(super) fn shown(url: &Uri) -> String {
    let authority = url.authority().map(Authority::as_str).unwrap_or_default();
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    format!("{}://{place}", url.scheme_str().unwrap_or_default())
}

/// Why there is no answer.
pub(super) fn why(error: &Error) -> String {
    match error {
        Error::HostNotFound => "its name is not known".to_owned(),
        Error::Timeout(_) => "it takes too long to connect".to_owned(),
        Error::ConnectProxyFailed(_) => "the proxy does not let us through".to_owned(),
        Error::Protocol(why) => format!("what it says is not HTTP: {why}"),
        Error::Rustls(why) => not_trusted(why),
        Error::Io(error) => {
            let inner = error.get_ref();
            let rustls =
                inner.and_then(|inner| inner.downcast_ref().or_else(|| inner.source()?.downcast_ref()));
            rustls.map_or_else(|| error.to_string(), not_trusted)
        }
        other => other.to_string(),
    }
}

fn not_trusted(why: &rustls::Error) -> String {
    match why {
        rustls::Error::InvalidCertificate(_) => format!(
            "its certificate is not accepted ({why}); if it is from an authority of your own, \
             name that one's file in SSL_CERT_FILE"
        ),
        _ => format!("no secure connection: {why}"),
    }
}

/// The proxy for a server, as the environment says: `https_proxy` or `http_proxy` by its scheme, else
/// `all_proxy`, in small letters or in large ones; none for this machine and for what `no_proxy` names. A value
/// that is no address is told, because going around a proxy in silence is worse.
fn proxy(url: &Uri, environment: &[(OsString, OsString)]) -> Result<Option<Proxy>, SpecError> {
    let either = |name: &str| {
        [name.to_owned(), name.to_uppercase()]
            .into_iter()
            .find_map(|name| variable(&name, environment).map(|value| (name, value)))
    };
    let host = url.host().unwrap_or_default().trim_matches(['[', ']']).to_ascii_lowercase();
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if is_here || either("no_proxy").is_some_and(|(_, list)| is_named(&host, &list)) {
        return Ok(None);
    }
    let own = if url.scheme_str() == Some("https") { "https_proxy" } else { "http_proxy" };
    let Some((name, address)) = either(own).or_else(|| either("all_proxy")) else { return Ok(None) };
    // The value may have a password in it, so it is not shown.
    Proxy::new(&address).map(Some).map_err(|_| SpecError {
        fault: Fault::User,
        message: format!("the variable {name} is no address of a proxy"),
        hint: format!("set {name} to something like http://proxy.example:3128, or unset it"),
    })
}

/// `*` is every server; a name is that server and those below it.
fn is_named(host: &str, list: &str) -> bool {
    list.split([',', ' ']).map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        let name = entry.trim_start_matches('*').trim_start_matches('.').to_ascii_lowercase();
        let below =
            host.strip_suffix(name.as_str()).is_some_and(|front| front.is_empty() || front.ends_with('.'));
        entry == "*" || (!name.is_empty() && below)
    })
}

/// The authorities that this machine trusts, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
fn trusted(environment: &[(OsString, OsString)]) -> Result<TlsConfig, SpecError> {
    let named = |name: &str| variable(name, environment).map(PathBuf::from);
    let CertificateResult { certs, .. } = match (named("SSL_CERT_FILE"), named("SSL_CERT_DIR")) {
        (None, None) => load_native_certs(),
        (file, folder) => load_certs_from_paths(file.as_deref(), folder.as_deref()),
    };
    if certs.is_empty() {
        return Err(SpecError {
            fault: Fault::User,
            message:
                "no certificates of authorities are on this machine, so no `https` server can be trusted"
                    .to_owned(),
            hint: "install the package `ca-certificates`, or name a file in SSL_CERT_FILE".to_owned(),
        });
    }
    let certs: Vec<_> = certs.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&certs))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(url: &str, environment: &[(&str, &str)]) -> Result<Option<String>, String> {
        let environment: Vec<_> =
            environment.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let found = proxy(&url.parse().unwrap(), &environment).map_err(|error| error.to_string())?;
        Ok(found.map(|proxy| format!("{}:{}", proxy.host(), proxy.port())))
    }

    #[test]
    fn a_proxy_is_taken_as_the_environment_says() {
        let environment = [
            ("HTTPS_PROXY", "http://p:1"),
            ("http_proxy", "http://q:2"),
            ("NO_PROXY", "10.0.0.1,.in.example"),
        ];
        for (url, expected) in [
            ("https://api.example/", Some("p:1")),
            ("http://api.example/", Some("q:2")),
            ("https://in.example/", None),
            ("https://x.in.example/", None),
            ("https://pin.example/", Some("p:1")),
            ("http://10.0.0.1/", None),
            ("http://localhost:11434/", None),
            ("http://127.0.0.1:1/", None),
            ("http://[::1]:1/", None),
        ] {
            assert_eq!(chosen(url, &environment).unwrap().as_deref(), expected, "{url}");
        }
        let error = chosen("https://x/", &[("https_proxy", "gopher://me:secret@h")]).unwrap_err();
        assert!(error.contains("https_proxy") && !error.contains("secret"), "{error}");
    }

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        let url: Uri = "https://me:secret@host.example:8443/v1/x?key=secret".parse().unwrap();
        assert_eq!(shown(&url), "https://host.example:8443");
    }
}
