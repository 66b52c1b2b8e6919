//! A command whose work can be shared; the identity of this machine, and the check whether it may do pieces
//! of the work.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{env, fs};

use plyground_arena::contents::{ContentHash, Contents};
use plyground_arena::programs::settle_level;
use plyground_durable::one_line;
use plyground_durable::output::{make_folder, write_whole};
use plyground_durable::work::pin_to_core;
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload};
use plyground_host::SharedGame;
use plyground_sandbox::SandboxLevel;
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, refuse};

/// The findings of the machine that prepares the work, for all machines.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// The contents of all programs.
    pub contents: Contents,
    /// The players that cannot play, by name, with the reasons.
    pub absent: BTreeMap<String, String>,
}

type Merge = Box<dyn Fn(&WorkFolder) -> Result<(), Failure>>;

/// A command whose work can be shared.
pub struct Job {
    /// The pieces of the work.
    pub workload: Arc<dyn Workload>,
    /// The work as text: work with another title is other work.
    pub title: String,
    /// The path that the folder with the work is named after: an output, or the command itself.
    pub namesake: PathBuf,
    /// If true, the command measures the time of pieces, so that each piece needs a processor core
    /// to itself.
    pub measures_time: bool,
    /// The level of the sandboxes, if there are programs to sandbox.
    pub level: Option<SandboxLevel>,
    /// If true, the name of a piece depends on the contents of its program, so that programs may
    /// change.
    pub is_by_content: bool,
    /// The function that determines the facts on which all machines must agree. It fails if the
    /// work would fail on every machine.
    pub prepare: Box<dyn Fn() -> Result<Prepared, Failure>>,
    /// The function that writes and shows the output of the command, from all results so far.
    pub merge: Merge,
}

impl Job {
    /// Creates a job that measures the time of pieces, without programs and facts. `lines` are the
    /// lines of its title.
    pub fn new(
        lines: impl IntoIterator<Item = String>,
        namesake: &Path,
        workload: Arc<dyn Workload>,
        merge: impl Fn(&WorkFolder) -> Result<(), Failure> + 'static,
    ) -> Job {
        Job {
            workload,
            title: lines.into_iter().map(|line| line + "\n").collect(),
            namesake: namesake.to_owned(),
            measures_time: true,
            level: None,
            is_by_content: false,
            prepare: Box::new(|| Ok(Prepared::default())),
            merge: Box::new(merge),
        }
    }

    /// Returns the default folder of the work.
    pub(super) fn usual_folder(&self) -> PathBuf {
        let mut path = self.namesake.clone().into_os_string();
        path.push(".work");
        path.into()
    }
}

/// Returns the contents of all programs from the order; empty without an order.
pub(super) fn contents(order: Option<&Order>) -> Contents {
    order.map(|order| order.contents.clone()).unwrap_or_default()
}

/// The commands of a program whose work can be shared.
pub trait ClusterCommands {
    /// Returns the job of the command `words`, with the findings of the order if there is one; `None` if the work of
    /// the command cannot be shared. Ends the process if the words are not a command, or ask for help.
    fn job(
        &self,
        game: &SharedGame,
        words: &[String],
        order: Option<&Order>,
    ) -> Option<Result<Job, Failure>>;

    /// Returns the names of these commands, for messages.
    fn names(&self) -> &'static str;
}

/// Returns the job of the command `words`, or an error if its work cannot be shared.
pub(super) fn job(
    commands: &dyn ClusterCommands,
    game: &SharedGame,
    words: &[String],
    order: Option<&Order>,
) -> Result<Job, Failure> {
    commands.job(game, words, order).unwrap_or_else(|| {
        let word = words.first().map_or("", String::as_str);
        let names = commands.names();
        refuse(format!("expected {names} as the command to share, found `{word}`"))
    })
}

/// Returns the name of this machine, as people know it.
pub(super) fn machine_name() -> String {
    let of_slurm = env::var("SLURMD_NODENAME").ok();
    let of_system = || fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = of_slurm.or_else(of_system).or_else(|| env::var("HOSTNAME").ok());
    let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| "this machine".to_owned())
}

/// Returns the ID that Slurm has given this process: the task of a job, or the job; `None` outside
/// Slurm.
pub(super) fn job_name() -> Option<String> {
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    match (variable("SLURM_ARRAY_JOB_ID"), variable("SLURM_ARRAY_TASK_ID")) {
        (Some(job), Some(task)) => Some(format!("{job}_{task}")),
        _ => variable("SLURM_JOB_ID"),
    }
}

/// Returns the content of this program, as one word.
pub(super) fn own_content() -> io::Result<String> {
    // This link leads to the running program even if its file has been replaced since.
    let link = Path::new("/proc/self/exe");
    let file = fs::File::open(link).or_else(|_| fs::File::open(env::current_exe()?))?;
    let mut hash = ContentHash::default();
    hash.add_contents(file)?;
    Ok(hash.word())
}

/// Returns the features of processors that programs are compiled for, each with its name, `true` if this program is
/// compiled for the feature, and `true` if this processor has the feature.
#[cfg(target_arch = "x86_64")]
fn known_features() -> Vec<(&'static str, bool, bool)> {
    macro_rules! features {
        ($($name:tt),+) => {
            vec![$(($name, cfg!(target_feature = $name), std::arch::is_x86_feature_detected!($name))),+]
        };
    }
    features! {
        "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "lzcnt", "bmi1", "bmi2", "avx", "avx2",
        "fma", "f16c", "movbe", "adx", "aes", "pclmulqdq", "sha", "avx512f", "avx512bw",
        "avx512cd", "avx512dq", "avx512vl"
    }
}

