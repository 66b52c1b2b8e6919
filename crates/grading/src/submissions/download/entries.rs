//! The files and folders of a download.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use plyground_durable::input::{check_way, open_regular};
use plyground_durable::output::make_folder;
use plyground_durable::{FileError, excerpt};
use plyground_host::external::Platform;
use plyground_sandbox::{ByteSize, remove_folder};
use zip::ExtraField;
use zip::read::ZipFile;

use super::metadata::{TABLE, Tables, are_of_gradescope};
use super::platform_names::{Entry, Part, file_name, is_folder, parse};
use super::{attempt_number, classroom_login, login_in};
use crate::submissions::PrepareError;
use crate::submissions::file_kind::{FileKind, folder_of, is_called_archive};
use crate::submissions::limited_folder::{
    LONGEST, RESOURCE_FORK, UnpackError, UnpackLimits, Unpacking, damaged, entry_place, refused,
    unusable_part,
};
use crate::submissions::recipe::path_from;
use crate::submissions::unpack::{LARGEST, Zip, open_zip};

/// The folder into which zips of a platform are unpacked, among the submissions.
const UNPACKED: &str = ".download";

/// The limits of a whole download. Each student in it also has limits.
const LIMITS: UnpackLimits = UnpackLimits { size: ByteSize(64 << 30), files: 1_000_000 };

/// Returns an error if a source does not exist or is empty, if a link of another user is on the way to it, or if `out`
/// lies in a source.
pub(crate) fn check(sources: &[PathBuf], out: &Path) -> Result<(), PrepareError> {
    for source in sources {
        let what = fs::metadata(source)
            .map_err(|error| PrepareError::Source(FileError::at(source, "read it")(error)))?;
        if !what.is_dir() && !what.is_file() {
            return Err(PrepareError::fault(source, "expected a file or a folder"));
        }
        if what.is_dir() {
            if inside(source)?.is_empty() {
                let why = "expected submissions in it: zips, tars, folders or source files";
                return Err(PrepareError::fault(source, why));
            }
            check_outside(out, source)?;
        }
        let above = Path::new(".").join(folder_of(source));
        let folder = if what.is_dir() { source } else { &above };
        check_way(folder).map_err(|why| PrepareError::fault(folder, why.to_string()))?;
    }
    Ok(())
}

/// The reasons why files and folders could not be taken out of a download, by their paths.
pub(super) type Faults = BTreeMap<PathBuf, String>;

/// The files and folders of all sources.
#[derive(Debug)]
pub(super) struct Found {
    /// The files and folders, sorted.
    pub(super) paths: Vec<PathBuf>,
    pub(super) faults: Faults,
    /// The zips that were unpacked, by the folders with their files.
    zips: BTreeMap<PathBuf, PathBuf>,
}

impl Found {
    /// Returns the folder or zip that has this file or folder, as a path from the folder `out`, so that the
    /// result stays the same when all of a class is moved.
    pub(super) fn home(&self, path: &Path, out: &Path) -> String {
        let parent = folder_of(path);
        let unpacked = self.zips.iter().find_map(|(folder, zip)| {
            let below = parent.strip_prefix(folder).ok()?;
            let place = real(folder_of(zip));
            Some(place.join(zip.file_name()?).join(below))
        });
        let home = path_from(&real(out), &unpacked.unwrap_or_else(|| real(parent)));
        home.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
    }
}

/// Returns the path of a folder without links.
fn real(folder: &Path) -> PathBuf {
    let folder = Path::new(".").join(folder);
    fs::canonicalize(&folder).unwrap_or(folder)
}

