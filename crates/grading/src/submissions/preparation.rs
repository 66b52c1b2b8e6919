//! The preparation of one submission, which unpacks, cleans and builds it, and finds the command that starts
//! it; and the key of its inputs, which shows whether it must be prepared again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read, Write as _};
use std::iter;
use std::num::NonZeroUsize;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;
use plyground_arena::contents::ContentHash;
use plyground_durable::input::open_regular;
use plyground_durable::output::{make_folder, write_whole};
use plyground_durable::{FileError, excerpt, one_line};
use plyground_host::external::{Lack, PreparedStatus, PreparedSubmission};
use plyground_sandbox::{finds_program, is_exhausted, remove_folder};
use serde::Serialize;

use crate::submissions::building::{BuildOptions, Built, LONGEST_ERROR, build, for_windows};
use crate::submissions::claim::no_program;
use crate::submissions::compare::source_hashes;
use crate::submissions::detect::{recipe, start_of_built};
use crate::submissions::download::{Choice, Item, Student, is_platform_folder, own_name, stem};
use crate::submissions::file_kind::{
    Ends, FileKind, Language, end_of, folder_of, is_called_archive,
};
use crate::submissions::files::{
    Change, SourceReader, files, mend, name_plainly, plain_files, remove_built, sweep,
};
use crate::submissions::java::{OTHER_PROGRAM, give_java, name_java, place_java, plays_network};
use crate::submissions::limited_folder::{TOO_LONG, UnpackError, UnpackLimits, Unpacking, refused};
use crate::submissions::modules::{lacks_of, namesake, python2};
use crate::submissions::packages::innermost;
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
        handed_in: handed_in.clone(),
        ..PreparedSubmission::default()
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

struct Preparing<'a> {
    task: &'a Task,
    options: &'a PrepareOptions,
    folder: &'a Path,
}

