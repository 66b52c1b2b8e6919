//! Reports about grades, as text, as JSON, as pages and as tables.

pub use json::{AutograderFacts, autograder_json, failed_json, results_json};
pub use page::{class_page, results_page};
pub use tables::{
    ClassLine, TABLES, blackboard_csv, brightspace_csv, canvas_csv, class_csv, class_text,
    moodle_csv,
};
pub use text::{Reader, answers_text, results_text};

mod json;
mod page;
mod tables;
mod text;
