//! The facts about a Java source file that can be read from its text.

/// Returns the package of a Java source file, as its `package` line states it; empty if there is none.
#[must_use]
pub fn java_package(text: &str) -> String {
    let code = without_comments(text);
    let statement = code.split(';').next().unwrap_or_default();
    // Annotations may precede the word.
    let package = statement.split_whitespace().skip_while(|word| *word != "package").nth(1);
    let is_name = |name: &&str| {
        name.split('.').all(|part| {
            part.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
                && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        })
    };
    package.filter(is_name).unwrap_or_default().to_owned()
}

/// Returns the name of the public class of a Java source file, which must be that of the file.
#[must_use]
pub fn java_public_class(text: &str) -> Option<String> {
    let code = without_comments(text);
    let words: Vec<&str> = code.split_whitespace().collect();
    let at = words.windows(2).position(|pair| {
        pair[0] == "public" && ["class", "final", "abstract"].contains(&pair[1])
    })?;
    let name = words[at..].iter().skip_while(|word| **word != "class").nth(1)?;
    let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// Returns the code without comments. Slashes in string literals do not matter here.
fn without_comments(text: &str) -> String {
    let (mut code, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('/') {
        code.push_str(&rest[..at]);
        let end = match rest.as_bytes().get(at + 1) {
            Some(b'/') => rest[at..].find('\n').map(|length| at + length),
            Some(b'*') => rest[at + 2..].find("*/").map(|length| at + 2 + length + 2),
            _ => {
                code.push('/');
                Some(at + 1)
            }
        };
        let Some(end) = end else { return code };
        code.push(' ');
        rest = &rest[end..];
    }
    code + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_is_that_of_the_package_line() {
        for (text, package) in [
            ("/* package a; */ // package b;\npackage a.player ;\npublic class X {}", "a.player"),
            ("import java.util.*;\nclass X { /* package y; */ }", ""),
            ("\u{feff}package\n  edu.uta;\n", "edu.uta"),
            ("@A package p; class X {}", "p"),
            ("package a/b;", ""),
            ("", ""),
        ] {
            let text = text.trim_start_matches('\u{feff}');
            assert_eq!(java_package(text), package, "{text}");
        }
    }

    #[test]
    fn public_class_is_found() {
        let text = "// public class No\npublic final class Yes{ }";
        assert_eq!(java_public_class(text).as_deref(), Some("Yes"));
        assert_eq!(java_public_class("class No {}"), None);
    }
}
