//! The pairings of a Swiss tournament and of a knockout.

use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The known part of a Swiss tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Swiss {
    /// The known meetings, in the order of the pairings.
    pub(super) meetings: Vec<Encounter>,
    /// The players that have rested, one for each finished pairing of an odd number of players.
    pub(super) rested: Vec<usize>,
}

/// Pairs a Swiss tournament of the present `players`. In every pairing, each player meets another with
/// a similar result so far, and no two players meet twice. `joins` has the first pairing of every
/// player, present or not, from 0; a late player has no score before its first pairing. `order`
/// decides between equals. `scores` returns the scores of the two players in a finished meeting; the
/// next pairing is known only when all meetings have scores. With an odd number of players, one player
/// rests. No player rests twice before all players have rested, and late players rest last. A rest
/// scores `won`, as much as a won meeting, because the lack of an opponent is not the player's fault.
///
/// A pairing needs at least twice as many present players as there are pairings up to it, so that
/// no two players have to meet twice. A pairing with fewer present players is left out.
pub(super) fn swiss(
    players: &[usize],
    joins: &[u32],
    pairings: u32,
    order: &[usize],
    won: i64,
    scores: impl Fn(&Encounter) -> Option<[i64; 2]>,
) -> Swiss {
    let mut table = Table::default();
    let mut swiss = Swiss::default();
    for pairing in 0..pairings {
        let newcomers = players.iter().filter(|&&player| joins[player] == pairing);
        table.0.extend(newcomers.map(|&player| Row::new(player, order, pairing > 0)));
        if pairing as usize >= table.0.len() / 2 {
            continue;
        }
        let (pairs, resting) = table.pair();
        let numbers = first_meeting(joins, pairing)..;
        let now: Vec<Encounter> =
            numbers.zip(pairs).map(|(number, players)| Encounter { number, players }).collect();
        let found: Vec<_> = now.iter().map(&scores).collect();
        swiss.meetings.extend(&now);
        for (meeting, found) in now.iter().zip(found) {
            let Some(found) = found else { return swiss };
            table.add(meeting.players, found);
        }
        if let Some(player) = resting {
            table.score(player, won);
            swiss.rested.push(player);
        }
    }
    swiss
}

/// Returns the number of the first meeting of a pairing, from 0. The number does not depend on players
/// that join later, or on the presence of players.
pub(super) fn first_meeting(joins: &[u32], pairing: u32) -> u32 {
    let meetings = |pairing| joins.iter().filter(|&&joins| joins <= pairing).count() / 2;
    u32::try_from((0..pairing).map(meetings).sum::<usize>()).unwrap_or(u32::MAX)
}

/// The results of a player so far.
#[derive(Clone, Debug)]
struct Row {
    player: usize,
    /// The place in the drawn order.
    drawn: usize,
    score: i64,
    met: BTreeSet<usize>,
    /// The number of pairings without a game for lack of an opponent. All pairings before a player has
    /// joined count as one rest.
    rests: u32,
}

impl Row {
    fn new(player: usize, order: &[usize], is_late: bool) -> Row {
        let drawn = order.iter().position(|&other| other == player).unwrap_or(player);
        Row { player, drawn, score: 0, met: BTreeSet::new(), rests: u32::from(is_late) }
    }
}

#[derive(Debug, Default)]
struct Table(Vec<Row>);

impl Table {
    fn add(&mut self, players: [usize; 2], scores: [i64; 2]) {
        for (own, score) in scores.into_iter().enumerate() {
            if let Some(row) = self.0.iter_mut().find(|row| row.player == players[own]) {
                row.score += score;
                row.met.insert(players[1 - own]);
            }
        }
    }

    fn score(&mut self, player: usize, score: i64) {
        if let Some(row) = self.0.iter_mut().find(|row| row.player == player) {
            row.score += score;
        }
    }

    /// Returns the next pairing, with the best players first, and the player that rests.
    fn pair(&mut self) -> (Vec<[usize; 2]>, Option<usize>) {
        self.0.sort_by_key(|row| (Reverse(row.score), row.drawn));
        let resting = self.rest();
        let mut left: Vec<&Row> = self.0.iter().filter(|row| Some(row.player) != resting).collect();
        let (mut pairs, mut alone) = (Vec::new(), Vec::new());
        while !left.is_empty() {
            let first = left.remove(0);
            match left.iter().position(|other| !first.met.contains(&other.player)) {
                Some(place) => pairs.push([first, left.remove(place)]),
                None => alone.push(first),
            }
        }
        for two in alone.chunks_exact(2) {
            exchange(&mut pairs, [two[0], two[1]]);
        }
        (pairs.into_iter().map(|pair| pair.map(|row| row.player)).collect(), resting)
    }

