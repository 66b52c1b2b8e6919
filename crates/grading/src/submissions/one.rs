//! The preparation of one submission, which unpacks, cleans and builds it, and finds the command that starts
//! it; and the key of its inputs, which shows whether it must be prepared again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use jiff::Timestamp;
use plyground_arena::contents::ContentHash;
use plyground_durable::input::open_regular;
use plyground_durable::output::{make_folder, write_whole};
use plyground_durable::{FileError, excerpt, one_line};
use plyground_host::external::{Lack, PreparedStatus, PreparedSubmission};
use plyground_sandbox::{ByteSize, finds_program, is_exhausted, remove_folder};
use serde::Serialize;

use crate::submissions::building::{
    BuildOptions, Built, LONGEST_ERROR, NOT_INCLUDED, build, for_windows,
};
use crate::submissions::claim::{class, program_not_built};
use crate::submissions::compare::source_hashes;
use crate::submissions::detect::{recipe, start_of_built};
use crate::submissions::download::{Choice, Item, Student, is_platform_folder, own_name, stem};
use crate::submissions::file_kind::{Ends, FileKind, Language, is_called_archive, kind_not_built};
use crate::submissions::files::{
    MOST_BYTES, MOST_FILES, SourceReader, files, innermost, is_of_others, mend, plain_files,
    remove_built, sweep,
};
use crate::submissions::java::{give_java, name_java, place_java};
use crate::submissions::limited_folder::{UnpackError, UnpackLimits, Unpacking, refused};
use crate::submissions::modules::{lacks_of, namesake, python2};
use crate::submissions::recipe::{Override, Recipe, Submission};
use crate::submissions::unpack::{LARGEST, has_files, place, sorted_entries, unpack};
use crate::submissions::{PrepareError, PreparedLine};

/// The prefix of the folders into which archives are unpacked at first.
const UNPACKED: &str = ".unpacked";
/// The longest command of a build, in bytes, because the system limits the length of an argument.
const LONGEST_BUILD: usize = 100_000;
/// The greatest depth of nested archives.
const MOST_NESTED: usize = 3;

/// The options for preparing the submissions of a class.
#[derive(Clone, Debug)]
pub struct PrepareOptions {
    /// The folder for the prepared submissions; it is made if it does not exist.
    pub out: PathBuf,
    /// The file with a person's overrides for some of the submissions.
    pub overrides: Option<PathBuf>,
    /// The name of the program in the assignment: if a submission has several programs, the one of this name
    /// is taken.
    pub program: String,
    /// The sources of Java that the course gave, which a class that plays may lack, as
    /// [`HostedGame::java_given`](plyground_host::HostedGame::java_given) returns them.
    pub given: Vec<(&'static str, &'static str)>,
    /// The limits of a submission after unpacking.
    pub unpack: UnpackLimits,
    /// The options for building submissions.
    pub build: BuildOptions,
    /// The attempt that counts.
    pub attempt: Choice,
    /// If true, submissions that are no longer in the download stay.
    pub keep: bool,
    /// If true, unchanged submissions are also prepared again.
    pub again: bool,
    /// The number of submissions that are prepared at a time.
    pub jobs: NonZeroUsize,
}

/// A submission that is to be prepared.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// The student and the files that were handed in.
    pub(crate) student: Student,
    /// The overrides of a person.
    pub(crate) said: Override,
}

