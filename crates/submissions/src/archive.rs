//! Unpacks submissions: zips and jars, tars, folders and lone files.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use zip::ZipArchive;

use crate::entry_name::entry_place;
use crate::unpacking::{UnpackError, Unpacking, damaged};

/// The largest file that is unpacked, in bytes; a zip's list of files is held in memory.
const LARGEST: u64 = 256 << 20;

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

/// The greatest memory that an xz stream may request, in KiB: the output of `xz -9` requests 65 MiB.
const XZ_MEMORY: u32 = 128 << 10;

impl Compression {
    /// Returns the stream decompressed.
    fn undone(self, stream: impl Read + 'static) -> Box<dyn Read> {
        match self {
            Compression::Gzip => Box::new(MultiGzDecoder::new(stream)),
            Compression::Bzip2 => Box::new(MultiBzDecoder::new(stream)),
            Compression::Xz => Box::new(XzReader::new_mem_limit(stream, true, XZ_MEMORY)),
        }
    }
}

/// The offset of the mark of a tar, in bytes.
const TAR_AT: usize = 257;

/// The first bytes of the archives that are not unpacked, and their kinds.
const OTHERS: [(&[u8], &str); 3] = [
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x28\xb5\x2f\xfd", "a file compressed by zstd"),
];

impl FileKind {
    /// Returns true if the file is unpacked.
    pub(crate) fn is_archive(self) -> bool {
        matches!(self, FileKind::Zip | FileKind::Tar | FileKind::Compressed(_))
    }

    /// Returns the kind of a file.
    pub(crate) fn of(path: &Path) -> io::Result<FileKind> {
        let mut start = Vec::new();
        File::open(path)?.take(TAR_AT as u64 + 5).read_to_end(&mut start)?;
        Ok(FileKind::of_start(&start))
    }

    fn of_start(start: &[u8]) -> FileKind {
        if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
            return FileKind::Zip;
        }
        if start.starts_with(b"\x1f\x8b") {
            return FileKind::Compressed(Compression::Gzip);
        }
        if start.starts_with(b"BZh") {
            return FileKind::Compressed(Compression::Bzip2);
        }
        if start.starts_with(b"\xfd7zXZ") {
            return FileKind::Compressed(Compression::Xz);
        }
        if start.get(TAR_AT..).is_some_and(|rest| rest.starts_with(b"ustar")) {
            return FileKind::Tar;
        }
        let other = OTHERS.iter().find(|(magic, _)| start.starts_with(magic));
        other.map_or(FileKind::Plain, |(_, name)| FileKind::Other(name))
    }
}

/// Returns true if a file has the name of an archive. Some files with other names are zips too, such as
/// office documents.
pub(crate) fn is_called_archive(file: &Path) -> bool {
    let end = file.extension().and_then(|end| end.to_str()).unwrap_or_default();
    ["zip", "tar", "gz", "tgz", "bz2", "tbz2", "xz", "txz"]
        .iter()
        .any(|archive| archive.eq_ignore_ascii_case(end))
}

/// Unpacks a file or folder. `name` is the name for a lone file.
pub(crate) fn unpack(
    source: &Path,
    name: &str,
    unpacking: &mut Unpacking<'_>,
) -> Result<(), UnpackError> {
    let failed = |error: io::Error| UnpackError::Io { path: source.to_owned(), source: error };
    let found = fs::metadata(source).map_err(failed)?;
    if found.is_dir() {
        return copy_folder(source, "", unpacking);
    }
    if found.len() > LARGEST {
        return Err(UnpackError::Refused(format!(
            "it has {} bytes, more than {LARGEST}",
            found.len()
        )));
    }
    let kind = FileKind::of(source).map_err(failed)?;
    let file = BufReader::new(File::open(source).map_err(failed)?);
    match kind {
        FileKind::Zip => unpack_zip(file, unpacking),
        FileKind::Tar => unpack_tar(file, unpacking),
        FileKind::Compressed(how) => {
            let mut start = Vec::new();
            let again = File::open(source).map_err(failed)?;
            let first = how.undone(BufReader::new(again)).take(TAR_AT as u64 + 5);
            { first }.read_to_end(&mut start).map_err(damaged)?;
            let all = how.undone(file);
            if FileKind::of_start(&start) == FileKind::Tar {
                let most = unpacking.longest_stream();
                return unpack_tar(all.take(most), unpacking);
            }
            unpacking.count(name)?;
            let ends = [".gz", ".bz2", ".xz"];
            let own = ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
            unpacking.write(own, all, false).map(drop)
        }
        FileKind::Other(what) => Err(UnpackError::Refused(format!(
            "expected a zip, tar, tar.gz, tar.bz2, tar.xz, jar, folder or source file, found {what}: unpack it, and \
             put a zip in its place"
        ))),
        FileKind::Plain if is_called_archive(Path::new(name)) => {
            Err(damaged("expected the archive that its name promises"))
        }
        FileKind::Plain => {
            unpacking.count(name)?;
            unpacking.write(name, file, false).map(drop)
        }
    }
}