    /// Returns the player that rests if the number of players is odd: the last player among the players
    /// with the fewest rests.
    fn rest(&mut self) -> Option<usize> {
        if self.0.len().is_multiple_of(2) {
            return None;
        }
        let row = self.0.iter_mut().rev().min_by_key(|row| row.rests)?;
        row.rests += 1;
        Some(row.player)
    }
}

/// Pairs two players that have met by exchanging opponents with the last pair that allows it.
fn exchange<'r>(pairs: &mut Vec<[&'r Row; 2]>, [one, other]: [&'r Row; 2]) {
    let fits = |a: &Row, b: &Row| !a.met.contains(&b.player);
    for place in (0..pairs.len()).rev() {
        let [first, second] = pairs[place];
        for [first, second] in [[first, second], [second, first]] {
            if fits(one, first) && fits(other, second) {
                pairs[place] = [first, one];
                pairs.push([second, other]);
                return;
            }
        }
    }
}

/// A meeting of two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Encounter {
    /// The number of the meeting, from 0.
    pub(super) number: u32,
    /// The indices of the players; the first begins the first game.
    pub(super) players: [usize; 2],
}

fn numbered(pairs: impl IntoIterator<Item = [usize; 2]>) -> Vec<Encounter> {
    (0..).zip(pairs).map(|(number, players)| Encounter { number, players }).collect()
}

/// Returns the meetings of a round robin, in rounds in which no player plays twice. In this circle
/// method, one player stays and the others move around by one place. The number of a meeting
/// depends only on its players, so it stays when more players join.
pub(super) fn round_robin(players: usize) -> Vec<Encounter> {
    // With an odd number, one place is empty, and the player that would meet it rests.
    let places = players.next_multiple_of(2);
    let circle = places.saturating_sub(1);
    let rounds = (0..circle).flat_map(|round| {
        (0..places / 2).map(move |table| {
            let one = if table == 0 { circle } else { (round + table) % circle };
            let other = (round + circle - table) % circle;
            [one.min(other), one.max(other)]
        })
    });
    let meetings = rounds.filter(|pair| pair.iter().all(|&player| player < players));
    let number = |[one, other]: [usize; 2]| {
        // All pairs with lesser numbers come first. The number of pairs is far below the limit of
        // 32 bits.
        u32::try_from(other * (other - 1) / 2 + one).unwrap_or(u32::MAX)
    };
    meetings.map(|players| Encounter { number: number(players), players }).collect()
}

/// Returns the meetings of one player with all others.
pub(super) fn gauntlet(players: usize, challenger: usize) -> Vec<Encounter> {
    let others = (0..players).filter(|&player| player != challenger);
    numbered(others.map(|other| [challenger, other]))
}

/// A place in a round of a knockout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Player(usize),
    /// An empty place. The player that would meet it advances without a game.
    Empty,
    /// A place whose player is not known yet.
    Open,
}

/// The known part of a knockout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Knockout {
    /// The known meetings, in the order of the rounds.
    pub(super) meetings: Vec<Encounter>,
    /// The number of rounds that each player has survived.
    pub(super) survived: Vec<u32>,
}

/// Plays a knockout of this many players, the strongest first. Strong players meet late, and rest
/// in the first round if it has too few players. `winner` returns the winner of a meeting, if
/// known.
pub(super) fn knockout(players: usize, winner: impl Fn(&Encounter) -> Option<usize>) -> Knockout {
    let place = |seed: usize| if seed < players { Place::Player(seed) } else { Place::Empty };
    let mut places: Vec<Place> = seeds(players).into_iter().map(place).collect();
    let (mut meetings, mut survived, mut number) = (Vec::new(), vec![0; players], 0);
    while places.len() > 1 {
        let mut next = Vec::new();
        for pair in places.chunks_exact(2) {
            let through = match [pair[0], pair[1]] {
                [Place::Player(one), Place::Player(other)] => {
                    let players = [one.min(other), one.max(other)];
                    let meeting = Encounter { number, players };
                    meetings.push(meeting);
                    winner(&meeting).map_or(Place::Open, Place::Player)
                }
                [Place::Player(player), Place::Empty] | [Place::Empty, Place::Player(player)] => {
                    Place::Player(player)
                }
                _ => Place::Open,
            };
            if let Place::Player(player) = through {
                survived[player] += 1;
            }
            next.push(through);
            number += 1;
        }
        places = next;
    }
    Knockout { meetings, survived }
}

