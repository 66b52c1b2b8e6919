//! The page itself. It has all that the first board needs, so that one answer of the server shows it, however
//! long the next one takes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::questions::{Games, empty_boards};

/// The file of the page, which names the files that are sent inside of it.
const INDEX: &str = include_str!("../../page/index.html");

/// A file that is sent inside of the page.
struct Inlined {
    /// The element of [`INDEX`] that names the file.
    link: &'static str,
    /// The name of the element that has its text.
    element: &'static str,
    /// The directive of a policy under which a browser uses it, as far as it allows what the server sends.
    directive: &'static str,
    text: &'static str,
}

const INLINED: [Inlined; 2] = [
    Inlined {
        link: "<link rel=\"stylesheet\" href=\"page/style.css\">",
        element: "style",
        directive: "style-src 'self'",
        text: include_str!("../../page/style.css"),
    },
    Inlined {
        link: "<script src=\"page/first.js\"></script>",
        element: "script",
        directive: "script-src 'self'",
        text: include_str!("../../page/first.js"),
    },
];

/// The beginning of the element of [`INDEX`] for the empty boards, which the file lacks.
const BOARDS_BEGIN: &str = "<script type=\"application/json\" id=\"boards\">";

/// Returns a script or a style sheet without the lines that are comments, which need a quarter of the bytes.
pub(super) fn without_comments(text: &str) -> String {
    let mut is_inside = false;
    let is_code = |line: &&str| {
        let line = line.trim();
        let is_whole = line.ends_with("*/") || !line.contains("*/");
        let begins = !is_inside && line.starts_with("/*") && is_whole;
        let is_comment = is_inside || begins || line.starts_with("//");
        is_inside = (is_inside || begins) && !line.ends_with("*/");
        !is_comment
    };
    text.split_inclusive('\n').filter(is_code).collect()
}

/// Returns the page with the empty boards of the games, and the addresses of its modules, which it would
/// otherwise ask for one after the other.
pub(super) fn page<'a>(games: &Games, modules: impl Iterator<Item = &'a str>) -> String {
    let boards = format!("{BOARDS_BEGIN}{}", empty_boards(games));
    let page = allow_inlined(INDEX).replacen(&format!("{BOARDS_BEGIN}[]"), &boards, 1);
    let preloads: String =
        modules.map(|path| format!("<link rel=\"modulepreload\" href=\"{path}\">\n")).collect();
    let page = page.replacen("<noscript>", &format!("{preloads}<noscript>"), 1);
    INLINED.iter().fold(page, |page, Inlined { link, element, text, .. }| {
        page.replacen(link, &format!("<{element}>{}</{element}>", without_comments(text)), 1)
    })
}

/// Returns a Content-Security-Policy that allows what is inside of the page as well, by its checksum.
pub(super) fn allow_inlined(policy: &str) -> String {
    INLINED.iter().fold(policy.to_owned(), |policy, Inlined { directive, text, .. }| {
        let checksum = STANDARD.encode(Sha256::digest(without_comments(text)));
        policy.replacen(directive, &format!("{directive} 'sha256-{checksum}'"), 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::testing::games;

    #[test]
    fn files_are_inside_and_allowed() {
        let page = page(&games(), ["page/main.js"].into_iter());
        for Inlined { link, element, text, .. } in INLINED {
            assert!(INDEX.contains(link) && !page.contains(link), "{link}");
            assert!(page.contains(&without_comments(text)), "{link}");
            assert!(!text.contains(&format!("</{element}")), "{link}");
        }
        // The board is drawn before what is below it has arrived.
        assert!(page.find("boards\">") < page.find("id=\"state\""));
        assert!(page.contains("\"name\":\"row\"") && page.contains("href=\"page/main.js\""));
        let policy = page.split("Content-Security-Policy\" content=\"").nth(1);
        let policy = policy.and_then(|rest| rest.split('"').next()).expect("a policy");
        assert_eq!(policy.matches("'self' 'sha256-").count(), INLINED.len(), "{policy}");
    }

    #[test]
    fn lines_of_comments_are_left_out() {
        let text = "// One\n/** Two. */\nlet a; // Three\n  /*\n   * four\n   */\n/* five */ b;\n";
        assert_eq!(without_comments(text), "let a; // Three\n/* five */ b;\n");
    }
}