/// Returns no features: on other processors, our programs are compiled for the common features only.
#[cfg(not(target_arch = "x86_64"))]
fn known_features() -> Vec<(&'static str, bool, bool)> {
    Vec::new()
}

/// Returns the features that a processor must have: the features that this program is compiled for and, if other
/// `programs` play, all features of this processor, because the programs may be compiled for it.
pub(super) fn needed_features(programs: bool) -> Vec<String> {
    let all = known_features().into_iter();
    let needed = all.filter(|&(_, is_needed, is_there)| is_needed || programs && is_there);
    needed.map(|(name, _, _)| name.to_owned()).collect()
}

/// Returns the reason why this machine must not do pieces of the work, as one line.
pub(super) fn unfit(order: &Order) -> Option<String> {
    let known = known_features();
    let has = |name: &&String| known.iter().any(|(known, _, there)| known == name && *there);
    let lacking: Vec<&str> =
        order.features.iter().filter(|name| !has(name)).map(String::as_str).collect();
    if !lacking.is_empty() {
        return Some(format!(
            "the processor lacks {}, which {} has",
            lacking.join(", "),
            order.machine
        ));
    }
    match own_content() {
        Ok(content) if content == order.program => {}
        Ok(_) => {
            return Some(format!("this program differs from the program on {}", order.machine));
        }
        Err(error) => return Some(format!("cannot read this program: {error}")),
    }
    let unfit = order.level.and_then(|level| settle_level(Some(level)).err());
    unfit.map(|unfit| unfit.to_string())
}

/// Work that pins each thread to a processor core of its own.
pub(super) struct Pinned<'w>(pub(super) &'w dyn Workload);

impl Workload for Pinned<'_> {
    fn pieces(&self, folder: &WorkFolder) -> Result<Vec<String>, WorkError> {
        self.0.pieces(folder)
    }

    fn results_end_others(&self) -> bool {
        self.0.results_end_others()
    }

    fn work(
        &self,
        thread: usize,
        piece: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        pin_to_core(thread);
        self.0.work(thread, piece, stop)
    }
}

/// The folder with the orders. An order is never replaced, because a task may be reading it.
const ORDERS: &str = "orders";

/// The work to be done, and the requirements on every machine that does it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The words of the command.
    pub(super) command: Vec<String>,
    /// The folder in which the command was given.
    pub(super) folder: PathBuf,
    /// The game.
    pub(super) game: String,
    /// The rules of the game.
    pub(super) rules: String,
    /// The machine that has prepared the work.
    pub(super) machine: String,
    /// The content of this program, as one word.
    pub(super) program: String,
    /// The features that the processor must have.
    pub(super) features: Vec<String>,
    /// The level of the sandboxes, if there are programs to sandbox.
    pub(super) level: Option<SandboxLevel>,
    /// The contents of all programs.
    pub(super) contents: Contents,
    /// The players that cannot play, by name, with the reasons.
    pub(super) absent: BTreeMap<String, String>,
    /// The time without a sign of life after which a task is taken for dead, in milliseconds.
    pub(super) patience_ms: u64,
}

impl Order {
    pub(super) fn patience(&self) -> Duration {
        Duration::from_millis(self.patience_ms)
    }

    /// Reads the last order in the folder with the work, if there is one.
    pub(super) fn read(work: &Path) -> Result<Option<Order>, Failure> {
        let folder = work.join(ORDERS);
        let Some(last) = last(&folder) else { return Ok(None) };
        let path = folder.join(file_name(last));
        let text = fs::read_to_string(&path).map_err(|error| Failure::of_file(&path, error))?;
        let order = serde_json::from_str(&text);
        order.map(Some).map_err(|error| Failure::of_file(&path, one_line(&error.to_string())))
    }

    /// Writes this order as the last one.
    pub(super) fn write(&self, work: &Path) -> Result<(), Failure> {
        let folder = work.join(ORDERS);
        make_folder(&folder)?;
        let number = last(&folder).unwrap_or_default() + 1;
        // Strings, numbers and maps of them always have a JSON text.
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        Ok(write_whole(&folder.join(file_name(number)), text)?)
    }
}

fn file_name(number: u32) -> String {
    format!("{number:04}.json")
}

fn last(folder: &Path) -> Option<u32> {
    let names = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.to_str()?.strip_suffix(".json")?.parse().ok()).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> Order {
        Order {
            command: Vec::new(),
            folder: "/".into(),
            game: "toy".to_owned(),
            rules: "standard".to_owned(),
            machine: "head".to_owned(),
            program: own_content().expect("this program"),
            features: needed_features(true),
            level: Some(plyground_sandbox::SandboxLevel::None),
            contents: Default::default(),
            absent: Default::default(),
            patience_ms: 1000,
        }
    }

    #[test]
    fn machine_that_is_as_it_should_be_is_fit() {
        assert_eq!(unfit(&order()), None);
        assert!(!machine_name().is_empty());
    }

    #[test]
    fn other_machine_is_refused_by_what_it_lacks() {
        let features = vec!["avx9000".to_owned()];
        let lacks = unfit(&Order { features, ..order() });
        assert_eq!(lacks.as_deref(), Some("the processor lacks avx9000, which head has"));
        let other = unfit(&Order { program: "0".to_owned(), ..order() });
        assert_eq!(other.as_deref(), Some("this program differs from the program on head"));
    }
}
