//! The tokens of a source text, which do not change when names change; and the parts of a text in C that only the
//! preprocessor sees.

use std::collections::HashMap;

use plyground_durable::fnv1a;
use plyground_host::external::{SourcePart, source_parts};

use crate::submissions::file_kind::{directive, is_of_name};

/// The greatest length of a file that is compared, in bytes.
pub(super) const MOST_OF_FILE: usize = 1 << 20;

/// The most characters of a macro whose words are compared.
const MOST_OF_MACRO: usize = 40;

/// The number of branches of the preprocessor without an end after which none is searched for.
const MOST_OPEN_BRANCHES: u32 = 20;

/// The number of characters at the beginning of a line in which a directive is searched for.
const LONGEST_DIRECTIVE: usize = 200;

/// A token, with the line in which it begins, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// The hash of the word. It is the same for all names, for all numbers and for all string
    /// literals.
    pub(super) kind: u64,
    pub(super) line: usize,
}

/// The keywords of all languages together, which stay as they are. A name that is a keyword of another
/// language stays, too, which makes the tokens only more specific.
const KEYWORDS: [&str; 62] = [
    "and", "as", "auto", "bool", "boolean", "break", "byte", "case", "catch", "char", "class",
    "const", "continue", "def", "default", "del", "do", "double", "elif", "else", "enum", "except",
    "extends", "false", "final", "finally", "float", "fn", "for", "from", "function", "global",
    "goto", "if", "impl", "import", "in", "int", "is", "lambda", "let", "long", "match", "mut",
    "new", "not", "null", "or", "pass", "return", "short", "static", "struct", "switch", "this",
    "throw", "true", "try", "var", "void", "while", "yield",
];

/// The meaning of `#` in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hash {
    /// It begins a line for the preprocessor of C.
    Directive,
    /// It begins a comment, or what counts as one.
    Comment,
    /// It is a sign of the code, such as that of an attribute in Rust or of a private field in JavaScript.
    Sign,
}

/// Returns the tokens of a source text. Comments, blanks, lines of the preprocessor and statements without a name
/// or a keyword, such as `0;`, do not count.
///
/// In C and C++, the code behind `#if 0` does not count either, and the name of a short macro without arguments
/// stands for its words.
pub(super) fn tokens(text: &str, hash: Hash) -> Vec<Token> {
    let is_c = hash == Hash::Directive;
    let chars: Vec<char> =
        if is_c { as_compiled(text).chars().collect() } else { text.chars().collect() };
    let mut tokens = Tokens::default();
    let mut macros = Macros::default();
    let at = |place: usize| chars.get(place).copied().unwrap_or('\0');
    let end_of_line =
        |place: usize| place + chars[place..].iter().take_while(|&&c| c != '\n').count();
    let (mut place, mut line, mut open_branches) = (0, 0, 0);
    while place < chars.len() {
        let first = chars[place];
        let start = place;
        if first == '#' && hash != Hash::Sign {
            place = end_of_line(place);
            let directive: String = chars[start + 1..place].iter().collect();
            if is_c && let Some((name, words)) = macro_of(&directive) {
                macros.define(name, words);
            } else if is_c
                && directive.split_whitespace().eq(["if", "0"])
                && open_branches < MOST_OPEN_BRANCHES
            {
                let end = end_of_branch(&chars, place);
                open_branches += u32::from(end.is_none());
                place = end.unwrap_or(place);
            }
        } else if first == '#'
            && (at(place + 1) == '[' || at(place + 1) == '!' && at(place + 2) == '[')
        {
            place = end_of_attribute(&chars, place);
        } else if first == '/' && at(place + 1) == '/' {
            place = end_of_line(place);
        } else if first == '/' && at(place + 1) == '*' {
            place += 2;
            while place < chars.len() && !(at(place) == '*' && at(place + 1) == '/') {
                place += 1;
            }
            place += 2;
        } else if first == '"' || first == '\'' && !is_c {
            // A string over several lines is documentation.
            let is_long = !is_c && at(place + 1) == first && at(place + 2) == first;
            place = end_of_text(&chars, place, is_long);
            if !is_long {
                tokens.add("\"", line);
            }
        } else if first.is_alphabetic() || first == '_' {
            place += chars[place..].iter().take_while(|&&c| is_of_name(c)).count();
            let word: String = chars[start..place].iter().collect();
            // Macros make no more tokens than a file without them has.
            let has_room = tokens.found.len() < MOST_OF_FILE;
            match has_room.then(|| macros.words(&word)).flatten() {
                Some(words) => tokens.extend(words, line),
                None => tokens.add_word(&word, line),
            }
        } else if first.is_ascii_digit() {
            let is_part = |&&c: &&char| c.is_alphanumeric() || c == '.' || is_c && c == '\'';
            place += chars[place..].iter().take_while(is_part).count();
            tokens.add("0", line);
        } else {
            let of_two = if is_c { digraph(first, at(place + 1)) } else { None };
            place += if of_two.is_some() { 2 } else { 1 };
            if !first.is_whitespace() {
                tokens.add(of_two.unwrap_or(first).encode_utf8(&mut [0; 4]), line);
            }
        }
        let end = place.min(chars.len());
        line += chars[start..end].iter().filter(|&&c| c == '\n').count();
    }
    tokens.found
}

