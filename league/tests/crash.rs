//! A server that is killed at any moment: what it has acknowledged is there, and every game counts once.

use std::collections::BTreeSet;
use std::time::Duration;

use league::store::Store;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::running::{Browser, Folder, Running, wait};

/// Kills a server this many times while it plays games and takes uploads.
fn kill(times: u64) {
    let folder = Folder::new(&["ann", "bob", "cleo"], "settled = 1.0\n");
    let tokens = folder.tokens();
    let mut acknowledged = BTreeSet::new();
    for round in 0..times {
        let mut rng = StdRng::seed_from_u64(round);
        let mut server = folder.serve(&[]);
        let delay = Duration::from_millis(rng.random_range(20..700));
        if round % 2 == 0 {
            acknowledged.extend(uploads_until_killed(&mut server, &tokens, round, delay));
        } else {
            // While uploads wait, no games are played: here there are only those of the round before.
            std::thread::sleep(Duration::from_millis(600) + 2 * delay);
            server.kill();
        }
        let faults = Store::open(&folder.path()).and_then(|store| store.faults()).expect("a look");
        assert_eq!(faults, Vec::<String>::new(), "round {round}");
    }
    // However slow the computer, there is an upload and a game.
    let mut server = folder.serve(&[]);
    acknowledged.extend(uploaded(&server.enter(&tokens[0]), "the last"));
    wait("a game is counted", || counted(&folder) > 0);
    server.kill();
    let store = Store::open(&folder.path()).expect("a database");
    let (versions, done, counted, doubled) = store
        .read(|db| {
            let mut found = db.prepare("SELECT id FROM versions WHERE content IS NOT NULL")?;
            let versions = found.query_map([], |row| row.get::<_, i64>(0))?;
            let versions = versions.collect::<Result<BTreeSet<_>, _>>()?;
            let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0));
            Ok((
                versions,
                count("SELECT count(*) FROM games WHERE state = 'done'")?,
                count("SELECT sum(games) FROM versions")?,
                // A pair is two games of one seed, one with each side.
                count(
                    "SELECT count(*) FROM (SELECT 1 FROM games GROUP BY first, second, opening, seed, made
                     HAVING count(*) > 1)",
                )?,
            ))
        })
        .expect("a look");
    println!("{times} kills: {} uploads acknowledged, {done} games", acknowledged.len());
    let lost: Vec<_> = acknowledged.difference(&versions).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
    assert!(done > 0 && counted == 2 * done && doubled == 0, "{done} {counted} {doubled}");
    let report = folder.run(&["doctor", "lg"]);
    assert!(report.lines().all(|line| line.starts_with("ok")), "{report}");
}

/// Uploads one file after the other until the server is killed after `delay`, and returns the numbers of the
/// versions that were acknowledged.
fn uploads_until_killed(
    server: &mut Running,
    tokens: &[String],
    round: u64,
    delay: Duration,
) -> Vec<i64> {
    let browsers: Vec<_> = tokens.iter().map(|token| server.enter(token)).collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .zip(&browsers)
            .map(|(number, browser)| {
                scope.spawn(move || {
                    let mut versions = Vec::new();
                    for count in 0.. {
                        let text = format!("{round} {number} {count}");
                        let Some(version) = uploaded(browser, &text) else { break };
                        versions.push(version);
                    }
                    versions
                })
            })
            .collect();
        std::thread::sleep(delay);
        server.kill();
        threads.into_iter().flat_map(|thread| thread.join().expect("a list")).collect()
    })
}

/// Uploads a text, and returns the number of the version if it was acknowledged.
fn uploaded(browser: &Browser, text: &str) -> Option<i64> {
    let answer = browser.upload(&browser.form, "a.txt", text.as_bytes());
    let id = answer.place.rsplit('/').next().and_then(|id| id.parse().ok());
    (answer.status == 303).then(|| id.expect("the number of a version"))
}

/// Returns the number of games that are counted.
fn counted(folder: &Folder) -> i64 {
    let store = Store::open(&folder.path()).expect("a database");
    let count = store.read(|db| {
        let sql = "SELECT count(*) FROM games WHERE state = 'done'";
        Ok(db.query_row(sql, [], |row| row.get(0))?)
    });
    count.expect("a count")
}

#[test]
fn nothing_acknowledged_is_lost() {
    kill(4);
}

#[test]
#[ignore = "long"]
fn nothing_acknowledged_is_lost_in_a_hundred_kills() {
    kill(100);
}
