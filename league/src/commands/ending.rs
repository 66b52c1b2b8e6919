//! `final`: the tournament and the grades of what was frozen.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use plyground_cli::{self as cli, Failure};
use plyground_durable::output::write_whole;
use plyground_durable::whole_number;
use plyground_host::SharedGame;
use serde_json::Value;

use super::visit;
use crate::config::Config;
use crate::finale::write_class;
use crate::server::standings_csv;
use crate::store::Entry;

/// The arguments of `final`.
#[derive(Clone, Debug, Args)]
pub(super) struct FinalArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The folder for all of it
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    /// The number of games and submissions at a time
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX))]
    jobs: NonZeroUsize,

    /// Play the tournament without making grades
    #[arg(long)]
    no_grades: bool,

    /// Take the versions that play now, whether the deadline has passed or not
    #[arg(long)]
    now: bool,
}

pub(super) fn run(args: &FinalArgs) -> Result<(), Failure> {
    let league = visit(&args.folder)?;
    let entries = if args.now {
        let entries = league.store.read(Entry::all)?;
        entries.into_iter().filter(|entry| entry.version.content.is_some()).collect()
    } else {
        if !league.freeze_if_due()? {
            let why = "the versions are not frozen: the deadline has not passed, or uploads wait for their \
                builds; --now takes what plays now";
            return Err(Failure::Usage(why.to_owned()));
        }
        league.store.read(Entry::frozen)?
    };
    let config = &league.config;
    let class = write_class(league.folder(), config, &entries, &args.out)?;
    write_whole(&args.out.join("standings.csv"), standings_csv(&league.store.read(Entry::all)?))?;
    say(&format!("{}: {} players\n", class.submissions.display(), class.players))?;
    let jobs = args.jobs.to_string();
    let tournament = class.tournament.to_string_lossy().into_owned();
    let out = args.out.join("tournament").to_string_lossy().into_owned();
    if class.players > 1 {
        command(&config.game, ["tournament", &tournament, "--out", &out, "--jobs", &jobs])?;
    }
    if args.no_grades {
        return Ok(());
    }
    let grades = args.out.join("grades");
    command(&config.game, grade_words(config, &class.submissions, &class.roster, &grades, &jobs))
}

fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    write!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Returns the command that grades the class.
fn grade_words(
    config: &Config,
    submissions: &Path,
    roster: &Path,
    out: &Path,
    jobs: &str,
) -> Vec<String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut words = vec!["grade".to_owned()];
    let mut add = |option: &str, value: String| words.extend([format!("--{option}"), value]);
    add("player", config.player.to_string());
    add("class", text(submissions));
    add("roster", text(roster));
    add("out", text(out));
    add("jobs", jobs.to_owned());
    if let Some(checks) = &config.checks {
        add("checks", text(checks));
    }
    if let Some(deadline) = &config.deadline {
        add("deadline", deadline.to_string());
    }
    if let Some(rule) = &config.late_rule {
        add("late", rule.clone());
    }
    if let Some(level) = config.sandbox {
        add("sandbox", level.to_string());
    }
    // The limits have the same names in a file as on the command line.
    if let Ok(Value::Object(limits)) = serde_json::to_value(&config.limits) {
        for (name, value) in limits {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            add(&name, value);
        }
    }
    words
}

/// Runs a command of the game, as a person would.
fn command<W: Into<String>>(
    game: &SharedGame,
    words: impl IntoIterator<Item = W>,
) -> Result<(), Failure> {
    let words = [game.name().to_owned()].into_iter().chain(words.into_iter().map(Into::into));
    let matches = cli::program(game).try_get_matches_from(words);
    let matches = matches.unwrap_or_else(|error| cli::exit(error));
    cli::dispatch(game, &matches)
}