/// Returns the files and folders of all sources; each is of a student or about a student. `limits`
/// are the limits of a submission.
///
/// A zip is a download only if a person names the zip, or a folder with only this zip in it. Any other zip is
/// the submission of one student, because its author chose the names in it. Several zips are downloads only
/// if all of them look like downloads, because a shell names all files of a folder by `*`. With `keep`, a zip
/// or folder alone in a folder may be the submission of one late student, who must not replace other students, so only
/// a zip or folder that a person names is a download, or a folder in which a platform has named several students.
pub(super) fn entries(
    sources: &[PathBuf],
    out: &Path,
    limits: UnpackLimits,
    keep: bool,
    warnings: &mut Vec<String>,
) -> Result<Found, PrepareError> {
    let place = out.join(UNPACKED);
    remove_folder(&place);
    let (faults, unpacked) = (Faults::new(), BTreeMap::new());
    let mut zips = Zips { place, unpacked, limits, faults, renamed: Vec::new() };
    let (folders, files): (Vec<_>, Vec<_>) = sources.iter().partition(|source| source.is_dir());
    let mut found = Vec::new();
    let mut is_download = true;
    for path in files.iter().filter(|path| is_zip(&followed(path))) {
        is_download = is_download && download(&followed(path), true)?.is_some();
    }
    for path in files {
        match download(&followed(path), true)?.filter(|_| is_download) {
            Some(download) => found.extend(inside(&zips.unpacked(path, download)?)?),
            None => found.push(path.clone()),
        }
    }
    for folder in folders {
        let mut place = download_in(folder)?;
        let is_class =
            keep && place.parent() == Some(folder.as_path()) && has_several(&inside(&place)?)?;
        if keep && place != *folder && !is_class {
            warnings.push(kept(&place));
            place.clone_from(folder);
        }
        let mut paths = inside(&place)?;
        for link in paths.iter().filter(|path| path.is_symlink()) {
            zips.faults.insert(link.clone(), LINK.to_owned());
        }
        if let [only] = paths.as_slice()
            && let Some(download) = download(only, false)?
        {
            if keep {
                warnings.push(kept(only));
                found.append(&mut paths);
                continue;
            }
            paths = inside(&zips.unpacked(only, download)?)?;
        }
        found.append(&mut paths);
    }
    found.sort();
    found.dedup();
    warnings.append(&mut zips.renamed);
    Ok(Found { paths: found, faults: zips.faults, zips: zips.unpacked })
}

/// Returns true if a platform has named several students in these files and folders.
fn has_several(paths: &[PathBuf]) -> Result<bool, PrepareError> {
    let tables = Tables::of(paths)?;
    let student = |path: &PathBuf| {
        let named = tables.entry(path).or_else(|| parse(path, is_folder(path)));
        let named = named.filter(|entry| entry.part != Part::Table).map(|entry| entry.key());
        named.or_else(|| classroom_login(path))
    };
    Ok(paths.iter().filter_map(student).collect::<BTreeSet<_>>().len() > 1)
}

/// Returns the warning about a zip or folder that is one submission beside those that are kept.
fn kept(only: &Path) -> String {
    format!(
        "{}: with --keep, it is one submission, or a part of one; name it if it is a download",
        only.display()
    )
}

fn is_zip(path: &Path) -> bool {
    FileKind::of(path).is_ok_and(|kind| kind == FileKind::Zip)
}

/// A zip that is a download, and the folder in it that has the files of the students.
type Download = (Zip, PathBuf);

/// Returns the download in a file; `None` for a submission. A zip that a person has `named` may also be a
/// plain zip of archives.
fn download(path: &Path, named: bool) -> Result<Option<Download>, PrepareError> {
    if !is_zip(path) || parse(path, false).is_some() {
        return Ok(None);
    }
    let file = open_regular(path).map_err(PrepareError::at(path))?;
    // A damaged zip is reported when it is unpacked as a submission.
    let Ok(archive) = open_zip(file, LIMITS.files) else { return Ok(None) };
    let names: Vec<String> =
        archive.file_names().flatten().map(|name| name.replace('\\', "/")).collect();
    Ok(download_below(&names, named).map(|below| (archive, below)))
}

/// Removes the folder in which zips were unpacked.
pub(crate) fn clean(out: &Path) {
    remove_folder(&out.join(UNPACKED));
}

/// The fault of a link among the submissions.
const LINK: &str =
    "it is a link, which is not followed: put the file or folder itself in its place";

/// Returns the target of a link that a person has named as a source, and any other path unchanged. A link
/// in a folder is not followed, because a student may have made the link to a file that only this process
/// may read.
pub(crate) fn followed(named: &Path) -> PathBuf {
    let real = named.is_symlink().then(|| fs::canonicalize(named).ok()).flatten();
    real.unwrap_or_else(|| named.to_owned())
}

