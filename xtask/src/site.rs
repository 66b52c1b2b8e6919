//! The page without a server, which a script of its own builds.

use anyhow::Result;

use crate::archive::tar_gz;
use crate::release::{Package, Release};
use crate::tool::run;
use crate::tree::Tree;

/// The script. Its argument is the folder for the files of the page.
const SCRIPT: &str = "bindings/wasm/build";

/// Makes the page; returns `None` if the script does not exist.
pub fn make(release: &Release) -> Result<Option<Package>> {
    let script = release.root.join(SCRIPT);
    if !script.exists() {
        return Ok(None);
    }
    let folder = release.work.join("site");
    run(release.command(&script.to_string_lossy()).arg(&folder))?;
    let mut tree = Tree::default();
    tree.add_folder("site", &folder)?;
    let name = format!("plyground-{}-site", release.version);
    let bytes = tar_gz(&tree, &format!("{name}/"), release.time)?;
    Ok(Some((format!("{name}.tar.gz"), bytes)))
}
