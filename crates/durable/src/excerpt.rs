//! Text from elsewhere, inside messages.

use std::borrow::Cow;

/// The most characters of its input that a message repeats: the beginning is enough to recognize the text,
/// and a message is one line.
const MOST: usize = 60;

/// Returns the first characters of a text, on one line, followed by `...` if the text is longer.
#[must_use]
pub fn excerpt(text: &str) -> String {
    let mut letters = text.chars();
    let mut first: String = letters.by_ref().take(MOST).collect::<String>();
    if letters.next().is_some() {
        first.push_str("...");
    }
    first.escape_debug().to_string()
}

/// The most characters that a message has, however long the paths and names in it are.
const LONGEST: usize = 400;

/// Returns the message, with its middle replaced by `...` if it is longer than a few lines.
#[must_use]
pub fn shorten(message: &str) -> Cow<'_, str> {
    let letters = message.chars().count();
    if letters <= LONGEST {
        return message.into();
    }
    let first: String = message.chars().take(LONGEST / 2).collect();
    let last: String = message.chars().skip(letters - LONGEST / 2).collect();
    format!("{first}...{last}").into()
}

/// Returns the message of a parser as one line of limited length. Such a message may repeat names from the
/// input, control characters included.
#[must_use]
pub fn one_line(message: &str) -> String {
    let mut line = String::new();
    for letter in message.chars() {
        if letter.is_control() {
            line.extend(letter.escape_debug());
        } else {
            line.push(letter);
        }
    }
    shorten(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_keep_both_ends() {
        assert_eq!(shorten("x: cannot read"), "x: cannot read");
        let message = format!("{}: cannot read the file", "ü".repeat(4_096));
        let short = shorten(&message);
        assert!(short.starts_with("üü") && short.ends_with("üü: cannot read the file"), "{short}");
        assert_eq!(short.chars().count(), LONGEST + "...".len());
        // Escaped control characters take more room than the originals.
        let line = one_line(&"\u{b}".repeat(LONGEST));
        assert_eq!(line.chars().count(), LONGEST + "...".len(), "{line}");
    }

    #[test]
    fn names_in_messages_stay_on_the_line() {
        let message = "unknown field `a\r\u{1b}[1m\n`, expected `b`";
        assert_eq!(one_line(message), "unknown field `a\\r\\u{1b}[1m\\n`, expected `b`");
        assert!(one_line(&"\n".repeat(10_000)).chars().count() < 3 * LONGEST);
    }

    #[test]
    fn long_text_is_cut_off() {
        assert_eq!(excerpt("a b"), "a b");
        assert_eq!(excerpt("a\nb"), "a\\nb");
        assert_eq!(excerpt(&"ü".repeat(MOST)), "ü".repeat(MOST));
        assert_eq!(excerpt(&"ü".repeat(MOST + 1)), "ü".repeat(MOST) + "...");
        assert!(excerpt(&"\0".repeat(1 << 20)).len() < 10 * MOST);
    }
}
