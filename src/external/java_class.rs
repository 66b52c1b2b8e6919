//! Java classes whose names are written in the wrong case.
//!
//! Assignments name the class in one way, their authors write it in another, and nobody notices
//! where the file system does not care.

use std::fs;
use std::path::{Path, PathBuf};

/// The options of `java` whose value is the next word: the class path.
const CLASS_PATH: [&str; 3] = ["-cp", "-classpath", "--class-path"];
/// Other options whose value is the next word.
const WITH_VALUE: [&str; 4] = ["-p", "--module-path", "--add-modules", "--add-opens"];
/// The options after which there is no name of a class.
const NO_CLASS: [&str; 3] = ["-jar", "-m", "--module"];

/// The words of a command, in which the main class of a `java` is the one that there is, if there
/// is none of exactly this name and a single one that differs in case.
pub(super) fn find_class(mut words: Vec<String>) -> Vec<String> {
    let found = main_class(&words).and_then(|(index, folders)| {
        let class = words.get(index)?;
        Some((index, other_case(class, &folders)?))
    });
    if let Some((index, class)) = found {
        words[index] = class;
    }
    words
}

/// The place of the main class among the words, and the folders in which it may be.
fn main_class(words: &[String]) -> Option<(usize, Vec<PathBuf>)> {
    if Path::new(words.first()?).file_stem()? != "java" {
        return None;
    }
    let mut folders = vec![PathBuf::from(".")];
    let mut index = 1;
    while let Some(word) = words.get(index).filter(|word| word.starts_with('-')) {
        if NO_CLASS.contains(&word.as_str()) {
            return None;
        }
        if CLASS_PATH.contains(&word.as_str()) {
            folders = std::env::split_paths(words.get(index + 1)?).collect();
        }
        let has_value = CLASS_PATH.iter().chain(&WITH_VALUE).any(|option| option == word);
        index += if has_value { 2 } else { 1 };
    }
    (index < words.len()).then_some((index, folders))
}

fn other_case(class: &str, folders: &[PathBuf]) -> Option<String> {
    let (package, name) =
        class.rsplit_once('.').map_or(("", class), |(package, name)| (package, name));
    let file = format!("{name}.class");
    let folders = folders.iter().map(|folder| folder.join(package.replace('.', "/")));
    let files = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let names: Vec<String> =
        files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    if names.contains(&file) {
        return None;
    }
    let mut alike = names.iter().filter(|name| name.eq_ignore_ascii_case(&file));
    let (Some(only), None) = (alike.next(), alike.next()) else { return None };
    let name = only.strip_suffix(".class")?;
    Some(if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(folder: &Path, command: &str) -> String {
        let command = command.replace('@', &folder.to_string_lossy());
        let words = find_class(command.split(' ').map(str::to_owned).collect());
        words.join(" ").replace(&*folder.to_string_lossy(), "@")
    }

    #[test]
    fn a_class_in_another_case_is_found() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("player"))?;
        for name in ["MaxConnect4.class", "player/Bob.class", "Twin.class", "tWin.class"] {
            fs::write(folder.path().join(name), "")?;
        }
        for (command, expected) in [
            ("java -cp @ maxconnect4 one-move", "java -cp @ MaxConnect4 one-move"),
            (
                "/bin/java -ea -Xmx1g -classpath nowhere:@ player.bob",
                "/bin/java -ea -Xmx1g -classpath nowhere:@ player.Bob",
            ),
        ] {
            assert_eq!(found(folder.path(), command), expected);
        }
        for command in [
            "java -cp @ MaxConnect4",
            "java -cp @ twin",
            "java -cp @ other",
            "java -jar maxconnect4",
            "java -cp",
            "java",
            "python -cp @ maxconnect4",
        ] {
            assert_eq!(found(folder.path(), command), command);
        }
        Ok(())
    }
}
