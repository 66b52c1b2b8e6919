//! Entering by a personal link, and leaving.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Form as FormBody, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use plyground_web::server::Caller;
use serde::Deserialize;

use super::app::{App, Form, Member, Refusal};
use super::layout::bare;
use crate::store::people::{self, Person, Session};
use crate::token::Token;

fn unknown() -> Refusal {
    let why = "this link is not valid, or no longer: ask your instructor for another";
    Refusal::new(StatusCode::FORBIDDEN, why)
}

async fn invited(
    app: &Arc<App>,
    caller: &Caller,
    token: &str,
) -> Result<(i64, Person, Token), Refusal> {
    if !app.entries.allow(caller.address) {
        let why = "too many tries of this address: wait a minute";
        return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, why));
    }
    let token = Token::read(token).ok_or_else(unknown)?;
    let hash = token.hash();
    let found = app
        .off_thread(move |app| Ok(app.league.store.read(|db| people::invited(db, &hash))?))
        .await?;
    let (id, person) = found.ok_or_else(unknown)?;
    Ok((id, person, token))
}

/// Asks whether to enter. A link alone changes nothing, since mail programs follow links by themselves.
pub(super) async fn ask(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(token): Path<String>,
) -> Result<Markup, Refusal> {
    let (_, person, token) = invited(&app, &caller, &token).await?;
    let league = &app.league.config.name;
    Ok(bare(
        league,
        &html! {
            h1 { (league) }
            p { "This link is for " strong { (person.name) } "." }
            form method="post" action="/enter" {
                input type="hidden" name="token" value=(token.text());
                button class="primary" { "Enter" }
            }
            p class="quiet" { "Keep the link: who has it can enter as you." }
        },
    ))
}

/// The form that enters.
#[derive(Deserialize)]
pub(super) struct EnterForm {
    token: String,
}

/// The time for which a browser keeps the cookie, in seconds.
const KEPT: u32 = 120 * 24 * 3600;

/// Begins a session.
pub(super) async fn enter(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    FormBody(form): FormBody<EnterForm>,
) -> Result<Response, Refusal> {
    let (id, person, _) = invited(&app, &caller, &form.token).await?;
    let session = app.off_thread(move |app| {
        let [session, form] = [Token::draw(), Token::draw()].map(|drawn| {
            drawn.map_err(|_| {
                Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server has no random numbers")
            })
        });
        let (session, form) = (session?, form?);
        let now = app.league.clock.now();
        app.league.store.write::<_, crate::store::StoreError>(|db| {
            Session::begin(db, (id, person.id), &session.hash(), form.text(), now)
        })?;
        Ok(session)
    });
    let secure = if app.https { "; Secure" } else { "" };
    let cookie = format!(
        "{}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age={KEPT}{secure}",
        app.cookie(),
        session.await?.text()
    );
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}

/// Ends the session.
pub(super) async fn leave(
    State(app): State<Arc<App>>,
    member: Member,
    FormBody(form): FormBody<Form>,
) -> Result<Response, Refusal> {
    member.check(&form.form)?;
    app.off_thread(move |app| {
        Ok(app.league.store.write::<_, crate::store::StoreError>(|db| member.0.end(db))?)
    })
    .await?;
    let secure = if app.https { "; Secure" } else { "" };
    let cookie = format!("{}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0{secure}", app.cookie());
    let page = bare("Bye", &html! { h1 { "You have left" } p { "Your link lets you in again." } });
    Ok(([(header::SET_COOKIE, cookie)], page).into_response())
}