/// The tokens so far.
#[derive(Default)]
struct Tokens {
    found: Vec<Token>,
    /// The number of tokens before the present statement.
    statement: usize,
    /// If true, the statement has a name, or a keyword that does something.
    is_named: bool,
    /// If true, the statement is for the compiler alone.
    is_assertion: bool,
    /// For each open brace, its number among the tokens if it begins a block that is a statement.
    open_blocks: Vec<Option<usize>>,
}

impl Tokens {
    fn add_word(&mut self, word: &str, line: usize) {
        let is_first = self.found.len() == self.statement;
        self.is_assertion |= is_first && matches!(word, "static_assert" | "_Static_assert");
        self.is_named |= word != "void";
        self.push(if KEYWORDS.contains(&word) { word } else { "a" }, line);
    }

    /// Adds a sign, a number or a string literal.
    fn add(&mut self, sign: &str, line: usize) {
        match sign {
            ";" if !self.is_named || self.is_assertion => self.found.truncate(self.statement),
            ";" => {}
            "{" => {
                let number = self.found.len();
                self.open_blocks.push((number == self.statement).then_some(number));
                self.push(sign, line);
            }
            // A block without a statement in it does nothing.
            "}" => match self.open_blocks.pop().flatten() {
                Some(number) if number + 1 == self.found.len() => self.found.truncate(number),
                _ => self.push(sign, line),
            },
            _ => self.push(sign, line),
        }
        if matches!(sign, ";" | "{" | "}") {
            self.statement = self.found.len();
            (self.is_named, self.is_assertion) = (false, false);
        }
    }

    fn push(&mut self, word: &str, line: usize) {
        self.found.push(Token { kind: fnv1a(word.as_bytes()), line });
    }

    /// Adds the words of a macro.
    fn extend(&mut self, words: &[Token], line: usize) {
        self.is_named |= !words.is_empty();
        self.found.extend(words.iter().map(|token| Token { line, ..*token }));
    }
}

/// Returns the place behind an attribute of Rust, which begins here and changes nothing for the reader.
fn end_of_attribute(chars: &[char], start: usize) -> usize {
    let mut depth = 0_u32;
    for (place, &c) in chars.iter().enumerate().skip(start) {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return place + 1,
            ']' => depth -= 1,
            _ => {}
        }
    }
    chars.len()
}

/// Returns a text in C or C++ as the preprocessor sees it: with the lines joined that a backslash ends, without
/// comments, and with a short text in place of each literal. Every line keeps its number.
fn as_compiled(text: &str) -> String {
    let (mut joined, mut ends) = (String::with_capacity(text.len()), 1);
    for line in text.split_inclusive('\n') {
        match line.trim_end().strip_suffix('\\') {
            Some(line) => {
                joined += line;
                ends += 1;
            }
            None => {
                joined += line;
                (1..std::mem::replace(&mut ends, 1)).for_each(|_| joined.push('\n'));
            }
        }
    }
    let mut compiled = String::with_capacity(joined.len());
    for (kind, part) in source_parts(&joined, false) {
        match kind {
            SourcePart::Code => compiled += part,
            SourcePart::Comment => compiled.push(' '),
            SourcePart::Literal => {
                // The letters before a text of another form are a part of it.
                let name = compiled.trim_end_matches(is_of_name).len();
                if ["L", "R", "LR", "U", "UR", "u", "uR", "u8", "u8R"].contains(&&compiled[name..])
                {
                    compiled.truncate(name);
                }
                compiled += "\"\"";
            }
        }
        if kind != SourcePart::Code {
            part.matches('\n').for_each(|end| compiled += end);
        }
    }
    compiled
}

