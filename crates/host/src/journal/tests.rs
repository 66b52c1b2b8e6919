//! Journals that are damaged, cut off and shared.

use std::error::Error;
use std::fs;

use super::*;

const WORK: &str = "work of these tests";

/// Every entry of these tests is a number below 1,000.
fn parse(line: &str) -> Option<u32> {
    line.parse().ok().filter(|&number| number < 1_000)
}

fn open(path: &Path) -> Result<OpenedJournal<u32>, JournalError> {
    Journal::open(path, WORK, parse)
}

/// A journal with these entries, closed.
fn journal(path: &Path, entries: impl IntoIterator<Item = u32>) -> Result<(), Box<dyn Error>> {
    let mut journal = open(path)?.journal;
    entries.into_iter().try_for_each(|entry| journal.add(&entry.to_string()))?;
    Ok(journal.close()?)
}

#[test]
fn entries_are_read_back() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal");
    journal(&path, [1, 2, 3])?;
    journal(&path, [4])?;
    let text = fs::read(&path)?;
    let opened = open(&path)?;
    assert_eq!((opened.entries, opened.loss), (vec![1, 2, 3, 4], None));
    opened.journal.close()?;
    assert_eq!(fs::read(&path)?, text, "a run that finds nothing adds nothing");
    Ok(())
}

#[test]
fn every_changed_character_is_named_by_its_line_and_not_believed() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal");
    journal(&path, [11, 22, 33])?;
    let text = fs::read_to_string(&path)?;
    for (at, old) in text.char_indices() {
        let line = 1 + text[..at].matches('\n').count();
        for new in ['1', '\n', ' ', 'é'].into_iter().filter(|&new| new != old) {
            let changed = format!("{}{new}{}", &text[..at], &text[at + 1..]);
            fs::write(&path, &changed)?;
            let opened = open(&path)?;
            let loss = opened.loss.expect("a loss");
            let is_named = loss.damaged.contains(&line) || loss.cut_off == Some(line);
            assert!(is_named, "{loss} in\n{changed}");
            let expected = [11, 22, 33].into_iter().enumerate();
            let joined = usize::from(old == '\n');
            let expected = expected.filter(|(i, _)| !(line..=line + joined).contains(&(i + 2)));
            assert_eq!(opened.entries, expected.map(|(_, n)| n).collect::<Vec<_>>(), "{changed}");
        }
    }
    Ok(())
}

#[test]
fn what_is_cut_off_at_any_length_is_there_or_missed() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal");
    journal(&path, [11, 22, 33])?;
    let text = fs::read_to_string(&path)?;
    for length in 0..text.len() {
        fs::write(&path, &text[..length])?;
        let opened = open(&path)?;
        let lines = text[..length].matches('\n').count();
        let entries = [11, 22, 33].into_iter().take(lines.saturating_sub(1));
        assert_eq!(opened.entries, entries.collect::<Vec<_>>());
        // Without a whole title nothing is said to be known at all.
        assert_eq!(opened.loss.is_some(), lines > 0, "{length}");
        drop(opened.journal);
        journal(&path, [44])?;
        assert_eq!(open(&path)?.entries.last(), Some(&44));
    }
    Ok(())
}

#[test]
fn lines_that_are_taken_out_are_missed() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal");
    journal(&path, [11, 22, 33])?;
    let text = fs::read_to_string(&path)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(&path, [lines[0], lines[2], lines[4]].concat())?;
    let opened = open(&path)?;
    assert_eq!((opened.entries, opened.loss.map(|loss| loss.missing)), (vec![22], Some(2)));
    Ok(())
}

#[test]
fn a_line_that_says_what_cannot_be_is_not_believed() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal");
    journal(&path, [1, 5_000, 3])?;
    let opened = open(&path)?;
    assert_eq!(opened.entries, [1, 3]);
    let loss = opened.loss.expect("a loss").to_string();
    assert!(loss.ends_with("journal: line 3 is damaged and not used"), "{loss}");
    Ok(())
}

#[test]
fn other_files_are_refused_and_left_alone() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal");
    let other = seal("", "other work", SEPARATOR) + "\n" + &seal("other work", "1", " ") + "\n";
    for text in ["notes", "my\nnotes\n", &other, &"long ".repeat(10_000)] {
        fs::write(&path, text)?;
        let error = open(&path).expect_err("another file");
        assert!(error.is_bad_input() && error.to_string().len() < 300, "{error}");
        assert_eq!(fs::read_to_string(&path)?, text);
    }
    Ok(())
}

#[test]
fn one_process_has_it_at_a_time() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal");
    let opened = open(&path)?;
    let error = open(&path).expect_err("a lock").to_string();
    assert!(error.ends_with("journal: another process is at work on it"), "{error}");
    opened.journal.remove()?;
    assert!(!path.exists());
    assert!(open(&path)?.entries.is_empty());
    Ok(())
}