/// Prepares a submission, unless nothing has changed since it was prepared. Returns `None` if the preparation was
/// stopped.
///
/// # Errors
///
/// Returns an error for which the submission is not to blame.
pub(crate) fn prepare_one(
    task: &Task,
    options: &PrepareOptions,
) -> Result<Option<PreparedLine>, PrepareError> {
    let name = task.student.name.clone();
    let folder = options.out.join(&name);
    let BuildOptions { limits, .. } = &options.build;
    let said =
        (&task.student.fault, &task.said, &options.program, options.unpack, limits, python2());
    let said = (said, &options.given);
    let Student { items, handed_in, .. } = &task.student;
    let key = key(items, &said, MOST_READ)?;
    let submitted = task.student.submitted.clone().unwrap_or_else(|| last_change(items));
    // A damaged file says nothing: the submission is prepared again.
    let before = PreparedSubmission::read(&folder);
    let is_ours =
        !matches!(before, Ok(None)) || folder.join(PreparedSubmission::PREPARING).exists();
    // What was not there may be there now.
    let is_known = |before: &PreparedSubmission| {
        before.key == key && before.status != PreparedStatus::Lacking && !options.again
    };
    if let Some(before) = before.ok().flatten().filter(is_known) {
        let now = PreparedSubmission { handed_in: handed_in.clone(), submitted, ..before.clone() };
        if now != before {
            now.write(&folder)?;
        }
        return Ok(Some(PreparedLine { name, prepared: now, is_new: false }));
    }
    make_folder(&folder)?;
    let is_empty = fs::read_dir(&folder).map_err(PrepareError::at(&folder))?.next().is_none();
    if !is_ours && !is_empty {
        let why = "expected no folder of this name, or one that was prepared before";
        return Err(PrepareError::fault(&folder, why));
    }
    write_whole(&folder.join(PreparedSubmission::PREPARING), "")?;
    PreparedSubmission::forget(&folder).map_err(PrepareError::at(&folder))?;
    let log = PreparedSubmission::log(&folder);
    let unpacked = (1..=MOST_NESTED).map(|level| unpacked(&folder, level));
    for old in unpacked.chain([PreparedSubmission::program(&folder), log]) {
        remove_folder(&old);
    }
    let files = items.iter().filter_map(|item| item.path.file_name()?.to_str());
    let source = files.collect::<Vec<_>>().join(", ");
    let prepared = PreparedSubmission {
        source: one_line(&source),
        submitted,
        key,
        status: PreparedStatus::NotUnpacked,
        why: String::new(),
        doubt: String::new(),
        language: String::new(),
        build: String::new(),
        folder: PathBuf::new(),
        start: String::new(),
        changed: Vec::new(),
        lacks: Vec::new(),
        handed_in: handed_in.clone(),
    };
    let Some(prepared) = Preparing { task, options, folder: &folder }.run(prepared)? else {
        return Ok(None);
    };
    prepared.write(&folder)?;
    fs::remove_file(folder.join(PreparedSubmission::PREPARING))
        .map_err(PrepareError::at(&folder))?;
    Ok(Some(PreparedLine { name, prepared, is_new: true }))
}

/// Returns the folder into which the archives at this level of nesting are unpacked.
fn unpacked(folder: &Path, level: usize) -> PathBuf {
    folder.join(format!("{UNPACKED}{level}"))
}

/// A submission that is being prepared.
struct Preparing<'a> {
    task: &'a Task,
    options: &'a PrepareOptions,
    folder: &'a Path,
}

