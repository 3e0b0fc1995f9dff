//! Whom we believe that a server is who it says it is.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use rustls_native_certs::{CertificateResult, load_certs_from_paths, load_native_certs};
use tenter_contract::HookFailure;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// The authorities that this machine trusts, because servers that judge a company's hooks have certificates of the
/// company. `SSL_CERT_FILE` and `SSL_CERT_DIR` name others, as with most programs.
pub(super) fn trusted(ours: &[(OsString, OsString)]) -> Result<TlsConfig, HookFailure> {
    let named = |name: &str| {
        let value = ours.iter().find(|(known, _)| known == name).map(|(_, value)| PathBuf::from(value));
        value.filter(|path| !path.as_os_str().is_empty())
    };
    let found = match (named("SSL_CERT_FILE"), named("SSL_CERT_DIR")) {
        (None, None) => load_native_certs(),
        (file, folder) => load_certs_from_paths(file.as_deref(), folder.as_deref()),
    };
    let CertificateResult { certs, .. } = found;
    if certs.is_empty() {
        let detail = "no certificates of authorities are on this machine, so no `https` server can be trusted; \
                      install the package `ca-certificates`, or name a file in SSL_CERT_FILE";
        return Err(HookFailure::Missing { detail: detail.to_owned() });
    }
    let certs: Vec<_> = certs.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&certs))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build())
}
