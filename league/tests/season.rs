//! A season of players whose strength is known.

use jiff::Timestamp;
use league::pairing::{Standing, choose, ordered};
use league::rating::{Rating, after_game};
use league::store::people::Person;
use league::store::{
    Entry, GameRow, NewPerson, NewResult, NewVersion, Role, Store, StoreError, Version,
};
use plyground::Side;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Draws the winner of a game between players of these strengths, on the scale of Elo.
fn winner(first: f64, second: f64, rng: &mut StdRng) -> Option<Side> {
    let chance = 1.0 / (1.0 + 10_f64.powf((second - first) / 400.0));
    Some(if rng.random::<f64>() < chance { Side::First } else { Side::Second })
}

/// Returns the strengths, less their mean.
fn strengths(count: usize, rng: &mut StdRng) -> Vec<f64> {
    // The sum of twelve is nearly normal.
    let all: Vec<f64> = (0..count)
        .map(|_| 300.0 * ((0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0))
        .collect();
    let mean = all.iter().sum::<f64>() / count as f64;
    all.into_iter().map(|strength| strength - mean).collect()
}

#[test]
fn interval_holds_the_truth() {
    let (mut held, mut all, mut games) = (0, 0, 0);
    for seed in 0..6 {
        let mut rng = StdRng::seed_from_u64(seed);
        let truth = strengths(40, &mut rng);
        let mut ratings = vec![Rating::default(); truth.len()];
        let mut meetings = league::pairing::Meetings::new();
        loop {
            let standings: Vec<Standing> = (0..)
                .zip(&ratings)
                .map(|(version, &rating)| Standing { version, rating, open: 0 })
                .collect();
            let Some((one, other)) = choose(&standings, &meetings, 45.0, &mut rng) else { break };
            *meetings.entry(ordered(one, other)).or_default() += 2;
            for (first, second) in [(one, other), (other, one)] {
                let (first, second) = (first as usize, second as usize);
                let winner = winner(truth[first], truth[second], &mut rng);
                [ratings[first], ratings[second]] =
                    after_game([ratings[first], ratings[second]], winner);
                games += 1;
            }
        }
        let mean = ratings.iter().map(|rating| rating.rating).sum::<f64>() / ratings.len() as f64;
        for (rating, strength) in ratings.iter().zip(&truth) {
            let [low, high] = rating.interval();
            held += usize::from((low..=high).contains(&(strength + mean)));
            all += 1;
        }
    }
    let part = held as f64 / all as f64;
    println!("{part:.3} of the intervals hold, after {} games of a player", 2 * games / all);
    assert!(part >= 0.94, "{part}");
}

#[test]
fn order_of_a_season_is_that_of_the_strengths() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path()).expect("a database");
    let mut rng = StdRng::seed_from_u64(1);
    let now = Timestamp::UNIX_EPOCH;
    // As far apart as depths of a search.
    let truth = [0.0, 250.0, 500.0, 750.0, 1000.0];
    let entries = store
        .write(|db| {
            let mut versions = Vec::new();
            for index in 0..truth.len() {
                let key = format!("p{index}");
                let (name, email) = (key.clone(), String::new());
                NewPerson { key: key.clone(), name, email, role: Role::Student }.add(db, now)?;
                let person = Person::of_key(db, &key)?.expect("a person").id;
                let content = Some(key);
                let version =
                    NewVersion { person, content, player: None, bytes: 0 }.add(db, now)?;
                version.activate(db)?;
                versions.push(version.id);
            }
            let strength = |id: i64| truth[versions.iter().position(|it| *it == id).expect("it")];
            for _ in 0..400 {
                let standings: Vec<Standing> = Entry::all(db)?
                    .iter()
                    .map(|it| Standing {
                        version: it.version.id,
                        rating: it.version.rating,
                        open: 0,
                    })
                    .collect();
                let meetings = GameRow::meetings(db)?;
                let Some((one, other)) = choose(&standings, &meetings, 45.0, &mut rng) else {
                    break;
                };
                for game in GameRow::add_pair(db, [one, other], 0, 1, now)? {
                    let [first, second] = game.versions;
                    let result = NewResult {
                        winner: winner(strength(first), strength(second), &mut rng),
                        result: "1-0",
                        reason: String::new(),
                        fault: None,
                        fault_word: None,
                        again: None,
                        plies: 0,
                        record: String::new(),
                        stderr: [String::new(), String::new()],
                        worker: String::new(),
                    };
                    assert!(game.finish(db, &result, now)?);
                }
            }
            Entry::all(db)
        })
        .map_err(|error: StoreError| error.to_string())
        .expect("a season");
    let order: Vec<&str> = entries.iter().map(|entry| entry.person.key.as_str()).collect();
    assert_eq!(order, ["p4", "p3", "p2", "p1", "p0"]);
    let counted: i64 = entries.iter().map(|entry| entry.version.games).sum();
    let done: i64 = store
        .read(|db| {
            let sql = "SELECT count(*) FROM games WHERE state = 'done'";
            Ok(db.query_row(sql, [], |row| row.get(0))?)
        })
        .expect("a count");
    assert_eq!(counted, 2 * done);
    let _ = store.read(|db| Version::find(db, 1)).expect("a read");
}
