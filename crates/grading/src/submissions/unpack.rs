//! Unpacks submissions: zips and jars, tars, folders and lone files.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;

use plyground_durable::input::{entries_below, open_below, open_regular};
use plyground_durable::{FileError, excerpt};
use plyground_sandbox::{ByteSize, is_exhausted};
use zip::{SUPPORTED_COMPRESSION_METHODS, ZipArchive};

use crate::submissions::file_kind::{Compression, Ends, FileKind, START, is_called_archive};
use crate::submissions::limited_folder::{
    UnpackError, Unpacking, damaged, entry_place, is_program, is_program_mode, refused,
};

/// The largest file that is unpacked, in bytes.
pub(crate) const LARGEST: u64 = 256 << 20;

/// A zip whose list of files is not longer than its limits allow.
pub(crate) type Zip = ZipArchive<Metered<BufReader<File>>>;

/// The greatest size of the list of a zip: the bytes for each file, and the bytes for all else. The
/// list is held in memory, at a multiple of its size.
const LISTED: (u64, u64) = (256, 1 << 20);

/// The number of times that all of a zip may be read. Without this limit, contents that several files share
/// would be read once for each file in the list.
const READINGS: u64 = 4;

/// Opens a zip that may have at most `most_files` files. Reads no more of the list than so many files
/// need.
pub(crate) fn open_zip(file: File, most_files: usize) -> Result<Zip, UnpackError> {
    let (each, none) = LISTED;
    let left = Rc::new(Cell::new(each.saturating_mul(most_files as u64).saturating_add(none)));
    let length = file.metadata().map_err(damaged)?.len();
    let file = Metered { inner: BufReader::new(file), left: Rc::clone(&left) };
    let archive = ZipArchive::new(file);
    if left.get() == 0 {
        return Err(refused(format!("its list of files is longer than {most_files} files need")));
    }
    left.set(length.saturating_mul(READINGS).saturating_add(none));
    archive.map_err(damaged)
}

/// A reader that fails after a given number of bytes.
#[derive(Debug)]
pub(crate) struct Metered<R> {
    inner: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.get();
        if left == 0 && !buffer.is_empty() {
            return Err(io::Error::other("its files share contents"));
        }
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let length = self.inner.read(&mut buffer[..most])?;
        self.left.set(left - length as u64);
        Ok(length)
    }
}

impl<R: Seek> Seek for Metered<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// Unpacks a file or folder. `name` is the name for a lone file.
pub(crate) fn unpack(
    source: &Path,
    name: &str,
    unpacking: &mut Unpacking<'_>,
) -> Result<(), UnpackError> {
    let failed = |error| unreadable(source, error);
    let found = fs::symlink_metadata(source).map_err(failed)?;
    if found.is_dir() {
        return copy_folder(source, "", unpacking);
    }
    if found.len() > LARGEST {
        return Err(refused(format!("it has {} bytes, more than {LARGEST}", found.len())));
    }
    let kind = FileKind::of(source).map_err(failed)?;
    let file = open_regular(source).map_err(failed)?;
    if kind == FileKind::Zip {
        return unpack_zip(open_zip(file, unpacking.most_files())?, unpacking);
    }
    let file = BufReader::new(file);
    match kind {
        FileKind::Tar => unpack_tar(file, unpacking),
        FileKind::Compressed(how) => {
            let again = open_regular(source).map_err(failed)?;
            let is_tar = has_tar(again, how, unpacking.ends()).map_err(damaged)?;
            let all = how.undone(file, unpacking.ends());
            if is_tar {
                let most = unpacking.longest_stream();
                return unpack_tar(all.take(most), unpacking);
            }
            unpacking.count(name)?;
            let ends = [".gz", ".bz2", ".xz"];
            let own = ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
            unpacking.write(own, all, false).map(drop)
        }
        FileKind::Other(what) => Err(refused(format!(
            "expected a zip, tar, tar.gz, tar.bz2, tar.xz, jar, folder or source file, found {what}: unpack it, and \
             put a zip in its place"
        ))),
        FileKind::Plain if is_called_archive(Path::new(name)) => {
            Err(damaged("expected the archive that its name promises"))
        }
        FileKind::Zip | FileKind::Plain => {
            unpacking.count(name)?;
            unpacking.write(name, file, false).map(drop)
        }
    }
}

