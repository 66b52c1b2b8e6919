//! What students begin with.

/// A folder of sources: a program that reads, writes and plays legal moves at random, with a marked
/// place for what is better than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StarterKit {
    /// The language as a command line names it: `cpp`.
    pub language: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// The names of its files below the folder, with `/` between the parts, and their contents.
    pub files: &'static [(&'static str, &'static str)],
}

/// The files of a [`StarterKit`], from folders of the crate that names them: each folder with the
/// names of the files below it, which they keep in the kit.
#[macro_export]
macro_rules! starter_files {
    ($($folder:literal: [$($name:literal),* $(,)?]),* $(,)?) => {
        &[$($((
            $name,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $folder, "/", $name)),
        ),)*)*]
    };
}