/// Returns the order of the first round: neighbors meet, then the winners of neighboring pairs.
fn seeds(players: usize) -> Vec<usize> {
    let mut order = vec![0];
    while order.len() < players {
        let last = 2 * order.len() - 1;
        order = order.into_iter().flat_map(|seed| [seed, last - seed]).collect();
    }
    order
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};

    use super::*;

    /// Returns all meetings of a tournament in which the player with the lesser index wins each
    /// meeting.
    fn whole(players: usize, pairings: u32, order: &[usize]) -> Vec<Encounter> {
        let there: Vec<usize> = (0..players).collect();
        let scores = |meeting: &Encounter| {
            let [one, other] = meeting.players;
            Some(if one < other { [2, 0] } else { [0, 2] })
        };
        let swiss = swiss(&there, &vec![0; players], pairings, order, 2, scores);
        let rests = if players.is_multiple_of(2) { 0 } else { pairings as usize };
        assert_eq!(swiss.rested.len(), rests);
        swiss.meetings
    }

    #[test]
    fn nobody_meets_the_same_twice() {
        for players in 2..40 {
            let order: Vec<usize> = (0..players).map(|i| (i * 7 + 3) % players).collect();
            let pairings = players as u32 / 2;
            let meetings = whole(players, pairings, &order);
            assert_eq!(meetings.len(), players / 2 * pairings as usize, "{players} players");
            let pairs: HashSet<_> =
                meetings.iter().map(|meeting| BTreeSet::from(meeting.players)).collect();
            assert_eq!(pairs.len(), meetings.len(), "{players} players");
            for pairing in meetings.chunks(players / 2) {
                let busy: HashSet<_> = pairing.iter().flat_map(|meeting| meeting.players).collect();
                assert_eq!(busy.len(), players / 2 * 2, "each plays once in a pairing");
            }
            let mut played: BTreeMap<usize, u32> = BTreeMap::new();
            meetings
                .iter()
                .flat_map(|meeting| meeting.players)
                .for_each(|player| *played.entry(player).or_default() += 1);
            assert!(played.values().all(|&count| count + 1 >= pairings), "nobody rests twice");
        }
    }

    #[test]
    fn equals_meet_and_the_best_come_first() {
        let order: Vec<usize> = (0..64).map(|i| (i * 37 + 5) % 64).collect();
        let meetings = whole(64, 6, &order);
        let mut wins = vec![0; 64];
        for pairing in meetings.chunks(32) {
            let apart = |m: &Encounter| i32::abs(wins[m.players[0]] - wins[m.players[1]]);
            assert!(pairing.iter().all(|meeting| apart(meeting) <= 1));
            pairing
                .iter()
                .for_each(|meeting| wins[meeting.players[0].min(meeting.players[1])] += 1);
        }
        assert_eq!(wins[0], 6, "the best has won all");
        assert!(wins[1] >= 5 && wins[63] == 0, "{wins:?}");
    }

    #[test]
    fn next_pairing_waits_for_results() {
        let order = [0, 1, 2, 3, 4, 5];
        let there: Vec<usize> = (0..6).collect();
        assert_eq!(swiss(&there, &[0; 6], 3, &order, 2, |_| None).meetings.len(), 3);
        let but_one = |meeting: &Encounter| (meeting.number != 2).then_some([1, 1]);
        assert_eq!(swiss(&there, &[0; 6], 3, &order, 2, but_one).meetings.len(), 3);
        // Absent players leave gaps in the numbers, but no other player idle.
        let some = swiss(&[0, 2, 3, 5], &[0; 6], 3, &order, 2, |_| Some([1, 1])).meetings;
        let numbers: Vec<u32> = some.iter().map(|meeting| meeting.number).collect();
        assert_eq!(numbers, [0, 1, 3, 4]);
    }

    #[test]
    fn who_rests_has_won_when_the_pairing_is_over() {
        let there = [0, 1, 2];
        let won_by_first = |meeting: &Encounter| (meeting.number == 0).then_some([2, 0]);
        assert!(swiss(&there, &[0; 3], 1, &there, 2, |_| None).rested.is_empty());
        assert_eq!(swiss(&there, &[0; 3], 1, &there, 2, won_by_first).rested, [2]);
        // With 5 players, 4 has rested, and meets the winners rather than the losers.
        let there = [0, 1, 2, 3, 4];
        let all = swiss(&there, &[0; 5], 2, &there, 2, |_| Some([2, 0])).meetings;
        let second: Vec<_> = all[2..].iter().map(|meeting| meeting.players).collect();
        assert_eq!(second, [[0, 2], [4, 1]]);
    }

    #[test]
    fn late_players_change_nothing_before_them() {
        for (players, late) in [(6, 2), (7, 1), (5, 3), (8, 4), (6, 9)] {
            let all = players + late;
            let joins: Vec<u32> =
                (0..all).map(|player| if player < players { 0 } else { 2 }).collect();
            let there: Vec<usize> = (0..all).collect();
            let order: Vec<usize> = (0..all).map(|i| (i * 7 + 3) % all).collect();
            let scores = |meeting: &Encounter| {
                let [one, other] = meeting.players;
                Some(if one < other { [2, 0] } else { [0, 2] })
            };
            let pairings = all as u32 / 2;
            let whole = swiss(&there, &joins, pairings, &order, 2, scores);
            let early: Vec<usize> = order.iter().copied().filter(|&it| it < players).collect();
            let before = swiss(&there[..players], &joins[..players], 2, &early, 2, scores);
            assert_eq!(whole.meetings[..before.meetings.len()], before.meetings);
            assert_eq!(whole.rested[..before.rested.len()], before.rested);
            let numbers = whole.meetings.iter().map(|meeting| meeting.number);
            assert!(numbers.eq(0..whole.meetings.len() as u32), "{players} and {late}");
            assert_eq!(first_meeting(&joins, pairings) as usize, whole.meetings.len());
            let pairs: HashSet<_> =
                whole.meetings.iter().map(|meeting| BTreeSet::from(meeting.players)).collect();
            assert_eq!(pairs.len(), whole.meetings.len(), "{players} and {late}");
            let is_late = |player: &usize| *player >= players;
            assert!(!whole.rested.iter().take(before.rested.len() + 1).any(is_late));
        }
    }

    #[test]
    fn every_player_meets_every_other_once() {
        for players in 2..12 {
            let meetings = round_robin(players);
            assert_eq!(meetings.len(), players * (players - 1) / 2);
            let mut numbers: Vec<_> = meetings.iter().map(|meeting| meeting.number).collect();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..meetings.len() as u32));
            let more = round_robin(players + 1);
            assert!(meetings.iter().all(|meeting| more.contains(meeting)), "numbers stay");
            let pairs: HashSet<_> = meetings.iter().map(|meeting| meeting.players).collect();
            assert_eq!(pairs.len(), meetings.len());
            assert!(pairs.iter().all(|[one, other]| one < other && *other < players));
            for round in meetings.chunks(players / 2) {
                let busy: HashSet<_> = round.iter().flat_map(|meeting| meeting.players).collect();
                assert_eq!(busy.len(), 2 * round.len(), "{players} players: {round:?}");
            }
        }
    }

    #[test]
    fn challenger_meets_the_others() {
        let pairs: Vec<_> = gauntlet(4, 2).into_iter().map(|meeting| meeting.players).collect();
        assert_eq!(pairs, [[2, 0], [2, 1], [2, 3]]);
    }

    #[test]
    fn favorites_meet_last() {
        assert_eq!(seeds(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        let all = knockout(8, |meeting| Some(meeting.players[0]));
        let pairs: Vec<_> = all.meetings.iter().map(|meeting| meeting.players).collect();
        assert_eq!(pairs, [[0, 7], [3, 4], [1, 6], [2, 5], [0, 3], [1, 2], [0, 1]]);
        assert_eq!(all.survived, [3, 2, 1, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn unknown_winners_wait() {
        let first = |meeting: &Encounter| (meeting.number == 0).then_some(7);
        let some = knockout(8, first);
        assert_eq!(some.meetings.len(), 4);
        let both = knockout(8, |meeting| (meeting.number < 2).then_some(meeting.players[1]));
        assert_eq!(both.meetings[4], Encounter { number: 4, players: [4, 7] });
    }

    #[test]
    fn strongest_rest_when_there_are_too_few() {
        let all = knockout(5, |meeting| Some(meeting.players[0]));
        let pairs: Vec<_> = all.meetings.iter().map(|meeting| meeting.players).collect();
        assert_eq!(pairs, [[3, 4], [0, 3], [1, 2], [0, 1]]);
        assert_eq!(all.survived, [3, 2, 1, 1, 0]);
        assert_eq!(knockout(2, |_| None).meetings.len(), 1);
    }
}