/// The result of a build: the folder and the start command of the program that it has made, if any; an error if the
/// files that it leaves cannot be read.
struct BuildResult {
    built: Built,
    left: io::Result<Option<(PathBuf, String)>>,
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
            let why = match self.task.student.is_address {
                true => "the student handed in an address, and no file",
                false => "the platform has a receipt, and no file",
            };
            let (status, why) = (PreparedStatus::NothingHandedIn, why.to_owned());
            return Ok(Some(PreparedSubmission { status, why, ..found }));
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
        let mut changes = name_plainly(root).map_err(at)?;
        let covered_by = "left out, because an archive beside it has a file of its name";
        changes.extend(covered.iter().map(|file| (covered_by, file.clone())));
        // Without a build, there is nothing in place of the built files that were handed in.
        if self.task.said.build.as_deref() != Some("") {
            changes.extend(remove_built(root, &files(root).map_err(at)?).map_err(at)?);
        }
        name_java(root).map_err(at)?;
        let mut all = plain_files(root).map_err(at)?;
        if self.task.said.build.is_none() {
            changes.extend(place_java(root, &all).map_err(at)?);
            all = plain_files(root).map_err(at)?;
        }
        changes.extend(mend(root, &all).map_err(at)?);
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
            let why =
                if plays_network(submission) { format!("{why}; {OTHER_PROGRAM}") } else { why };
            return Ok(Some((NoProgram, why)));
        };
        if !root.join(&recipe.folder).is_dir() {
            return no_folder(&recipe.folder);
        }
        if recipe.build.len() > LONGEST_BUILD {
            let why = "its folder has more source files than a command can name".to_owned();
            return Ok(Some((NotBuilt, why)));
        }
        self.begin_log(&changes, &recipe)?;
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
        let result = self.build_all(submission, &recipe, found)?;
        // The students have not handed these in.
        for path in given {
            remove_folder(&path);
            // The folder is empty if the build needs no class of it.
            let _ = path.parent().map(fs::remove_dir);
        }
        let start = match result {
            BuildResult { built: Built::Stopped, .. } => return Ok(None),
            BuildResult { left: Err(error), .. } if is_out_of_room(&error) => {
                return Err(at(error).into());
            }
            BuildResult { left: Err(error), .. } => {
                remove_folder(root);
                make_folder(root)?;
                let why = format!("its build leaves unreadable files: {error}");
                return Ok(Some((NotBuilt, why)));
            }
            BuildResult { built: Built::Failed(why), .. } => return Ok(Some((NotBuilt, why))),
            BuildResult { built: Built::Lacks(lack), .. } => {
                found.lacks = vec![lack];
                let why = Lack::why(&found.lacks, &place_of(&recipe.folder));
                return Ok(Some((Lacking, why)));
            }
            // A compiler names files as seen from the folder in which it runs.
            BuildResult { built: Built::Complained(why), .. } => {
                let remedy = for_windows(&why);
                return Ok(Some((NotBuilt, why + &place_of(&recipe.folder) + remedy)));
            }
            BuildResult { built: Built::Done, left: Ok(start) } => start,
        };
        let left = sources_now().map_err(at)?;
        let changed = handed_in.into_iter().filter(|(file, hash)| left.get(file) != Some(hash));
        found.changed = changed.map(|(file, _)| file).collect();
        if recipe.is_player {
            return Ok(Some((Ready, String::new())));
        }
        let Some((folder, start)) = start else {
            return Ok(Some((NoProgram, "its build has made no program to start".to_owned())));
        };
        (found.folder, found.start) = (folder, start);
        Ok(Some((Ready, String::new())))
    }

    /// Runs the builds of a recipe in turn until one makes the program, all in the time of one, and returns its result,
    /// or that of the first, whose complaint tells the author most. The build that has made the program is put into
    /// `found`, with its doubt.
    fn build_all(
        &self,
        submission: Submission<'_>,
        recipe: &Recipe,
        found: &mut PreparedSubmission,
    ) -> Result<BuildResult, PrepareError> {
        let (root, began, limit) =
            (submission.root, Instant::now(), self.options.build.limits.time);
        let mut first: Option<Built> = None;
        let others = recipe.other_builds.iter().map(|(build, doubt)| (build, *doubt));
        for (build, doubt) in iter::once((&recipe.build, "")).chain(others) {
            // In whole milliseconds, because a message names the limit.
            let time =
                limit.saturating_sub(Duration::from_millis(began.elapsed().as_millis() as u64));
            if build.len() > LONGEST_BUILD || time.is_zero() && first.is_some() {
                continue;
            }
            // The log has the first one already.
            if first.is_some() {
                self.log(&format!("$ {build}\n"))?;
            }
            let built = self.run_line(root, recipe, build, time)?;
            let left = sweep(root).and_then(|()| {
                if recipe.is_player || built != Built::Done {
                    return Ok(None);
                }
                let (files, sources) = (plain_files(root)?, SourceReader::default());
                let built = Submission { files: &files, sources: &sources, ..submission };
                start_of_built(built, recipe)
            });
            let is_made = built == Built::Done && (recipe.is_player || !matches!(left, Ok(None)));
            if is_made {
                found.build.clone_from(build);
                let doubts = [&*recipe.doubt, doubt].into_iter().filter(|doubt| !doubt.is_empty());
                found.doubt = doubts.collect::<Vec<_>>().join("; ");
            }
            let is_over = matches!(built, Built::Stopped) || left.is_err();
            if is_made || is_over {
                return Ok(BuildResult { built, left });
            }
            let ends = matches!(built, Built::Failed(_));
            first.get_or_insert(built);
            if ends {
                break;
            }
        }
        Ok(BuildResult { built: first.unwrap_or(Built::Done), left: Ok(None) })
    }

    fn log(&self, text: &str) -> Result<(), PrepareError> {
        let path = PreparedSubmission::log(self.folder);
        let file = fs::OpenOptions::new().create(true).append(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        Ok(written.map_err(FileError::at(&path, "write it"))?)
    }

    /// Unpacks the submission, and its archives if all other files are documents, and moves its innermost
    /// folder to `root`. Returns the files that are left out, because an archive has others of the same paths.
    fn unpack(&self, root: &Path) -> Result<Vec<PathBuf>, UnpackError> {
        let ends = Ends::new(self.options.build.stop.clone());
        let (mut before, mut archives, mut covered) = (PathBuf::new(), Vec::new(), Vec::new());
        for level in 1..=MOST_NESTED {
            let to = unpacked(self.folder, level);
            let failed = |error| failed_in(&to, error);
            fs::create_dir(&to).map_err(failed)?;
            let mut unpacking = Unpacking::into(&to, self.options.unpack).until(ends.clone());
            let result = match (level, &*self.task.student.items) {
                (1, [only]) => unpack(&only.path, &only.name, &mut unpacking).map(|()| to.clone()),
                // Several files stay beside each other.
                (1, items) => items
                    .iter()
                    .try_for_each(|item| place(&item.path, &item.name, &mut unpacking))
                    .map(|()| to.clone()),
                _ => open_archives(&before, &archives, &to, &mut unpacking, &mut covered),
            };
            if level > 1 {
                remove_folder(&unpacked(self.folder, level - 1));
            }
            before = result.inspect_err(|_| remove_folder(&to))?;
            archives = lone_archives(&before, &ends).map_err(failed)?;
            if archives.is_empty() || level == MOST_NESTED {
                let inner = innermost(&before, &SourceReader::default()).map_err(failed)?;
                fs::rename(inner, root).map_err(failed)?;
                remove_folder(&to);
                break;
            }
        }
        Ok(covered)
    }

    /// Writes the lines of the log before the output of the build.
    fn begin_log(&self, changes: &[Change], recipe: &Recipe) -> Result<(), PrepareError> {
        let mut text = String::new();
        for (said, file) in changes {
            let file = file.display().to_string();
            // Writing to a string does not fail.
            let _ = writeln!(text, "{said}: {}", file.escape_debug());
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
        let limit = self.options.build.limits.time;
        Ok(match self.run_line(root, recipe, &recipe.module_check(), limit)? {
            Built::Complained(why) => lacks_of(&why, why.chars().count() >= LONGEST_ERROR),
            _ => Vec::new(),
        })
    }

    /// Runs a line for a shell, if there is one, in the folder of the recipe and in the sandbox of a build, for at most
    /// `time`.
    fn run_line(
        &self,
        root: &Path,
        recipe: &Recipe,
        line: &str,
        time: Duration,
    ) -> Result<Built, PrepareError> {
        let cannot = |why| PrepareError::System { name: self.task.student.name.clone(), why };
        if line.is_empty() {
            return Ok(Built::Done);
        }
        let log = PreparedSubmission::log(self.folder);
        let options = &self.options.build;
        let built = build(root, &recipe.folder, line, &log, options, time);
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
    let end = end_of(file);
    let is_readme = || file.file_name().is_some_and(|name| name.eq_ignore_ascii_case("readme"));
    DOCUMENTS.iter().any(|document| document.eq_ignore_ascii_case(end)) || is_readme()
}

/// Returns the error of a folder of unpacked files. Paths that are too long are the author's fault.
fn failed_in(folder: &Path, source: io::Error) -> UnpackError {
    match source.kind() {
        io::ErrorKind::InvalidFilename => refused(TOO_LONG.to_owned()),
        _ => FileError::at(folder, "write it")(source).into(),
    }
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
    let failed = |error| failed_in(to, error);
    let all = to.join("all");
    for (number, archive) in archives.iter().enumerate() {
        let own = to.join(number.to_string());
        fs::create_dir(&own).map_err(failed)?;
        unpacking.enter(&number.to_string());
        unpack(&from.join(archive), &own_name(archive), unpacking)?;
        let folder = folder_of(archive);
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

/// The version of the preparation, which changes if the same submission may be prepared differently.
const VERSION: &str = concat!("prepare 10, plyground ", env!("CARGO_PKG_VERSION"));

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
    use plyground_sandbox::ByteSize;

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
