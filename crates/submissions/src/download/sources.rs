//! The files and folders of a download.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use plyground_durable::output::make_folder;
use plyground_sandbox::{ByteSize, remove_folder};
use zip::{ExtraField, ZipArchive};

use super::entry::{Part, file_name, parse};
use super::metadata::TABLE;
use crate::archive::{FileKind, is_called_archive};
use crate::error::PrepareError;
use crate::unpacking::{UnpackError, UnpackLimits, Unpacking, damaged};

/// The folder into which zips of a platform are unpacked, among the submissions.
const UNPACKED: &str = ".download";

/// The limits of a whole download, whose submissions have limits of their own.
const LIMITS: UnpackLimits = UnpackLimits { size: ByteSize(64 << 30), files: 1_000_000 };

/// Returns an error if a source does not exist or is empty, or if `out` lies in a source.
pub(crate) fn check(sources: &[PathBuf], out: &Path) -> Result<(), PrepareError> {
    for source in sources {
        let what = fs::metadata(source)
            .map_err(|error| PrepareError::Source { path: source.clone(), source: error })?;
        if !what.is_dir() && !what.is_file() {
            return Err(PrepareError::NoFile(source.clone()));
        }
        if what.is_dir() {
            if inside(source)?.is_empty() {
                return Err(PrepareError::Nothing(source.clone()));
            }
            check_outside(out, source)?;
        }
    }
    Ok(())
}

