//! The kinds of the files that are handed in: archives, with the ways in which they are compressed, and the
//! languages of sources, with the parts of a text that are code.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use plyground_durable::excerpt;
use plyground_durable::input::open_regular;
use plyground_host::external::without_comments;

/// The kind of a file that was handed in, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A zip; a jar is a zip.
    Zip,
    /// A tar that is not compressed.
    Tar,
    /// A compressed stream, whose contents may be a tar or a lone file.
    Compressed(Compression),
    /// An archive of another kind.
    Other(&'static str),
    /// A file that is not an archive.
    Plain,
}

/// A way of compressing a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Bzip2,
    Xz,
}

/// The names of the files that `make` reads.
pub(crate) const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
/// The file that `cmake` reads.
pub(crate) const CMAKE: &str = "CMakeLists.txt";
/// The file that `cargo` reads.
pub(crate) const CARGO: &str = "Cargo.toml";

/// Returns true if `make` or `cmake` reads a file of this name.
pub(crate) fn is_of_build_tool(file: &Path) -> bool {
    MAKEFILES.iter().chain([&CMAKE]).any(|name| file.ends_with(name))
}

/// The greatest memory that an xz stream may request, in KiB: the output of `xz -9` requests 65 MiB.
const XZ_MEMORY: u32 = 128 << 10;

/// The greatest time for unpacking a submission, with the archives in it.
const LONGEST_TIME: Duration = Duration::from_secs(60);

/// The end of unpacking: the end of its time, or a flag that any thread may set.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    time: Instant,
    stop: Option<Arc<AtomicBool>>,
}

impl Ends {
    /// Returns the end of unpacking in a minute, or when `stop` is set.
    pub(crate) fn new(stop: Option<Arc<AtomicBool>>) -> Ends {
        Ends { time: Instant::now() + LONGEST_TIME, stop }
    }

    /// Returns the end of unpacking now.
    #[cfg(test)]
    pub(crate) fn now() -> Ends {
        Ends { time: Instant::now(), stop: None }
    }

    /// Returns an error if unpacking is stopped.
    pub(crate) fn check_stop(&self) -> io::Result<()> {
        let is_stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        if is_stopped { Err(io::Error::other("it was interrupted")) } else { Ok(()) }
    }

    /// Returns an error if unpacking is stopped, or its time is over.
    fn check(&self) -> io::Result<()> {
        self.check_stop()?;
        if Instant::now() >= self.time {
            let most = LONGEST_TIME.as_secs();
            return Err(io::Error::other(format!("it takes more than {most} s to unpack")));
        }
        Ok(())
    }
}

/// A reader that fails when unpacking ends.
struct Timed<R> {
    inner: R,
    ends: Ends,
}

impl<R: Read> Read for Timed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.ends.check()?;
        self.inner.read(buffer)
    }
}

impl Compression {
    /// Returns the decompressed stream, which fails at `ends`. A limit on the contents is not enough,
    /// because a stream may have millions of parts without contents.
    pub(crate) fn undone(self, stream: impl Read + 'static, ends: Ends) -> Box<dyn Read> {
        let stream = Timed { inner: stream, ends };
        match self {
            Compression::Gzip => Box::new(MultiGzDecoder::new(stream)),
            Compression::Bzip2 => Box::new(MultiBzDecoder::new(stream)),
            Compression::Xz => Box::new(XzReader::new_mem_limit(stream, true, XZ_MEMORY)),
        }
    }
}

/// The number of bytes that tell the kind of a file: those of the header of a tar.
pub(crate) const START: u64 = 512;

/// Returns true if a file begins with a header of a tar. Old forms of tar have no mark, but all have the sum of their
/// bytes, in which the field of the sum counts as blanks.
fn begins_tar(start: &[u8]) -> bool {
    const SUM: Range<usize> = 148..156;
    let Some(header) = start.first_chunk::<{ START as usize }>() else { return false };
    let sum = |bytes: &[u8]| bytes.iter().map(|&byte| u32::from(byte)).sum::<u32>();
    let counted = sum(header) - sum(&header[SUM]) + sum(&[b' '; SUM.end - SUM.start]);
    tar::Header::from_byte_slice(header).cksum().is_ok_and(|told| told == counted)
}