impl Preparing<'_> {
    /// Prepares the submission and returns the result; `None` if the preparation was stopped.
    fn run(
        &self,
        mut found: PreparedSubmission,
    ) -> Result<Option<PreparedSubmission>, PrepareError> {
        let root = PreparedSubmission::program(self.folder);
        if self.task.student.items.is_empty() {
            make_folder(&root)?;
            found.status = PreparedStatus::NothingHandedIn;
            found.why = match self.task.student.is_address {
                true => "the student handed in an address, and no file".to_owned(),
                false => "the platform has a receipt, and no file".to_owned(),
            };
            return Ok(Some(found));
        }
        let fault = self.task.student.fault.clone();
        let unpacked = fault.map_or_else(|| self.unpack(&root), |why| Err(refused(why)));
        let covered = match unpacked {
            _ if self.is_stopped() => return Ok(None),
            Ok(covered) => covered,
            Err(UnpackError::Refused(why)) => {
                make_folder(&root)?;
                return Ok(Some(PreparedSubmission { why, ..found }));
            }
            Err(UnpackError::File(error)) => return Err(error.into()),
        };
        let mut result = found.clone();
        match self.run_unpacked(&root, &covered, &mut result) {
            // Only files of the submission were read, so the submission is at fault.
            Err(PrepareError::File(error))
                if error.path == root && !is_out_of_room(&error.source) =>
            {
                found.why = format!("its files cannot be read: {}", error.source);
                Ok(Some(found))
            }
            Err(error) => Err(error),
            Ok(end) => Ok(end.map(|(status, why)| PreparedSubmission { status, why, ..result })),
        }
    }

    /// Prepares the submission whose files are in `root`. Returns its status and the reason why it is not ready; `None`
    /// if the preparation was stopped. The files `covered` were left out in unpacking.
    fn run_unpacked(
        &self,
        root: &Path,
        covered: &[PathBuf],
        found: &mut PreparedSubmission,
    ) -> Result<Option<(PreparedStatus, String)>, PrepareError> {
        use PreparedStatus::{Lacking, NoProgram, NotBuilt, Ready};
        let at = FileError::at(root, "use it");
        let all = files(root).map_err(at)?;
        // Without a build, there is nothing in place of the built files that were handed in.
        let is_built = self.task.said.build.as_deref() != Some("");
        let removed = if is_built { remove_built(root, &all).map_err(at)? } else { Vec::new() };
        name_java(root).map_err(at)?;
        let mut all = plain_files(root).map_err(at)?;
        let mut moved = Vec::new();
        if self.task.said.build.is_none() {
            moved = place_java(root, &all).map_err(at)?;
        }
        if !moved.is_empty() {
            all = plain_files(root).map_err(at)?;
        }
        let mended = mend(root, &all).map_err(at)?;
        let (program, sources) = (&*self.options.program, &SourceReader::default());
        let submission = Submission { root, files: &all, program, sources };
        let no_folder = |folder: &Path| {
            let why = format!("there is no folder `{}` in it", folder.display());
            Ok(Some((NoProgram, why)))
        };
        let mut said = self.task.said.clone();
        if let Some(folder) = &mut said.folder {
            *folder = folder.components().filter(|part| *part != Component::CurDir).collect();
            // The only folder at the top of what was handed in is gone, and may be named nevertheless.
            let inner = folder.components().skip(1).collect::<PathBuf>();
            if !root.join(&*folder).is_dir() {
                if inner.as_os_str().is_empty() || !root.join(&inner).is_dir() {
                    return no_folder(folder);
                }
                *folder = inner;
            }
        }
        let Some(recipe) = recipe(submission, &said).map_err(at)? else {
            let (why, doubt) = no_program(submission).map_err(at)?;
            found.doubt = doubt;
            return Ok(Some((NoProgram, why)));
        };
        if !root.join(&recipe.folder).is_dir() {
            return no_folder(&recipe.folder);
        }
        if recipe.build.len() > LONGEST_BUILD {
            let why = "its folder has more source files than a command can name".to_owned();
            return Ok(Some((NotBuilt, why)));
        }
        self.begin_log([covered, &removed, &moved, &mended], &recipe)?;
        found.language.clone_from(&recipe.language);
        found.doubt.clone_from(&recipe.doubt);
        found.build.clone_from(&recipe.build);
        found.lacks = self.lacks(root, &recipe)?;
        if !found.lacks.is_empty() {
            let why = Lack::why(&found.lacks, &place_of(&recipe.folder));
            let why = why + &namesake(submission, &found.lacks);
            return Ok(Some((Lacking, why)));
        }
        let has_build = !recipe.build.is_empty();
        let sources_now = || if has_build { source_hashes(root) } else { Ok(BTreeMap::new()) };
        let handed_in = sources_now().map_err(at)?;
        let given = if recipe.is_player { &*self.options.given } else { &[] };
        let given = give_java(&root.join(&recipe.folder), given).map_err(at)?;
        let mut built = self.run_line(root, &recipe, &recipe.build)?;
        if matches!(built, Built::Complained(_)) && !recipe.second_build.is_empty() {
            let mark = "echo 'again, with headers that it does not include:'";
            let again = format!("{mark}; {}", recipe.second_build);
            match self.run_line(root, &recipe, &again)? {
                Built::Done => {
                    built = Built::Done;
                    found.build.clone_from(&recipe.second_build);
                    let doubts = [&*recipe.doubt, NOT_INCLUDED].into_iter();
                    let doubts = doubts.filter(|doubt| !doubt.is_empty());
                    found.doubt = doubts.collect::<Vec<_>>().join("; ");
                }
                Built::Stopped => built = Built::Stopped,
                // The first complaint tells the author more.
                _ => {}
            }
        }
        let all = sweep(root).and_then(|()| plain_files(root));
        if all.is_ok() {
            for path in given {
                remove_folder(&path);
                // The folder is empty if the build needs no class of it.
                let _ = path.parent().map(fs::remove_dir);
            }
        }
        let all = match (built, all) {
            (Built::Stopped, _) => return Ok(None),
            (_, Err(error)) if is_out_of_room(&error) => return Err(at(error).into()),
            (_, Err(error)) => {
                remove_folder(root);
                make_folder(root)?;
                let why = format!("its build leaves unreadable files: {error}");
                return Ok(Some((NotBuilt, why)));
            }
            (Built::Failed(why), Ok(_)) => return Ok(Some((NotBuilt, why))),
            (Built::Lacks(lack), Ok(_)) => {
                found.lacks = vec![lack];
                let why = Lack::why(&found.lacks, &place_of(&recipe.folder));
                return Ok(Some((Lacking, why)));
            }
            // A compiler names files as seen from the folder in which it runs.
            (Built::Complained(why), Ok(_)) => {
                let remedy = for_windows(&why);
                return Ok(Some((NotBuilt, why + &place_of(&recipe.folder) + remedy)));
            }
            (Built::Done, Ok(all)) => all,
        };
        let left = sources_now().map_err(at)?;
        let changed = handed_in.into_iter().filter(|(file, hash)| left.get(file) != Some(hash));
        found.changed = changed.map(|(file, _)| file).collect();
        let submission =
            Submission { files: &all, sources: &SourceReader::default(), ..submission };
        if recipe.is_player {
            return Ok(Some((Ready, String::new())));
        }
        let Some((folder, start)) = start_of_built(submission, &recipe).map_err(at)? else {
            return Ok(Some((NoProgram, "its build has made no program to start".to_owned())));
        };
        (found.folder, found.start) = (folder, start);
        Ok(Some((Ready, String::new())))
    }

    /// Unpacks the submission, and its archives if all other files are documents, and moves its innermost
    /// folder to `root`. Returns the files that are left out, because an archive has others of the same paths.
    fn unpack(&self, root: &Path) -> Result<Vec<PathBuf>, UnpackError> {
        let ends = Ends::new(self.options.build.stop.clone());
        let (mut before, mut archives, mut covered) = (PathBuf::new(), Vec::new(), Vec::new());
        for level in 1..=MOST_NESTED {
            let place = unpacked(self.folder, level);
            let failed = FileError::at(&place, "write it");
            fs::create_dir(&place).map_err(failed)?;
            let mut unpacking = Unpacking::into(&place, self.options.unpack).until(ends.clone());
            let result = match level {
                1 => unpack_all(&self.task.student.items, &mut unpacking).map(|()| place.clone()),
                _ => open_archives(&before, &archives, &place, &mut unpacking, &mut covered),
            };
            if level > 1 {
                remove_folder(&unpacked(self.folder, level - 1));
            }
            before = result.inspect_err(|_| remove_folder(&place))?;
            archives = lone_archives(&before, &ends).map_err(failed)?;
            if archives.is_empty() || level == MOST_NESTED {
                let inner = innermost(&before, &SourceReader::default()).map_err(failed)?;
                fs::rename(inner, root).map_err(failed)?;
                remove_folder(&place);
                break;
            }
        }
        Ok(covered)
    }

    /// Writes the lines of the log before the output of the build.
    fn begin_log(&self, changed: [&[PathBuf]; 4], recipe: &Recipe) -> Result<(), PrepareError> {
        let said = [
            "left out, because an archive beside it has a file of its name",
            "removed, because a build makes it",
            "moved into the folder of its package",
            "mended, its lines ended in CR LF",
        ];
        let mut text = String::new();
        for (said, files) in said.into_iter().zip(changed) {
            for file in files {
                let file = file.display().to_string();
                // Writing to a string does not fail.
                let _ = writeln!(text, "{said}: {}", file.escape_debug());
            }
        }
        if !recipe.build.is_empty() {
            let _ = writeln!(text, "$ {}", recipe.build);
        }
        if !text.is_empty() {
            write_whole(&PreparedSubmission::log(self.folder), text)?;
        }
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        let stop = self.options.build.stop.as_ref();
        stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns the first tool that the recipe needs and the system lacks, or else all such modules.
    fn lacks(&self, root: &Path, recipe: &Recipe) -> Result<Vec<Lack>, PrepareError> {
        let is_missing = |tool: &&&str| !finds_program(tool, self.options.build.level, &[]);
        if let Some(tool) = recipe.tools.iter().find(is_missing) {
            return Ok(vec![Lack::Program((*tool).to_owned())]);
        }
        // The build says anything else that is wrong.
        Ok(match self.run_line(root, recipe, &recipe.module_check())? {
            Built::Complained(why) => lacks_of(&why, why.chars().count() >= LONGEST_ERROR),
            _ => Vec::new(),
        })
    }

    /// Runs a line for a shell, if there is one, in the folder of the recipe and in the sandbox of a build.
    fn run_line(&self, root: &Path, recipe: &Recipe, line: &str) -> Result<Built, PrepareError> {
        let cannot = |why| PrepareError::System { name: self.task.student.name.clone(), why };
        if line.is_empty() {
            return Ok(Built::Done);
        }
        let log = PreparedSubmission::log(self.folder);
        let options = &self.options.build;
        let built = build(root, &recipe.folder, line, &log, options);
        // A build that was cut short does not tell anything about the submission.
        if self.is_stopped() { Ok(Built::Stopped) } else { built.map_err(cannot) }
    }
}

