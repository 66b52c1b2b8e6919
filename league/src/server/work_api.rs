//! The games that other machines play. They ask with a token of their own, see only the programs of the
//! games that they were given, and the server alone decides what counts.

use std::fs::File;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use super::app::{App, Refusal, WorkRefusal, Worker};
use crate::league::{CODE, prepared};
use crate::playing::{Assignment, Outcome};

/// The answer to a machine that asks for a game.
#[derive(Debug, Serialize, Deserialize)]
pub struct Given {
    /// The game, if there is one.
    pub assignment: Option<Assignment>,
}

/// Gives a game away.
pub(super) async fn take(
    State(app): State<Arc<App>>,
    Worker(worker): Worker,
) -> Result<Json<Given>, WorkRefusal> {
    let taken = app.off_thread(move |app| Ok(app.league.take(&worker)?));
    Ok(Json(Given { assignment: taken.await? }))
}

/// The prepared program of a game that was given away, as a compressed tar.
pub(super) async fn version(
    State(app): State<Arc<App>>,
    Worker(worker): Worker,
    Path(content): Path<String>,
) -> Result<Response, WorkRefusal> {
    let packed = app.off_thread(move |app| {
        let is_hash = content.len() == 64 && content.bytes().all(|c| c.is_ascii_hexdigit());
        if !is_hash || !app.league.has_given(&worker, &content) {
            return Err(Refusal::missing());
        }
        let folder = prepared(app.league.folder(), &content).join(CODE);
        pack(&folder).map_err(|_| {
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the program cannot be read now")
        })
    });
    Ok(([(header::CONTENT_TYPE, "application/gzip")], packed.await?).into_response())
}

/// Packs a folder in which no link is followed.
fn pack(folder: &std::path::Path) -> std::io::Result<Vec<u8>> {
    // It must be a folder, and not a link to one.
    File::open(folder.join("plyground.toml"))?;
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    tar.follow_symlinks(false);
    tar.append_dir_all(CODE, folder)?;
    tar.into_inner()?.finish()
}

/// Takes the result of a game.
pub(super) async fn give(
    State(app): State<Arc<App>>,
    Worker(worker): Worker,
    Json(outcome): Json<Outcome>,
) -> Result<Json<()>, WorkRefusal> {
    app.off_thread(move |app| Ok(app.league.give(&worker, &outcome)?)).await?;
    Ok(Json(()))
}

/// The lease of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Leased {
    /// The number of the game.
    pub game: i64,
    /// The word that came with it.
    pub lease: String,
}

/// Lets a machine keep its game.
pub(super) async fn renew(
    State(app): State<Arc<App>>,
    Worker(worker): Worker,
    Json(Leased { game, lease }): Json<Leased>,
) -> Result<Json<()>, WorkRefusal> {
    app.off_thread(move |app| Ok(app.league.renew(&worker, game, &lease)?)).await?;
    Ok(Json(()))
}

/// A game that a machine cannot play.
#[derive(Debug, Serialize, Deserialize)]
pub struct GivenUp {
    /// The number of the game.
    pub game: i64,
    /// The word that came with it.
    pub lease: String,
    /// The reason; `None` if the machine is stopped and has not failed.
    pub why: Option<String>,
}

/// Takes a game back.
pub(super) async fn fail(
    State(app): State<Arc<App>>,
    Worker(worker): Worker,
    Json(GivenUp { game, lease, why }): Json<GivenUp>,
) -> Result<Json<()>, WorkRefusal> {
    app.off_thread(move |app| Ok(app.league.give_up(&worker, game, &lease, why.as_deref())?))
        .await?;
    Ok(Json(()))
}
