//! The name of a Java class, from its class file.

/// The first bytes of a class file.
const MAGIC: [u8; 4] = [0xca, 0xfe, 0xba, 0xbe];

/// Returns the name of the Java class in a class file, with its package; `None` if the file is not a class
/// file, or is damaged.
///
/// The format is that of chapter 4 of the Java Virtual Machine Specification: the constants come first; one
/// of them is the class, and refers to another that is its name.
pub(super) fn class_name(bytes: &[u8]) -> Option<String> {
    let mut rest = Reader(bytes);
    // The version follows.
    if rest.take(MAGIC.len())? != MAGIC || rest.take(4).is_none() {
        return None;
    }
    let count = usize::from(rest.number()?);
    let (mut texts, mut classes) = (vec![None; count], vec![None; count]);
    let mut index = 1;
    while index < count {
        let kind = rest.take(1)?[0];
        match kind {
            1 => {
                let length = usize::from(rest.number()?);
                texts[index] = Some(rest.take(length)?);
            }
            7 => classes[index] = Some(usize::from(rest.number()?)),
            8 | 16 | 19 | 20 => drop(rest.take(2)?),
            15 => drop(rest.take(3)?),
            3 | 4 | 9..=12 | 17 | 18 => drop(rest.take(4)?),
            5 | 6 => drop(rest.take(8)?),
            _ => return None,
        }
        // A long number counts for two.
        index += if matches!(kind, 5 | 6) { 2 } else { 1 };
    }
    // The access flags of the class.
    rest.take(2)?;
    let own = classes.get(usize::from(rest.number()?)).copied().flatten()?;
    let name = texts.get(own).copied().flatten()?;
    String::from_utf8(name.to_vec()).ok().map(|name| name.replace('/', "."))
}

/// A reader of the bytes that are left.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u16> {
        self.take(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the beginning of a class file: constants, a long one among them.
    fn class_file(name: &str) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0, 0, 0, 61, 0, 6]);
        bytes.extend([1, 0, u8::try_from(name.len()).expect("a short name")]);
        bytes.extend(name.as_bytes());
        bytes.extend([5, 0, 0, 0, 0, 0, 0, 0, 9, 7, 0, 1, 10, 0, 4, 0, 1]);
        bytes.extend([0, 0x21, 0, 4]);
        bytes
    }

    #[test]
    fn name_is_read_and_damage_is_noticed() {
        let bytes = class_file("a/player/Bob");
        assert_eq!(class_name(&bytes).as_deref(), Some("a.player.Bob"));
        for length in 0..bytes.len() {
            assert_eq!(class_name(&bytes[..length]), None, "{length} bytes");
        }
        assert_eq!(class_name(b"#!/bin/sh and more"), None);
    }
}
