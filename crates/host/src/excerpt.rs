//! Foreign text inside of messages.

/// No message repeats more letters of what it was given: the rest says nothing that the first do
/// not, and a message is one line.
const MOST: usize = 60;

/// The first letters of a text, on one line, with `...` where it goes on.
#[must_use]
pub fn excerpt(text: &str) -> String {
    let mut letters = text.chars();
    let mut first: String = letters.by_ref().take(MOST).collect::<String>();
    if letters.next().is_some() {
        first.push_str("...");
    }
    first.escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_off() {
        assert_eq!(excerpt("a b"), "a b");
        assert_eq!(excerpt("a\nb"), "a\\nb");
        assert_eq!(excerpt(&"ü".repeat(MOST)), "ü".repeat(MOST));
        assert_eq!(excerpt(&"ü".repeat(MOST + 1)), "ü".repeat(MOST) + "...");
        assert!(excerpt(&"\0".repeat(1 << 20)).len() < 10 * MOST);
    }
}