/// Returns the words that name the folder of a submission in which something has failed; empty for the outermost one.
fn place_of(folder: &Path) -> String {
    match folder.components().next() {
        Some(_) => format!(" (in `{}`)", excerpt(&folder.to_string_lossy())),
        None => String::new(),
    }
}

/// Returns true if the system lacks a resource. The build is not to blame, because it had limits of
/// its own.
fn is_out_of_room(error: &io::Error) -> bool {
    is_exhausted(error) || error.kind() == io::ErrorKind::StorageFull
}

/// The endings of documents for people and of data, which are no program.
const DOCUMENTS: [&str; 13] =
    ["pdf", "txt", "md", "doc", "docx", "odt", "rtf", "html", "png", "jpg", "csv", "dat", "log"];

fn is_document(file: &Path) -> bool {
    let end = file.extension().and_then(|end| end.to_str()).unwrap_or_default();
    let is_readme = || file.file_name().is_some_and(|name| name.eq_ignore_ascii_case("readme"));
    DOCUMENTS.iter().any(|document| document.eq_ignore_ascii_case(end)) || is_readme()
}

/// Unpacks one file or folder. If there are several, places them beside each other unchanged.
fn unpack_all(items: &[Item], unpacking: &mut Unpacking<'_>) -> Result<(), UnpackError> {
    if let [only] = items {
        return unpack(&only.path, &only.name, unpacking);
    }
    items.iter().try_for_each(|item| place(&item.path, &item.name, unpacking))
}