/// The macros of a file.
#[derive(Default)]
struct Macros {
    /// The words of each macro.
    defined: HashMap<String, String>,
    /// The tokens of the macros that are used, with those of the macros within.
    used: HashMap<String, Vec<Token>>,
    /// The number of bytes that macros have made so far.
    made: usize,
}

impl Macros {
    /// The number of words that the macros within a macro are looked up for.
    const MOST_WITHIN: u32 = 100;

    fn define(&mut self, name: &str, words: &str) {
        self.defined.insert(name.to_owned(), words.to_owned());
        self.used.clear();
    }

    /// Returns the tokens for which a name stands, if it is that of a macro.
    fn words(&mut self, name: &str) -> Option<&[Token]> {
        let words = self.defined.get(name)?;
        if !self.used.contains_key(name) {
            if self.made >= MOST_OF_FILE {
                return None;
            }
            let (mut spelled, mut left) = (String::new(), Macros::MOST_WITHIN);
            self.spell(words, &mut spelled, &mut left);
            self.made += spelled.len() + words.len();
            self.used.insert(name.to_owned(), tokens(&spelled, Hash::Comment));
        }
        self.used.get(name).map(Vec::as_slice)
    }

    /// Adds words to a text, with the words of each macro in its place, while lookups are `left`.
    fn spell(&self, words: &str, spelled: &mut String, left: &mut u32) {
        let mut rest = words;
        while let Some(first) = rest.chars().next() {
            let length = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(length.max(first.len_utf8()));
            rest = behind;
            match self.defined.get(word).filter(|_| *left > 0) {
                Some(within) => {
                    *left -= 1;
                    self.spell(within, spelled, left);
                }
                None => *spelled += word,
            }
        }
    }
}

/// Returns the name and the words of a short macro without arguments, from a directive without its `#`.
fn macro_of(directive: &str) -> Option<(&str, &str)> {
    let macro_words = directive.trim().strip_prefix("define")?.trim();
    let (name, words) = macro_words.split_once(char::is_whitespace).unwrap_or((macro_words, ""));
    // Nothing stands for a keyword where the program is compiled with it.
    let is_name = name.chars().all(is_of_name) && !KEYWORDS.contains(&name);
    (is_name && words.len() <= MOST_OF_MACRO).then_some((name, words))
}

/// Returns the place behind the branch of the preprocessor that begins at `start`, unless the branch has no end.
fn end_of_branch(chars: &[char], start: usize) -> Option<usize> {
    let (mut depth, mut place) = (0, start);
    for line in chars[start..].split_inclusive(|&c| c == '\n') {
        let text = line.iter().skip_while(|c| c.is_whitespace());
        let line_text: String = text.take(LONGEST_DIRECTIVE).collect();
        let word = directive(&line_text).unwrap_or_default();
        if depth == 0 && (word.starts_with("el") || word.starts_with("endif")) {
            return Some(place);
        }
        depth += usize::from(word.starts_with("if"));
        depth -= usize::from(word.starts_with("endif"));
        place += line.len();
    }
    None
}

/// Returns the sign for which C and C++ have these two signs as well.
fn digraph(first: char, second: char) -> Option<char> {
    match (first, second) {
        ('<', '%') => Some('{'),
        ('%', '>') => Some('}'),
        ('<', ':') => Some('['),
        (':', '>') => Some(']'),
        _ => None,
    }
}

