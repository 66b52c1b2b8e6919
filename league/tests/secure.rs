//! The clients of a league over HTTPS, behind a proxy whose certificate they trust or not.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::running::Folder;

/// The file with the certificate of `localhost` and its key.
const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/localhost.pem");

/// The time after which a proxy looks whether the other side has said something.
const TURN: Duration = Duration::from_millis(2);

/// Speaks TLS with the clients of `listener`, and forwards to `address`, as long as the test runs.
fn serve_tls(listener: TcpListener, address: String) {
    let certificate = CertificateDer::from_pem_file(CERTIFICATE).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(CERTIFICATE).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(vec![certificate], key));
    let config = Arc::new(config.expect("settings"));
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let (config, address) = (Arc::clone(&config), address.clone());
            thread::spawn(move || forward(client, config, &address));
        }
    });
}

/// Carries bytes both ways until one side ends.
fn forward(client: TcpStream, config: Arc<ServerConfig>, address: &str) -> io::Result<()> {
    let mut server = TcpStream::connect(address)?;
    server.set_read_timeout(Some(TURN))?;
    client.set_read_timeout(Some(TURN))?;
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut client = StreamOwned::new(connection, client);
    let mut bytes = vec![0; 1 << 16];
    loop {
        for is_question in [true, false] {
            let read = if is_question { client.read(&mut bytes) } else { server.read(&mut bytes) };
            match read {
                Ok(0) => return Ok(()),
                Ok(count) if is_question => server.write_all(&bytes[..count])?,
                Ok(count) => client.write_all(&bytes[..count])?,
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Runs a command in the folder, with a file of trusted certificates.
fn run(folder: &Folder, trusted: &Path, words: &[&str]) -> Output {
    let mut command = folder.command(words);
    // There are no certificates in the folder of the league.
    command.env("SSL_CERT_FILE", trusted).env("SSL_CERT_DIR", folder.path());
    command.output().expect("the program")
}

#[test]
fn clients_trust_certificates_of_the_system_alone() {
    let folder = Folder::new(&["ann"], "settled = 300.0\n");
    let place = folder.path().join("..");
    std::fs::write(place.join("link"), &folder.tokens()[0]).expect("a file");
    std::fs::write(place.join("token"), folder.run(&["worker", "lg", "node"])).expect("a file");
    std::fs::write(place.join("notes.txt"), "no program").expect("a file");
    let listener = TcpListener::bind("localhost:0").expect("a port");
    let host = format!("localhost:{}", listener.local_addr().expect("an address").port());
    let server = folder.serve(&["--no-games", "--https", "--host", &host]);
    serve_tls(listener, server.url.trim_start_matches("http://").to_owned());
    let url = format!("https://{host}");
    let own = Path::new(CERTIFICATE);

    let pushed = run(&folder, own, &["push", &url, "notes.txt", "--token", "link"]);
    let said = String::from_utf8_lossy(&pushed.stdout);
    assert!(said.starts_with("Version 1 cannot play: "), "{said}{pushed:?}");

    // Two players of ours need few games.
    let work = ["work", &url, "--token", "token", "--until-idle"];
    let worked = run(&folder, own, &work);
    let said = String::from_utf8_lossy(&worked.stderr);
    assert!(worked.status.success() && said.contains("game 2 played"), "{said}");

    // Without the certificate, nothing is sent.
    let empty = place.join("notes.txt");
    let none = run(&folder, &empty, &["push", &url, "notes.txt", "--token", "link"]);
    let said = String::from_utf8_lossy(&none.stderr);
    assert!(said.contains("install the package ca-certificates"), "{said}");
    let other = place.join("other.pem");
    std::fs::write(&other, OTHER).expect("a file");
    let refused = run(&folder, &other, &["push", &url, "notes.txt", "--token", "link"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("SSL_CERT_FILE"), "{said}");
}

/// The certificate of another server.
const OTHER: &str = "\
-----BEGIN CERTIFICATE-----
MIIBeDCCAR2gAwIBAgIUQT7xKknahjSOPb08qmVaps8J6q4wCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFb3RoZXIwIBcNMjYxMTI2MTYxNDQ5WhgPMjEyNjExMDIxNjE0
NDlaMBAxDjAMBgNVBAMMBW90aGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
CoEXfaozkf5+1AA/31TmOGnfC/Xzpu9d3YN7C76tNUX7EqoXGpyGpsNTll+xw+Lg
WjrxkEMVoMA+kjmK98zARqNTMFEwHQYDVR0OBBYEFG8RTVe7atnRKQ7lx6aEFq28
wF9gMB8GA1UdIwQYMBaAFG8RTVe7atnRKQ7lx6aEFq28wF9gMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAJhyyQdZFG2CrOvM47Ce8Ahm6fPamSih
hEvTsP8nJ9+FAiEAkKOrq6GW63c3PXKVfPbNUOoGk5VEKe2Y5b6Ab7UDZWg=
-----END CERTIFICATE-----
";
