//! Uploads: read piece by piece within limits, kept under the hash of their contents, and only then
//! acknowledged.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{self, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::body::Bytes;
use axum::extract::multipart::Field;
use axum::extract::{FromRequest, Multipart, Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Redirect;
use futures_util::StreamExt;
use plyground_grading::submissions::entry_place;
use plyground_sandbox::remove_folder;
use plyground_web::server::{Caller, Place};
use sha2::{Digest, Sha256};
use tokio::task::block_in_place;
use tokio::time::timeout;

use super::app::{App, Member, Refusal, bearing_person};
use crate::background::answer;
use crate::league::uploads;
use crate::store::{Person, Token, Version, VersionState};

/// The status of an answer about a program that cannot play.
pub(crate) const CANNOT_PLAY: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

/// The most files of an upload.
const MOST_FILES: usize = 2_000;

/// The most folders of an upload.
const MOST_FOLDERS: usize = 2_000;

/// The allowance for the headers of the parts, in bytes.
const HEADS: u64 = 1 << 20;

/// The most bytes of an upload that is too long and read to its end all the same. Browsers, and most programs, show the
/// answer only then; if it comes earlier, they tell of a broken connection.
const MOST_DISCARDED: u64 = 256 << 20;

/// The longest value of a text field, in bytes.
const LONGEST_WORD: usize = 200;

/// The longest time of an upload.
const LONGEST: Duration = Duration::from_secs(300);

/// The longest time in which an upload that is too long is read.
const LONGEST_DISCARD: Duration = Duration::from_secs(60);

/// The time for which a request waits for the result of a build. Reverse proxies often end requests after a minute.
const WAIT: Duration = Duration::from_secs(40);

/// Takes an upload from a browser.
pub(super) async fn upload(
    State(app): State<Arc<App>>,
    member: Member,
    request: Request,
) -> Result<Redirect, Refusal> {
    let person = member.0.person.clone();
    let incoming = Incoming::begin(&app, &person).await?;
    let multipart = multipart(&app, request).await?;
    let (word, incoming) = incoming.receive(multipart).await?;
    // The form is checked before anything is kept.
    member.check(&word.unwrap_or_default())?;
    let version = incoming.keep(person).await?;
    Ok(Redirect::to(&format!("/version/{}", version.id)))
}

/// The answer to a program: the result of a build in words, or the path at which to ask again.
type Answer = (StatusCode, [(header::HeaderName, String); 1], String);

/// Takes an upload from a program, waits for its build, and answers in words.
pub(super) async fn push(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    request: Request,
) -> Result<Answer, Refusal> {
    let pushed = async {
        let person = bearing_person(&app, &headers).await?;
        let incoming = Incoming::begin(&app, &person).await?;
        let multipart = multipart(&app, request).await?;
        let (_, incoming) = incoming.receive(multipart).await?;
        incoming.keep(person).await
    };
    let version = pushed.await.map_err(Refusal::in_text)?;
    built(&app, &caller, version).await
}

/// Waits for the build of an upload from a program, and answers in words.
pub(super) async fn pushed(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<Answer, Refusal> {
    let found = async {
        let person = bearing_person(&app, &headers).await?;
        let found = app.read(move |db| Version::find(db, id)).await?;
        let own = found.filter(|version| version.person == person.id);
        own.ok_or_else(Refusal::missing)
    };
    let version = found.await.map_err(Refusal::in_text)?;
    built(&app, &caller, version).await
}

async fn built(app: &Arc<App>, caller: &Caller, mut version: Version) -> Result<Answer, Refusal> {
    // The connection counts as busy, because the server works and does not wait for the client.
    let _busy = caller.begin();
    let ends = Instant::now() + WAIT;
    while version.state.is_open() && Instant::now() < ends && !app.league.is_stopped() {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let id = version.id;
        let found = app.read(move |db| Version::find(db, id)).await;
        version = found.map_err(Refusal::in_text)?.unwrap_or(version);
    }
    let status = match version.state {
        state if state.is_open() => StatusCode::ACCEPTED,
        VersionState::Refused => CANNOT_PLAY,
        _ => StatusCode::OK,
    };
    Ok((status, [(header::LOCATION, format!("/push/{}", version.id))], answer(&version)))
}

/// Returns the parts of a request, unless the header Content-Length is too large.
async fn multipart(app: &Arc<App>, request: Request) -> Result<Multipart, Refusal> {
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if let Some(length) = length.filter(|&length| length > most_bytes(app) as u64) {
        if length <= MOST_DISCARDED {
            let mut pieces = request.into_body().into_data_stream();
            let discarded = async { while matches!(pieces.next().await, Some(Ok(_))) {} };
            // The answer is the same if the time is up first.
            let _ = timeout(LONGEST_DISCARD, discarded).await;
        }
        return Err(too_long(app));
    }
    Multipart::from_request(request, &())
        .await
        .map_err(|_| Refusal::bad("expected a file, as a form sends it: curl -F file=@player.zip"))
}

/// Returns the most bytes of a request with an upload.
pub(super) fn most_bytes(app: &App) -> usize {
    app.league.config.upload.as_u64().saturating_add(HEADS).try_into().unwrap_or(usize::MAX)
}

fn too_long(app: &App) -> Refusal {
    let why = format!("expected at most {}", app.league.config.upload);
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why)
}

/// An upload in progress, in a folder of its own. Dropping the upload removes the folder.
struct Incoming {
    app: Arc<App>,
    _place: Place<i64>,
    folder: PathBuf,
    bytes: u64,
    files: usize,
    folders: usize,
    ends: Instant,
}

impl Drop for Incoming {
    fn drop(&mut self) {
        remove_folder(&self.folder);
    }
}

impl Incoming {
    /// Makes the folder, if the person may upload.
    async fn begin(app: &Arc<App>, person: &Person) -> Result<Incoming, Refusal> {
        let busy = || {
            let why = "other uploads of yours are still coming in: wait for their end";
            Refusal::new(StatusCode::TOO_MANY_REQUESTS, why)
        };
        let place = app.uploading.take(person.id).ok_or_else(busy)?;
        let person = person.clone();
        let folder = app.off_thread(move |app| {
            let league = &app.league;
            let now = league.clock.now();
            let checked = league.store.read(|db| Ok(league.check_upload(db, &person, now)))?;
            checked?;
            let name = Token::draw().map_err(crate::league::LeagueError::from)?;
            let folder = league.folder().join("incoming").join(name.text());
            fs::create_dir(&folder).map_err(|_| no_room())?;
            Ok(folder)
        });
        let (folder, ends) = (folder.await?, Instant::now() + LONGEST);
        Ok(Incoming {
            app: Arc::clone(app),
            _place: place,
            folder,
            bytes: 0,
            files: 0,
            folders: 0,
            ends,
        })
    }

    /// Reads all parts. Returns the CSRF token of the form, if there is one.
    async fn receive(
        mut self,
        mut multipart: Multipart,
    ) -> Result<(Option<String>, Incoming), Refusal> {
        let mut word = None;
        while let Some(field) = self.in_time(multipart.next_field()).await? {
            match field.file_name().map(str::to_owned) {
                // A browser sends an empty file field with an empty file name.
                Some(name) if name.is_empty() => {}
                Some(name) => self.receive_file(&name, field).await?,
                None if field.name() == Some("form") => word = Some(self.word(field).await?),
                None => drop(self.word(field).await?),
            }
        }
        if self.files == 0 {
            return Err(Refusal::bad("expected a file: there was none in the form"));
        }
        Ok((word, self))
    }

    /// Waits for a part of the request, within the time limits.
    async fn in_time<T>(
        &self,
        part: impl Future<Output = Result<T, axum::extract::multipart::MultipartError>>,
    ) -> Result<T, Refusal> {
        let late = || Refusal::new(StatusCode::REQUEST_TIMEOUT, "the upload took too long");
        if Instant::now() > self.ends {
            return Err(late());
        }
        let part = timeout(self.app.request_time, part).await.map_err(|_| late())?;
        part.map_err(|_| Refusal::bad("the upload was cut off"))
    }

    async fn word(&mut self, mut field: Field<'_>) -> Result<String, Refusal> {
        let mut word = Vec::new();
        while let Some(piece) = self.in_time(field.chunk()).await? {
            word.extend_from_slice(&piece);
            if word.len() > LONGEST_WORD {
                return Err(Refusal::bad("expected a shorter form"));
            }
        }
        Ok(String::from_utf8_lossy(&word).into_owned())
    }

    async fn receive_file(&mut self, name: &str, mut field: Field<'_>) -> Result<(), Refusal> {
        let place = entry_place(name).map_err(Refusal::bad)?;
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(Refusal::bad(format!("expected at most {MOST_FILES} files")));
        }
        // A file that is not part of the program, such as `.DS_Store`, is read and not kept.
        let mut file = match &place {
            Some(place) => Some(block_in_place(|| self.create(place))?),
            None => None,
        };
        while let Some(piece) = self.in_time(field.chunk()).await? {
            self.bytes += piece.len() as u64;
            if self.bytes > self.app.league.config.upload.as_u64() {
                return Err(too_long(&self.app));
            }
            if let Some(file) = &mut file {
                block_in_place(|| write(file, &piece))?;
            }
        }
        match file {
            Some(file) => block_in_place(|| file.sync_all()).map_err(|_| no_room()),
            None => Ok(()),
        }
    }

    fn create(&mut self, place: &path::Path) -> Result<File, Refusal> {
        let path = self.folder.join(place);
        let clash = |_| Refusal::bad("a file and a folder have the same name");
        let above = path.ancestors().skip(1).take_while(|folder| **folder != self.folder);
        self.folders += above.take_while(|folder| !folder.exists()).count();
        if self.folders > MOST_FOLDERS {
            return Err(Refusal::bad(format!("expected at most {MOST_FOLDERS} folders")));
        }
        fs::create_dir_all(path.parent().unwrap_or(&self.folder)).map_err(clash)?;
        File::create(&path).map_err(clash)
    }

    /// Puts the files under the hash of their contents, and stores the version.
    async fn keep(self, person: Person) -> Result<Version, Refusal> {
        let app = Arc::clone(&self.app);
        app.off_thread(move |app| {
            let league = &app.league;
            let content = contents(&self.folder).map_err(|_| no_room())?;
            let uploads = uploads(league.folder());
            let place = uploads.join(&content);
            sync(&self.folder).map_err(|_| no_room())?;
            league.keep_upload(&person, &content, self.bytes, || {
                // Another upload of the same files may have come first.
                if place.exists() {
                    return Ok(());
                }
                let moved = fs::rename(&self.folder, &place).and_then(|()| sync(&uploads));
                moved.map_err(|_| no_room())
            })
        })
        .await
    }
}

fn write(file: &mut File, piece: &Bytes) -> Result<(), Refusal> {
    file.write_all(piece).map_err(|_| no_room())
}

fn no_room() -> Refusal {
    let why = "the server has no room for the upload: tell your instructor";
    Refusal::new(StatusCode::INSUFFICIENT_STORAGE, why)
}

/// Syncs a folder with the names of its entries to the disk, on systems that can.
#[cfg(unix)]
fn sync(folder: &path::Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync(_: &path::Path) -> io::Result<()> {
    Ok(())
}

/// Returns the hash of the files in a folder, with their names.
fn contents(folder: &path::Path) -> io::Result<String> {
    let mut files = Vec::new();
    collect(folder, path::Path::new(""), &mut files)?;
    files.sort();
    let mut hash = Sha256::new();
    for path in files {
        let mut file = File::open(folder.join(&path))?;
        let name = path.as_os_str().as_encoded_bytes();
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name);
        hash.update(file.metadata()?.len().to_le_bytes());
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let read = io::Read::read(&mut file, &mut buffer)?;
            if read == 0 {
                break;
            }
            hash.update(&buffer[..read]);
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn collect(root: &path::Path, below: &path::Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            sync(&entry.path())?;
            collect(root, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