/// Returns the files and folders of all sources, sorted; each is of a student or about a student.
pub(super) fn entries(sources: &[PathBuf], out: &Path) -> Result<Vec<PathBuf>, PrepareError> {
    let place = out.join(UNPACKED);
    remove_folder(&place);
    let (mut found, mut zips) = (Vec::new(), Zips { place, number: 0 });
    for source in sources {
        if !source.is_dir() {
            match zips.unpacked(source, true)? {
                Some(folder) => found.extend(inside(&folder)?),
                None => found.push(source.clone()),
            }
            continue;
        }
        for path in inside(&download_in(source)?)? {
            match zips.unpacked(&path, false)? {
                Some(folder) => found.extend(self::inside(&folder)?),
                None => found.push(path),
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Removes the folder in which zips were unpacked.
pub(crate) fn clean(out: &Path) {
    remove_folder(&out.join(UNPACKED));
}

/// Returns the files and folders in a folder, without hidden ones.
pub(super) fn inside(folder: &Path) -> Result<Vec<PathBuf>, PrepareError> {
    let entries = fs::read_dir(folder).map_err(PrepareError::at(folder))?;
    let entries: Vec<_> = entries.collect::<Result<_, _>>().map_err(PrepareError::at(folder))?;
    let is_hidden = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        name.as_encoded_bytes().starts_with(b".") || name == "__MACOSX"
    };
    let paths = entries.iter().filter(|entry| !is_hidden(entry)).map(fs::DirEntry::path);
    // Reading a pipe would never end.
    Ok(paths.filter(|path| path.is_file() || path.is_dir()).collect())
}

/// Returns the folder itself, or the only folder in it if that is the export of a platform.
fn download_in(folder: &Path) -> Result<PathBuf, PrepareError> {
    if let [only] = inside(folder)?.as_slice()
        && only.is_dir()
        && parse(only, true).is_none()
    {
        let names: Vec<(String, bool)> =
            inside(only)?.iter().map(|path| (file_name(path), path.is_dir())).collect();
        if is_of_platform(&names) {
            return Ok(only.clone());
        }
    }
    Ok(folder.to_owned())
}

/// Returns true if a platform has given these names: at least half of them, or the table of Gradescope.
fn is_of_platform(names: &[(String, bool)]) -> bool {
    let named = names.iter().filter(|(name, is_folder)| {
        parse(Path::new(name), *is_folder).is_some_and(|entry| entry.part != Part::Table)
    });
    names.iter().any(|(name, _)| name == TABLE) || named.count() * 2 >= names.len().max(1)
}

/// Returns an error if the output folder lies in the folder with the submissions.
fn check_outside(out: &Path, source: &Path) -> Result<(), PrepareError> {
    let real = fs::canonicalize(source).map_err(PrepareError::at(source))?;
    let out_real = std::path::absolute(out).map_err(PrepareError::at(out))?;
    let there = out_real.ancestors().find_map(|place| fs::canonicalize(place).ok());
    if there.is_some_and(|there| there.starts_with(&real)) {
        let source_folder = source.to_owned();
        return Err(PrepareError::Within { out: out.to_owned(), source_folder });
    }
    Ok(())
}

/// The zips of platforms, and the folder in which they are unpacked.
struct Zips {
    place: PathBuf,
    number: usize,
}

impl Zips {
    /// Returns the folder into which a zip with a download was unpacked; `None` for a submission. A zip that
    /// a person has `named` may also be a plain zip of archives.
    fn unpacked(&mut self, path: &Path, named: bool) -> Result<Option<PathBuf>, PrepareError> {
        let is_zip = path.is_file() && FileKind::of(path).is_ok_and(|kind| kind == FileKind::Zip);
        if !is_zip || parse(path, false).is_some() {
            return Ok(None);
        }
        let file = File::open(path).map_err(PrepareError::at(path))?;
        // A damaged zip is reported when it is unpacked as a submission.
        let Ok(archive) = ZipArchive::new(BufReader::new(file)) else { return Ok(None) };
        let names: Vec<String> =
            archive.file_names().flatten().map(|name| name.replace('\\', "/")).collect();
        let Some(below) = download_below(&names, named) else { return Ok(None) };
        self.number += 1;
        let folder = self.place.join(self.number.to_string());
        make_folder(&folder)?;
        match unpack(archive, &folder) {
            Ok(()) => Ok(Some(folder.join(below))),
            Err(UnpackError::Io { path, source }) => Err(PrepareError::Io { path, source }),
            Err(UnpackError::Refused(why)) => {
                Err(PrepareError::Table { path: path.to_owned(), why })
            }
        }
    }
}

/// Returns the folder in a zip with these files that has the download, if there is one.
fn download_below(names: &[String], named: bool) -> Option<PathBuf> {
    let names: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !name.starts_with("__MACOSX/") && !name.starts_with('.'))
        .collect();
    let is_download = |top: &[(String, bool)]| {
        let archives = top.iter().filter(|(name, is_folder)| {
            !is_folder && is_called_archive(Path::new(name)) && !name.ends_with(".jar")
        });
        is_of_platform(top) || named && top.len() > 1 && archives.count() == top.len()
    };
    let top = top_of(&names, "");
    if top.is_empty() {
        return None;
    }
    if is_download(&top) {
        return Some(PathBuf::new());
    }
    let [(only, true)] = top.as_slice() else { return None };
    let top = top_of(&names, &format!("{only}/"));
    (!top.is_empty() && is_download(&top)).then(|| PathBuf::from(only))
}

/// Returns the names right below a folder, each once, with true for a folder.
fn top_of(names: &[&str], folder: &str) -> Vec<(String, bool)> {
    let mut top = Vec::new();
    for name in names.iter().filter_map(|name| name.strip_prefix(folder)) {
        let (first, is_folder) = match name.split_once('/') {
            Some((first, _)) => (first, true),
            None => (name, false),
        };
        let it = (first.to_owned(), is_folder);
        if !first.is_empty() && !top.contains(&it) {
            top.push(it);
        }
    }
    top
}

/// Unpacks a download. Its files keep their times, which tell the late submissions.
fn unpack(mut archive: ZipArchive<BufReader<File>>, folder: &Path) -> Result<(), UnpackError> {
    let mut unpacking = Unpacking::into(folder, LIMITS);
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(damaged)?;
        let name = entry.name().map_err(damaged)?.into_owned();
        unpacking.count(&name)?;
        if entry.is_dir() {
            unpacking.make_folder(&name)?;
        } else if !entry.is_symlink() {
            let exact = entry.extra_data_fields().find_map(|field| match field {
                ExtraField::ExtendedTimestamp(time) => time.mod_time(),
                _ => None,
            });
            let exact = exact.map(|time| UNIX_EPOCH + Duration::from_secs(time.into()));
            let time = exact.or_else(|| entry.last_modified().and_then(local));
            let path = unpacking.write(&name, &mut entry, false)?;
            if let (Some(path), Some(time)) = (path, time) {
                let file = File::options().write(true).open(&path);
                let set = file.and_then(|file| file.set_modified(time));
                set.map_err(|source| UnpackError::Io { path, source })?;
            }
        }
    }
    Ok(())
}

/// Returns the time in a zip, which is in the local time zone of this computer.
fn local(time: zip::DateTime) -> Option<SystemTime> {
    let number = |value: u8| i8::try_from(value).ok();
    let civil = DateTime::new(
        i16::try_from(time.year()).ok()?,
        number(time.month())?,
        number(time.day())?,
        number(time.hour())?,
        number(time.minute())?,
        number(time.second())?,
        0,
    );
    Some(civil.ok()?.to_zoned(TimeZone::system()).ok()?.timestamp().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn download_of_a_platform_is_told_from_a_submission() {
        let of = |names: &[&str], named| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            download_below(&names, named).map(|below| below.display().to_string())
        };
        for (names, named, expected) in [
            (&["a_1_2_p.zip", "b_3_4_p.zip"][..], false, Some("")),
            (&["x/submission_1/p.py", "x/submission_metadata.yml"], false, Some("x")),
            (&["Jo_1_assignsubmission_file_/p.c", "__MACOSX/x"], false, Some("")),
            (&["ann.zip", "bob.tar.gz"], true, Some("")),
            (&["ann.zip", "bob.tar.gz"], false, None),
            (&["src/main.c", "src/board.c"], true, None),
            (&["index.html", "main.js"], true, None),
            (&[], true, None),
        ] {
            assert_eq!(of(names, named).as_deref(), expected, "{names:?}");
        }
    }
}
