//! The commands that manage the folder of a league: `init`, `backup` and `doctor`; and those that manage its
//! people: `roster`, `instructor`, `invite`, `worker` and `delete`.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use plyground_cli::Failure;
use plyground_durable::FileError;
use plyground_durable::output::{is_stdout, make_folder, write_whole};
use plyground_durable::text::csv_text;

use super::visit;
use crate::care;
use crate::config::{FILE, TEMPLATE};
use crate::finale::{ROSTER, students};
use crate::league::{League, LeagueError};
use crate::store::people::{self, Person, Token, TokenKind};
use crate::store::{NewPerson, Role, Store, StoreError, note};

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
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{}: change it, then `plyground league roster {} STUDENTS.csv`",
        file.display(),
        folder.display()
    )?;
    Ok(out.flush()?)
}

pub(super) fn back_up(BackupArgs { folder, to }: &BackupArgs) -> Result<(), Failure> {
    let uploads = care::back_up(folder, to)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}: the league with {uploads} uploads", to.display())?;
    Ok(out.flush()?)
}

pub(super) fn doctor(FolderArgs { folder }: &FolderArgs) -> Result<(), Failure> {
    let findings = care::examine(folder);
    let mut out = io::stdout().lock();
    for finding in &findings {
        writeln!(out, "{:5} {}", if finding.is_well { "ok" } else { "WRONG" }, finding.text)?;
    }
    out.flush()?;
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
    let students = students(file)?;
    let new = league.store.write::<_, StoreError>(|db| {
        let now = league.clock.now();
        let mut new = 0;
        for student in &students {
            new += usize::from(student.add(db, now)?);
        }
        note(
            db,
            now,
            OPERATOR,
            &format!("takes in {} students, {new} of them new", students.len()),
        )?;
        Ok(new)
    })?;
    // The columns that the league does not need are for the grades at the end.
    let bytes = fs::read(file).map_err(FileError::at(file, "read it"))?;
    write_whole(&folder.join(ROSTER), bytes)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{} students, {new} of them new", students.len())?;
    Ok(out.flush()?)
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
    let mut out = io::stdout().lock();
    writeln!(out, "{link}")?;
    Ok(out.flush()?)
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
        // The links are as good as passwords.
        #[cfg(unix)]
        fs::set_permissions(&args.out, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .map_err(FileError::at(&args.out, "protect it"))?;
        let mut out = io::stdout().lock();
        writeln!(out, "{}: {count} links", args.out.display())?;
        out.flush()?;
    }
    Ok(())
}

pub(super) fn worker(args: &WorkerArgs) -> Result<(), Failure> {
    let league = visit(&args.folder)?;
    let now = league.clock.now();
    let mut out = io::stdout().lock();
    if args.revoke {
        let count = league.store.write::<_, StoreError>(|db| {
            note(db, now, OPERATOR, &format!("revokes the tokens of worker {}", args.name))?;
            people::revoke_worker(db, &args.name, now)
        })?;
        writeln!(out, "{count} tokens revoked")?;
        return Ok(out.flush()?);
    }
    let token = Token::draw().map_err(LeagueError::from)?;
    league.store.write::<_, StoreError>(|db| {
        note(db, now, OPERATOR, &format!("gives a token to worker {}", args.name))?;
        people::add_token(db, TokenKind::Worker, None, &args.name, &token.hash(), now)
    })?;
    writeln!(out, "{}", token.text())?;
    Ok(out.flush()?)
}

pub(super) fn delete(args: &DeleteArgs) -> Result<(), Failure> {
    let league = visit(&args.folder)?;
    let contents = league.store.write::<_, LeagueError>(|db| {
        let person = Person::of_key(db, &args.key)?.ok_or_else(|| unknown(&args.key))?;
        let contents = person.delete(db)?;
        note(db, league.clock.now(), OPERATOR, "deletes a person")?;
        Ok(contents)
    })?;
    for content in &contents {
        crate::care::remove_content(league.folder(), content);
    }
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "deleted, with {} uploads; copies of the league made before still have them",
        contents.len()
    )?;
    Ok(out.flush()?)
}
