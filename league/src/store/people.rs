//! The people of a league, their sessions, and their tokens: secrets of 128 bits. The league stores only the hashes of
//! tokens.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use rusqlite::{Connection, Params};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton;

use super::{StoreError, first, rows, stored, time};

/// The role of a person in a league.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A student, who uploads programs.
    Student,
    /// An instructor, who may see and change everything.
    Instructor,
    /// A built-in player, which stands in the table as a reference.
    Reference,
}

impl Role {
    fn word(self) -> &'static str {
        match self {
            Role::Student => "student",
            Role::Instructor => "instructor",
            Role::Reference => "reference",
        }
    }

    fn read(word: &str) -> Role {
        match word {
            "instructor" => Role::Instructor,
            "reference" => Role::Reference,
            _ => Role::Student,
        }
    }
}

/// A person in a league, or a reference player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The number in the database.
    pub id: i64,
    /// The name of the person's files in exports; only letters, digits, `-`, `_` and `.`.
    pub key: String,
    /// The name in the roster.
    pub name: String,
    /// The e-mail address in the roster.
    pub email: String,
    /// The role in the league.
    pub role: Role,
    /// The nickname that the person has chosen, or empty.
    pub nickname: String,
    /// If true, the table shows the name in the roster.
    pub shows_name: bool,
    /// The version that plays.
    pub active: Option<i64>,
}

impl Person {
    /// Returns the people that the end of a query selects.
    fn select(db: &Connection, end: &str, params: impl Params) -> Result<Vec<Person>, StoreError> {
        let columns = "id, key, name, email, role, nickname, shows_name, active";
        rows(db, &format!("SELECT {columns} FROM people {end}"), params, |row| {
            Ok(Person {
                id: row.get(0)?,
                key: row.get(1)?,
                name: row.get(2)?,
                email: row.get(3)?,
                role: Role::read(&row.get::<_, String>(4)?),
                nickname: row.get(5)?,
                shows_name: row.get(6)?,
                active: row.get(7)?,
            })
        })
    }

    /// Returns the person of this number.
    pub fn find(db: &Connection, id: i64) -> Result<Option<Person>, StoreError> {
        Ok(Person::select(db, "WHERE id = ?1", [id])?.pop())
    }

    /// Returns the person of this key.
    pub fn of_key(db: &Connection, key: &str) -> Result<Option<Person>, StoreError> {
        Ok(Person::select(db, "WHERE key = ?1", [key])?.pop())
    }

    /// Returns all people, in the order of their keys.
    pub fn all(db: &Connection) -> Result<Vec<Person>, StoreError> {
        Person::select(db, "ORDER BY key", [])
    }

    /// Returns the name in the table of a person who has no nickname and does not show the name in the roster.
    #[must_use]
    pub fn stand_in(&self) -> String {
        format!("{STAND_IN} {}", self.id)
    }

    /// Changes the nickname and the choice to show the name.
    ///
    /// # Errors
    ///
    /// Returns an error if the nickname looks like the name of another person, or like a stand-in that is not the
    /// person's own.
    pub fn set_nickname(
        &self,
        db: &Connection,
        nickname: &str,
        shows_name: bool,
    ) -> Result<(), StoreError> {
        let wanted = looks(nickname);
        let others = Person::all(db)?.into_iter().filter(|other| other.id != self.id);
        let mut names = others.flat_map(|it| [it.nickname, it.name]);
        let is_taken = names.any(|name| look_alike(&looks(&name), &wanted))
            || looks_like_stand_in(&wanted) && !look_alike(&looks(&self.stand_in()), &wanted);
        if !nickname.is_empty() && is_taken {
            return Err(StoreError::Refused("another person has this name".to_owned()));
        }
        db.execute(
            "UPDATE people SET nickname = ?2, shows_name = ?3 WHERE id = ?1",
            (self.id, nickname, shows_name),
        )?;
        Ok(())
    }

    /// Removes all data of a person, with the games of the person's versions. Returns the hashes of the uploads that
    /// no other person has made.
    pub fn delete(&self, db: &Connection) -> Result<Vec<String>, StoreError> {
        db.execute("UPDATE people SET active = NULL WHERE id = ?1", [self.id])?;
        db.execute("DELETE FROM frozen WHERE person = ?1", [self.id])?;
        let sql = "SELECT DISTINCT content FROM versions WHERE person = ?1 AND content IS NOT NULL
                AND content NOT IN (SELECT content FROM versions
                    WHERE person <> ?1 AND content IS NOT NULL)";
        let contents = rows(db, sql, [self.id], |row| row.get(0))?;
        db.execute("DELETE FROM people WHERE id = ?1", [self.id])?;
        // The removed games no longer count for the opponents.
        db.execute(
            "UPDATE versions SET games = (SELECT count(*) FROM games WHERE state = 'done'
                AND (first = versions.id OR second = versions.id))",
            [],
        )?;
        // The notes of the person are removed, too.
        db.execute("DELETE FROM audit WHERE who = ?1", [&self.key])?;
        Ok(contents)
    }
}