/// Unpacks the archives of the folder `from`, each in its folder, and moves all other files to their paths. If another
/// archive is beside an archive or below it, it is unpacked into a folder of its own name, so that no file replaces
/// another. Returns the folder with the files, which is below `to`, and adds to `covered` the files that are left out,
/// because the archive beside them has others of their paths.
fn open_archives(
    from: &Path,
    archives: &[PathBuf],
    to: &Path,
    unpacking: &mut Unpacking<'_>,
    covered: &mut Vec<PathBuf>,
) -> Result<PathBuf, UnpackError> {
    let failed = |error| UnpackError::from(FileError::at(to, "write it")(error));
    let all = to.join("all");
    for (number, archive) in archives.iter().enumerate() {
        let own = to.join(number.to_string());
        fs::create_dir(&own).map_err(failed)?;
        unpacking.enter(&number.to_string());
        unpack(&from.join(archive), &own_name(archive), unpacking)?;
        let folder = archive.parent().unwrap_or(Path::new(""));
        let beside = archives.iter().filter(|other| other.starts_with(folder)).count() > 1;
        let place =
            if beside { all.join(own_folder(from, archive, archives)) } else { all.join(folder) };
        // Nothing else has a claim to the name of the only folder in the only archive.
        let inner = match archives {
            [_] => innermost(&own, &SourceReader::default()).map_err(failed)?,
            _ => own,
        };
        fs::create_dir_all(place.parent().unwrap_or(to)).map_err(failed)?;
        fs::rename(inner, place).map_err(failed)?;
    }
    for file in files(from).map_err(failed)?.into_iter().filter(|file| !archives.contains(file)) {
        let mut above = file.ancestors().skip(1).filter(|it| !it.as_os_str().is_empty());
        if all.join(&file).exists() || above.any(|part| all.join(part).is_file()) {
            covered.push(file);
        } else {
            let place = all.join(&file);
            fs::create_dir_all(place.parent().unwrap_or(to)).map_err(failed)?;
            // It has counted once, so it is moved.
            fs::rename(from.join(&file), place).map_err(failed)?;
        }
    }
    Ok(all)
}

/// Returns the folder of its own for an archive: its name without the end, or with it if that is the name of another.
fn own_folder(from: &Path, archive: &Path, archives: &[PathBuf]) -> PathBuf {
    let without_end = |file: &Path| file.with_file_name(stem(&own_name(file)));
    let short = without_end(archive);
    let is_other = |other: &PathBuf| other != archive && without_end(other) == short;
    let is_taken = from.join(&short).exists() || archives.iter().any(is_other);
    if is_taken { archive.to_owned() } else { short }
}