/// Returns the error of a file or folder that was handed in and cannot be read. The author chose the name,
/// the mode and the kind, so only a lack of system resources is not the author's fault.
fn unreadable(path: &Path, source: io::Error) -> UnpackError {
    if is_exhausted(&source) {
        return FileError::at(path, "read it")(source).into();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    refused(format!("`{}` cannot be read: {source}", excerpt(&name)))
}

fn has_tar(file: File, how: Compression, ends: Ends) -> io::Result<bool> {
    let mut start = Vec::new();
    how.undone(BufReader::new(file), ends).take(START).read_to_end(&mut start)?;
    Ok(FileKind::of_start(&start) == FileKind::Tar)
}

/// Returns true if a file is a zip or a tar; false if it is a single compressed file. A damaged file may be either.
pub(crate) fn has_files(path: &Path, ends: Ends) -> io::Result<bool> {
    match FileKind::of(path)? {
        FileKind::Compressed(how) => Ok(has_tar(open_regular(path)?, how, ends).unwrap_or(true)),
        kind => Ok(kind.is_archive()),
    }
}

/// Copies a file unchanged, or the contents of a folder, beside the files that are already there.
pub(crate) fn place(
    source: &Path,
    name: &str,
    unpacking: &mut Unpacking<'_>,
) -> Result<(), UnpackError> {
    let failed = |error| unreadable(source, error);
    if fs::symlink_metadata(source).map_err(failed)?.is_dir() {
        return copy_folder(source, "", unpacking);
    }
    unpacking.count(name)?;
    let file = open_regular(source).map_err(failed)?;
    unpacking.write(name, BufReader::new(file), false).map(drop)
}

/// Copies the contents of the folder `below` a folder that was handed in, except links and special files. `below` has
/// `/` at its end.
fn copy_folder(
    folder: &Path,
    below: &str,
    unpacking: &mut Unpacking<'_>,
) -> Result<(), UnpackError> {
    let failed = |error| unreadable(&folder.join(below), error);
    for (name, kind) in entries_below(folder, Path::new(below)).map_err(failed)? {
        // No program needs a file whose name is not UTF-8.
        let Some(name) = name.to_str().map(|name| format!("{below}{name}")) else { continue };
        unpacking.count(&name)?;
        if entry_place(&name).is_ok_and(|place| place.is_none()) {
            continue;
        }
        if kind.is_dir() {
            unpacking.make_folder(&name)?;
            copy_folder(folder, &format!("{name}/"), unpacking)?;
        } else if kind.is_file() {
            let failed = |error| unreadable(&folder.join(&name), error);
            let file = open_below(folder, Path::new(&name)).map_err(failed)?;
            let found = file.metadata().map_err(failed)?;
            // The name may be that of another file by now.
            if found.is_file() {
                unpacking.write(&name, file, is_program(&found))?;
            }
        }
    }
    Ok(())
}

/// Returns the files and folders in a folder, by name.
pub(crate) fn sorted_entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    Ok(entries)
}