/// The first bytes of archives, and their kinds.
const ARCHIVES: [(&[u8], FileKind); 8] = [
    (b"PK\x03\x04", FileKind::Zip),
    (b"PK\x05\x06", FileKind::Zip),
    (b"\x1f\x8b", FileKind::Compressed(Compression::Gzip)),
    (b"BZh", FileKind::Compressed(Compression::Bzip2)),
    (b"\xfd7zXZ", FileKind::Compressed(Compression::Xz)),
    (b"Rar!", FileKind::Other("a RAR archive")),
    (b"7z\xbc\xaf", FileKind::Other("a 7z archive")),
    (b"\x28\xb5\x2f\xfd", FileKind::Other("a file compressed by zstd")),
];

impl FileKind {
    /// Returns true if files of this kind are unpacked.
    pub(crate) fn is_archive(self) -> bool {
        matches!(self, FileKind::Zip | FileKind::Tar | FileKind::Compressed(_))
    }

    pub(crate) fn of(path: &Path) -> io::Result<FileKind> {
        Ok(FileKind::of_start(&beginning(path, START)?))
    }

    pub(crate) fn of_start(start: &[u8]) -> FileKind {
        let found = ARCHIVES.iter().find(|(magic, _)| start.starts_with(magic));
        let kind = found.map_or(FileKind::Plain, |(_, kind)| *kind);
        // A tar begins with the name of a file, which may be that of an archive that is not unpacked.
        if !kind.is_archive() && begins_tar(start) { FileKind::Tar } else { kind }
    }
}

/// Returns the folder of a file, which is empty for a file without one.
pub(crate) fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

/// Returns the name of a file without its end, if it is UTF-8.
pub(crate) fn stem_of(file: &Path) -> &str {
    file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

/// Returns the end of the name of a file without the dot, if there is one.
pub(crate) fn end_of(file: &Path) -> &str {
    file.extension().and_then(|end| end.to_str()).unwrap_or_default()
}

/// Returns the beginning of a file.
pub(crate) fn beginning(path: &Path, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns true if the first line of a file names the program that runs it.
pub(crate) fn is_marked_script(path: &Path) -> io::Result<bool> {
    beginning(path, 2).map(|bytes| bytes == b"#!")
}

/// Returns true if a file has the name of an archive. Some files with other names are zips too, such as
/// office documents.
pub(crate) fn is_called_archive(file: &Path) -> bool {
    let end = end_of(file);
    ["zip", "tar", "gz", "tgz", "bz2", "tbz2", "xz", "txz"]
        .iter()
        .any(|archive| archive.eq_ignore_ascii_case(end))
}

/// The modifiers of a method in Java that can begin a program.
const MODIFIERS: [&str; 5] = ["public", "static", "final", "synchronized", "strictfp"];

/// A language in which programs are handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Language {
    Java,
    Cpp,
    C,
    Rust,
    Python,
    JavaScript,
}

impl Language {
    /// All languages. The first language wins if all other criteria are equal.
    pub(crate) const ALL: [Language; 6] = [
        Language::Java,
        Language::Cpp,
        Language::C,
        Language::Rust,
        Language::Python,
        Language::JavaScript,
    ];

    /// Returns the name of the language, and the endings of the names of source files, the usual one first.
    fn row(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Language::Java => ("Java", &["java"]),
            Language::Cpp => ("C++", &["cpp", "cc", "cxx", "C", "c++"]),
            Language::C => ("C", &["c"]),
            Language::Rust => ("Rust", &["rs"]),
            Language::Python => ("Python", &["py", "pyw"]),
            Language::JavaScript => ("JavaScript", &["js", "mjs"]),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        self.row().0
    }

    /// Returns the usual ending of the name of a source file.
    pub(crate) fn end(self) -> &'static str {
        self.row().1[0]
    }

    pub(crate) fn of(path: &Path) -> Option<Language> {
        let end = path.extension()?.to_str()?;
        Language::ALL.into_iter().find(|language| language.row().1.contains(&end))
    }

    pub(crate) fn is_script(self) -> bool {
        matches!(self, Language::Python | Language::JavaScript)
    }

    /// Returns true if the language is compiled to native programs.
    pub(crate) fn is_native(self) -> bool {
        matches!(self, Language::Cpp | Language::C | Language::Rust)
    }

    /// Returns true if a file is a source in C or C++.
    pub(crate) fn is_of_c(file: &Path) -> bool {
        matches!(Language::of(file), Some(Language::C | Language::Cpp))
    }

    /// Returns true if a program seems to begin in a source file with this text. A script in Python that only
    /// defines functions does nothing, even if one of these reads the arguments.
    pub(crate) fn is_entry(self, text: &str) -> bool {
        let code = match self {
            Language::Python => {
                let lines = code_lines(text).filter(|line| !line.trim_start().starts_with('#'));
                lines.collect::<Vec<_>>().join("\n")
            }
            Language::Java | Language::Cpp | Language::C => without_comments(text),
            // Their literals have other forms.
            Language::Rust | Language::JavaScript => text.to_owned(),
        };
        let squeezed = code.split_whitespace().collect::<Vec<_>>().join(" ");
        match self {
            Language::Java => declares(&squeezed, "main", |before| {
                let mut words = before.split(' ').rev();
                // The first of the modifiers may follow a brace.
                let is_modifier = |word: &&str| MODIFIERS.iter().any(|it| word.ends_with(it));
                words.next() == Some("void")
                    && words.take_while(is_modifier).any(|word| word.ends_with("static"))
            }),
            Language::Cpp | Language::C => {
                let fits = |before: &str| {
                    ["int", "void", "auto", "signed", "int32_t"].iter().any(|kind| {
                        before.strip_suffix(kind).is_some_and(|rest| !rest.ends_with(is_of_name))
                    })
                };
                // On Windows, a program may begin elsewhere; the compiler says what is missing here.
                ["main", "_tmain", "wmain"].iter().any(|name| declares(&squeezed, name, fits))
                    || self == Language::C && is_old_main(&squeezed)
            }
            Language::Rust => declares(&squeezed, "main", |before| before.ends_with("fn")),
            Language::Python => {
                let reads =
                    |code: &str| ["sys.argv", "parse_args("].iter().any(|it| code.contains(it));
                let is_outside = |line: &&str| !line.starts_with(char::is_whitespace);
                let reads_at_once = || code.lines().filter(is_outside).any(reads);
                squeezed.contains("__main__")
                    || reads(&squeezed) && (reads_at_once() || calls_at_once(text))
            }
            Language::JavaScript => squeezed.contains("process.argv"),
        }
    }
}

