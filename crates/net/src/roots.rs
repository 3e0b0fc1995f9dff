//! The certificates that servers are verified with.

use std::path::PathBuf;
use std::sync::Arc;

use rustls_native_certs::{CertificateResult, load_certs_from_paths, load_native_certs};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::{Environment, RouteError, variable};

/// The system's certificates, which include those of a company's own authority, or the ones in `SSL_CERT_FILE` and
/// `SSL_CERT_DIR`.
pub(crate) fn load(environment: &Environment) -> Result<TlsConfig, RouteError> {
    let path = |name| variable(name, environment).map(PathBuf::from);
    let CertificateResult { certs, .. } = match (path("SSL_CERT_FILE"), path("SSL_CERT_DIR")) {
        (None, None) => load_native_certs(),
        (file, folder) => load_certs_from_paths(file.as_deref(), folder.as_deref()),
    };
    if certs.is_empty() {
        return Err(RouteError::NoRoots);
    }
    let certs: Vec<_> = certs.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&certs))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build())
}
