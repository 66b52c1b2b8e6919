//! The package for Debian and its descendants, with all files of an archive in `/usr`.

use std::io::Write;

use anyhow::{Result, bail};
use ar::{Builder, Header};
use flate2::{Compression, GzBuilder};
use md5::{Digest, Md5};

use crate::release::{Package, Release, hex, output};
use crate::tree::{DOC, Tree, tar_gz, tar_xz};

const KIB: usize = 1024;

/// The folders of files that Debian wants compressed.
const COMPRESSED: &str = "share/man/";

/// The findings of lintian that are as they should be, with the reasons.
const OVERRIDES: &str = include_str!("deb/lintian-overrides");

/// Makes the package with all files of `tree`.
pub fn make(release: &Release, tree: &Tree) -> Result<Package> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => bail!("what Debian calls {other} is not known"),
    };
    let placed = placed(release, tree)?;
    let size: usize = placed.files().map(|(_, file)| file.bytes.len().div_ceil(KIB)).sum();
    let mut control = Tree::default();
    control.add("control", control_file(&release.version, architecture, size));
    control.add("md5sums", md5sums(&placed));
    let time = release.time;
    let parts = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", tar_gz(&control, "", time)?),
        ("data.tar.xz", tar_xz(&placed, "./", time)?),
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

/// Returns the files in their places on the system.
fn placed(release: &Release, tree: &Tree) -> Result<Tree> {
    let mut placed = Tree::default();
    for (path, file) in tree.files() {
        if path.starts_with(COMPRESSED) {
            placed.add(format!("usr/{path}.gz"), gz(&file.bytes)?);
        } else {
            placed.add_file(format!("usr/{path}"), file);
        }
    }
    placed.add(format!("usr/{DOC}/changelog.gz"), gz(changelog(release)?.as_bytes())?);
    placed.add("usr/share/lintian/overrides/plyground", OVERRIDES);
    Ok(placed)
}

fn gz(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut gz = GzBuilder::new().write(Vec::new(), Compression::best());
    gz.write_all(bytes)?;
    Ok(gz.finish()?)
}

/// Returns the list of checksums by which `dpkg --verify` finds changed files.
fn md5sums(tree: &Tree) -> String {
    tree.files()
        .map(|(path, file)| format!("{}  {path}\n", hex(&Md5::digest(&file.bytes))))
        .collect()
}

/// The authors, as the control file and the changelog name them: with an address, which must be there, and
/// which they do not have.
const MAINTAINER: &str = concat!(env!("CARGO_PKG_AUTHORS"), " <authors@plyground.invalid>");

/// Returns the changelog in the form of Debian, whose only entry refers to that of the project.
fn changelog(release: &Release) -> Result<String> {
    let mut date = release.command("date");
    date.args(["--utc", "--rfc-email", "--date"]).arg(format!("@{}", release.time));
    let (version, date) = (&release.version, output(&mut date)?);
    Ok(format!(
        "\
plyground ({version}) stable; urgency=medium

  * Version {version}: /usr/{DOC}/CHANGELOG.md says what changed.

 -- {MAINTAINER}  {date}"
    ))
}

fn control_file(version: &str, architecture: &str, size: usize) -> String {
    let homepage = env!("CARGO_PKG_HOMEPAGE");
    format!(
        "\
Package: plyground
Version: {version}
Architecture: {architecture}
Maintainer: {MAINTAINER}
Installed-Size: {size}
Section: education
Priority: optional
Homepage: {homepage}
Description: play, analyze, solve and grade two-player board games
 Two games, Max-Connect4 and Network, with one exact alpha-beta search, a page
 in the browser to play and analyze on, matches and tournaments between
 programs, and grades for what students hand in, whose programs run in
 sandboxes.
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_of_all_files() {
        let mut tree = Tree::default();
        tree.add("usr/b", "");
        tree.add("usr/a", "a");
        let expected = "0cc175b9c0f1b6a831c399e269772661  usr/a\n\
                        d41d8cd98f00b204e9800998ecf8427e  usr/b\n";
        assert_eq!(md5sums(&tree), expected);
    }
}
