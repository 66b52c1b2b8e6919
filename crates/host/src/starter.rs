//! Starter kits: folders of sources from which students begin.

/// A folder of sources: a program that reads, writes and plays legal moves at random, with a marked place for
/// better play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StarterKit {
    /// The language as a command line names it: `cpp`.
    pub language: &'static str,
    /// The description of the kit, in a few words.
    pub about: &'static str,
    /// The names of its files below the folder, with `/` between the parts, and their contents.
    pub files: &'static [(&'static str, &'static str)],
}

/// Makes the files of a [`StarterKit`] from folders of the crate that names them: each folder with the names
/// of the files below it. The files keep their names in the kit.
#[macro_export]
macro_rules! starter_files {
    ($($folder:literal: [$($name:literal),* $(,)?]),* $(,)?) => {
        &[$($((
            $name,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $folder, "/", $name)),
        ),)*)*]
    };
}