/// Returns true if a file or folder of this name is hidden and no platform has named it. The names of a platform
/// begin with the name of a student, which may begin with a dot.
fn is_hidden(name: &str, is_folder: impl FnOnce() -> bool) -> bool {
    let is_named = || parse(Path::new(name), is_folder()).is_some();
    name == "__MACOSX" || name.starts_with('.') && (name.starts_with(RESOURCE_FORK) || !is_named())
}

/// Returns the files, folders and links in a folder, without hidden ones.
pub(super) fn inside(folder: &Path) -> Result<Vec<PathBuf>, PrepareError> {
    let entries = fs::read_dir(folder).map_err(PrepareError::at(folder))?;
    let entries: Vec<_> = entries.collect::<Result<_, _>>().map_err(PrepareError::at(folder))?;
    let is_hidden =
        |entry: &fs::DirEntry| is_hidden(&file_name(&entry.path()), || is_folder(&entry.path()));
    // Reading a pipe would never end.
    let is_kept = |entry: &&fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir() || kind.is_symlink())
    };
    let kept = entries.iter().filter(|entry| !is_hidden(entry)).filter(is_kept);
    Ok(kept.map(fs::DirEntry::path).collect())
}

/// The greatest depth of the names that tell a download: in Teams, an attempt is in a folder of an assignment in the
/// folder of a student, and that may be in several folders.
const DEEPEST: usize = 6;

/// Returns the folder itself, or the folder in it that has the download of a platform, and that it or folders in it
/// have alone in them.
fn download_in(folder: &Path) -> Result<PathBuf, PrepareError> {
    if inside(folder)?.len() != 1 {
        return Ok(folder.to_owned());
    }
    let (mut names, mut pending) = (Vec::new(), vec![(folder.to_owned(), String::new(), 0)]);
    while let Some((place, below, depth)) = pending.pop() {
        // A folder that cannot be read is reported when it is unpacked.
        for path in inside(&place).unwrap_or_default() {
            let name = format!("{below}{}", file_name(&path));
            if is_folder(&path) {
                names.push(format!("{name}/"));
                if depth < DEEPEST {
                    pending.push((path, format!("{name}/"), depth + 1));
                }
            } else {
                names.push(name);
            }
        }
    }
    let below = download_below(&names, false).unwrap_or_default();
    Ok(below.iter().fold(folder.to_owned(), |folder, part| folder.join(part)))
}

/// Returns true if a platform has given at least half of these names. Names with one address may be a student's own.
fn is_of_platform(names: &[(String, bool)]) -> bool {
    let named = names.iter().filter_map(|(name, is_folder)| parse(Path::new(name), *is_folder));
    let named = named.filter(|entry| entry.part != Part::Table).collect::<Vec<_>>();
    let (autolab, others): (Vec<&Entry>, Vec<&Entry>) =
        named.iter().partition(|entry| entry.platform == Platform::Autolab);
    let is_autolab = autolab.iter().any(|entry| entry.id != autolab[0].id);
    let named = others.len() + if is_autolab { autolab.len() } else { 0 };
    let has_table = names.iter().any(|(name, _)| name == TABLE);
    let others = || names.iter().filter(|(name, _)| name != TABLE).cloned().collect::<Vec<_>>();
    has_table && are_of_gradescope(&others()) || named * 2 >= names.len().max(1)
}

/// Returns an error if the output folder lies in the folder with the submissions.
fn check_outside(out: &Path, source: &Path) -> Result<(), PrepareError> {
    let real = fs::canonicalize(source).map_err(PrepareError::at(source))?;
    let out_real = std::path::absolute(out).map_err(PrepareError::at(out))?;
    let there = out_real.ancestors().find_map(|place| fs::canonicalize(place).ok());
    if there.is_some_and(|there| there.starts_with(&real)) {
        let source = source.display();
        let why = format!("expected a folder outside of {source}, which has the submissions");
        return Err(PrepareError::fault(out, why));
    }
    Ok(())
}

/// The zips of platforms, and the folder in which they are unpacked.
struct Zips {
    place: PathBuf,
    /// The zips, by the folders with their files.
    unpacked: BTreeMap<PathBuf, PathBuf>,
    /// The limits of a submission.
    limits: UnpackLimits,
    faults: Faults,
    /// A line for each student with a file whose name no file can have.
    renamed: Vec<String>,
}