/// Returns the archives of a submission whose other files are all documents. A jar may be the program, so that no
/// archive beside it is returned.
fn lone_archives(folder: &Path, ends: &Ends) -> io::Result<Vec<PathBuf>> {
    let all = files(folder)?;
    if !all.iter().all(|file| is_document(file) || is_called_archive(file)) {
        return Ok(Vec::new());
    }
    let (mut archives, is_alone) = (Vec::new(), all.len() == 1);
    for file in all.into_iter().filter(|file| is_called_archive(file)) {
        let path = folder.join(&file);
        // A program may read its compressed data as they are.
        let is_data = !is_alone && Language::of(&file.with_extension("")).is_none();
        if has_files(&path, ends.clone())? || !is_data && FileKind::of(&path)?.is_archive() {
            archives.push(file);
        }
    }
    Ok(archives)
}

/// Returns the reason why a submission has no program, and the doubt whether it is a class, which does not use up the
/// limits of the submission.
fn no_program(submission: Submission<'_>) -> io::Result<(String, String)> {
    let Submission { root, sources, .. } = submission;
    let claims = Submission { sources: &SourceReader::default(), ..submission };
    let why = match sources.is_used_up() {
        true => format!(
            "no program is found in the first {MOST_FILES} of its source files, or {} of them: \
             put it in an outer folder",
            ByteSize(MOST_BYTES)
        ),
        false => nothing_to_start(
            &files(root)?,
            program_not_built(submission),
            |file| sources.text(&root.join(file)),
            |file| fs::metadata(root.join(file)).is_ok_and(|found| found.len() == 0),
        ),
    };
    Ok((why, class(claims).unwrap_or_default()))
}

