//! The playing of the games of a tournament.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plyground::book::Shard;
use plyground::search::Options;
use plyground_host::external::KnownLineEnds;
use plyground_host::player::Player;
use plyground_host::record::GameRecord;
use plyground_host::referee::PlayedGame;
use plyground_host::{EngineOptions, SharedGame};
use plyground_sandbox::ProcessLimits;

use super::fixture::{Fixture, FixtureConditions, GameNumber, run};
use super::plan::{Contestant, TournamentError, TournamentPlan};
use super::tournament::{Tournament, absence};
use crate::programs::ProgramOptions;
use crate::seat::{PlayerSetup, make_player};
use crate::second_try::FailedTwice;

/// The least time between two reports while games are played.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// The name of the folder for the standard error of programs.
const LOGS: &str = "logs";

/// An event in the playing of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TournamentEvent {
    /// Games are about to begin, or another game has ended. The value is the number of games played
    /// so far.
    Played(usize),
    /// These players cannot be started.
    NotPlayed {
        /// The names of the players.
        names: Vec<String>,
        /// The reason, as one line.
        why: String,
    },
    /// A player gets files with LF from now on. The value is a warning, as one line.
    ReadsLf(String),
}

/// The source of the players of games.
pub(super) struct Seats {
    game: SharedGame,
    players: Vec<Contestant>,
    /// The line ends that each player reads.
    line_ends: Vec<KnownLineEnds>,
    programs: ProgramOptions,
    margin: Duration,
    engine: EngineOptions,
    stop: Arc<AtomicBool>,
}

impl Seats {
    /// Creates the player with this index for a game. Its random choices depend on the seed.
    pub(super) fn player(&self, number: GameNumber, player: usize, seed: u64) -> Box<dyn Player> {
        let Contestant { player: spec, depth, .. } = &self.players[player];
        let log = format!("{number}-{}.log", player + 1);
        let setup = PlayerSetup {
            engine: self.engine.clone(),
            policy: self.programs.policy(None, Some(Arc::clone(&self.stop)), &log),
            lenient: self.programs.lenient,
            line_ends: self.line_ends[player].clone(),
            depth: *depth,
            margin: self.margin,
            seed,
            ..PlayerSetup::default()
        };
        make_player(&self.game, spec, setup)
    }

    /// Returns a warning for each player that reads LF only, by the index of the player.
    fn warnings(&self) -> impl Iterator<Item = (usize, String)> {
        let players = self.players.iter().zip(&self.line_ends).enumerate();
        players.filter_map(|(index, (player, ends))| Some((index, ends.warning(&player.name)?)))
    }
}

impl Tournament {
    /// Plays all games of a share that have not been played, up to `jobs` at a time, each on a
    /// processor core of its own. A knockout is played round after round. The folder for the
    /// [logs](Tournament::programs) must exist if there are programs among the players. When `stop`
    /// is raised, games in progress are abandoned.
    ///
    /// # Errors
    ///
    /// Returns an error if a game cannot be stored, the OS has no more threads, or no game at all
    /// can be played. Also returns an error if the OS could not run the programs of some games; all
    /// other games that can be played are played first.
    pub fn play(
        &mut self,
        shard: Shard,
        jobs: NonZeroUsize,
        stop: &Arc<AtomicBool>,
        mut on_event: impl FnMut(TournamentEvent),
    ) -> Result<(), TournamentError> {
        let seats = self.seats(stop);
        let seat = |number, player, seed| seats.player(number, player, seed);
        let mut warned = BTreeSet::new();
        self.play_seated(shard, jobs, stop, seat, |event| {
            on_event(event);
            for (player, warning) in seats.warnings() {
                if warned.insert(player) {
                    on_event(TournamentEvent::ReadsLf(warning));
                }
            }
        })
    }

