//! Addresses of servers, as requests and as people need them.

use ureq::http::Uri;
use ureq::http::uri::Authority;

/// An `http` or `https` address with a host; its fragment is removed.
pub fn parse_http_url(text: &str) -> Option<Uri> {
    let url: Uri = text.split('#').next()?.parse().ok()?;
    let usable = matches!(url.scheme_str(), Some("http" | "https"));
    (usable && url.host().is_some_and(|host| !host.is_empty())).then_some(url)
}

/// Scheme, host and port, without a user name or password.
pub fn server_address(url: &Uri) -> String {
    let authority = url.authority().map(Authority::as_str).unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{}://{host}", url.scheme_str().unwrap_or_default())
}

/// An address without the parts that may hold keys: user name, password and query.
pub fn redacted_url(url: &Uri) -> String {
    let query = if url.query().is_some() { "?…" } else { "" };
    format!("{}{}{query}", server_address(url), url.path())
}

pub(crate) fn port(url: &Uri) -> u16 {
    url.port_u16().unwrap_or(if url.scheme_str() == Some("https") { 443 } else { 80 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_addresses_hold_no_secrets() {
        let url = parse_http_url("https://me:secret@host.example:8443/v1/x?key=secret#part").unwrap();
        assert_eq!(server_address(&url), "https://host.example:8443");
        assert_eq!(redacted_url(&url), "https://host.example:8443/v1/x?…");
    }
}