impl Zips {
    /// Unpacks a download, and returns the folder with the files of the students.
    fn unpacked(
        &mut self,
        path: &Path,
        (archive, below): Download,
    ) -> Result<PathBuf, PrepareError> {
        let folder = self.place.join((self.unpacked.len() + 1).to_string());
        self.unpacked.insert(folder.clone(), path.to_owned());
        make_folder(&folder)?;
        match self.unpack(path, archive, &folder, &below) {
            Ok(()) => Ok(folder.join(below)),
            Err(UnpackError::File(error)) => Err(error.into()),
            Err(UnpackError::Refused(why)) => Err(PrepareError::fault(path, why)),
        }
    }

    /// Unpacks a download. The files of each student have limits of their own. A fault of one student does
    /// not affect the others: an empty file or folder then replaces all files of that student.
    fn unpack(
        &mut self,
        path: &Path,
        mut archive: Zip,
        folder: &Path,
        below: &Path,
    ) -> Result<(), UnpackError> {
        let size = ByteSize(self.limits.size.as_u64().max(LARGEST));
        let limits = UnpackLimits { size, files: self.limits.files };
        let mut shares: BTreeMap<PathBuf, Unpacking<'_>> = BTreeMap::new();
        let mut renamed = BTreeSet::new();
        let mut size = 0;
        for index in 0..archive.len() {
            let raw = archive.by_index_raw(index).map_err(damaged)?;
            let name = name_of(&raw).replace('\\', "/");
            drop(raw);
            let Some((owner, is_folder)) = owner(&name, below)? else { continue };
            let owner = folder.join(owner);
            if self.faults.contains_key(&owner) {
                continue;
            }
            if let (Some(part), Ok(Some(_))) = (unusable_part(&name), entry_place(&name))
                && renamed.insert(owner.clone())
            {
                let (path, part) = (path.display(), excerpt(part));
                self.renamed.push(format!(
                    "{path}: `{part}` is taken under another name: expected a name of at most {LONGEST} bytes \
                     without control characters"
                ));
            }
            let own = || Unpacking::plainly_into(folder, limits);
            let unpacking = shares.entry(owner.clone()).or_insert_with(own);
            let before = unpacking.size();
            match unpack_entry(&mut archive, index, unpacking, !is_folder) {
                Ok(()) => {
                    size += unpacking.size() - before;
                    // A student whose folder has only leftovers and links has a row, too.
                    if is_folder && fs::symlink_metadata(&owner).is_err() {
                        make_folder(&owner)?;
                    }
                }
                Err(UnpackError::Refused(why)) => {
                    size -= before;
                    let is_folder = owner.is_dir() || is_folder;
                    remove_folder(&owner);
                    let replaced =
                        if is_folder { fs::create_dir(&owner) } else { fs::write(&owner, "") };
                    replaced.map_err(FileError::at(&owner, "write it"))?;
                    self.faults.insert(owner, why);
                }
                Err(error) => return Err(error),
            }
            if size > LIMITS.size.as_u64() || shares.len() > LIMITS.files {
                return Err(refused(format!("it has more than {} in it", LIMITS.size)));
            }
        }
        Ok(())
    }
}

/// Returns the folder in a zip with these files that has the download, if there is one.
fn download_below(names: &[String], named: bool) -> Option<PathBuf> {
    let names: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| match name.split_once('/') {
            Some((first, _)) => !is_hidden(first, || true),
            None => !is_hidden(name, || false),
        })
        .collect();
    let is_download = |folder: &str, top: &[(String, bool)]| {
        let archives = top.iter().filter(|(name, is_folder)| {
            !is_folder && is_called_archive(Path::new(name)) && !name.ends_with(".jar")
        });
        is_of_platform(top)
            || are_of_classroom(folder, top)
            || are_of_attempts(&names, folder, top)
            || named && top.len() > 1 && archives.count() == top.len()
    };
    let mut folder = String::new();
    for _ in 0..DEEPEST {
        let top = top_of(&names, &folder);
        match top.as_slice() {
            [] => return None,
            top if is_download(&folder, top) => return Some(folder.trim_end_matches('/').into()),
            [(only, true)] => folder = format!("{folder}{only}/"),
            _ => return None,
        }
    }
    None
}

