//! The package for Debian and its derivatives.
//!
//! It is an archive of two archives, and the programs depend on nothing, so that a few lines make it.
//! `cargo-deb` would have to be installed first, and would build the programs itself, for one level only.

use anyhow::{Result, bail};
use ar::{Builder, Header};

use crate::archive::tar_gz;
use crate::release::{Package, Release};
use crate::tree::Tree;

const KIB: usize = 1024;

/// Makes the package with all files of a tree, in `/usr`.
pub fn make(release: &Release, tree: &Tree) -> Result<Package> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => bail!("what Debian calls {other} is not known"),
    };
    let mut placed = Tree::default();
    for (path, file) in tree.files() {
        placed.add_file(format!("usr/{path}"), file);
    }
    let size: usize = tree.files().map(|(_, file)| file.bytes.len().div_ceil(KIB)).sum();
    let mut control = Tree::default();
    control.add("control", control_file(&release.version, architecture, size));
    let time = release.time;
    let parts = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", tar_gz(&control, "", time)?),
        ("data.tar.gz", tar_gz(&placed, "", time)?),
    ];
    let mut deb = Builder::new(Vec::new());
    for (name, bytes) in &parts {
        let mut header = Header::new(name.as_bytes().to_vec(), bytes.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        deb.append(&header, &bytes[..])?;
    }
    let name = format!("plyground_{}_{architecture}.deb", release.version);
    Ok((name, deb.into_inner()?))
}

fn control_file(version: &str, architecture: &str, size: usize) -> String {
    format!(
        "\
Package: plyground
Version: {version}
Architecture: {architecture}
Maintainer: The Plyground authors
Installed-Size: {size}
Section: games
Priority: optional
Description: plays, analyzes, solves and grades two-player board games
 Two games, Max-Connect4 and Network, with one exact alpha-beta search, a page in
 the browser to play and analyze on, matches and tournaments between programs,
 and grades for what students hand in, whose programs run in sandboxes.
"
    )
}