/// The word of a stand-in. It is not `Player`, because `Player 1` is the name of a side of the game.
const STAND_IN: &str = "Student";

/// Returns two skeletons of a name (UTS 39) without blanks and punctuation. Two names look alike if their first or
/// their second skeletons are equal. The first skeleton keeps the case before the mapping and the second does not,
/// because a capital letter may look like another capital letter although their small letters differ.
fn looks(name: &str) -> [String; 2] {
    let is_kept = |c: &char| !c.is_ascii() || c.is_ascii_alphanumeric();
    let plain = name.nfkc().filter(is_kept).collect::<String>();
    [&plain, &plain.to_lowercase()]
        .map(|text| skeleton(text).filter(is_kept).collect::<String>().to_lowercase())
}

fn look_alike(one: &[String; 2], other: &[String; 2]) -> bool {
    one.iter().zip(other).any(|(one, other)| one == other)
}

/// Returns true if a name looks like a stand-in: the word and a number.
fn looks_like_stand_in(name: &[String; 2]) -> bool {
    let [word, digits] = [STAND_IN, "0123456789"].map(looks);
    name.iter().zip(word.iter().zip(&digits)).any(|(name, (word, digits))| {
        let number = name.strip_prefix(word.as_str());
        number
            .is_some_and(|number| !number.is_empty() && number.chars().all(|c| digits.contains(c)))
    })
}

/// A person to be added to a league.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPerson {
    /// The name of the person's files in exports.
    pub key: String,
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
    /// The role in the league.
    pub role: Role,
}

impl NewPerson {
    /// Adds the person, or changes the name and address of the person with this key. Returns true if the person is new.
    pub fn add(&self, db: &Connection, now: Timestamp) -> Result<bool, StoreError> {
        let NewPerson { key, name, email, role } = self;
        let known = Person::of_key(db, key)?;
        db.execute(
            "INSERT INTO people (key, name, email, role, created) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (key) DO UPDATE SET name = excluded.name, email = excluded.email",
            (key, name, email, role.word(), stored(now)),
        )?;
        Ok(known.is_none())
    }
}

/// The number of random bytes of a token.
const BYTES: usize = 16;

/// A secret that only its owner knows.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// The hash of a token. The hash is fast, because a token of 128 random bits cannot be guessed.
pub type TokenHash = [u8; 32];

impl Token {
    /// Draws a token.
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no random numbers.
    pub fn draw() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Token(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Parses a token; `None` if the text is no token.
    #[must_use]
    pub fn read(text: &str) -> Option<Token> {
        let bytes = URL_SAFE_NO_PAD.decode(text.trim()).ok()?;
        (bytes.len() == BYTES).then(|| Token(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Returns the token as text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns the hash. Only the hash is stored. The database looks up the hash by an index, so the time of a look-up
    /// reveals nothing about the token.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        Sha256::digest(self.0.as_bytes()).into()
    }
}

/// Hides the secret.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// The purpose of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// The token of a personal link, with which a person enters.
    Invitation,
    /// The token with which another machine takes games.
    Worker,
}

impl TokenKind {
    fn word(self) -> &'static str {
        match self {
            TokenKind::Invitation => "invitation",
            TokenKind::Worker => "worker",
        }
    }
}

/// Stores the hash of a token.
pub fn add_token(
    db: &Connection,
    kind: TokenKind,
    person: Option<i64>,
    label: &str,
    hash: &TokenHash,
    now: Timestamp,
) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO tokens (person, kind, label, hash, created) VALUES (?1, ?2, ?3, ?4, ?5)",
        (person, kind.word(), label, hash, stored(now)),
    )?;
    Ok(())
}

/// Revokes all invitations of a person, and ends the person's sessions.
pub fn revoke(db: &Connection, person: i64, now: Timestamp) -> Result<(), StoreError> {
    db.execute(
        "UPDATE tokens SET revoked = ?2 WHERE person = ?1 AND revoked IS NULL",
        (person, stored(now)),
    )?;
    db.execute("DELETE FROM sessions WHERE person = ?1", [person])?;
    Ok(())
}

/// Revokes the worker tokens of this label. Returns their number.
pub fn revoke_worker(db: &Connection, label: &str, now: Timestamp) -> Result<usize, StoreError> {
    Ok(db.execute(
        "UPDATE tokens SET revoked = ?2 WHERE kind = 'worker' AND label = ?1 AND revoked IS NULL",
        (label, stored(now)),
    )?)
}

