//! A player that is asked what it thinks of moves.

use plyground::{Game, Side};
use plyground_host::player::Player;
use plyground_host::{Fault, HostedPosition, MoveText};

/// Asks a player what it thinks of moves, without starting its program for each.
///
/// To start a program takes longer than all questions, so a player that has answered rightly is asked
/// again. What counts is what a new one says: one that earlier questions may have confused, as with a board
/// that all its players share, is replaced before it is found to be wrong. This is for illegal moves: one
/// that has come to take everything is right about legal ones.
pub(super) struct Judge<'a> {
    start: HostedPosition,
    side: Side,
    seat: Box<dyn Fn() -> Box<dyn Player> + 'a>,
    player: Option<Box<dyn Player>>,
}

/// What a player says of a move, and what the rules say.
struct Opinion {
    agrees: bool,
    is_legal: bool,
}

impl<'a> Judge<'a> {
    /// Of players that `seat` makes, who play `side` in games from this position.
    pub(super) fn new(
        start: HostedPosition,
        side: Side,
        seat: impl Fn() -> Box<dyn Player> + 'a,
    ) -> Judge<'a> {
        Judge { start, side, seat: Box::new(seat), player: None }
    }

    /// Whether the player takes the last of these moves for legal, which are made in turn.
    ///
    /// # Errors
    ///
    /// How it lost when it heard of one of them.
    pub(super) fn opinion(&mut self, moves: &[MoveText]) -> Result<bool, Fault> {
        if let Some(truth) = self.ask_again(moves) {
            return Ok(truth);
        }
        let mut player = (self.seat)();
        // What it thinks of the others is asked elsewhere.
        let agrees = self.tell(&mut *player, moves).pop().is_none_or(|last| last.agrees);
        match self.player.insert(player).lost() {
            None => Ok(agrees),
            Some(fault) => Err(fault.clone()),
        }
    }

    /// What a player that is there already says of the last move, if it is right about every one: were it
    /// right about an illegal one only because it refuses everything by now, it would refuse those before.
    fn ask_again(&mut self, moves: &[MoveText]) -> Option<bool> {
        let mut player = self.player.take()?;
        if moves.len() == 1 || player.lost().is_some() || !player.allows_take_back() {
            return None;
        }
        player.taken_back(&self.start);
        let opinions = self.tell(&mut *player, moves);
        let is_right = opinions.iter().all(|opinion| opinion.agrees == opinion.is_legal);
        if !is_right || player.lost().is_some() {
            return None;
        }
        self.player = Some(player);
        opinions.last().map(|last| last.agrees)
    }

    /// Tells a player of moves, of which the last may be illegal.
    fn tell(&self, player: &mut dyn Player, moves: &[MoveText]) -> Vec<Opinion> {
        let mut position = self.start.clone();
        let tell = |&mv: &MoveText| {
            let agrees = if position.side_to_move() == self.side {
                player.force_move(&position, mv)
            } else {
                player.opponent_move(&position, mv)
            };
            Opinion { agrees, is_legal: position.play(mv).is_ok() }
        };
        moves.iter().map(tell).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use plyground_host::player::{Answer, Turn};
    use plyground_host::toy::toy;

    use super::*;

    /// What a player says of a move, by whether it has refused one before, and whether the move is legal.
    type Habit = fn(&str, bool, bool) -> bool;

    struct Habitual {
        habit: Habit,
        has_refused: bool,
    }

    impl Player for Habitual {
        fn choose_move(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
            Err(Fault::NoMove)
        }

        fn opponent_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
            let is_legal = before.check_legal(mv).is_ok();
            let agrees = (self.habit)(&mv.to_string(), self.has_refused, is_legal);
            self.has_refused |= !agrees;
            agrees
        }

        fn force_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
            self.opponent_move(before, mv)
        }

        fn allows_take_back(&self) -> bool {
            true
        }
    }

    /// What a player with this habit says of three illegal moves and a legal one, and how many players
    /// were asked.
    fn opinions(habit: Habit) -> ([bool; 4], u32) {
        let start = toy().start();
        let seats = Cell::new(0);
        let mut judge = Judge::new(start.clone(), Side::First, || {
            seats.set(seats.get() + 1);
            Box::new(Habitual { habit, has_refused: false })
        });
        let opinions = ["1", "2", "3", "4"].map(|last| {
            let moves = ["1", "2", "3", last].map(|mv| start.parse_move(mv).expect("a move"));
            judge.opinion(&moves).expect("an opinion")
        });
        drop(judge);
        (opinions, seats.get())
    }

    const RIGHT: [bool; 4] = [false, false, false, true];

    #[test]
    fn one_player_is_asked_as_long_as_it_is_right() {
        assert_eq!(opinions(|_, _, is_legal| is_legal), (RIGHT, 1));
    }

    #[test]
    fn player_that_takes_everything_once_it_has_refused_is_asked_as_a_new_one() {
        assert_eq!(opinions(|_, has_refused, is_legal| has_refused || is_legal), (RIGHT, 3));
    }

    #[test]
    fn player_that_refuses_everything_once_it_has_refused_is_asked_as_a_new_one() {
        assert_eq!(opinions(|_, has_refused, is_legal| !has_refused && is_legal), (RIGHT, 4));
    }

    /// It would be right about 2, as about all that is illegal.
    #[test]
    fn refusing_everything_hides_no_fault() {
        let habit: Habit = |mv, has_refused, is_legal| !has_refused && (is_legal || mv == "2");
        assert_eq!(opinions(habit).0, [false, true, false, true]);
    }
}
