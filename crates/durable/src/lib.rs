//! Files that survive crashes, and values as people write them. This is the lowest layer: it knows neither
//! games nor the sandbox.
//!
//! * [`output`] writes files and folders whole or not at all; [`lock`] lets only one process at a time do so.
//! * [`journal`] keeps the results of a long run, and [`work`] shares a run among threads, and among processes
//!   by way of a folder; [`sealed_line`] detects changed lines.
//! * [`input`] reads files that people write, undoes the habits of their editors, and tells where a file in
//!   TOML is wrong.
//! * [`quantities`] reads and writes times, sizes and numbers: [`parse_duration`], [`parse_size`] and
//!   [`whole_number`].
//! * [`text`] reads and writes tables of spreadsheets; [`nearest`] finds the name that is most like a text; [`cut`],
//!   [`excerpt`], [`shorten`], [`one_line`], [`shown`] and [`shown_lines`] shorten strangers' text and make it safe to
//!   print.

pub mod input;
pub mod journal;
pub mod lock;
pub mod output;
pub mod quantities;
pub mod text;
pub mod work;

pub use input::FileError;
pub use quantities::{grouped, parse_duration, parse_size, whole_number};
pub use sealed_line::fnv1a;
pub use text::{cut, excerpt, nearest, one_line, shorten, shown, shown_lines};

pub mod sealed_line {
    //! Checksums of data that is read back, and lines with a checksum that reveals changes of the line.
    //!
    //! Opening books use a checksum function of the engine instead, because the engine depends on no other crate.

    use std::hash::Hasher;

    /// Returns the 64-bit FNV-1a checksum of the bytes, which reveals accidental changes but no deliberate ones.
    ///
    /// Source: Fowler, Noll and Vo, <http://www.isthe.com/chongo/tech/comp/fnv/>.
    pub fn fnv1a(bytes: &[u8]) -> u64 {
        let mut hasher = fnv::FnvHasher::default();
        hasher.write(bytes);
        hasher.finish()
    }

    /// Returns the checksum of a line of the work called `work`. The same line has another checksum in other
    /// work.
    fn seal_of(work: &str, line: &str) -> String {
        format!("{:016x}", fnv1a(format!("{work}\n{line}").as_bytes()))
    }

    /// Returns the line followed by `separator` and its checksum.
    pub fn seal(work: &str, line: &str, separator: &str) -> String {
        format!("{line}{separator}{}", seal_of(work, line))
    }

    /// Returns the line as it was when it was sealed, or `None` if it has changed.
    pub fn unseal<'a>(work: &str, line: &'a str, separator: &str) -> Option<&'a str> {
        let (line, found) = line.rsplit_once(separator)?;
        (found == seal_of(work, line)).then_some(line)
    }

    /// The text before the checksum of an object.
    const KEY: &str = r#","checksum":""#;
    /// The text after the checksum of an object.
    const END: &str = "\"}";

    /// Returns `line`, a nonempty JSON object, with its checksum as the last member.
    pub fn seal_object(line: &str) -> String {
        let members = line.strip_suffix('}').unwrap_or(line);
        seal("", members, KEY) + END
    }

    /// Returns true if the line ends like an object with its checksum.
    pub fn is_sealed_object(line: &str) -> bool {
        line.ends_with(END) && line.contains(KEY)
    }

    /// Returns the object without its checksum, or `None` if it has changed since it was sealed.
    pub fn unseal_object(line: &str) -> Option<String> {
        let members = unseal("", line.strip_suffix(END)?, KEY)?;
        Some(format!("{members}}}"))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn objects_stay_objects() {
            let line = seal_object(r#"{"ply":1}"#);
            assert!(
                line.starts_with(r#"{"ply":1,"checksum":""#) && is_sealed_object(&line),
                "{line}"
            );
            assert_eq!(unseal_object(&line).as_deref(), Some(r#"{"ply":1}"#));
            assert_eq!(unseal_object(&line.replace('1', "2")), None);
            assert!(!is_sealed_object(r#"{"ply":1}"#));
        }

        #[test]
        fn every_change_of_one_character_is_seen() {
            let line = seal("work", "7 not 270 03 ", " ");
            assert_eq!(unseal("work", &line, " "), Some("7 not 270 03 "));
            assert_eq!(unseal("other", &line, " "), None);
            for (at, old) in line.char_indices() {
                for new in ['0', '7', 'x', ' ', 'ü'].into_iter().filter(|&new| new != old) {
                    let changed = format!("{}{new}{}", &line[..at], &line[at + 1..]);
                    assert_eq!(unseal("work", &changed, " "), None, "{changed}");
                }
            }
        }
    }
}