/// Returns the place behind the string literal that begins at `start`, with three quotes if `is_long` is
/// true. A literal of one quote that is not closed ends with its line.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<u64> {
        kinds_in(text, Hash::Comment)
    }

    fn kinds_in(text: &str, hash: Hash) -> Vec<u64> {
        tokens(text, hash).iter().map(|token| token.kind).collect()
    }

    #[test]
    fn code_behind_a_sign_counts() {
        let plain = "fn f(x: i32) { let y = x; g(y) }";
        let hidden = "#[inline] fn f(x: i32) { {} #[allow(unused, a[0])] let y = x; {{}} g(y) }";
        assert_eq!(kinds_in(plain, Hash::Sign), kinds_in(hidden, Hash::Sign));
        for line in
            ["#[inline] fn f(x: i32) -> i32 { g(x) }", "class A { static #m = (x) => f(x + 1); }"]
        {
            assert!(kinds_in(line, Hash::Sign).len() > kinds(line).len() + 8, "{line}");
        }
    }

    #[test]
    fn names_comments_and_blanks_do_not_count() {
        let one = "int best = 0; // of all\nfor (int i = 0; i < 7; i++) { best += f(\"x\"); }";
        let other =
            "int v=12;\n/* a\nb */ for(int col=1;col<42;col++){\n# c\nv+=search('it\\'s');}";
        assert_eq!(kinds(one), kinds(other));
        assert_ne!(kinds(one), kinds(&one.replace("for", "while")));
        let told = "def f():\n  \"\"\"Says\n  it.\"\"\"\n  return 1";
        assert_eq!(kinds(told), kinds("def g(): return 2"));
    }

    #[test]
    fn lines_are_counted_over_comments_and_texts() {
        let found = tokens("/* a\n*/ x\n'''\n''' y \"open\nz", Hash::Comment);
        let lines: Vec<usize> = found.iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 3, 3, 4]);
        let count = |text| kinds(text).len();
        assert_eq!([count("'''open"), count("\"a\\"), count("/*")], [0, 1, 0]);
    }

    #[test]
    fn words_that_a_compiler_does_not_see_hide_nothing() {
        let plain = kinds_in("while (a[0]) { f(\"x\"); }\nreturn 0;", Hash::Directive);
        for text in [
            "while (b[0]) { (void)0; f(\"y\"); static_assert(sizeof(int) > 1, \"\"); };;\nreturn 1; 0;",
            "#define W while\n#define OPEN (\n#define R return // R\nW OPEN x[0]) { y(\"\"); } R 7;",
            "while (a<:0:>) <% f(\"x\"); %>\nreturn 0;",
            "#if 0\n#if 1\nfor (;;) {}\n#endif\nelse\n#else\nwhile (a[0]) { f(\"x\"); }\n#endif\nreturn 0;",
            "#if 0 /* x */\nfor\n/*\n#endif\n*/\n#endif\nwhile (a[0]) { f(\"x\"); }\nreturn 0;",
            "#if 0 /**/ || 1\nwhile (a[0]) { f(\"x\"); }\n#endif\nreturn 1'0;",
            "// x \\\n#if 0\nwhi\\\nle (a[0]) { f(R\"(\n#if 0\n)\"); }\nreturn 0; // x \\\n#endif\n",
            "#define E\n#define B A\n#define A while\nE B (a[0]) { f(\"x\") E; E; }\nreturn 0; E",
            "#if 0\n\"\"\"\n#endif\nwhile (a[0]) { f('/*'); }\nreturn 0;",
            "#ifdef NEVER\n#define while\n#endif\nwhile (a[0]) { f(\"x\"); }\nreturn 0;",
            "// x \\ \n#if 0\nwhile (a[0]) { f(\"x\"); }\nreturn 0;\n// x \\ \n#endif",
            &format!("#if 0\n{:300}#endif\nwhile (a[0]) {{ f(\"x\"); }}\nreturn 0;", ""),
        ] {
            assert_eq!(kinds_in(text, Hash::Directive), plain, "{text}");
        }
        // What is no branch stays.
        for text in ["#if 0 || 1\nx\n#endif", "#if 0\nx", "/*\n#if 0\n*/ x /*\n#endif\n*/"] {
            assert_eq!(kinds_in(text, Hash::Directive), kinds("x"), "{text}");
        }
        assert_eq!(kinds("#if 0\nx\n#endif"), kinds("x"));
        let long = format!("#define M {}\n{}", "+".repeat(MOST_OF_MACRO), "M ".repeat(100_000));
        assert!(tokens(&long, Hash::Directive).len() < MOST_OF_FILE + MOST_OF_FILE / 2);
        let within = "#define A B B B B B B\n#define B A A A A A A\nA";
        assert!(kinds_in(within, Hash::Directive).len() < 1_000);
        // Macros that are made again and again take no longer than as many bytes of code.
        let again = format!("{within}\n{}", "#define X\nA\n".repeat(3_000));
        assert!(tokens(&again, Hash::Directive).len() < MOST_OF_FILE + MOST_OF_FILE / 2);
        let found = tokens("a \\\n b\n/*\n*/ c R\"(\n)\" d", Hash::Directive);
        assert_eq!(found.iter().map(|token| token.line).collect::<Vec<_>>(), [0, 0, 3, 3, 4]);
    }
}
