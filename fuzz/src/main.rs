//! Fuzzes the target that the variable FUZZ_TARGET names.
#![no_main]

use std::env;
use std::sync::LazyLock;

use fuzz_targets::{Target, target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = env::var("FUZZ_TARGET").unwrap_or_default();
    target(&name).unwrap_or_else(|| panic!("FUZZ_TARGET: expected the name of a target, found `{name}`"))
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| (TARGET.run)(bytes));
