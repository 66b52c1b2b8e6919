//! The addresses of clients.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::{HeaderMap, HeaderName};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The number of bits of an IPv6 address that name a network: the owner of one address usually owns all that
/// begin with the same bits.
const NETWORK_BITS: u32 = 64;

/// The address of a client: an IPv4 address, or a network of IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ClientAddress(IpAddr);

impl ClientAddress {
    pub(crate) fn new(ip: IpAddr) -> ClientAddress {
        ClientAddress(match ip.to_canonical() {
            IpAddr::V4(ip) => ip.into(),
            IpAddr::V6(ip) => {
                let network = ip.to_bits() >> NETWORK_BITS << NETWORK_BITS;
                Ipv6Addr::from_bits(network).into()
            }
        })
    }

    /// Returns the client for which a reverse proxy forwards a request. The proxy adds the address to the end
    /// of a list, whose beginning may come from the client and is not trusted.
    pub(crate) fn forwarded(headers: &HeaderMap) -> Option<ClientAddress> {
        let list = headers.get_all(X_FORWARDED_FOR).iter().next_back()?.to_str().ok()?;
        let last = list.rsplit(',').next()?.trim();
        last.parse().ok().map(ClientAddress::new)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn address(text: &str) -> ClientAddress {
        ClientAddress::new(text.parse().expect("an address"))
    }

    #[test]
    fn network_of_ipv6_is_one_client() {
        assert_eq!(address("2001:db8:1:2::7"), address("2001:db8:1:2:3:4:5:6"));
        assert_ne!(address("2001:db8:1:2::7"), address("2001:db8:1:3::7"));
        assert_eq!(address("::ffff:10.0.0.7"), address("10.0.0.7"));
        assert_ne!(address("10.0.0.7"), address("10.0.0.8"));
    }

    #[test]
    fn proxy_is_believed_for_the_end_of_its_list() {
        let forwarded = |lists: &[&'static str]| {
            let pairs = lists.iter().map(|&list| (X_FORWARDED_FOR, HeaderValue::from_static(list)));
            ClientAddress::forwarded(&pairs.collect())
        };
        assert_eq!(forwarded(&["10.0.0.7"]), Some(address("10.0.0.7")));
        assert_eq!(forwarded(&["1.1.1.1, 10.0.0.7"]), Some(address("10.0.0.7")));
        assert_eq!(forwarded(&["1.1.1.1", "2.2.2.2,10.0.0.7 "]), Some(address("10.0.0.7")));
        assert_eq!(forwarded(&["1.1.1.1,"]), None);
        assert_eq!(forwarded(&["unknown"]), None);
        assert_eq!(forwarded(&[]), None);
    }
}
