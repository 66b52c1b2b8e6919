//! The record of a grade, which a class's next run reads.

use plyground_arena::grade::{GradeRecord, Reader, results_json, results_text};

/// A record that is read is written so that it is read as the same.
pub fn run(bytes: &[u8]) {
    let Ok(record) = serde_json::from_slice::<GradeRecord>(bytes) else { return };
    let text = serde_json::to_string(&record).expect("JSON");
    assert_eq!(serde_json::from_str::<GradeRecord>(&text).ok().as_ref(), Some(&record));
    let _ = results_json(&record.results);
    for reader in [Reader::Student, Reader::Instructor] {
        let _ = results_text("somebody", &record.results, reader);
    }
}
