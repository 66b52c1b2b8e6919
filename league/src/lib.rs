//! A league that stands: students upload programs, which are built, checked, and play all day; ratings, pages
//! and a final at the deadline.
//!
//! * [`store`] is the database of a league, one file in its folder; [`config`] is its file `league.toml`.
//! * [`league`] has all that changes a league: uploads, pairings, results. A worker, which is a
//!   thread of the server or another machine, takes a game from there and gives it back there.
//! * [`rating`] counts the games and chooses those that come; [`playing`] plays a game.
//! * [`background`] builds and checks uploads, plays on the machine of the server, and finds what the moves of
//!   a game cost.
//! * [`server`] serves the pages; [`work`] is the part of another machine.
//! * [`finale`] writes down what was frozen at the deadline, for the tournament and the grades.
//! * [`care`] is what keeps a league well: backups, what is wrong, what can go.
//! * [`commands`] is the command line of the program `plyground-league`. Nothing else here prints.

pub mod background;
pub mod care;
pub mod commands;
pub mod config;
pub mod finale;
pub mod league;
pub mod playing;
pub mod rating;
pub mod server;
pub mod store;
pub mod work;