/// Languages whose sources are compared, and neither built nor started, with the endings of the names of their files.
const OTHER_LANGUAGES: [(&str, &[&str]); 28] = [
    ("Ada", &["adb"]),
    ("C#", &["cs"]),
    ("Clojure", &["clj"]),
    ("Dart", &["dart"]),
    ("Elixir", &["ex", "exs"]),
    ("Erlang", &["erl"]),
    ("F#", &["fs", "fsx"]),
    ("Fortran", &["f90"]),
    ("Go", &["go"]),
    ("Groovy", &["groovy"]),
    ("Haskell", &["hs"]),
    ("Julia", &["jl"]),
    ("Kotlin", &["kt", "kts"]),
    ("Lisp", &["lisp", "lsp"]),
    ("Lua", &["lua"]),
    ("MATLAB or Objective-C", &["m"]),
    ("Nim", &["nim"]),
    ("OCaml", &["ml"]),
    ("Pascal", &["pas"]),
    ("PHP", &["php"]),
    ("Perl", &["pl", "pm"]),
    ("R", &["r", "R"]),
    ("Racket or Scheme", &["rkt", "scm"]),
    ("Ruby", &["rb"]),
    ("Scala", &["scala"]),
    ("Swift", &["swift"]),
    ("TypeScript", &["ts", "tsx"]),
    ("Visual Basic", &["vb"]),
];

/// Returns the name of the language of a source file that is only compared.
pub(crate) fn other_language(file: &Path) -> Option<&'static str> {
    let end = file.extension()?.to_str()?;
    OTHER_LANGUAGES.into_iter().find(|(_, ends)| ends.contains(&end)).map(|(name, _)| name)
}

/// Returns the words about a file whose kind is not built here, for the reason why a submission is not started: a
/// notebook, an archive that is not unpacked, or a source in another language.
pub(crate) fn kind_not_built(file: &Path) -> Option<String> {
    let end = file.extension()?.to_str()?;
    match &*end.to_lowercase() {
        "ipynb" => return Some("is a notebook: expected its code in a .py file".to_owned()),
        "exe" => return Some("is a program of Windows: expected its sources".to_owned()),
        "rar" | "7z" | "zst" => {
            return Some("is not unpacked: unpack it, and put a zip in its place".to_owned());
        }
        _ => {}
    }
    // Windows hides the end of a name, and a platform may add one.
    let inner = Path::new(file.file_stem()?);
    if ["txt", "text", "doc"].contains(&end) && Language::of(inner).is_some() {
        return Some(format!(
            "is no source by its name: expected `{}`",
            excerpt(&inner.to_string_lossy())
        ));
    }
    let language = other_language(file)?;
    Some(format!(
        "is in {language}, which is not built here by itself: \
         give `build` and `start` in --override"
    ))
}

