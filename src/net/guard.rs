//! Which addresses a request may go to.

use super::NetError;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use url::{Host, Url};

/// Scheme, host and port: what a setting trusts, no more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Origin {
    /// The origin of an `http` or `https` address.
    #[must_use]
    pub fn of(url: &Url) -> Option<Self> {
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
        Some(Self { scheme: url.scheme().to_owned(), host, port: url.port_or_known_default()? })
    }

    /// The host, without port.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }
}

/// Why an address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is, or its name resolves to, an address inside this machine or network, or one that nobody owns.
    #[error("it is not a public address")]
    NotPublic,
    /// Neither `http` nor `https`.
    #[error("only http and https are allowed")]
    Scheme,
    /// It carries a user name or password.
    #[error("it carries a user name or password")]
    UserInfo,
    /// It has no host.
    #[error("it names no host")]
    NoHost,
}

/// Checks an address that comes from data, as far as its text tells: names are checked again once they are resolved.
///
/// # Errors
/// [`NetError::Blocked`] with the reason.
pub fn check_public(url: &Url) -> Result<(), NetError> {
    let refuse = |why| Err(NetError::Blocked { host: shown_host(url), why });
    if !matches!(url.scheme(), "http" | "https") {
        return refuse(Refusal::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse(Refusal::UserInfo);
    }
    // `url` has already turned decimal, octal, hexadecimal and shortened IPv4 forms into addresses.
    match url.host() {
        None => refuse(Refusal::NoHost),
        Some(Host::Ipv4(address)) if !is_public(address.into()) => refuse(Refusal::NotPublic),
        Some(Host::Ipv6(address)) if !is_public(address.into()) => refuse(Refusal::NotPublic),
        Some(Host::Ipv4(_) | Host::Ipv6(_) | Host::Domain(_)) => Ok(()),
    }
}

/// Whether the address is globally reachable unicast, by IANA's special-purpose registries (RFC 6890 and successors).
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = a == 0 // "this network"; 0.0.0.0 reaches the local host
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local() // cloud metadata services live here
        || (a == 100 && (64..128).contains(&b)) // carrier-grade NAT, 100.64.0.0/10
        || (a == 192 && b == 0 && c == 0) // IETF protocol assignments
        || (a == 192 && b == 88 && c == 99) // former 6to4 relays
        || (a == 198 && (b == 18 || b == 19)) // benchmarking
        || address.is_documentation()
        || a >= 224; // multicast, reserved, broadcast
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(embedded) = address.to_ipv4_mapped() {
        return is_public_v4(embedded);
    }
    let segments = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // NAT64 (RFC 6052): how an IPv6-only network reaches IPv4 hosts.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        // 6to4 (RFC 3056).
        [0x2002, high, low, ..] => embedded(high, low),
        // Teredo, ORCHID and other protocol assignments, 2001::/23; documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // Global unicast is 2000::/3; everything else is local, multicast or unassigned.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

/// Keeps the public ones of a name's addresses.
///
/// # Errors
/// [`Refusal::NotPublic`] when none is left, so that a name cannot lead into the network (DNS rebinding included: the
/// addresses checked here are the ones that are connected to).
fn public_only(addresses: impl Iterator<Item = SocketAddr>) -> Result<Vec<SocketAddr>, Refusal> {
    let public: Vec<SocketAddr> = addresses.filter(|address| is_public(address.ip())).collect();
    if public.is_empty() { Err(Refusal::NotPublic) } else { Ok(public) }
}

/// Resolves names with the system's resolver and hands out public addresses alone.
pub(super) struct PublicResolver;

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(Box::new(public_only(found)?.into_iter()) as Addrs)
        })
    }
}

/// The host as it may be shown in a message.
pub(super) fn shown_host(url: &Url) -> String {
    url.host_str().unwrap_or(url.scheme()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("http://127.0.0.1/", Refusal::NotPublic)]
    #[case("http://0.0.0.0:8480/", Refusal::NotPublic)]
    #[case("http://2130706433/", Refusal::NotPublic)]
    #[case("http://0x7f.1/", Refusal::NotPublic)]
    #[case("http://0177.0.0.1/", Refusal::NotPublic)]
    #[case("http://[::1]/", Refusal::NotPublic)]
    #[case("http://[::]/", Refusal::NotPublic)]
    #[case("http://[::ffff:127.0.0.1]/", Refusal::NotPublic)]
    #[case("http://[::127.0.0.1]/", Refusal::NotPublic)]
    #[case("http://[64:ff9b::10.0.0.1]/", Refusal::NotPublic)]
    #[case("http://[2002:7f00:1::]/", Refusal::NotPublic)]
    #[case("http://[fd00::1]/", Refusal::NotPublic)]
    #[case("http://[fe80::1]/", Refusal::NotPublic)]
    #[case("http://[ff02::1]/", Refusal::NotPublic)]
    #[case("http://[2001:db8::1]/", Refusal::NotPublic)]
    #[case("http://10.1.2.3/", Refusal::NotPublic)]
    #[case("http://172.16.0.1/", Refusal::NotPublic)]
    #[case("http://192.168.1.1/", Refusal::NotPublic)]
    #[case("http://169.254.169.254/latest/meta-data", Refusal::NotPublic)]
    #[case("http://100.64.0.1/", Refusal::NotPublic)]
    #[case("http://224.0.0.1/", Refusal::NotPublic)]
    #[case("http://255.255.255.255/", Refusal::NotPublic)]
    #[case("ftp://arxiv.org/", Refusal::Scheme)]
    #[case("file:///etc/passwd", Refusal::Scheme)]
    #[case("data:text/plain,x", Refusal::Scheme)]
    #[case("http://arxiv.org@example.org/", Refusal::UserInfo)]
    #[case("http://:secret@example.org/", Refusal::UserInfo)]
    fn what_is_not_public_is_refused(#[case] address: &str, #[case] expected: Refusal) {
        let error = check_public(&address.parse().unwrap()).unwrap_err();
        assert!(matches!(error, NetError::Blocked { why, .. } if why == expected), "{error}");
    }

    #[rstest]
    #[case("https://arxiv.org/abs/2303.14849")]
    #[case("http://8.8.8.8/")]
    #[case("http://[2606:4700::1111]/")]
    #[case("http://[64:ff9b::8.8.8.8]/")]
    #[case("http://172.32.0.1/")]
    #[case("http://100.128.0.1/")]
    fn public_addresses_pass(#[case] address: &str) {
        check_public(&address.parse().unwrap()).unwrap();
    }

    #[test]
    fn private_addresses_of_a_name_are_dropped_and_a_name_with_no_other_is_refused() {
        let parse = |text: &str| text.parse::<SocketAddr>().unwrap();
        let mixed = [parse("10.0.0.1:0"), parse("8.8.8.8:0"), parse("[fd00::1]:0")];
        assert_eq!(public_only(mixed.into_iter()), Ok(vec![parse("8.8.8.8:0")]));
        assert_eq!(public_only([parse("127.0.0.1:0")].into_iter()), Err(Refusal::NotPublic));
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let origin = |text: &str| Origin::of(&text.parse().unwrap());
        assert_eq!(origin("https://ADSabs.org/v1"), origin("https://adsabs.org.:443/v2?q=x"));
        assert_ne!(origin("https://adsabs.org/"), origin("http://adsabs.org/"));
        assert_ne!(origin("http://localhost:1/"), origin("http://localhost:2/"));
        assert_eq!(origin("file:///x"), None);
    }
}
