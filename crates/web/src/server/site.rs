//! The check of requests, which must be for this server and come from its own page or from no page; and the addresses
//! of clients.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, LazyLock};

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use plyground_durable::shorten;
use serde_json::json;

use crate::questions::Refused;
use crate::server::files::allow_inlined;

/// The local address of a connection.
#[derive(Clone, Copy, Debug)]
pub struct LocalAddress(pub SocketAddr);

/// The names of a server, and the pages that it has.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// The values that the Host header of a request may have besides the address of the server.
    pub hosts: Vec<String>,
    /// If true, pages of the server have forms that send data to the server.
    pub has_forms: bool,
}

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Returns a Content-Security-Policy: the browser runs only scripts of this server, connects to no other server, sends
/// forms only to `forms`, and shows the page in no frame.
fn policy(forms: &str) -> HeaderValue {
    let policy = allow_inlined(&format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action {forms}; frame-ancestors 'none'"
    ));
    // A policy is ASCII.
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// The policy of a server without forms.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| policy("'none'"));

/// The policy of a server to which its pages send forms.
static POLICY_WITH_FORMS: LazyLock<HeaderValue> = LazyLock::new(|| policy("'self'"));

/// The headers of every answer besides the policies.
const HEADERS: [(HeaderName, &str); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::CACHE_CONTROL, "no-cache"),
];

/// Lets a request through if it is for this server and comes from its own page, or from a client that is not
/// a browser.
///
/// After a foreign page is loaded under a name, the name can be made to point to this server (DNS rebinding); an
/// address cannot. So the `Host` header must be the address of the server, or one of its configured names. An answer
/// may have its own policy and its own cache control, which stay.
pub async fn guard(
    State(site): State<Arc<Site>>,
    axum::Extension(LocalAddress(local)): axum::Extension<LocalAddress>,
    request: Request,
    next: Next,
) -> Response {
    let checked = check(request.headers(), request.uri().authority(), local, &site.hosts);
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    // With `no-referrer`, a browser would send forms with the origin `null`, which the check refuses.
    let (policy, referrer) =
        if site.has_forms { (&POLICY_WITH_FORMS, "same-origin") } else { (&POLICY, "no-referrer") };
    let headers = response.headers_mut();
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert_with(|| HeaderValue::clone(policy));
    for (name, value) in [(header::REFERRER_POLICY, referrer)].into_iter().chain(HEADERS) {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

fn check(
    headers: &HeaderMap,
    authority: Option<&axum::http::uri::Authority>,
    local: SocketAddr,
    hosts: &[String],
) -> Result<(), Refusal> {
    let forbidden = |why: &str| Err(Refusal::new(StatusCode::FORBIDDEN, why));
    let mut said = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (said.next().and_then(|host| host.to_str().ok()), said.next()) else {
        return Err(Refusal::new(StatusCode::BAD_REQUEST, "expected one Host header"));
    };
    let is_named = hosts.iter().any(|name| name.eq_ignore_ascii_case(host));
    if !(is_named || is_here(host, local))
        || authority.is_some_and(|authority| authority.as_str() != host)
    {
        return forbidden("this server has another address");
    }
    // A reverse proxy uses HTTPS with the browser, and HTTP with the server.
    let schemes: &[&str] = if is_named { &["http", "https"] } else { &["http"] };
    let is_own = |origin: &HeaderValue| {
        schemes.iter().any(|scheme| origin.as_bytes() == format!("{scheme}://{host}").as_bytes())
    };
    let mut origins = headers.get_all(header::ORIGIN).iter();
    if !origins.all(is_own) {
        return forbidden("requests of other pages are not answered");
    }
    let site = headers.get(SEC_FETCH_SITE).map(HeaderValue::as_bytes);
    // A link on another page may lead to this page, so a navigation is let through; its Sec-Fetch-Site is
    // `none` or `cross-site`, and it has no Origin.
    let navigates =
        headers.get("sec-fetch-mode").is_some_and(|mode| mode.as_bytes() == b"navigate");
    match site {
        None | Some(b"same-origin" | b"none") => Ok(()),
        Some(_) if navigates => Ok(()),
        Some(_) => forbidden("requests of other pages are not answered"),
    }
}

/// Returns true if `host` is the address `local`, or `localhost` with the same port if `local` is a loopback
/// address.
fn is_here(host: &str, local: SocketAddr) -> bool {
    // An IPv4 address may be mapped into IPv6 by the socket.
    let ip = local.ip().to_canonical();
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port),
        _ => (host, HTTP_PORT),
    };
    let is_port =
        port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse() == Ok(local.port());
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    let is_ip = name.parse().is_ok_and(|named: IpAddr| named.to_canonical() == ip);
    is_port && (is_ip || (ip.is_loopback() && name.eq_ignore_ascii_case("localhost")))
}

/// The port of an address that names no port.
const HTTP_PORT: &str = "80";

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The number of bits of an IPv6 address that name a network: the owner of one address usually owns all addresses with
/// the same first bits.
const NETWORK_BITS: u32 = 64;

/// The address of a client: an IPv4 address or a network of IPv6; or the number of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientAddress(Origin);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Origin {
    Network(IpAddr),
    Person(i64),
}

impl ClientAddress {
    /// Returns the address of the client at `ip`.
    #[must_use]
    pub fn new(ip: IpAddr) -> ClientAddress {
        ClientAddress(Origin::Network(match ip.to_canonical() {
            IpAddr::V4(ip) => ip.into(),
            IpAddr::V6(ip) => {
                let network = ip.to_bits() >> NETWORK_BITS << NETWORK_BITS;
                Ipv6Addr::from_bits(network).into()
            }
        }))
    }