/// Puts a file as it is, or the contents of a folder, beside the files that are already there.
pub(crate) fn place(
    source: &Path,
    name: &str,
    unpacking: &mut Unpacking<'_>,
) -> Result<(), UnpackError> {
    let failed = |error: io::Error| UnpackError::Io { path: source.to_owned(), source: error };
    if source.is_dir() {
        return copy_folder(source, "", unpacking);
    }
    unpacking.count(name)?;
    let file = File::open(source).map_err(failed)?;
    unpacking.write(name, BufReader::new(file), false).map(drop)
}

/// Copies the contents of a folder, except links and whatever is neither file nor folder. `below` is the path
/// of the folder in the submission, with `/` at its end.
fn copy_folder(
    folder: &Path,
    below: &str,
    unpacking: &mut Unpacking<'_>,
) -> Result<(), UnpackError> {
    let failed = |error: io::Error| UnpackError::Io { path: folder.to_owned(), source: error };
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(failed)?.collect();
    let mut entries = entries.map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        // No program needs a file whose name is not UTF-8.
        let Some(name) = entry.file_name().to_str().map(|name| format!("{below}{name}")) else {
            continue;
        };
        unpacking.count(&name)?;
        if entry_place(&name).is_ok_and(|place| place.is_none()) {
            continue;
        }
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            unpacking.make_folder(&name)?;
            copy_folder(&entry.path(), &format!("{name}/"), unpacking)?;
        } else if kind.is_file() {
            let path = entry.path();
            let failed = |error| UnpackError::Io { path: path.clone(), source: error };
            let file = File::open(&path).map_err(failed)?;
            let is_program = is_program(&file).map_err(failed)?;
            unpacking.write(&name, file, is_program)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_program(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;

    Ok(is_program_mode(file.metadata()?.permissions().mode()))
}

#[cfg(not(unix))]
fn is_program(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// Returns true if the mode of a file lets anyone run it.
fn is_program_mode(mode: u32) -> bool {
    mode & 0o111 != 0
}

fn unpack_zip(file: impl Read + Seek, unpacking: &mut Unpacking<'_>) -> Result<(), UnpackError> {
    let mut archive = ZipArchive::new(file).map_err(damaged)?;
    for index in 0..archive.len() {
        // The list of the zip names the encrypted files, before anything is read.
        let raw = archive.by_index_raw(index).map_err(damaged)?;
        if raw.encrypted() {
            return Err(UnpackError::Refused("it is encrypted".to_owned()));
        }
        drop(raw);
        let mut entry = archive.by_index(index).map_err(damaged)?;
        let name = entry.name().map_err(damaged)?.into_owned();
        unpacking.count(&name)?;
        let mode = entry.unix_mode();
        if entry.is_dir() {
            unpacking.make_folder(&name)?;
        } else if !entry.is_symlink() {
            unpacking.write(&name, &mut entry, mode.is_some_and(is_program_mode))?;
        }
    }
    Ok(())
}

fn unpack_tar(stream: impl Read, unpacking: &mut Unpacking<'_>) -> Result<(), UnpackError> {
    let mut archive = tar::Archive::new(stream);
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        unpacking.count(&name)?;
        let kind = entry.header().entry_type();
        if kind.is_dir() {
            unpacking.make_folder(&name)?;
        } else if kind.is_file() || kind.is_contiguous() {
            let is_program = entry.header().mode().is_ok_and(is_program_mode);
            unpacking.write(&name, &mut entry, is_program)?;
        }
    }
    Ok(())
}
