//! Redirects: followed for GET on the same server only.

use tenter_contract::Method;
use tenter_net::http::Uri;
use tenter_net::{parse_http_url, redacted_url};

/// The address to follow. The event and the headers are meant for one server, so no other server receives them; a POST
/// is never repeated elsewhere.
pub(super) fn follow_redirect(method: Method, from: &Uri, location: &str) -> Result<Uri, String> {
    let Some(to) = resolve_location(from, location) else {
        return Err("redirects to an invalid address".to_owned());
    };
    let shown = redacted_url(&to);
    match method {
        Method::Post => {
            Err(format!("redirects to `{shown}`, which is not followed for POST; set `url` to it"))
        }
        Method::Get if is_same_server(from, &to) => Ok(to),
        Method::Get => {
            Err(format!("redirects to another server, `{shown}`; set `url` to it if you trust it"))
        }
    }
}

/// The same host and port, or `https` instead of `http` on the usual ports.
fn is_same_server(from: &Uri, to: &Uri) -> bool {
    let same_host =
        from.host().is_some_and(|host| to.host().is_some_and(|next| next.eq_ignore_ascii_case(host)));
    let secured = from.scheme_str() == Some("http")
        && to.scheme_str() == Some("https")
        && (port(from), port(to)) == (80, 443);
    let same_endpoint = from.scheme_str() == to.scheme_str() && port(from) == port(to);
    same_host && (same_endpoint || secured)
}

fn port(uri: &Uri) -> u16 {
    uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 })
}

fn resolve_location(from: &Uri, location: &str) -> Option<Uri> {
    let location = location.split('#').next().unwrap_or_default();
    let (scheme, authority) = (from.scheme_str()?, from.authority()?.as_str());
    let whole = if location.starts_with("//") {
        format!("{scheme}:{location}")
    } else if location.starts_with('/') {
        format!("{scheme}://{authority}{location}")
    } else if location.starts_with('?') {
        format!("{scheme}://{authority}{}{location}", from.path())
    } else if location.is_empty() {
        return None;
    } else if location.split(['/', '?']).next().is_some_and(|first| first.contains(':')) {
        location.to_owned()
    } else {
        let folder = from.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{scheme}://{authority}{folder}/{location}")
    };
    // A name before `@` would be sent as our credentials, which no server may choose.
    parse_http_url(&whole).filter(|uri| uri.authority().is_some_and(|place| !place.as_str().contains('@')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn get_follows_redirects_on_the_same_server() {
        for (from, location, expected) in [
            ("http://a/x/y?q", "/z", Some("http://a/z")),
            ("http://a/x/y?q", "z", Some("http://a/x/z")),
            ("http://a/x/y?q", "?r", Some("http://a/x/y?r")),
            ("http://a/x", "http://A/z#f", Some("http://A/z")),
            ("http://a/x", "https://a/x", Some("https://a/x")),
            ("http://a:81/x", "//a:81/y", Some("http://a:81/y")),
            ("https://a/x", "http://a/x", None),
            ("http://a/x", "http://a:81/x", None),
            ("http://a:80/x", "https://a:8443/x", None),
            ("http://a/x", "http://b/x", None),
            ("http://a/x", "//b/x", None),
            ("http://a/x", "http://a@b/x", None),
            ("http://a/x", "http://u:p@a/x", None),
            ("http://a/x", "file:///etc/passwd", None),
            ("http://a/x", "", None),
        ] {
            let next = follow_redirect(Method::Get, &from.parse().unwrap(), location);
            assert_eq!(next.ok().map(|uri| uri.to_string()).as_deref(), expected, "{from} {location}");
        }
        assert!(follow_redirect(Method::Post, &"http://a/x".parse().unwrap(), "/y").is_err());
    }
}
