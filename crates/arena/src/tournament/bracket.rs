//! Who meets whom.

/// Two players who meet.
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

/// Everybody against everybody, in rounds in which nobody plays twice: the circle method, in which
/// one player stays and the others move around by one place. The number of a meeting depends on its players
/// alone, so that it stays when more players join.
pub(super) fn round_robin(players: usize) -> Vec<Encounter> {
    // With an odd number, one place stays empty, and the player that is to meet it rests.
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
        // All pairs with lesser numbers come first. There are far fewer pairs than a 32-bit number counts.
        u32::try_from(other * (other - 1) / 2 + one).unwrap_or(u32::MAX)
    };
    meetings.map(|players| Encounter { number: number(players), players }).collect()
}

/// One player against all others.
pub(super) fn gauntlet(players: usize, challenger: usize) -> Vec<Encounter> {
    let others = (0..players).filter(|&player| player != challenger);
    numbered(others.map(|other| [challenger, other]))
}

/// A place in a round of a knockout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Player(usize),
    /// Nobody: who is to meet it goes on without a game.
    Empty,
    /// Not known yet.
    Open,
}

/// A knockout as far as it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Knockout {
    /// The meetings that are known, those of earlier rounds first.
    pub(super) meetings: Vec<Encounter>,
    /// How many rounds each player has survived.
    pub(super) survived: Vec<u32>,
}

/// A knockout of this many players, the strongest first: they can meet the later, the stronger they
/// are, and rest in the first round if there are too few for it. `winner` says who won a meeting,
/// if that is known.
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

/// The order of the first round: neighbors meet, then the winners of neighboring pairs.
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
    use std::collections::HashSet;

    use super::*;

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
