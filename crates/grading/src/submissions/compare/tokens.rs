//! The tokens of a source file, as far as they survive renaming.

/// A token, with the line in which it begins, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// The hash of the word: the same for all names, all numbers and all texts.
    pub(super) kind: u64,
    pub(super) line: usize,
}

/// Words that stay as they are, of all languages together: a name that is a keyword elsewhere tells more, not
/// less.
const KEYWORDS: [&str; 62] = [
    "and", "as", "auto", "bool", "boolean", "break", "byte", "case", "catch", "char", "class",
    "const", "continue", "def", "default", "del", "do", "double", "elif", "else", "enum", "except",
    "extends", "false", "final", "finally", "float", "fn", "for", "from", "function", "global",
    "goto", "if", "impl", "import", "in", "int", "is", "lambda", "let", "long", "match", "mut",
    "new", "not", "null", "or", "pass", "return", "short", "static", "struct", "switch", "this",
    "throw", "true", "try", "var", "void", "while", "yield",
];

/// The tokens of a source text. Comments, blanks and the lines of a preprocessor do not count; `#` begins a
/// comment in every language, for nothing is lost by that.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let at = |place: usize| chars.get(place).copied().unwrap_or('\0');
    let (mut found, mut place, mut line) = (Vec::new(), 0, 0);
    while place < chars.len() {
        let first = chars[place];
        let start = place;
        let mut add = |word: &str| found.push(Token { kind: hash(word.bytes()), line });
        if first == '#' || (first == '/' && at(place + 1) == '/') {
            place += chars[place..].iter().take_while(|&&c| c != '\n').count();
        } else if first == '/' && at(place + 1) == '*' {
            place += 2;
            while place < chars.len() && !(at(place) == '*' && at(place + 1) == '/') {
                place += 1;
            }
            place += 2;
        } else if first == '"' || first == '\'' {
            // A text over several lines is documentation.
            let is_long = at(place + 1) == first && at(place + 2) == first;
            place = end_of_text(&chars, place, is_long);
            if !is_long {
                add("\"");
            }
        } else if first.is_alphabetic() || first == '_' {
            let is_part = |&&c: &&char| c.is_alphanumeric() || c == '_';
            place += chars[place..].iter().take_while(is_part).count();
            let word: String = chars[start..place].iter().collect();
            add(if KEYWORDS.contains(&word.as_str()) { &word } else { "a" });
        } else if first.is_ascii_digit() {
            let is_part = |&&c: &&char| c.is_alphanumeric() || c == '.';
            place += chars[place..].iter().take_while(is_part).count();
            add("0");
        } else {
            place += 1;
            if !first.is_whitespace() && first != ';' {
                add(first.encode_utf8(&mut [0; 4]));
            }
        }
        let end = place.min(chars.len());
        line += chars[start..end].iter().filter(|&&c| c == '\n').count();
    }
    found
}

/// The place behind a text that begins at `start`, with three quotes if it is long. One that does not end
/// ends with its line.
fn end_of_text(chars: &[char], start: usize, is_long: bool) -> usize {
    let quote = chars[start];
    let width = if is_long { 3 } else { 1 };
    let mut place = start + width;
    while place < chars.len() {
        let rest = &chars[place..];
        match chars[place] {
            '\\' => place += 2,
            '\n' if !is_long => return place,
            c if c == quote && rest.iter().take(width).all(|&c| c == quote) => {
                return (place + width).min(chars.len());
            }
            _ => place += 1,
        }
    }
    chars.len()
}

/// The hash of FNV: it is the same in every run and on every machine.
pub(super) fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<u64> {
        tokens(text).iter().map(|token| token.kind).collect()
    }

    #[test]
    fn names_comments_and_blanks_do_not_count() {
        let one = "int best = 0; // of all\nfor (int i = 0; i < 7; i++) { best += f(\"x\"); }";
        let other =
            "int v=12;\n/* a\nb */ for(int col=1;col<42;col++){\n# c\nv+=search('it\\'s');}";
        assert_eq!(kinds(one), kinds(other));
        assert_ne!(kinds(one), kinds(&one.replace("for", "while")));
        assert_eq!(
            kinds("def f():\n  \"\"\"Says\n  it.\"\"\"\n  return 1"),
            kinds("def g(): return 2")
        );
    }

    #[test]
    fn lines_are_counted_over_comments_and_texts() {
        let found = tokens("/* a\n*/ x\n'''\n''' y \"open\nz");
        let lines: Vec<usize> = found.iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 3, 3, 4]);
        assert!(
            tokens("'''open").is_empty() && tokens("\"a\\").len() == 1 && tokens("/*").is_empty()
        );
    }
}