/// Returns the number in the database and the person of the valid invitation with this hash.
pub fn invited(db: &Connection, hash: &TokenHash) -> Result<Option<(i64, Person)>, StoreError> {
    let sql =
        "SELECT id, person FROM tokens WHERE hash = ?1 AND kind = 'invitation' AND revoked IS NULL";
    let token = first(db, sql, [hash], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some((token, person)) = token else { return Ok(None) };
    Ok(Person::find(db, person)?.map(|person| (token, person)))
}

/// Returns the label of the valid worker token with this hash.
pub fn worker(db: &Connection, hash: &TokenHash) -> Result<Option<String>, StoreError> {
    let sql = "SELECT label FROM tokens WHERE hash = ?1 AND kind = 'worker' AND revoked IS NULL";
    first(db, sql, [hash], |row| row.get(0))
}

/// A session of a person in a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The number in the database.
    pub id: i64,
    /// The person.
    pub person: Person,
    /// The CSRF token, which every form of the session carries.
    pub form: String,
}

/// The time after which a session ends, in milliseconds.
const LONGEST_SESSION: i64 = 120 * 24 * 3600 * 1000;

impl Session {
    /// Begins a session of a person who has entered by this token.
    pub fn begin(
        db: &Connection,
        (token, person): (i64, i64),
        hash: &TokenHash,
        form: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        db.execute("DELETE FROM sessions WHERE created < ?1", [stored(now) - LONGEST_SESSION])?;
        db.execute(
            "INSERT INTO sessions (person, token, hash, form, created) VALUES (?1, ?2, ?3, ?4, ?5)",
            (person, token, hash, form, stored(now)),
        )?;
        Ok(())
    }

    /// Returns the session with this hash.
    pub fn find(
        db: &Connection,
        hash: &TokenHash,
        now: Timestamp,
    ) -> Result<Option<Session>, StoreError> {
        let sql = "SELECT id, person, form FROM sessions WHERE hash = ?1 AND created >= ?2";
        let found = first(db, sql, (hash, stored(now) - LONGEST_SESSION), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
        let Some((id, person, form)) = found else { return Ok(None) };
        Ok(Person::find(db, person)?.map(|person| Session { id, person, form }))
    }

    /// Ends the session.
    pub fn end(&self, db: &Connection) -> Result<(), StoreError> {
        db.execute("DELETE FROM sessions WHERE id = ?1", [self.id])?;
        Ok(())
    }
}

/// Returns the times at which tokens of a person were given and revoked.
pub fn invitations(
    db: &Connection,
    person: i64,
) -> Result<Vec<(Timestamp, Option<Timestamp>)>, StoreError> {
    let sql = "SELECT created, revoked FROM tokens WHERE person = ?1 ORDER BY id DESC";
    rows(db, sql, [person], |row| Ok((time(row.get(0)?), row.get::<_, Option<i64>>(1)?.map(time))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_read_as_it_was_drawn() {
        let token = Token::draw().expect("random numbers");
        assert_eq!(Token::read(token.text()), Some(token.clone()));
        assert_eq!(format!("{token:?}"), "Token(..)");
        assert_ne!(token, Token::draw().expect("random numbers"));
        for text in ["", "short", "../../etc/passwd", "A", &token.text()[1..]] {
            assert_eq!(Token::read(text), None, "{text}");
        }
    }

    #[test]
    fn names_look_alike_by_letters_of_either_case() {
        for (one, other) in [
            ("Bill", "BILL"),
            ("Bill", "BiII"),
            ("Tom", "\u{422}om"),
            ("Hannah", "\u{397}annah"),
            ("Champion", "Champi0n"),
            ("Champion", "Charnpion"),
            ("Champion", "\u{421}hampion"),
            ("Student 1", "student I"),
            ("Bob Ray", "Bob-Ray."),
            ("Bob Ray", "BobRay!"),
            ("Bob Ray", "b.o.b_r'a y\u{1c3}"),
        ] {
            assert!(look_alike(&looks(one), &looks(other)), "{one} {other}");
        }
        for (one, other) in [("Anna", "Hanna"), ("Bill", "Will"), ("Student 1", "Student 2")] {
            assert!(!look_alike(&looks(one), &looks(other)), "{one} {other}");
        }
        for name in ["Student 99", "student-O5", "S-tudent I", "\u{405}tudent 7"] {
            assert!(looks_like_stand_in(&looks(name)), "{name}");
        }
        for name in ["Student", "Student Ann", "Student 2b", "Stu 99"] {
            assert!(!looks_like_stand_in(&looks(name)), "{name}");
        }
    }
}