/// Returns true if at least half of these names in a folder are those of repositories of GitHub Classroom.
fn are_of_classroom(folder: &str, top: &[(String, bool)]) -> bool {
    let folder = file_name(Path::new(folder));
    let own =
        top.iter().filter(|(name, is_folder)| *is_folder && login_in(&folder, name).is_some());
    let count = own.count();
    count > 0 && count * 2 >= top.len()
}

/// Returns true if more than half of these names in a folder, and more than one, are folders of students that have only
/// folders with numbered attempts, or folders with these. One alone may be the folder of a submission.
fn are_of_attempts(names: &[&str], folder: &str, top: &[(String, bool)]) -> bool {
    let mut students: BTreeMap<&str, bool> = BTreeMap::new();
    for name in names.iter().filter_map(|name| name.strip_prefix(folder)) {
        let parts: Vec<&str> = name.split('/').collect();
        let [student, inner @ .., last] = parts.as_slice() else { continue };
        let is_attempt = inner.iter().take(2).any(|part| attempt_number(part).is_some());
        let is_folder = last.is_empty() && inner.len() < 2;
        if is_attempt || !is_folder && entry_place(name).is_ok_and(|place| place.is_some()) {
            *students.entry(student).or_insert(true) &= is_attempt;
        }
    }
    let count = students.values().filter(|is_own| **is_own).count();
    count > 1 && count * 2 > top.len()
}

/// Returns the names right below a folder, each once, with true for a folder.
fn top_of(names: &[&str], folder: &str) -> Vec<(String, bool)> {
    let below = names.iter().filter_map(|name| name.strip_prefix(folder));
    let top = below.map(|name| match name.split_once('/') {
        Some((first, _)) => (first, true),
        None => (name, false),
    });
    let top: BTreeSet<(&str, bool)> = top.filter(|(first, _)| !first.is_empty()).collect();
    top.into_iter().map(|(first, is_folder)| (first.to_owned(), is_folder)).collect()
}

/// Returns the path of the student's file or folder to which the file of this name belongs, with true for a
/// folder; `None` if the file belongs to no student.
fn owner(name: &str, below: &Path) -> Result<Option<(PathBuf, bool)>, UnpackError> {
    let parts: Vec<&str> = name.split('/').filter(|part| !["", "."].contains(part)).collect();
    let depth = below.components().count();
    let own = parts.get(..=depth).unwrap_or(&parts).join("/");
    let place = entry_place(&own).map_err(UnpackError::Refused)?;
    let place = place.filter(|place| place.starts_with(below) && place != below);
    Ok(place.map(|place| (place, parts.len() > depth + 1 || name.ends_with('/'))))
}

fn name_of<R: Read>(entry: &ZipFile<'_, R>) -> String {
    let lossy = || String::from_utf8_lossy(entry.name_raw()).into_owned();
    entry.name().map_or_else(|_| lossy(), |name| name.into_owned())
}

