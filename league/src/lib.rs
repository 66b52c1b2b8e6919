//! A permanent league: students upload programs, which are built, checked, and play all day; with ratings, pages and a
//! final tournament at the deadline.
//!
//! * [`store`] is the database of a league, one file in its folder; [`config`] is its file `league.toml`.
//! * [`league`] has the operations that change a league: uploads, pairings, results. A worker, which is a thread of
//!   the server or another machine, takes a game from this module and gives the result back.
//! * [`rating`] rates the versions and chooses the next pair; [`playing`] plays a game.
//! * [`background`] builds and checks uploads, plays on the machine of the server, and reviews games.
//! * [`server`] serves the pages; [`work`] is the client on another machine.
//! * [`finale`] writes the versions that were frozen at the deadline, for the tournament and the grades.
//! * [`care`] maintains a league: backups, diagnosis, and the removal of old files.
//! * [`commands`] is the command line of the program `plyground-league`. The other modules print nothing.

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
