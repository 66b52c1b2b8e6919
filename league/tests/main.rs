//! The league as a whole: its server as people and attackers meet it, killed at any moment; a deadline; games
//! that other machines play, over HTTPS too; a season.

mod attacks;
mod crash;
mod deadline;
mod life;
mod manual;
mod running;
mod rush;
mod season;
mod secure;
mod turns;
mod workers;