/// Unpacks a file or folder of a download. A file keeps its time, which shows late submissions. A link is
/// refused if it is all that a student has handed in, and is left out of a folder.
fn unpack_entry(
    archive: &mut Zip,
    index: usize,
    unpacking: &mut Unpacking<'_>,
    is_all: bool,
) -> Result<(), UnpackError> {
    let mut entry = archive.by_index(index).map_err(damaged)?;
    let name = name_of(&entry);
    unpacking.count(&name)?;
    if entry.is_dir() {
        return unpacking.make_folder(&name);
    }
    if entry.is_symlink() {
        return if is_all { Err(refused(LINK)) } else { Ok(()) };
    }
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
        set.map_err(FileError::at(&path, "write it"))?;
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
    use super::super::tests::{students_in, students_of};
    use super::*;
    use crate::fixtures;

    #[cfg(unix)]
    #[test]
    fn link_among_the_submissions_is_not_followed() -> Result<(), Box<dyn std::error::Error>> {
        use std::os::unix::fs::symlink;

        let [class, secret, out] = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
        fs::write(secret.path().join("a.py"), "secret")?;
        fs::write(class.path().join("ann.py"), "")?;
        for (name, target) in [("file.py", "a.py"), ("folder", ""), ("gone.py", "gone")] {
            symlink(secret.path().join(target), class.path().join(name))?;
        }
        let (found, _) = students_in(&[class.path().to_owned()], out.path())?;
        let names: Vec<&str> = found.iter().map(|student| &*student.name).collect();
        assert_eq!(names, ["ann", "file", "folder", "gone"]);
        for student in &found {
            assert_eq!(student.fault.is_some(), student.name != "ann", "{student:?}");
            assert!(!student.handed_in.taken.contains(&"a.py".to_owned()), "{student:?}");
        }
        // A person may name a link.
        let (named, _) = students_in(&[class.path().join("file.py")], out.path())?;
        assert_eq!((&*named[0].name, named[0].fault.clone()), ("file", None));
        assert_eq!(fs::read_to_string(&named[0].items[0].path)?, "secret");
        Ok(())
    }

    /// A late student hands in a zip with a file that has the platform's name for another student.
    #[test]
    fn what_is_alone_in_a_folder_is_no_download_beside_kept_submissions()
    -> Result<(), Box<dyn std::error::Error>> {
        let [late, out] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let mallory = late.path().join("mallory.zip");
        fs::write(&mallory, fixtures::zip(&[("bob_12_34_hw.zip", "")]))?;
        let files = |source: &Path, keep| -> Result<_, PrepareError> {
            let (limits, mut warnings) = (UnpackLimits::default(), Vec::new());
            let sources = [source.to_owned()];
            let found = entries(&sources, out.path(), limits, keep, &mut warnings)?;
            Ok((file_name(&found.paths[0]), warnings.len()))
        };
        assert_eq!(files(late.path(), true)?, ("mallory.zip".to_owned(), 1));
        assert_eq!(files(late.path(), false)?, ("bob_12_34_hw.zip".to_owned(), 0));
        assert_eq!(files(&mallory, true)?, ("bob_12_34_hw.zip".to_owned(), 0));
        fs::remove_file(&mallory)?;
        fixtures::write(late.path(), "mallory/hw-submissions/hw-bob/p.c", "");
        assert_eq!(files(late.path(), true)?, ("mallory".to_owned(), 1));
        assert_eq!(files(late.path(), false)?, ("hw-bob".to_owned(), 0));
        let inner = late.path().join("mallory/hw-submissions");
        assert_eq!(files(&inner, true)?, ("hw-bob".to_owned(), 0));
        // A folder of several students is no submission.
        let class = tempfile::tempdir()?;
        fixtures::write(class.path(), "submissions/lee_1_2_p.py", "");
        fixtures::write(class.path(), "submissions/lee_1_3_q.py", "");
        assert_eq!(files(class.path(), true)?, ("submissions".to_owned(), 1));
        fixtures::write(class.path(), "submissions/ray_4_5_p.py", "");
        assert_eq!(files(class.path(), true)?, ("lee_1_2_p.py".to_owned(), 0));
        Ok(())
    }

    #[test]
    fn folders_around_a_class_make_no_difference() -> Result<(), PrepareError> {
        let found = |tree: &[(&str, &str)]| -> Result<Vec<String>, PrepareError> {
            Ok(students_of(tree)?.0.into_iter().map(|student| student.name).collect())
        };
        let classroom = [("in/hw2-submissions/hw2-ann/p.c", ""), ("in/.git/x", "")];
        assert_eq!(found(&classroom)?, ["ann"]);
        let teams = ["W/In/Ann/HW 2/Version 1/p.c", "W/In/Bob/HW 2/Version 2/src/p.c"];
        assert_eq!(found(&teams.map(|file| (file, "")))?, ["Ann", "Bob"]);
        assert_eq!(found(&[("in/a_1_2_p.c", ""), ("in/b_3_4_p.c", "")])?, ["a", "b"]);
        let sakai = ["Lee, Ann(al)/Submission attachment(s)/p.c", "Ray, Bob(br)/timestamp.txt"];
        let sakai = [sakai[0], sakai[1], "grades.csv", "Ivy(iv)/timestamp.txt"];
        let sakai = sakai.map(|file| format!("in/HW2/{file}"));
        let sakai = sakai.each_ref().map(|file| (file.as_str(), ""));
        assert_eq!(found(&sakai)?, ["Ann Lee", "Bob Ray", "Ivy"]);
        // It may be the only submission.
        assert_eq!(found(&[("ann/one/p.c", ""), ("ann/two/p.c", "")])?, ["ann"]);
        Ok(())
    }

    /// No student vanishes from a download by the name of a file, or by a link.
    #[test]
    fn entry_that_no_file_can_be_called_is_a_submission() -> Result<(), Box<dyn std::error::Error>>
    {
        use zip::write::SimpleFileOptions;

        let [from, out] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let zipped = |names: &[&str]| -> Result<_, Box<dyn std::error::Error>> {
            let path = from.path().join("class.zip");
            let mut zip = zip::ZipWriter::new(File::create(&path)?);
            for name in names {
                let options = SimpleFileOptions::default();
                match name.strip_suffix('@') {
                    Some(link) => zip.add_symlink(link, "x", options)?,
                    None => zip.start_file(*name, options)?,
                }
            }
            zip.finish()?;
            Ok(students_in(&[path], out.path())?)
        };
        let long = "\u{8bfe}".repeat(85);
        let canvas = [
            "ann_12_345_run.sh",
            "bob_13_346_a\u{7}b.sh",
            &format!("joe_20_504_{long}.sh"),
            "kim_21_505_run.sh",
            &format!("kim_21_506_{}.sh", "k".repeat(260)),
            ".leo_22_507_run.sh",
            "mia_23_508_run.sh@",
            "._ann_12_345_run.sh",
        ];
        let (found, warnings) = zipped(&canvas)?;
        let names: Vec<&str> = found.iter().map(|student| &*student.name).collect();
        assert_eq!(names, ["_.leo", "ann", "bob", "joe", "kim", "mia"]);
        assert_eq!(found[4].handed_in.taken.len(), 2);
        assert_eq!(found.iter().filter(|student| student.fault.is_some()).count(), 1);
        assert_eq!((found[5].fault.as_deref(), warnings.len()), (Some(LINK), 3));
        let renamed = r"`bob_13_346_a\u{7}b.sh` is taken under another";
        assert!(warnings[0].contains(renamed), "{warnings:?}");
        let moodle = |student: &str, file: &str| format!("{student}_assignsubmission_file_/{file}");
        let moodle = [
            moodle("Ann_1", &format!("{long}a.sh")),
            moodle("Bob_2", "run.sh@"),
            moodle("Joe_3", "._run.sh"),
            moodle(".Kim_4", "run.sh"),
            moodle(&format!("{long}_5"), "run.sh"),
        ];
        let (found, warnings) = zipped(&moodle.each_ref().map(String::as_str))?;
        let ids: BTreeSet<&str> = found.iter().map(|student| &*student.handed_in.id).collect();
        assert_eq!(ids, BTreeSet::from(["1", "2", "3", "4", "5"]));
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        Ok(())
    }

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
            (&["x/a@x.edu_1_p.py", "x/b@x.edu_2_q.py"], false, Some("x")),
            (&["x/a@x.edu_1_p.py", "x/a@x.edu_2_q.py"], false, None),
            (&["ann.zip", "bob.tar.gz"], true, Some("")),
            (&["ann.zip", "bob.tar.gz"], false, None),
            (&["src/main.c", "src/board.c"], true, None),
            // A student hands in the table of a platform.
            (&["x/main.c", "submission_metadata.yml"], true, None),
            (&["index.html", "main.js"], true, None),
            (&["x/hw2-submissions/hw2-ann/p.py"], false, Some("x/hw2-submissions")),
            (&["hw2-submissions/ann/p.py", "hw2-submissions/hw2-p.py"], false, None),
            (&["HW2/Ann/Revision 1/p.py", "HW2/Bob/Revision 3 - Late/"], false, Some("HW2")),
            (&["HW2/Ann/", "HW2/Ann/Revision 1/p.py", "HW2/Bob/p.py"], false, None),
            (&["W/Ann/HW 1/Version 1/p.py", "W/Bob/HW 1/Version 2/p.py"], false, Some("W")),
            // A student's own versions.
            (&["HW2/src/Version 1/p.py", "HW2/src/Version 2/p.py"], true, None),
            (&["src/Version 1/p.py", "old/main.py", "test/Version 2/p.py", "a.py"], true, None),
            (&[], true, None),
        ] {
            assert_eq!(of(names, named).as_deref(), expected, "{names:?}");
        }
    }
}