/// Returns true if a text, with one blank for each gap, has the name of the beginning of a program, such as `main`, and
/// a parenthesis behind a part that fits.
fn declares(squeezed: &str, name: &str, fits: impl Fn(&str) -> bool) -> bool {
    squeezed.match_indices(name).any(|(at, name)| {
        let is_called = squeezed[at + name.len()..].trim_start().starts_with('(');
        is_called && squeezed[..at].strip_suffix(' ').is_some_and(&fits)
    })
}

/// Returns true if a text, as in [`declares`], has a `main` without a type, as in the C of old: it follows a whole
/// declaration or the name of a header, and its parentheses are not those of a call.
fn is_old_main(squeezed: &str) -> bool {
    squeezed.match_indices("main").any(|(at, name)| {
        let before = squeezed[..at].trim_end();
        if !before.is_empty() && !before.ends_with([';', '}', '>', '"']) {
            return false;
        }
        let Some(rest) = squeezed[at + name.len()..].trim_start().strip_prefix('(') else {
            return false;
        };
        let is_parameter = |c: char| is_of_name(c) || " ,*[]".contains(c);
        let behind = rest.trim_start_matches(is_parameter).strip_prefix(')');
        let behind = behind.map(str::trim_start).unwrap_or_default();
        behind.starts_with(|c: char| c == '{' || c.is_ascii_alphabetic())
    })
}

/// Returns true if a character can be within a name.
pub(crate) fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the lines of a script without the lines inside of texts of several lines, which are not code.
pub(crate) fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut quotes: Option<&str> = None;
    text.lines().filter(move |line| {
        let is_within = quotes.is_some();
        let mut rest = *line;
        while let Some(at) = quotes.map_or_else(|| first_quotes(rest), |end| rest.find(end)) {
            quotes = match quotes {
                Some(_) => None,
                None => Some(if rest[at..].starts_with("\"\"\"") { "\"\"\"" } else { "'''" }),
            };
            rest = &rest[at + 3..];
        }
        !is_within
    })
}

/// Returns the place of the first three quotes that are not in a comment or a text of one line. The search stops
/// there, because a line may have a hundred thousand such quotes.
fn first_quotes(line: &str) -> Option<usize> {
    let mut chars = line.char_indices();
    let mut quote = None;
    while let Some((at, sign)) = chars.next() {
        match (quote, sign) {
            (None, '#') => return None,
            (None, '"' | '\'') => {
                if ["\"\"\"", "'''"].iter().any(|it| line[at..].starts_with(it)) {
                    return Some(at);
                }
                quote = Some(sign);
            }
            (Some(_), '\\') => drop(chars.next()),
            (Some(end), _) if end == sign => quote = None,
            _ => {}
        }
    }
    None
}

/// The modules of Python with functions that scripts call to set something.
const SETTINGS: [&str; 6] = ["sys", "os", "random", "logging", "warnings", "np"];

/// Returns true if a script calls something or has a loop outside of all blocks: it does more than define things and
/// set the limits of Python.
pub(crate) fn calls_at_once(text: &str) -> bool {
    code_lines(text).filter(|line| !line.starts_with(char::is_whitespace)).any(|line| {
        let code = line.split('#').next().unwrap_or_default();
        // What follows in the line belongs to the block, or to the text.
        let is_block =
            ["def ", "class ", "async ", "@", "\"", "'"].iter().any(|it| code.starts_with(it));
        let statements = if is_block { 1 } else { usize::MAX };
        code.split(';').take(statements).map(str::trim_start).any(is_call)
    })
}

/// Returns true if a statement of Python, at the beginning of a line, is a loop or calls something.
fn is_call(statement: &str) -> bool {
    let name = statement.split(|c| !is_of_name(c)).next();
    let name = name.unwrap_or_default();
    let rest = &statement[name.len()..];
    match name {
        "while" | "for" | "with" | "try" => true,
        "" | "def" | "class" | "import" | "from" | "async" => false,
        // As in `sys.exit(main())`.
        name if SETTINGS.contains(&name) => rest.contains("exit("),
        // Python 2 prints without parentheses.
        "print" => true,
        _ => rest.contains('('),
    }
}

/// The endings of the names of headers, in C and C++.
const HEADERS: [&str; 5] = ["h", "hh", "hpp", "hxx", "h++"];

pub(crate) fn is_header(file: &Path) -> bool {
    file.extension().is_some_and(|end| HEADERS.iter().any(|it| end == *it))
}

/// Returns the directive of the preprocessor of C in a line, without the `#`.
pub(crate) fn directive(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix('#').map(str::trim)
}

