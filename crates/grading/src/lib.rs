//! Submissions of a class, from the download to the grade.
//!
//! * [`submissions`] prepares the files that students hand in: it unpacks and builds them, and finds the
//!   command that starts the program.
//! * [`grade`] checks programs against an assignment, and writes reports and tables for a course.

pub mod submissions;

pub mod grade {
    //! Grading: checks that a player meets the requirements of an assignment, and counts the
    //! points.
    //!
    //! The [`Check`]s are data: a text in TOML that comes with a game, or a file of an instructor.
    //! [`draw_checks`] draws their positions from a seed. A [`Grader`] makes each check by the rules of
    //! the game and by a plain look ahead, without the engine's own search. The outcome is a
    //! [`GradeResults`]; the functions of this module whose names end in `text`, `json`, `page` and `csv`
    //! write reports about it. A [`GradeHistory`] keeps the grades of a class.

    mod check;
    mod check_file;
    mod draw;
    mod exchanged_files;
    mod games;
    mod grading;
    mod history;
    mod judging;
    mod moves;
    mod new_checks;
    mod printed_score;
    mod results;
    mod session;
    mod verdict;

    mod roster {
        //! The students of the submissions, and the times of the submissions.

        pub(super) mod matching;
        pub(super) mod reader;
    }

    mod report {
        //! Reports about grades, as text, as JSON, as pages and as tables.

        pub(super) mod gradebooks;
        pub(super) mod submission;
    }

    pub use check::{Check, CheckKind, DrawRule, Visibility};
    pub use check_file::{StudentChecks, parse_checks, read_checks, read_student_checks};
    pub use draw::{DrawnCheck, NotDrawn, Task, draw_checks};
    pub use grading::GradeError;
    pub use history::{GradeHistory, GradeRecord, HistoryError, grade_key};
    pub use moves::Count;
    pub use new_checks::new_checks;
    pub use report::gradebooks::{ClassLine, ClassReport, class_text};
    pub use report::submission::{
        AutograderFacts, Reader, answers_text, autograder_json, failed_json, results_json,
        results_page, results_text,
    };
    pub use results::{
        CheckResult, CheckStatus, Finding, GradeResults, LateRule, LeaderboardLine, OUT_OF_TIME,
        PlayReview, leave_out_worthless, read_points, select_checks,
    };
    pub use roster::matching::{ManualPoints, Matched, late_by, lateness, submitted};
    pub use roster::reader::{Roster, RosterError, RosterLine, parse_time};
    pub use session::{Examinee, Grader};
}

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Returns a page with this title, style sheet and content.
fn html_page(title: &str, style: &str, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body { main { (content) } }
        }
    };
    page.into_string() + "\n"
}

#[cfg(test)]
mod fixtures {
    //! The files of tests.

    use std::fs;
    use std::io::{Cursor, Write};
    use std::path::Path;

    use tempfile::TempDir;
    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    /// Writes a file, and the folders around it.
    pub(crate) fn write(folder: &Path, name: &str, contents: impl AsRef<[u8]>) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder)).expect("a folder");
        fs::write(path, contents).expect("a file");
    }

    /// Returns a folder with these files, each with its contents.
    pub(crate) fn folder(files: &[(impl AsRef<str>, impl AsRef<[u8]>)]) -> TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        files.iter().for_each(|(name, contents)| write(folder.path(), name.as_ref(), contents));
        folder
    }

    /// Returns a folder with these files, all empty.
    pub(crate) fn tree(files: &[&str]) -> TempDir {
        folder(&files.iter().map(|file| (*file, "")).collect::<Vec<_>>())
    }

    /// Returns a zip with these files, each with its contents.
    pub(crate) fn zip(files: &[(impl AsRef<str>, impl AsRef<[u8]>)]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for (name, contents) in files {
            zip.start_file(name.as_ref(), stored).expect("an entry");
            zip.write_all(contents.as_ref()).expect("a file");
        }
        zip.finish().expect("a zip").into_inner()
    }
}
