//! Kalah on the page: the answers of its server follow the side to move.

use serde_json::json;

use crate::common::served::Served;

/// Pit 3 ends in the store, so that South is to move again.
#[test]
fn answers_follow_the_side_to_move() {
    let served = Served::start(env!("CARGO_BIN_EXE_kalah"), "");
    let start = "0444444/4444440/S";
    let position = |moves: &[&str]| {
        served.position(&json!({ "rules": "6x4", "start": start, "moves": moves }))
    };
    assert_eq!(position(&["3"])["side"], 0);
    assert_eq!(position(&["3", "1"])["side"], 1);
    let last = position(&["3", "1", "2"]);
    assert_eq!(last["side"], 0);
    let sides = last["played"].as_array().expect("moves").iter().map(|played| &played["side"]);
    assert_eq!(sides.collect::<Vec<_>>(), [0, 0, 1], "{last}");
}
