//! The commands that manage a league: its folder (`init`, `backup` and `doctor`), its people (`roster`,
//! `instructor`, `invite`, `worker` and `delete`), and the tournament and the grades of the frozen versions
//! (`final`).

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use plyground_cli::{self as cli, Failure};
use plyground_durable::output::{is_stdout, make_folder, write_whole};
use plyground_durable::text::csv_text;
use plyground_durable::{FileError, whole_number};
use plyground_host::SharedGame;
use serde_json::Value;

use super::{say, visit};
use crate::care::{self, Finding, remove_uploads};
use crate::config::{Config, FILE, TEMPLATE};
use crate::finale::{ROSTER, is_prepared, students, write_class};
use crate::league::{HERE, League, LeagueError};
use crate::server::standings_csv;
use crate::store::people::{self, Person, Token, TokenKind};
use crate::store::{Entry, NewPerson, Role, Store, StoreError, note};

/// The folder of a league.
#[derive(Clone, Debug, Args)]
pub(super) struct FolderArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// The arguments of `backup`.
#[derive(Clone, Debug, Args)]
pub(super) struct BackupArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The folder of the copy; an earlier copy there is brought up to date
    #[arg(value_name = "COPY")]
    to: PathBuf,
}

pub(super) fn init(FolderArgs { folder }: &FolderArgs) -> Result<(), Failure> {
    make_folder(folder)?;
    Store::create(folder)?;
    let file = folder.join(FILE);
    if !file.exists() {
        write_whole(&file, TEMPLATE)?;
    }
    let (file, folder) = (file.display(), folder.display());
    say(format_args!("{file}: change it, then `plyground league roster {folder} STUDENTS.csv`"))
}

pub(super) fn back_up(BackupArgs { folder, to }: &BackupArgs) -> Result<(), Failure> {
    let uploads = care::back_up(folder, to)?;
    say(format_args!("{}: the league with {uploads} uploads", to.display()))
}

pub(super) fn doctor(FolderArgs { folder }: &FolderArgs) -> Result<(), Failure> {
    let findings = care::examine(folder);
    for Finding { is_well, text } in &findings {
        say(format_args!("{:5} {text}", if *is_well { "ok" } else { "WRONG" }))?;
    }
    let wrong = findings.iter().filter(|finding| !finding.is_well).count();
    if wrong > 0 {
        return Err(Failure::Run(anyhow::anyhow!(
            "{wrong} of {} things are wrong",
            findings.len()
        )));
    }
    Ok(())
}

/// The signature of the command line in the notes.
const OPERATOR: &str = "operator";

/// The arguments of `roster`.
#[derive(Clone, Debug, Args)]
pub(super) struct RosterArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The table of the students: a gradebook of Canvas, Moodle, Blackboard, Brightspace or Gradescope, or
    /// any CSV with the columns of `grade --roster`
    #[arg(value_name = "STUDENTS.csv")]
    file: PathBuf,
}

/// The arguments of `instructor`.
#[derive(Clone, Debug, Args)]
pub(super) struct InstructorArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The name
    #[arg(value_name = "NAME")]
    name: String,

    /// The address at which browsers reach the league
    #[arg(long, value_name = "URL")]
    address: String,
}

/// The arguments of `invite`.
#[derive(Clone, Debug, Args)]
pub(super) struct InviteArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The address at which browsers reach the league
    #[arg(long, value_name = "URL")]
    address: String,

    /// Write the table into this file
    #[arg(long, value_name = "FILE.csv", default_value = "-")]
    out: PathBuf,

    /// Give this person a new link, and revoke the old one; may be given several times
    #[arg(long, value_name = "KEY")]
    again: Vec<String>,
}

/// The arguments of `worker`.
#[derive(Clone, Debug, Args)]
pub(super) struct WorkerArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The name of the machine, or of all machines that share the token
    #[arg(value_name = "NAME")]
    name: String,

    /// Revoke the tokens of this name
    #[arg(long)]
    revoke: bool,
}

/// The arguments of `delete`.
#[derive(Clone, Debug, Args)]
pub(super) struct DeleteArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The key of the person, as in the table of links
    #[arg(value_name = "KEY")]
    key: String,
}

pub(super) fn roster(RosterArgs { folder, file }: &RosterArgs) -> Result<(), Failure> {
    let league = visit(folder)?;
    let (found, text) = league.store.write::<_, LeagueError>(|db| {
        let now = league.clock.now();
        let found = students(league.folder(), file, &Person::all(db)?)?;
        let mut new = 0;
        for student in &found.people {
            new += usize::from(student.add(db, now)?);
        }
        let text = format!("{} students, {new} of them new", found.people.len());
        note(db, now, OPERATOR, &format!("takes in {text}"))?;
        Ok((found, text))
    })?;
    // The roster is kept, because the grades at the end need columns that the league does not use.
    write_whole(&folder.join(ROSTER), &found.roster)?;
    say(text)?;
    for (what, keys) in [
        ("found by the name alone, so look", &found.by_name),
        ("in the league and not in the table", &found.missing),
    ] {
        if !keys.is_empty() {
            say(format_args!("{what}: {}", keys.join(", ")))?;
        }
    }
    Ok(())
}

/// Draws a token for a person, and returns the link.
fn link(
    league: &League,
    db: &rusqlite::Connection,
    person: &Person,
    address: &str,
) -> Result<String, LeagueError> {
    let token = Token::draw()?;
    let now = league.clock.now();
    people::add_token(db, TokenKind::Invitation, Some(person.id), "", &token.hash(), now)?;
    Ok(format!("{}/enter/{}", address.trim_end_matches('/'), token.text()))
}

