//! Through whom a server is reached, as the environment says.

use std::ffi::OsString;
use std::net::IpAddr;

use tenter_contract::HookFailure;
use ureq::Proxy;
use ureq::http::Uri;

/// The proxy for a server: `http_proxy` or `https_proxy` by its scheme, else `all_proxy`, unless `no_proxy` names
/// the server or it is on this machine, where no proxy could find it. A value that is no address is a failure, because going around a proxy in silence is worse.
pub(super) fn to(url: &Uri, ours: &[(OsString, OsString)]) -> Result<Option<Proxy>, HookFailure> {
    let host = url.host().unwrap_or_default();
    if is_here(host) || variable("no_proxy", ours).is_some_and(|(_, list)| is_named(host, list)) {
        return Ok(None);
    }
    let own = if url.scheme_str() == Some("https") { "https_proxy" } else { "http_proxy" };
    let Some((name, address)) = variable(own, ours).or_else(|| variable("all_proxy", ours)) else {
        return Ok(None);
    };
    // The value may contain a password, so it is not shown.
    let unusable =
        |_| HookFailure::Missing { detail: format!("the variable `{name}` is no address of a proxy") };
    Proxy::new(address).map(Some).map_err(unusable)
}

fn is_here(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// A variable that has a value, in small letters or in large ones.
fn variable<'a>(name: &str, ours: &'a [(OsString, OsString)]) -> Option<(String, &'a str)> {
    [name.to_owned(), name.to_uppercase()].into_iter().find_map(|name| {
        let (_, value) = ours.iter().find(|(known, _)| known == name.as_str())?;
        let value = value.to_str()?.trim();
        (!value.is_empty()).then_some((name, value))
    })
}

/// `*` is every server; a name is that server and those below it. Ports are not looked at.
fn is_named(host: &str, list: &str) -> bool {
    let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
    list.split([',', ' ']).any(|entry| {
        let entry = entry.trim().to_ascii_lowercase();
        let entry = match entry.rsplit_once(':') {
            Some((name, port)) if port.parse::<u16>().is_ok() && !name.contains(':') => name.to_owned(),
            _ => entry,
        };
        let name = entry.trim_start_matches('*').trim_start_matches('.').trim_matches(['[', ']']);
        entry == "*"
            || (!name.is_empty()
                && host.strip_suffix(name).is_some_and(|front| front.is_empty() || front.ends_with('.')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(url: &str, ours: &[(&str, &str)]) -> Result<Option<String>, String> {
        let ours: Vec<_> = ours.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let proxy = to(&url.parse().unwrap(), &ours).map_err(|failure| failure.to_string())?;
        Ok(proxy.map(|proxy| format!("{}:{}", proxy.host(), proxy.port())))
    }

    #[test]
    fn the_scheme_chooses_and_no_proxy_excepts() {
        let ours =
            [("HTTP_PROXY", "http://a:1"), ("https_proxy", "b:2"), ("NO_PROXY", "10.0.0.1, .in.example")];
        for (url, expected) in [
            ("http://x.example/", Some("a:1")),
            ("https://x.example/", Some("b:2")),
            ("https://in.example/", None),
            ("https://x.in.example/", None),
            ("https://pin.example/", Some("b:2")),
            ("http://10.0.0.1:8080/", None),
            ("http://10.0.0.11:8080/", Some("a:1")),
            ("http://127.0.0.1:8080/", None),
            ("http://localhost/", None),
            ("http://[::1]/", None),
        ] {
            assert_eq!(chosen(url, &ours).unwrap().as_deref(), expected, "{url}");
        }
        assert_eq!(chosen("https://x/", &[("HTTP_PROXY", "http://a:1")]).unwrap(), None);
        assert_eq!(chosen("https://x/", &[("ALL_PROXY", "http://a:1")]).unwrap().as_deref(), Some("a:1"));
        assert_eq!(chosen("http://x/", &[("ALL_PROXY", "a:1"), ("no_proxy", "*")]).unwrap(), None);
        assert_eq!(chosen("http://x:1/", &[("http_proxy", "a:1"), ("no_proxy", "x:1")]).unwrap(), None);
    }

    #[test]
    fn a_proxy_that_is_none_is_not_gone_around() {
        let failure = chosen("http://x/", &[("HTTP_PROXY", "gopher://user:password@h")]).unwrap_err();
        assert!(failure.contains("`HTTP_PROXY`") && !failure.contains("password"), "{failure}");
    }
}
