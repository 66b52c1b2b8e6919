//! A game behind text, as people, files, other programs and pages see it.
//!
//! Below this crate code is generic and typed; from here up it is not. [`host`] turns a game that
//! implements [`GameAdapter`] into a [`HostedGame`]. Its positions are [`HostedPosition`]s, its moves
//! [`MoveText`]s, and its searches [`HostedEngine`]s, so that one referee, one page and one command line
//! serve every game.
//!
//! * [`player`] and [`referee`] play games, [`record`] keeps them.
//! * [`external`] and [`protocol`] run other people's programs; [`rules`] makes a game of a program.
//! * [`state`] reads and writes positions, [`page`] describes what a browser shows of them.

mod adapter;
mod analysis;
mod ending;
mod engine;
mod fault;
mod game;
mod hosted;
pub mod page;
mod position;
pub mod record;
pub mod referee;
pub mod rules;
mod starter;
pub mod toy;

pub mod external {
    //! Other people's programs as players: the commands that name them, and the exchange of files with them.
    //!
    //! Programs that stay alive for a game speak the [line protocol](crate::protocol).

    mod command;
    mod file_player;
    mod java;
    mod prepared;

    pub use command::{
        CommandError, CommandLine, Exchange, INTERACTIVE, ONE_MOVE, PRINTED_LAST, ProgramCommand,
        converse, exchange, printed_last, wrote_instead,
    };
    pub use file_player::{
        FilePlayer, KnownLineEnds, last_board, move_in_output, move_printed, rows, rows_of_board,
    };
    pub use java::{
        JavaProgram, NoJavaProgram, SourcePart, check_class, java_class_name, java_fault,
        java_main_class, java_package, java_public_class, java_types, source_parts,
        without_comments,
    };
    pub use prepared::{
        AND, HandedIn, Lack, NOTHING_HANDED_IN, NoJavaClasses, NotReady, Platform, PreparedStatus,
        PreparedSubmission, SAVED, Submitter, is_plain_path,
    };
}

pub mod player {
    //! Players, which choose the moves of one side: the interface, random players, and players that are
    //! absent.

    mod human;
    mod interface;
    mod spec;

    pub use human::{
        Console, Human, Input, LineSource, Lines, StdinLines, forced_pass, read_legal_move,
    };
    pub use interface::{Absent, Answer, Player, ProposedMove, Random, Turn};
    pub use spec::{EnginePlayer, OnMove, PlayerSpec, UnknownPlayer};
}

pub mod protocol {
    #![doc = include_str!("../../../docs/protocol.md")]

    mod conformance;
    mod engine;
    mod line_player;
    mod message;

    pub use conformance::{Exchange, check_engine};
    pub use engine::{InfoLines, serve};
    pub use line_player::LinePlayer;
    pub use message::{BEST_MOVE, EngineMessage, ProgramInfo, VERSION};
}

pub mod state {
    //! State files: a position as a short text, which is read with tolerance and written back in the same
    //! layout.
    //!
    //! A game supplies the grid of its cells ([`GridFormat`]), or rows of numbers and other words
    //! ([`WordFormat`]), and turns them into a position; this module handles line ends, blanks, faults with
    //! their places, and files.

    mod rows;
    mod text;

    pub use rows::{Grid, GridFormat, WordFormat};
    pub use text::{LineEnds, ReadError, StateText, TextError, read_text};
}

pub use adapter::{
    Figure, GameAdapter, Lesson, Mark, MarkKind, MoveOf, MoveText, MoveTooLong, Text, default_text,
};
pub use analysis::{Analysis, AnalysisRequest, AnalyzedLine, Bound, NotABound, Promise, Stage};
pub use ending::{Ending, Reason};
pub use engine::{
    ChosenMove, Constraints, EngineError, EngineOptions, ExplainRequest, IllegalAction,
    JudgeEffort, Judgment, Label, LabelRequest, MOST_PLIES_TO_SOLVE, OtherGame, Sight, StepOptions,
    StepResults, Strength, Terms, any_seed,
};
pub use fault::{Fault, FaultCounts};
pub use game::{
    AdaptedGame, Explanation, HostedBatch, HostedEngine, HostedGame, HostedPosition, Illegal,
    PositionInfo, SharedGame, Variants, bench,
};
pub use hosted::{DEFAULT_TIME, host, host_position};
pub use starter::{KitTexts, Language, StarterKit};
