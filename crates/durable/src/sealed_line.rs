//! Lines with a checksum, so that one that has been changed is not believed.

use crate::fnv1a;

/// The checksum of a line of the work that is called `work`: a line of other work is no line of
/// this one.
fn seal_of(work: &str, line: &str) -> String {
    format!("{:016x}", fnv1a(format!("{work}\n{line}").as_bytes()))
}

/// The line with `separator` and its checksum at the end.
#[must_use]
pub fn seal(work: &str, line: &str, separator: &str) -> String {
    format!("{line}{separator}{}", seal_of(work, line))
}

/// What a line said when it was sealed; `None` if it is not as it was.
#[must_use]
pub fn unseal<'a>(work: &str, line: &'a str, separator: &str) -> Option<&'a str> {
    let (line, found) = line.rsplit_once(separator)?;
    (found == seal_of(work, line)).then_some(line)
}

/// What stands before the checksum of an object.
const KEY: &str = r#","checksum":""#;
/// What stands behind it.
const END: &str = "\"}";

/// An object of JSON on one line, which is not empty, with its checksum as the last member.
#[must_use]
pub fn seal_object(line: &str) -> String {
    let members = line.strip_suffix('}').unwrap_or(line);
    seal("", members, KEY) + END
}

/// Whether a line ends like an object with its checksum.
#[must_use]
pub fn is_sealed_object(line: &str) -> bool {
    line.ends_with(END) && line.contains(KEY)
}

/// The object without its checksum; `None` if it is not as it was when it was sealed.
#[must_use]
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
        assert!(line.starts_with(r#"{"ply":1,"checksum":""#) && is_sealed_object(&line), "{line}");
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
