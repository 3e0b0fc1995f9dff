//! Whether a server may send us on.

use tenter_contract::Method;
use ureq::http::Uri;

use super::client;

/// Where to go on, or why not. The event and the headers were meant for one server, so nobody else gets them; and a
/// question that was sent with POST is not asked again elsewhere.
pub(super) fn followed(method: Method, from: &Uri, location: &str) -> Result<Uri, String> {
    let Some(to) = joined(from, location) else {
        return Err("sent us on to something that is no address".to_owned());
    };
    let shown = client::shown(&to);
    match method {
        Method::Post => {
            Err(format!("sent us on to `{shown}`, which is not done with POST; put that into `url`"))
        }
        Method::Get if is_same_server(from, &to) => Ok(to),
        Method::Get => {
            Err(format!("sent us on to another server, `{shown}`; put that into `url` if you trust it"))
        }
    }
}

/// The same name and port, and no way back from `https`.
fn is_same_server(from: &Uri, to: &Uri) -> bool {
    let same_host =
        from.host().is_some_and(|host| to.host().is_some_and(|next| next.eq_ignore_ascii_case(host)));
    let secured = from.scheme_str() == Some("http")
        && to.scheme_str() == Some("https")
        && (port(from), port(to)) == (80, 443);
    let same_door = from.scheme_str() == to.scheme_str() && port(from) == port(to);
    same_host && (same_door || secured)
}

fn port(uri: &Uri) -> u16 {
    uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 })
}

/// An address that may be given from where we stand.
fn joined(from: &Uri, location: &str) -> Option<Uri> {
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
    // Names before `@` would be sent as a password; nobody may choose ours.
    client::parsed(&whole)
        .ok()
        .filter(|uri| uri.authority().is_some_and(|place| !place.as_str().contains('@')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_move_on_its_own_server_and_nowhere_else() {
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
            let next = followed(Method::Get, &from.parse().unwrap(), location);
            assert_eq!(next.ok().map(|uri| uri.to_string()).as_deref(), expected, "{from} {location}");
        }
        assert!(followed(Method::Post, &"http://a/x".parse().unwrap(), "/y").is_err());
    }
}
