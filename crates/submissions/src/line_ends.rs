//! Scripts saved by an editor for Windows, which no shell of this system can read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plyground_durable::input::read_regular;

/// The greatest length of a script, in bytes.
const LONGEST: u64 = 1 << 20;

/// Gives shell scripts, scripts with a `#!` line and makefiles the line ends of this system, and returns the
/// files that were changed.
pub(crate) fn mend(root: &Path, files: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut mended = Vec::new();
    for file in files {
        let path = root.join(file);
        let Some(bytes) = read_regular(&path, LONGEST)? else { continue };
        let is_script = bytes.starts_with(b"#!") || is_named_script(file);
        if !is_script || bytes.contains(&0) || !bytes.windows(2).any(|pair| pair == b"\r\n") {
            continue;
        }
        let mut plain = Vec::with_capacity(bytes.len());
        let mut rest = bytes.iter().peekable();
        while let Some(byte) = rest.next() {
            if *byte != b'\r' || rest.peek() != Some(&&b'\n') {
                plain.push(*byte);
            }
        }
        // The file keeps its mode.
        fs::write(&path, plain)?;
        mended.push(file.clone());
    }
    Ok(mended)
}

fn is_named_script(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".sh") || ["makefile", "gnumakefile"].contains(&name.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_mended_and_nothing_else() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let files = ["run.sh", "play", "Makefile", "input.txt", "fine.sh"].map(PathBuf::from);
        let texts = ["a\r\nb\r\n", "#!/bin/sh\r\nx\r\n", "all:\r\n", "1\r\n", "a\n"];
        for (file, text) in files.iter().zip(texts) {
            fs::write(folder.path().join(file), text)?;
        }
        assert_eq!(mend(folder.path(), &files)?, files[..3]);
        let read = |file: &str| fs::read_to_string(folder.path().join(file));
        assert_eq!((read("run.sh")?, read("input.txt")?), ("a\nb\n".into(), "1\r\n".into()));
        assert_eq!(read("play")?, "#!/bin/sh\nx\n");
        Ok(())
    }
}