    /// Returns an address that stands for a person, wherever the person's requests come from.
    #[must_use]
    pub fn of_person(number: i64) -> ClientAddress {
        ClientAddress(Origin::Person(number))
    }

    /// Returns the words for the other clients at this address.
    pub(crate) fn place(self) -> &'static str {
        match self.0 {
            Origin::Network(_) => " at your address",
            Origin::Person(_) => " of yours",
        }
    }

    /// Returns the client for which a reverse proxy forwards a request. The proxy adds the address to the end of a
    /// list. The beginning of the list may come from the client and is not trusted.
    pub(crate) fn forwarded(headers: &HeaderMap) -> Option<ClientAddress> {
        let list = headers.get_all(X_FORWARDED_FOR).iter().next_back()?.to_str().ok()?;
        let last = list.rsplit(',').next()?.trim();
        last.parse().ok().map(ClientAddress::new)
    }
}

/// The refusal of a request: a status, and the reason as one line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    status: StatusCode,
    why: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, why: impl Into<String>) -> Refusal {
        Refusal { status, why: shorten(&why.into()).into_owned() }
    }

    /// Creates the refusal of a text that a person has typed, pasted or opened. The status is 200, because a browser
    /// would report another status as a fault of the page; the body has the refusal.
    pub(crate) fn input(why: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::OK, why)
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Refusal {
        Refusal::input(refused.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.why }))).into_response()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn host_is_the_address_itself() {
        let local = address("127.0.0.1:8017");
        for host in ["127.0.0.1:8017", "localhost:8017", "LocalHost:8017"] {
            assert!(is_here(host, local), "{host}");
        }
        for host in [
            "",
            ":",
            "localhost",
            "127.0.0.1",
            "localhost:8018",
            "127.0.0.2:8017",
            "[::1]:8017",
            "evil.example:8017",
            "localhost.evil.example:8017",
            "127.0.0.1:8017:8017",
            "127.0.0.1:+8017",
            "user@127.0.0.1:8017",
            "127.0.0.1.:8017",
        ] {
            assert!(!is_here(host, local), "{host}");
        }
        assert!(is_here("[::1]:80", address("[::1]:80")));
        assert!(is_here("[::1]", address("[::1]:80")));
        assert!(is_here("10.0.0.7:1", address("[::ffff:10.0.0.7]:1")));
        assert!(!is_here("localhost:1", address("10.0.0.7:1")));
    }

    #[test]
    fn request_of_another_page_is_refused() {
        let local = address("127.0.0.1:8017");
        let refused = |pairs: &[(&'static str, &'static str)]| {
            let pairs = pairs.iter().map(|&(name, value)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            });
            check(&pairs.collect(), None, local, &["play.example".to_owned()]).is_err()
        };
        let host = ("host", "localhost:8017");
        assert!(!refused(&[host]));
        assert!(!refused(&[host, ("origin", "http://localhost:8017")]));
        assert!(!refused(&[host, ("sec-fetch-site", "same-origin")]));
        assert!(!refused(&[
            host,
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate")
        ]));
        let named = ("host", "Play.example");
        assert!(!refused(&[named]));
        assert!(!refused(&[named, ("origin", "https://Play.example")]));
        assert!(refused(&[named, ("origin", "https://other.example")]));
        assert!(refused(&[("host", "play.example:8017")]));
        assert!(refused(&[("host", "other.play.example")]));
        assert!(refused(&[]));
        assert!(refused(&[host, ("origin", "null")]));
        assert!(refused(&[host, ("origin", "http://127.0.0.1:8017")]));
        assert!(refused(&[host, ("origin", "https://evil.example")]));
        assert!(refused(&[host, ("sec-fetch-site", "cross-site")]));
        assert!(refused(&[host, ("sec-fetch-site", "same-site")]));
    }

    fn client(text: &str) -> ClientAddress {
        ClientAddress::new(text.parse().expect("an address"))
    }

    #[test]
    fn network_of_ipv6_is_one_client() {
        assert_eq!(client("2001:db8:1:2::7"), client("2001:db8:1:2:3:4:5:6"));
        assert_ne!(client("2001:db8:1:2::7"), client("2001:db8:1:3::7"));
        assert_eq!(client("::ffff:10.0.0.7"), client("10.0.0.7"));
        assert_ne!(client("10.0.0.7"), client("10.0.0.8"));
        let person = ClientAddress::of_person;
        assert!(person(7) == person(7) && person(7) != person(8) && person(7) != client("0.0.0.7"));
    }

    #[test]
    fn proxy_is_believed_for_the_end_of_its_list() {
        let forwarded = |lists: &[&'static str]| {
            let pairs = lists.iter().map(|&list| (X_FORWARDED_FOR, HeaderValue::from_static(list)));
            ClientAddress::forwarded(&pairs.collect())
        };
        assert_eq!(forwarded(&["10.0.0.7"]), Some(client("10.0.0.7")));
        assert_eq!(forwarded(&["1.1.1.1, 10.0.0.7"]), Some(client("10.0.0.7")));
        assert_eq!(forwarded(&["1.1.1.1", "2.2.2.2,10.0.0.7 "]), Some(client("10.0.0.7")));
        assert_eq!(forwarded(&["1.1.1.1,"]), None);
        assert_eq!(forwarded(&["unknown"]), None);
        assert_eq!(forwarded(&[]), None);
    }
}