    /// Plays the games like [`play`](Tournament::play), with the players that `seat` creates from
    /// the number of a game, the index of a player and a seed.
    pub(super) fn play_seated<'p>(
        &mut self,
        shard: Shard,
        jobs: NonZeroUsize,
        stop: &AtomicBool,
        seat: impl Fn(GameNumber, usize, u64) -> Box<dyn Player + 'p> + Sync,
        mut on_event: impl FnMut(TournamentEvent),
    ) -> Result<(), TournamentError> {
        let conditions = FixtureConditions { jobs, ..self.conditions.clone() };
        let programs = self.programs();
        let mut looked_for = BTreeSet::new();
        let mut reported = Instant::now();
        let (mut failed, mut left_out) = (FailedTwice::default(), BTreeSet::new());
        loop {
            let mut open =
                self.open_games(shard, &programs, &mut looked_for, stop, &mut on_event)?;
            open.retain(|fixture| !left_out.contains(&fixture.number));
            if open.is_empty() || stop.load(Ordering::Relaxed) {
                return Ok(failed.check()?);
            }
            on_event(TournamentEvent::Played(self.played()));
            run(&conditions, &open, &seat, stop, |fixture, game| {
                match game {
                    Ok(game) => self.add(fixture, &game, &mut reported)?,
                    Err(why) => {
                        let [first, second] = self.players(fixture).map(|player| player.name);
                        let game = format!("game {}, {first} against {second}", fixture.number);
                        failed.add(game, why);
                        left_out.insert(fixture.number);
                    }
                }
                on_event(TournamentEvent::Played(self.played()));
                Ok::<_, TournamentError>(())
            })?;
        }
    }

    /// Returns the source of the players, which stop when `stop` is raised.
    pub(super) fn seats(&self, stop: &Arc<AtomicBool>) -> Seats {
        let table_mib = usize::try_from(self.plan.table).unwrap_or(usize::MAX);
        let search = Options { table_mib, ..Options::default() };
        Seats {
            game: self.game.clone(),
            players: self.plan.players.clone(),
            line_ends: self.plan.players.iter().map(|_| KnownLineEnds::default()).collect(),
            programs: self.programs(),
            margin: self.plan.margin.unwrap_or_default(),
            engine: EngineOptions { search, book: self.book.clone(), without_prepared: false },
            stop: Arc::clone(stop),
        }
    }

    /// Removes all traces of a run that failed before its first game.
    pub fn discard_if_empty(self) {
        // The folder stays if it has files, or if it does not exist.
        let _ = fs::remove_dir(self.folder().join(LOGS));
        self.store.discard_if_empty();
    }

    /// Returns true if external programs are among the players.
    pub fn has_programs(&self) -> bool {
        self.plan.has_programs()
    }

    /// Returns the options for external programs. Their standard error is stored beside the games,
    /// by the number of the game and of the player.
    pub fn programs(&self) -> ProgramOptions {
        let TournamentPlan { limits, lenient, sandbox, .. } = &self.plan;
        let logs = Some(self.folder().join(LOGS));
        let options = ProgramOptions::default();
        ProgramOptions {
            limits: ProcessLimits { wall: self.plan.wall_limit(), ..limits.clone() },
            lenient: *lenient,
            sandbox: *sandbox,
            logs,
            ..options
        }
    }

    /// Returns the games of a share that have not been played and whose players can be started.
    /// Checks each player once: `looked_for` has the players that were checked.
    fn open_games(
        &mut self,
        shard: Shard,
        programs: &ProgramOptions,
        looked_for: &mut BTreeSet<usize>,
        stop: &AtomicBool,
        on_event: &mut impl FnMut(TournamentEvent),
    ) -> Result<Vec<Fixture>, TournamentError> {
        loop {
            let mut open = self.missing_games(shard);
            // A player that is out of a knockout stays out, because others have advanced in its
            // place.
            if self.schedule.unfolds() {
                open.retain(|fixture| self.schedule.can_be_played(fixture));
            }
            let mut newcomers: BTreeSet<usize> = if self.schedule.needs_all() {
                (0..self.plan.players.len()).collect()
            } else {
                open.iter().flat_map(|fixture| fixture.seats).collect()
            };
            newcomers.retain(|player| !looked_for.contains(player));
            if newcomers.is_empty() {
                open.retain(|fixture| self.schedule.can_be_played(fixture));
                return Ok(open);
            }
            let mut absent = BTreeMap::new();
            for player in newcomers {
                let Contestant { player: spec, depth, .. } = &self.plan.players[player];
                let ready = programs.make_ready(&*self.game, spec, *depth);
                if stop.load(Ordering::Relaxed) {
                    // An interrupted compiler says nothing about the program.
                    return Ok(Vec::new());
                }
                absent.extend(absence(ready)?.map(|why| (player, why)));
                looked_for.insert(player);
            }
            self.set_absent(absent, on_event)?;
        }
    }

    /// Continues without these players, which cannot play, and reports them. Loads the stored games
    /// that become known without them.
    fn set_absent(
        &mut self,
        absent: BTreeMap<usize, String>,
        on_event: &mut impl FnMut(TournamentEvent),
    ) -> Result<(), TournamentError> {
        let name = |player: &usize| self.plan.players[*player].name.clone();
        // A whole class may have the same reason.
        let mut by_reason: BTreeMap<&String, Vec<String>> = BTreeMap::new();
        for (player, why) in &absent {
            by_reason.entry(why).or_default().push(name(player));
        }
        for (why, names) in by_reason {
            on_event(TournamentEvent::NotPlayed { names, why: why.clone() });
        }
        // Only one set of players is ever looked for if the games do not unfold: it replaces the
        // players that were absent in an earlier run.
        if !self.schedule.unfolds() {
            self.absent.clear();
        }
        self.absent.extend(absent);
        self.schedule.set_absent(self.absent.keys().copied());
        let by_name = self.absent.iter().map(|(player, why)| (name(player), why.clone()));
        self.store.set_absent(&by_name.collect())?;
        let first = self.absent.iter().next().map(|(player, why)| (name(player), why.clone()));
        self.load_games()?;
        let whole = self.missing_games(Shard::WHOLE);
        let can_play = whole.iter().any(|fixture| self.schedule.can_be_played(fixture));
        match first {
            Some((name, why)) if self.results.is_empty() && !can_play => {
                Err(TournamentError::NoGame { name, why })
            }
            _ => Ok(()),
        }
    }

    /// Stores a game that has just ended, and counts it.
    fn add(
        &mut self,
        fixture: &Fixture,
        game: &PlayedGame,
        reported: &mut Instant,
    ) -> Result<(), TournamentError> {
        let record = GameRecord::of(game, self.players(fixture));
        self.store.save(fixture.number, &record)?;
        // The result is counted from the record, because a resumed run counts from the record, too.
        self.take(fixture, &record)
            .map_err(|fault| self.store.wrong_game(fixture.number, fault))?;
        if reported.elapsed() >= REPORT_INTERVAL {
            self.write_report()?;
            *reported = Instant::now();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::AtomicUsize;

    use plyground_durable::lock::Locking;
    use plyground_host::Fault;
    use plyground_host::player::{Answer, Random, Turn};
    use plyground_host::toy::toy;

    use super::*;

    fn open(text: &str, folder: &Path) -> Result<Tournament, TournamentError> {
        let plan = TournamentPlan::parse(text).expect("a plan");
        Tournament::open(&toy(), plan, folder, Locking::Always)
    }

    fn play(tournament: &mut Tournament) -> Result<Vec<TournamentEvent>, TournamentError> {
        let mut events = Vec::new();
        let jobs = NonZeroUsize::MIN.saturating_add(1);
        tournament.play(Shard::WHOLE, jobs, &Arc::default(), |event| events.push(event))?;
        Ok(events)
    }

    fn players(players: &[[&str; 2]]) -> String {
        let text = |[name, player]: &[&str; 2]| {
            format!("[[player]]\nname = '{name}'\nplayer = '{player}'\n")
        };
        players.iter().map(text).collect()
    }

    const GONE: &str = "line:no-such-program";

    #[test]
    fn games_are_played_once_and_kept() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let reopen = || {
            let all =
                [["one", "random"], ["two", "machine:depth=2"], ["gone", GONE], ["away", GONE]];
            let text = format!("rounds = 2\n{}", players(&all));
            open(&text, &folder.path().join("out"))
        };
        let mut tournament = reopen()?;
        tournament.load()?;
        let events = play(&mut tournament)?;
        let why = "there is no program `no-such-program`".to_owned();
        let names = vec!["gone".to_owned(), "away".to_owned()];
        assert_eq!(events[0], TournamentEvent::NotPlayed { names, why });
        let is_news = |event: &&TournamentEvent| !matches!(event, TournamentEvent::Played(_));
        assert_eq!(events.iter().filter(is_news).count(), 1);
        assert_eq!(events[events.len() - 1], TournamentEvent::Played(4));
        assert_eq!((tournament.played(), tournament.scheduled()), (4, 24));
        let report = tournament.write_report()?;

        drop(tournament);
        let mut again = reopen()?;
        again.load()?;
        assert_eq!(again.played(), 4);
        assert_eq!(again.report().to_json(), report.to_json());
        let events = play(&mut again)?;
        assert!(!events.contains(&TournamentEvent::Played(5)));
        let gone = report.players.iter().find(|player| player.name == "gone");
        assert!(gone.is_some_and(|player| player.not_played.is_some() && player.rank.is_none()));
        Ok(())
    }

    /// A player whose computer has run out of processes.
    struct Unlucky;

    impl Player for Unlucky {
        fn choose_move(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
            Err(Fault::System { why: "no processes left".to_owned() })
        }
    }

    #[test]
    fn games_that_fail_twice_keep_no_other_from_being_played()
    -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let text = players(&["ann", "bob", "cleo"].map(|name| [name, "random"]));
        for jobs in [1, 2] {
            let out = folder.path().join(jobs.to_string());
            let mut tournament = open(&text, &out)?;
            let stop = AtomicBool::new(false);
            let seat = |_, player, seed| -> Box<dyn Player> {
                if player == 0 { Box::new(Unlucky) } else { Box::new(Random::new(seed)) }
            };
            let jobs = NonZeroUsize::new(jobs).ok_or("no job")?;
            let played = tournament.play_seated(Shard::WHOLE, jobs, &stop, seat, |_| {});
            let why = played.expect_err("games are left out").to_string();
            assert!(why.contains("ann against bob: no processes left"), "{why}");
            assert!(why.contains("and 1 more; the rest is done"), "{why}");
            assert_eq!((tournament.played(), tournament.scheduled()), (2, 6));
        }
        Ok(())
    }

    #[test]
    fn game_that_was_played_again_is_marked() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let text = players(&["one", "two"].map(|name| [name, "random"]));
        let out = folder.path().join("out");
        let mut tournament = open(&text, &out)?;
        let seated = AtomicUsize::new(0);
        let seat = |_, _, seed| -> Box<dyn Player> {
            match seated.fetch_add(1, Ordering::Relaxed) {
                0 => Box::new(Unlucky),
                _ => Box::new(Random::new(seed)),
            }
        };
        let stop = AtomicBool::new(false);
        tournament.play_seated(Shard::WHOLE, NonZeroUsize::MIN, &stop, seat, |_| {})?;
        let report = tournament.write_report()?;
        let again: Vec<_> = report.games.iter().map(|game| game.again.as_deref()).collect();
        assert_eq!(again, [Some("no processes left"), None]);
        let games = fs::read_to_string(out.join("games.csv"))?;
        let lines: Vec<_> =
            games.lines().map(|line| line.contains(",no processes left,")).collect();
        assert_eq!(lines, [false, true, false], "{games}");
        Ok(())
    }

    #[test]
    fn tournament_without_games_leaves_nothing() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let text = players(&[["one", "random"], ["gone", GONE]]);
        let out = folder.path().join("out");
        let mut tournament = open(&text, &out)?;
        let error = play(&mut tournament).expect_err("nobody to play with");
        assert!(error.is_bad_input(), "{error}");
        assert_eq!(
            error.to_string(),
            "no game can be played: gone: there is no program `no-such-program`"
        );
        tournament.discard_if_empty();
        assert!(!out.exists());
        Ok(())
    }

    #[test]
    fn unfit_player_is_refused() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let text = players(&[["one", "random"], ["machine:depth=10"; 2]]);
        let error = open(&text, folder.path()).expect_err("too deep").to_string();
        let why = "t.toml: machine:depth=10: expected a depth from 1 to 9, found 10";
        assert!(error.ends_with(why), "{error}");
        Ok(())
    }
}
