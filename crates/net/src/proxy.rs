//! Proxy variables: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`, in lower or upper case.

use std::net::IpAddr;

use ureq::Proxy;
use ureq::http::Uri;

use crate::url::port;
use crate::{Environment, RouteError, variable};

/// The proxy for a server. None for this machine and for servers in `no_proxy`. A value that is not an address is an
/// error, because bypassing a proxy silently would be worse.
pub(crate) fn select(url: &Uri, environment: &Environment) -> Result<Option<Proxy>, RouteError> {
    let either = |name: &str| {
        let names = [name.to_owned(), name.to_uppercase()];
        names.into_iter().find_map(|name| variable(&name, environment).map(|value| (name, value)))
    };
    if is_loopback(&host(url)) || either("no_proxy").is_some_and(|(_, list)| is_excluded(url, list)) {
        return Ok(None);
    }
    let own = if url.scheme_str() == Some("https") { "https_proxy" } else { "http_proxy" };
    let Some((name, address)) = either(own).or_else(|| either("all_proxy")) else { return Ok(None) };
    Proxy::new(address).map(Some).map_err(|_| RouteError::InvalidProxy(name))
}

fn host(url: &Uri) -> String {
    url.host().unwrap_or_default().trim_matches(['[', ']']).to_ascii_lowercase()
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether `no_proxy` excludes a server. `*` excludes all; a name excludes that host and its subdomains; a name with a
/// port excludes that port alone.
fn is_excluded(url: &Uri, list: &str) -> bool {
    let host = host(url);
    list.split([',', ' ']).any(|entry| {
        let entry = entry.trim().to_ascii_lowercase();
        let (name, only_port) = match entry.rsplit_once(':') {
            // More than one colon without brackets is an IPv6 address.
            Some((name, number)) if !name.contains(':') || name.ends_with(']') => {
                number.parse::<u16>().map_or((entry.as_str(), None), |number| (name, Some(number)))
            }
            _ => (entry.as_str(), None),
        };
        let domain = name.trim_start_matches('*').trim_start_matches('.').trim_matches(['[', ']']);
        let matches_name = name == "*"
            || !domain.is_empty()
                && host.strip_suffix(domain).is_some_and(|front| front.is_empty() || front.ends_with('.'));
        matches_name && only_port.is_none_or(|only| only == port(url))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(url: &str, variables: &[(&str, &str)]) -> Result<Option<String>, RouteError> {
        let environment: Vec<_> = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let proxy = select(&url.parse().unwrap(), &environment)?;
        Ok(proxy.map(|proxy| format!("{}:{}", proxy.host(), proxy.port())))
    }

    #[test]
    fn scheme_selects_the_proxy() {
        let both = [("HTTP_PROXY", "http://a:1"), ("https_proxy", "b:2")];
        for (url, variables, expected) in [
            ("http://x.example/", &both[..], Some("a:1")),
            ("https://x.example/", &both, Some("b:2")),
            ("http://127.0.0.1:8080/", &both, None),
            ("http://LOCALHOST/", &both, None),
            ("http://[::1]/", &both, None),
            ("https://x/", &[("HTTP_PROXY", "http://a:1")], None),
            ("https://x/", &[("ALL_PROXY", "http://a:1")], Some("a:1")),
        ] {
            assert_eq!(selected(url, variables).unwrap().as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn no_proxy_excludes_hosts_subdomains_and_ports() {
        let shared = include!("../tests/no_proxy_cases.in");
        let more = [
            ("https://in.example/", "10.0.0.1, .in.example", true),
            ("https://pin.example/", ".in.example", false),
            ("http://10.0.0.1:8080/", "10.0.0.1", true),
            ("http://10.0.0.11:8080/", "10.0.0.1", false),
            ("https://x/", "x:80", false),
            ("https://y.x/", "X:443", true),
            ("http://[fd00::1]:81/", "[fd00::1]:81", true),
            ("http://[fd00::1]:82/", "[fd00::1]:81", false),
            ("http://[fd00::1]:82/", "fd00::1", true),
        ];
        for (url, list, excluded) in shared.into_iter().chain(more) {
            let proxy = selected(url, &[("all_proxy", "http://a:1"), ("NO_PROXY", list)]).unwrap();
            assert_eq!(proxy.is_none(), excluded, "{url} {list}");
        }
    }

    #[test]
    fn invalid_proxy_is_named_without_its_password() {
        let error = selected("http://x/", &[("HTTP_PROXY", "gopher://user:password@h")]).unwrap_err();
        assert_eq!(error.to_string(), "the variable `HTTP_PROXY` is not a proxy address");
        assert!(!error.hint().contains("password"));
    }
}
