//! Players compared: who is better, by how much, how sure that is, and how long they think.
//!
//! * [`mod@matches`] plays two players against each other, [`tournament`] many.
//! * [`statistics`] says how sure one can be of a result.
//! * [`grade`] holds players to the checks of an assignment.
//! * [`timing`] measures how long a move takes, by the depth of the search.
//! * [`book`] builds and checks books of solved positions.
//!
//! Nothing here knows a game: positions and moves are those of
//! [`HostedPosition`](plyground_host::HostedPosition). What makes a player of its name is in
//! [`seat`], how other people's programs are held in [`programs`], and how a class of submissions
//! becomes players in [`submissions`] and [`seat`]; [`programs`] has what a program prints. Nothing
//! here prints.

pub mod alone;
pub mod book;
pub mod contents;
pub mod matches;
pub mod programs;
pub mod seat;
pub mod statistics;
pub mod submissions;
pub mod timing;
pub mod tournament;