/// Returns the reason why there is nothing to start among these files, whose texts `text` returns. `program` is the one
/// of a kind that is not built, if it is known. `is_empty` returns true for a file without a byte: a long one has no
/// text either.
fn nothing_to_start(
    all: &[PathBuf],
    program: Option<&PathBuf>,
    text: impl Fn(&Path) -> String,
    is_empty: impl Fn(&Path) -> bool,
) -> String {
    let named = |file: &Path| excerpt(&file.to_string_lossy());
    let is_hidden = |file: &&PathBuf| {
        file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    let Some(first) = all.iter().find(|file| !is_hidden(file)).or(all.first()) else {
        return "there are no files in it".to_owned();
    };
    let not_built = |file: &PathBuf| Some(format!("{} {}", named(file), kind_not_built(file)?));
    if let Some(why) = program.and_then(not_built) {
        return why;
    }
    let mut own = all.iter().filter(|file| !is_of_others(file));
    let sources: Vec<_> = all.iter().filter_map(|file| Some((file, Language::of(file)?))).collect();
    if let [(source, language), others @ ..] = &*sources {
        if sources.iter().all(|(file, _)| is_empty(file)) {
            let are = if others.is_empty() { "is" } else { "and all other source files are" };
            return format!("{} {are} empty, which points at a failed upload", named(source));
        }
        let why = format!("found files of {}, but none that begins a program", language.name());
        let mut others = all.iter().filter(|file| Language::of(file).is_none());
        return match others.find(|file| language.is_entry(&text(file))) {
            Some(file) => {
                format!("{why}: expected a name in .{}, found {}", language.end(), named(file))
            }
            None => own.find_map(not_built).unwrap_or(why),
        };
    }
    if let Some(why) = own.find_map(not_built) {
        return why;
    }
    let others = if all.len() > 1 { " and others" } else { "" };
    format!("expected a source file, a Makefile or a script to run, found {}{others}", named(first))
}

/// The version of the preparation, which changes if the same submission may be prepared differently.
const VERSION: &str = concat!("prepare 8, plyground ", env!("CARGO_PKG_VERSION"));

/// The number of bytes that are read: more than any limit lets a submission have.
const MOST_READ: u64 = 2 << 30;

/// Returns the key of files and folders with their names, and of the options and overrides in `said`. At most `left`
/// bytes are read.
fn key(items: &[Item], said: &impl Serialize, mut left: u64) -> Result<String, PrepareError> {
    let mut hash = ContentHash::default();
    hash.add(VERSION);
    hash.add_json(said);
    for item in items {
        hash.add(&item.name);
        add_tree(&mut hash, &item.path, &mut left).map_err(PrepareError::at(&item.path))?;
    }
    Ok(hash.word())
}

/// Adds a file or a folder, with at most `left` bytes of contents.
fn add_tree(hash: &mut ContentHash, path: &Path, left: &mut u64) -> io::Result<()> {
    match add_readable(hash, path, left) {
        // Unpacking reports the error.
        Err(error) if !is_exhausted(&error) => hash.add(error.to_string()),
        added => return added,
    }
    Ok(())
}

fn add_readable(hash: &mut ContentHash, path: &Path, left: &mut u64) -> io::Result<()> {
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() {
        hash.add(found.len().to_le_bytes());
        // A file that is too large, alone or with the others, is not unpacked, so it is not read: a
        // sparse file may have any length.
        if found.len() > LARGEST.min(*left) {
            return Ok(());
        }
        *left -= found.len();
        return hash.add_contents(open_regular(path)?.take(found.len()));
    }
    for entry in sorted_entries(path)? {
        hash.add(entry.file_name().as_encoded_bytes());
        let kind = entry.file_type()?;
        // Links are not followed in unpacking either, and reading a pipe would never end.
        if kind.is_dir() || kind.is_file() {
            add_tree(hash, &entry.path(), left)?;
        }
    }
    hash.add(b"end");
    Ok(())
}

/// Returns the time of the last change of these files, as text; empty if it is not known.
///
/// An author can set the times of the files in a folder. In a folder, only files directly in a folder that a
/// platform has named count, because the platform sets their times.
fn last_change(items: &[Item]) -> String {
    let time = items.iter().filter_map(|item| newest(&item.path)).max();
    let time = time.and_then(|time| Timestamp::try_from(time).ok());
    time.map(|time| format!("{time:.0}")).unwrap_or_default()
}

fn newest(path: &Path) -> Option<SystemTime> {
    let found = fs::symlink_metadata(path).ok()?;
    if !found.is_dir() {
        return found.modified().ok();
    }
    let inside = if is_platform_folder(path) { sorted_entries(path).ok()? } else { Vec::new() };
    let files = inside.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.filter_map(|entry| entry.metadata().ok()?.modified().ok()).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn archive_is_opened_in_its_folder_and_replaces_nothing() {
        let zip = |files: &[&str]| {
            fixtures::zip(&files.iter().map(|file| (*file, *file)).collect::<Vec<_>>())
        };
        let opened = |tree: &[(&str, Vec<u8>)]| {
            let (from, to) = (fixtures::folder(tree), tempfile::tempdir().expect("a folder"));
            let archives = lone_archives(from.path(), &Ends::new(None)).expect("archives");
            // The files beside an archive do not count again.
            let limits = UnpackLimits { size: ByteSize(30), files: 100 };
            let mut unpacking = Unpacking::into(to.path(), limits);
            let mut covered = Vec::new();
            let all =
                open_archives(from.path(), &archives, to.path(), &mut unpacking, &mut covered);
            let mut found = files(&all.expect("a folder")).expect("files");
            found.sort();
            [found, covered].map(|all| {
                let all = all.iter().map(|file| file.display().to_string());
                all.collect::<Vec<_>>().join(" ")
            })
        };
        let (one, two, no) = (zip(&["src/a.c", "src/b.c"]), zip(&["src/a.c"]), Vec::new());
        let gz = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        for (tree, found, covered) in [
            (
                vec![("1/x.zip", one.clone()), ("2/x.zip", two.clone()), ("1/r.txt", no.clone())],
                "1/r.txt 1/src/a.c 1/src/b.c 2/src/a.c",
                "",
            ),
            (
                vec![("x.zip", one.clone()), ("x.tar", two.clone()), ("y.zip", two.clone())],
                "x.tar/src/a.c x.zip/src/a.c x.zip/src/b.c y/src/a.c",
                "",
            ),
            (vec![("x.zip", two.clone()), ("x/y.zip", two.clone())], "x/src/a.c x.zip/src/a.c", ""),
            // The files beside the only archive are beside its files.
            (
                vec![("x.zip", one), ("weights.csv", no.clone()), ("README", no.clone())],
                "README a.c b.c weights.csv",
                "",
            ),
            (vec![("x.zip", zip(&["r.txt", "a.c"])), ("r.txt", no.clone())], "a.c r.txt", "r.txt"),
            (vec![("x.zip", zip(&["r", "a.c"])), ("r/r.txt", no)], "a.c r", "r/r.txt"),
            // Compressed data stay, and a source does not.
            (vec![("w.dat.gz", gz.clone()), ("x.zip", two)], "a.c w.dat.gz", ""),
            (vec![("a.py.gz", gz.clone()), ("r.txt", vec![b'r'; 31])], "a.py r.txt", ""),
            (vec![("w.dat.gz", gz.clone()), ("p.jar", zip(&["a"]))], "p.jar w.dat.gz", ""),
            (vec![("w.gz", gz)], "w", ""),
        ] {
            assert_eq!(opened(&tree), [found, covered].map(str::to_owned), "{found}");
        }
    }

    #[test]
    fn files_without_a_program_are_named() {
        let why = |files: &[&str]| {
            let files: Vec<_> = files.iter().map(PathBuf::from).collect();
            let is_empty = |file: &Path| file.extension().is_some_and(|end| end == "py");
            nothing_to_start(&files, None, |file| format!("int {}()", file.display()), is_empty)
        };
        assert_eq!(why(&[]), "there are no files in it");
        assert_eq!(why(&["a.c", "a.h"]), "found files of C, but none that begins a program");
        let empty = "maxconnect4.py is empty, which points at a failed upload";
        assert_eq!(why(&["a.txt", "maxconnect4.py"]), empty);
        let empty = "a.py and all other source files are empty, which points at a failed upload";
        assert_eq!(why(&["a.py", "b.py"]), empty);
        assert_eq!(why(&["a.c", "b.py"]), "found files of C, but none that begins a program");
        let expected = "none that begins a program: expected a name in .c, found main";
        assert!(why(&["a.c", "main"]).ends_with(expected), "{}", why(&["a.c", "main"]));
        let expected = "expected a source file, a Makefile or a script to run, found ";
        assert_eq!(why(&["report.pdf"]), format!("{expected}report.pdf"));
        let others = [".gitignore", "a.txt", "report.pdf"];
        assert_eq!(why(&others), format!("{expected}a.txt and others"));
        let notebook = "game/main.ipynb is a notebook: expected its code in a .py file";
        assert_eq!(why(&["a.txt", "game/main.ipynb"]), notebook);
        let other = "Main.kt is in Kotlin, which is not built here by itself: give `build` and `start` in --override";
        assert_eq!(why(&["a.txt", "Main.kt"]), other);
        assert_eq!(why(&["a.c", "Main.kt", "node_modules/x/y.ts"]), other);
        assert!(why(&["a.c", "node_modules/x/y.ts"]).starts_with("found files of C"));
    }

    #[test]
    fn search_for_a_class_does_not_use_up_the_limits() {
        let files = ["Ann Lee/a.c", "Bob Ray/b.c"];
        let folder = fixtures::folder(&files.map(|file| (file, "int x;\n")));
        let (root, files) = (folder.path(), files.map(PathBuf::from));
        let sources = &SourceReader::of(1 << 20, 2);
        let (why, _) = no_program(Submission { root, files: &files, program: "p", sources })
            .expect("a reason");
        assert_eq!(why, "found files of C, but none that begins a program");
    }

    #[test]
    fn every_change_is_another_key() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a");
        let items = [Item { path: folder.path().to_owned(), name: "x".to_owned() }];
        fs::write(&path, "b")?;
        let beginning = |most| key(&items, &"said", most);
        let first = beginning(MOST_READ)?;
        assert_eq!(beginning(MOST_READ)?, first);
        assert_ne!(key(&items, &"else", MOST_READ)?, first);
        fs::write(&path, "c")?;
        let second = beginning(MOST_READ)?;
        fs::rename(&path, folder.path().join("c"))?;
        assert!(first != second && second != beginning(MOST_READ)?);
        // Without a limit, endless files would be read for hours.
        let (short, long) = (beginning(0)?, beginning(1)?);
        fs::write(folder.path().join("c"), "d")?;
        assert!(beginning(0)? == short && beginning(1)? != long);
        // The author of a folder chooses the times of its files; a platform sets the times itself.
        let named = "Ann Lee_12_assignsubmission_file_";
        fs::create_dir(folder.path().join(named))?;
        fs::write(folder.path().join(named).join("a.zip"), "")?;
        assert_eq!(last_change(&items), "");
        for name in ["c", named] {
            let items = [Item { path: folder.path().join(name), name: name.to_owned() }];
            assert!(last_change(&items).ends_with('Z'));
        }
        Ok(())
    }
}