pub(super) fn instructor(args: &InstructorArgs) -> Result<(), Failure> {
    let league = visit(&args.folder)?;
    let word: String = args
        .name
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let key = format!("staff-{word}");
    let link = league.store.write::<_, LeagueError>(|db| {
        let now = league.clock.now();
        let (name, email) = (args.name.clone(), String::new());
        NewPerson { key: key.clone(), name, email, role: Role::Instructor }.add(db, now)?;
        let person = Person::of_key(db, &key)?.ok_or_else(|| unknown(&key))?;
        people::revoke(db, person.id, now)?;
        note(db, now, OPERATOR, &format!("gives a link to {key}"))?;
        link(&league, db, &person, &args.address)
    })?;
    say(link)
}

fn unknown(key: &str) -> LeagueError {
    LeagueError::Refused(format!(
        "there is no person with the key `{}`",
        plyground_durable::excerpt(key)
    ))
}

pub(super) fn invite(args: &InviteArgs) -> Result<(), Failure> {
    let league = visit(&args.folder)?;
    let rows = league.store.write::<_, LeagueError>(|db| {
        let now = league.clock.now();
        let people = Person::all(db)?;
        for key in &args.again {
            let person = people.iter().find(|it| it.key == *key && it.role != Role::Reference);
            people::revoke(db, person.ok_or_else(|| unknown(key))?.id, now)?;
        }
        let mut rows = Vec::new();
        for person in people.iter().filter(|person| person.role == Role::Student) {
            let has_link = people::invitations(db, person.id)?.iter().any(|(_, end)| end.is_none());
            if !has_link {
                let link = link(&league, db, person, &args.address)?;
                rows.push(vec![
                    person.key.clone(),
                    person.name.clone(),
                    person.email.clone(),
                    link,
                ]);
            }
        }
        note(db, now, OPERATOR, &format!("gives out {} links", rows.len()))?;
        Ok(rows)
    })?;
    let count = rows.len();
    write_whole(&args.out, csv_text(["key", "name", "email", "link"], rows))?;
    if !is_stdout(&args.out) {
        // The links are secrets, like passwords.
        #[cfg(unix)]
        fs::set_permissions(&args.out, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .map_err(FileError::at(&args.out, "protect it"))?;
        say(format_args!("{}: {count} links", args.out.display()))?;
    }
    Ok(())
}

pub(super) fn worker(args: &WorkerArgs) -> Result<(), Failure> {
    let league = visit(&args.folder)?;
    let now = league.clock.now();
    if args.revoke {
        let count = league.store.write::<_, StoreError>(|db| {
            note(db, now, OPERATOR, &format!("revokes the tokens of worker {}", args.name))?;
            people::revoke_worker(db, &args.name, now)
        })?;
        return say(format_args!("{count} tokens revoked"));
    }
    if args.name == HERE {
        let why = format!("`{HERE}` is the name of the server in the games: expected another name");
        return Err(Failure::Usage(why));
    }
    let token = Token::draw().map_err(LeagueError::from)?;
    league.store.write::<_, StoreError>(|db| {
        note(db, now, OPERATOR, &format!("gives a token to worker {}", args.name))?;
        people::add_token(db, TokenKind::Worker, None, &args.name, &token.hash(), now)
    })?;
    say(token.text())
}

pub(super) fn delete(args: &DeleteArgs) -> Result<(), Failure> {
    let league = visit(&args.folder)?;
    let count = remove_uploads::<LeagueError>(&league, |db| {
        let person = Person::of_key(db, &args.key)?.ok_or_else(|| unknown(&args.key))?;
        let contents = person.delete(db)?;
        note(db, league.clock.now(), OPERATOR, "deletes a person")?;
        Ok(contents)
    })?;
    say(format_args!(
        "deleted, with {count} uploads; copies of the league made before still have them"
    ))
}

/// The arguments of `final`.
#[derive(Clone, Debug, Args)]
pub(super) struct FinalArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The folder for the tournament and the grades
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

pub(super) fn end(args: &FinalArgs) -> Result<(), Failure> {
    let league = visit(&args.folder)?;
    let entries = if args.now {
        let entries = league.store.read(Entry::all)?;
        entries.into_iter().filter(|entry| entry.version.content.is_some()).collect()
    } else {
        if !league.freeze_if_due()? {
            let why = "the versions are not frozen: the deadline has not passed, or uploads wait for their \
                builds; --now takes the versions that play now";
            return Err(Failure::Usage(why.to_owned()));
        }
        league.store.read(Entry::frozen)?
    };
    let players = entries.len();
    let mut class = entries;
    let others = league.store.read(Entry::without_player)?.into_iter();
    class.extend(others.filter(|entry| is_prepared(league.folder(), &entry.version)));
    let config = &league.config;
    let class = write_class(league.folder(), config, &class, &args.out)?;
    write_whole(&args.out.join("standings.csv"), standings_csv(&league.store.read(Entry::all)?))?;
    say(format_args!("{}: {players} players", class.submissions.display()))?;
    let jobs = args.jobs.to_string();
    let tournament = class.tournament.to_string_lossy().into_owned();
    let out = args.out.join("tournament").to_string_lossy().into_owned();
    if players > 1 {
        command(&config.game, ["tournament", &tournament, "--out", &out, "--jobs", &jobs])?;
    }
    if args.no_grades {
        return Ok(());
    }
    let grades = args.out.join("grades");
    command(&config.game, grade_words(config, &class.submissions, &class.roster, &grades, &jobs))
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