fn unpack_zip(mut archive: Zip, unpacking: &mut Unpacking<'_>) -> Result<(), UnpackError> {
    for index in 0..archive.len() {
        // The list of the zip marks encrypted files, so an encrypted file is refused before it is
        // read.
        let raw = archive.by_index_raw(index).map_err(damaged)?;
        if raw.encrypted() {
            return Err(refused("it is encrypted: make a zip without a password"));
        }
        let method = raw.compression();
        if !SUPPORTED_COMPRESSION_METHODS.contains(&method) {
            return Err(refused(format!(
                "a file in it is compressed by {method}, expected Deflated: make a zip with the usual compression"
            )));
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

/// The greatest length of an extension header of a tar, such as a long name or the data of other
/// systems, in bytes.
const LONGEST_HEADER: u64 = 1 << 20;

/// Unpacks a tar. Extension headers are read here, with a limit, because the crate `tar` reads a long
/// name of any length into memory.
fn unpack_tar(stream: impl Read, unpacking: &mut Unpacking<'_>) -> Result<(), UnpackError> {
    let mut archive = tar::Archive::new(stream);
    let mut long = None;
    for entry in archive.entries().map_err(damaged)?.raw(true) {
        let mut entry = entry.map_err(damaged)?;
        let kind = entry.header().entry_type();
        if kind.is_gnu_longname() {
            let mut name = header_text(&mut entry)?;
            while name.pop_if(|last| *last == 0).is_some() {}
            long = Some(name);
        } else if kind.is_pax_local_extensions() {
            long = pax_name(&header_text(&mut entry)?)?.or(long);
        }
        let is_about_next = kind.is_gnu_longname()
            || kind.is_pax_local_extensions()
            || kind.is_pax_global_extensions()
            || kind.is_gnu_longlink();
        if is_about_next {
            continue;
        }
        if kind.is_gnu_sparse() {
            return Err(sparse());
        }
        let name = long.take().unwrap_or_else(|| entry.header().path_bytes().into_owned());
        let name = String::from_utf8_lossy(&name).into_owned();
        unpacking.count(&name)?;
        if kind.is_dir() {
            unpacking.make_folder(&name)?;
        } else if kind.is_file() || kind.is_contiguous() {
            // Old archives end the name of a folder by `/`.
            if name.ends_with('/') {
                unpacking.make_folder(&name)?;
                continue;
            }
            let is_program = entry.header().mode().is_ok_and(is_program_mode);
            unpacking.write(&name, &mut entry, is_program)?;
        }
    }
    Ok(())
}

fn header_text(entry: impl Read) -> Result<Vec<u8>, UnpackError> {
    let mut text = Vec::new();
    entry.take(LONGEST_HEADER + 1).read_to_end(&mut text).map_err(damaged)?;
    if text.len() as u64 > LONGEST_HEADER {
        let most = ByteSize(LONGEST_HEADER);
        return Err(refused(format!("it has a name or a header of more than {most}")));
    }
    Ok(text)
}

/// Returns the name of the next file in a pax header.
fn pax_name(text: &[u8]) -> Result<Option<Vec<u8>>, UnpackError> {
    let mut name = None;
    for record in tar::PaxExtensions::new(text).flatten() {
        match record.key_bytes() {
            b"path" => name = Some(record.value_bytes().to_owned()),
            key if key.starts_with(b"GNU.sparse.") => return Err(sparse()),
            // Only files that are too large have their size in a pax header.
            b"size" => return Err(damaged("expected the size of a file in its own header")),
            _ => {}
        }
    }
    Ok(name)
}

fn sparse() -> UnpackError {
    refused("it has sparse files: pack it without `--sparse`")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::fixtures;
    use crate::submissions::file_kind::{Compression, Ends};
    use crate::submissions::limited_folder::UnpackLimits;

    const LIMITS: UnpackLimits = UnpackLimits { size: ByteSize::mib(4), files: 20 };

    /// Unpacks a file with these bytes, and returns the names of the files, or the fault.
    fn unpacked(bytes: &[u8]) -> Result<Vec<String>, String> {
        let [from, to] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let file = from.path().join("a");
        fs::write(&file, bytes).expect("a file");
        let mut unpacking = Unpacking::into(to.path(), LIMITS);
        unpack(&file, "a", &mut unpacking).map_err(|error| error.to_string())?;
        let files = crate::submissions::files::files(to.path()).expect("files");
        Ok(files.iter().map(|file| file.display().to_string()).collect())
    }

    /// Appends a member of a tar, whose header may lie about its length.
    fn add(tar: &mut Vec<u8>, kind: u8, name: &str, contents: &[u8], length: u64) {
        let mut header = tar::Header::new_ustar();
        header.set_path(name).expect("a name");
        header.set_entry_type(tar::EntryType::new(kind));
        header.set_size(length);
        header.set_mode(0o644);
        header.set_cksum();
        tar.extend(header.as_bytes());
        tar.extend(contents);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }

    fn member(kind: u8, name: &str, contents: &[u8]) -> Vec<u8> {
        let mut tar = Vec::new();
        add(&mut tar, kind, name, contents, contents.len() as u64);
        tar
    }

    #[test]
    fn long_names_of_tars_are_read_within_limits() {
        let long = format!("{}/main.c", "d".repeat(120));
        let file = || member(b'0', "short.c", b"x");
        let gnu = [member(b'L', "././@LongLink", format!("{long}\0").as_bytes()), file()];
        assert_eq!(unpacked(&gnu.concat()), Ok(vec![long.clone()]));
        let record = format!(" path={long}\n");
        let pax = format!("{}{record}", record.len() + 3);
        let pax = [member(b'x', "pax", pax.as_bytes()), file()];
        assert_eq!(unpacked(&pax.concat()), Ok(vec![long]));
        let many = vec![b'a'; LONGEST_HEADER as usize + 1];
        for kind in [b'L', b'x'] {
            let fault =
                unpacked(&[member(kind, "name", &many), file()].concat()).expect_err("long");
            assert_eq!(fault, "it has a name or a header of more than 1.0 MiB");
        }
        // A header with a false length is an error, not a reason to wait for more bytes.
        let mut lies = Vec::new();
        add(&mut lies, b'L', "name", b"x", 900 << 20);
        assert!(unpacked(&lies).is_err_and(|fault| fault.starts_with("it is damaged: ")));
    }

    /// A file of 256 MiB has room for 18 million parts of bzip2 without contents.
    #[test]
    fn stream_without_contents_is_read_within_a_time() {
        let part = b"BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0";
        let parts = io::Cursor::new(part.repeat(1_000));
        let mut over = Compression::Bzip2.undone(parts, Ends::now());
        let fault = over.read_to_end(&mut Vec::new()).expect_err("no time");
        assert_eq!(fault.to_string(), "it takes more than 60 s to unpack");
        assert_eq!(unpacked(&part.repeat(1_000)), Ok(vec!["a".to_owned()]));
        // All archives of a submission share one time limit.
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.bz2");
        fs::write(&file, part).expect("a file");
        let mut late = Unpacking::into(folder.path(), LIMITS).until(Ends::now());
        let fault = unpack(&file, "a.bz2", &mut late).expect_err("no time").to_string();
        assert_eq!(fault, "it is damaged: it takes more than 60 s to unpack");
    }

    #[test]
    fn stopped_unpacking_writes_no_more() {
        let stop = Arc::new(AtomicBool::new(false));
        let folder = tempfile::tempdir().expect("a folder");
        let mut unpacking =
            Unpacking::into(folder.path(), LIMITS).until(Ends::new(Some(Arc::clone(&stop))));
        let stopping = io::Read::chain(&b"begun"[..], Stopping(stop));
        let fault = unpacking.write("a.c", stopping, false).expect_err("a stop").to_string();
        assert_eq!(fault, "it is damaged: it was interrupted");
        assert_eq!(fs::read(folder.path().join("a.c")).expect("a file").len(), 5 + 1);
        assert!(unpacking.count("b.c").is_err());
    }

    /// An endless file that stops its unpacking at its first byte.
    struct Stopping(Arc<AtomicBool>);

    impl Read for Stopping {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.store(true, Ordering::Relaxed);
            buffer[0] = 0;
            Ok(1)
        }
    }

    #[test]
    fn sparse_files_are_named() {
        let fault = unpacked(&member(b'S', "a.c", b"")).expect_err("sparse");
        assert!(fault.contains("--sparse"), "{fault}");
        let pax = member(b'x', "pax", b"22 GNU.sparse.major=1\n");
        assert!(unpacked(&[pax, member(b'0', "a.c", b"")].concat()).is_err());
    }

    #[test]
    fn old_tar_has_no_mark() {
        let mut header = tar::Header::new_old();
        header.set_path("a.c").expect("a name");
        header.set_size(0);
        header.set_mode(0o644);
        header.set_cksum();
        let tar = |header: &[u8]| [header, &[0; 1024]].concat();
        assert_eq!(unpacked(&tar(header.as_bytes())), Ok(vec!["a.c".to_owned()]));
        // The sum is wrong, so it is a file like any other.
        header.set_uid(1);
        assert_eq!(unpacked(&tar(header.as_bytes())), Ok(vec!["a".to_owned()]));
    }

    #[test]
    fn zip_of_another_method_or_with_a_password_has_a_remedy() {
        let zip = fixtures::zip(&[("a.c", "")]);
        let listed = zip.windows(4).position(|word| word == b"PK\x01\x02").expect("a list");
        // The flags of a file and its method stand in front of its contents, and in the list.
        let with = |offset: usize, value: u8| {
            let mut changed = zip.clone();
            changed[6 + offset] = value;
            changed[listed + 8 + offset] = value;
            unpacked(&changed).expect_err("a fault")
        };
        let method = "a file in it is compressed by Bzip2, expected Deflated: make a zip with the usual \
                      compression";
        assert_eq!(with(2, 12), method);
        assert_eq!(with(0, 1), "it is encrypted: make a zip without a password");
    }

    #[test]
    fn list_of_a_zip_is_read_within_limits() {
        let zip = |count: usize| {
            // Files that no student made do not count, but they take memory.
            let name = |number| (format!(".git/{number}/{}", "x".repeat(200)), "");
            fixtures::zip(&(0..count).map(name).collect::<Vec<_>>())
        };
        assert_eq!(unpacked(&zip(100)), Ok(Vec::new()));
        let fault = unpacked(&zip(6_000)).expect_err("a long list");
        assert_eq!(fault, "its list of files is longer than 340 files need");
    }

    #[test]
    fn files_of_a_zip_that_share_contents_are_read_within_limits() {
        let zip = fixtures::zip(&[("a", [b'x'; 300_000])]);
        let listed = zip.windows(4).rposition(|word| word == b"PK\x01\x02").expect("a list");
        let end = zip.windows(4).rposition(|word| word == b"PK\x05\x06").expect("an end");
        let shared = |count: u16| {
            let (mut shared, names) = (zip[..listed].to_vec(), b'a'..);
            for name in names.take(count.into()) {
                let (entry, text) = zip[listed..end].split_at(46);
                shared.extend(entry);
                shared.push(name);
                shared.extend(&text[1..]);
            }
            let length = shared.len() - listed;
            shared.extend(&zip[end..]);
            let end = shared.len() - 22;
            for at in [8, 10] {
                shared[end + at..][..2].copy_from_slice(&count.to_le_bytes());
            }
            shared[end + 12..][..4].copy_from_slice(&(length as u32).to_le_bytes());
            shared
        };
        assert_eq!(unpacked(&shared(1)), Ok(vec!["a".to_owned()]));
        assert_eq!(unpacked(&shared(3)).map(|files| files.len()), Ok(3));
        let fault = unpacked(&shared(12)).expect_err("one file twelve times");
        assert!(fault.contains("its files share contents"), "{fault}");
    }

    #[cfg(unix)]
    #[test]
    fn files_that_are_none_are_left_out() -> io::Result<()> {
        use std::os::unix::fs::symlink;
        use std::process::Command;

        let [from, to] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let path = |name: &str| from.path().join(name);
        assert!(Command::new("mkfifo").arg(path("pipe.java")).status()?.success());
        symlink("/dev/zero", path("endless.java"))?;
        symlink(from.path(), path("folder"))?;
        for name in ["endless.java", "folder", "pipe.java"] {
            let mut unpacking = Unpacking::into(to.path(), LIMITS);
            for put in [unpack, place] {
                let fault = put(&path(name), name, &mut unpacking).expect_err(name).to_string();
                assert!(fault.contains("expected a regular file"), "{fault}");
            }
        }
        File::create(path("sparse.c"))?.set_len(1 << 40)?;
        let mut unpacking = Unpacking::into(to.path(), LIMITS);
        let fault = unpack(from.path(), "a", &mut unpacking).expect_err("too large").to_string();
        assert_eq!(fault, "it has more than 4.0 MiB in it");
        Ok(())
    }
}