/// Returns the paths of the files that a text in C or C++ includes, without the files of the system.
pub(crate) fn included(text: &str) -> impl Iterator<Item = &Path> {
    let names = text.lines().filter_map(|line| directive(line)?.strip_prefix("include"));
    let names = names.filter_map(|rest| rest.trim().strip_prefix('"')?.split('"').next());
    names.map(Path::new).filter(|path| path.file_name().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_recognized() {
        assert!(Language::Java.is_entry("public static\n void main(String[] a)"));
        for main in ["static public", "public static final", "@Test static synchronized public"] {
            assert!(Language::Java.is_entry(&format!("class A {{ {main} void main (String[] a)")));
        }
        assert!(!Language::Java.is_entry("class A { static int a; void main() {}"));
        for kind in ["int\n", "signed ", "std::int32_t ", "auto ", "};void "] {
            assert!(Language::Cpp.is_entry(&format!("{kind}main (int argc, char **argv)")));
        }
        assert!(Language::Cpp.is_entry("int _tmain(int argc, _TCHAR* argv[])"));
        assert!(Language::Rust.is_entry("pub fn main ( ) {"));
        for old in [
            "main(argc, argv) char **argv; { }",
            "#include <stdio.h>\nmain()\n{",
            "int x;\nmain (a) {",
        ] {
            assert!(Language::C.is_entry(old) && !Language::Cpp.is_entry(old), "{old}");
        }
        for none in [
            "f(); main(1);",
            "int maintain(void);",
            "point main(void);",
            "int main;",
            "call main(1)",
        ] {
            assert!(!Language::C.is_entry(none), "{none}");
        }
        assert!(Language::Python.is_entry("if __name__ == '__main__':"));
        assert!(Language::Python.is_entry("import sys\nplay(sys.argv[1])\n"));
        for before in ["\"\"\"Plays\na game.\n\"\"\"", "Q = \"'''\"", "Q = 'a\\'\"\"\"'  # '''"] {
            let text = format!("{before}\nimport sys\ndef main():\n    play(sys.argv)\n\nmain()\n");
            assert!(Language::Python.is_entry(&text), "{text}");
        }
        for last in ["sys.exit(main())", "sys.setrecursionlimit(99);main()", "os._exit(main())"] {
            let text = format!("import os, sys\ndef main():\n    play(sys.argv)\n\n{last}\n");
            assert!(Language::Python.is_entry(&text), "{text}");
        }
        for text in [
            "import sys\ndef main():\n    play(sys.argv)\n",
            "import sys\ndef main():\n    a = 1; play(sys.argv)\nsys.setrecursionlimit(99)\n",
            "\"\"\"The board; its functions (and main) are below.\"\"\"\nimport sys\ndef go():\n    sys.argv\n",
            "# the board; see main (below)\ndef go():\n    a = 1; print(sys.argv)\ndef f(): b = 1; go()\n",
            "# if __name__ == '__main__':\n",
            "'\''\nif __name__ == '__main__':\n'\''\nx = 1\n",
        ] {
            assert!(!Language::Python.is_entry(&text.replace('\\', "")), "{text}");
        }
        let main = "public static void main(String[] a)";
        for text in [format!("/* {main} */"), format!("int a; // {main}\nint b;")] {
            assert!(!Language::Java.is_entry(&text), "{text}");
        }
        assert!(Language::JavaScript.is_entry("glob('games/*'); play(process.argv)"));
        let blocks = [
            "String s = \"\"\"\n  a \"b\" games/*.txt\n  \"\"\";",
            "String s = \"\"; /* \"\"\"\n */",
            "String s = \"\"\"\n  \\\"\"\" /* \\\\\"\"\";",
            "String s = \"\"\"\n  /* \\\"\"\"\";",
        ];
        for before in blocks {
            assert!(Language::Java.is_entry(&format!("{before} {main} {{")), "{before}");
        }
        for before in
            ["auto s = R\"(a \" /* b)\";", "auto s = R\"x(/*)\"/*)x\";", "auto s = LR\"\";"]
        {
            assert!(Language::Cpp.is_entry(&format!("{before}\nint main() {{}}")), "{before}");
        }
        for before in
            ["String s = \"a/*\";", "char c = '\"';", "char c = '\\'';", "/*\"*/", "int c = L'/*';"]
        {
            assert!(Language::Java.is_entry(&format!("{before} {main} {{")), "{before}");
        }
        assert_eq!(Language::of(Path::new("a.cc")), Some(Language::Cpp));
        assert_eq!(Language::of(Path::new("a.h")), None);
        assert!(is_header(Path::new("a.hpp")) && !is_header(Path::new("a.cpp")));
    }
}
