//! The names of players, and commands.

use plyground_host::external::{CommandLine, JavaProgram, check_class};
use plyground_host::player::PlayerSpec;

use crate::source::Source;
use crate::told::assert_told;

/// A player is read from what it is written as.
pub fn run(bytes: &[u8]) {
    let text = Source(bytes).text();
    match text.parse::<PlayerSpec>() {
        Ok(spec) => assert_eq!(spec.to_string().parse().as_ref(), Ok(&spec), "{text:?}"),
        Err(fault) => assert_told(&fault),
    }
    match text.parse::<CommandLine>() {
        Ok(command) => assert_eq!(command.to_string().parse().as_ref(), Ok(&command), "{text:?}"),
        Err(fault) => assert_told(&fault),
    }
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    if let Err(why) = check_class(&words) {
        assert_told(&why);
    }
    if let Err(fault) = text.parse::<JavaProgram>() {
        assert_told(&fault);
    }
}
