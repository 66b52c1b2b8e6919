//! The downloads of learning platforms, as each of them hands out what it collected.

use std::fs;
use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::builds::{TestFolder, line, run, zipped};

/// A script that can be started, in a zip.
fn program() -> Vec<u8> {
    zipped(&[("run.sh", "#!/bin/sh\n")])
}

/// Files by their names.
type Files<'a> = Vec<(&'a str, Vec<u8>)>;

/// Prepares a download: these files as a folder, or as one zip, which must come to the same.
fn prepared(files: &Files<'_>, more: &[&str]) -> (TestFolder, String) {
    let folder = TestFolder::new();
    for (name, contents) in files {
        let path = folder.path("download").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, contents).expect("a file");
    }
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in files {
        zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(contents).expect("a file");
    }
    folder.write("submissions.zip", zip.finish().expect("a zip").into_inner());
    let prepare = |source: &str, out: &str| {
        let words = ["submissions", "prepare", source, "--out", out, "--jobs", "2"];
        run(&folder, &[&words[..], more].concat())
    };
    let (unpacked, zipped) = (prepare("download", "subs"), prepare("submissions.zip", "subs2"));
    assert_eq!(unpacked, zipped);
    assert!(!folder.path("subs2/.download").exists());
    (folder, unpacked)
}

/// The last line with a name: that of the table of what was taken.
#[track_caller]
fn taken<'a>(table: &'a str, name: &str) -> &'a str {
    line(table.split("\n\n").last().unwrap_or_default(), name)
}

#[test]
fn canvas_has_loose_files_numbers_and_late_marks() {
    let java = |text: &str| text.as_bytes().to_vec();
    let (folder, table) = prepared(
        &vec![
            ("doejane_12345_67890_maxconnect4.zip", zipped(&[("run.sh", "#!/bin/sh\nexit 1\n")])),
            ("doejane_LATE_12345_67891_maxconnect4-1.zip", program()),
            ("leeann_42345_678916_board-1.py", java("COLUMNS = 7\n")),
            ("leeann_42345_678918_maxconnect4-1.py", java("import board, sys\nsys.argv\n")),
            ("mu\u{308}llerjo\u{308}rg_32345_67893_hw 2 (1).zip", program()),
            ("roeric_22345_text.html", java("<p>sorry</p>")),
        ],
        &[],
    );
    assert!(taken(&table, "doejane").contains("2 of 2, late  maxconnect4.zip"), "{table}");
    assert!(taken(&table, "doejane").ends_with("maxconnect4.zip: attempt 1"), "{table}");
    assert!(taken(&table, "leeann").contains("board.py; maxconnect4.py"), "{table}");
    assert!(line(&table, "leeann").ends_with("ready"), "{table}");
    assert!(line(&table, "müllerjörg").ends_with("ready"), "{table}");
    assert!(line(&table, "roeric").ends_with("nothing handed in"), "{table}");
    assert_eq!(folder.read("subs/doejane/program/run.sh"), "#!/bin/sh\n");
    assert!(folder.path("subs/leeann/program/board.py").is_file());
    let handed_in = folder.read("subs/handed-in.csv");
    assert!(handed_in.contains("\ndoejane,,12345,,,"), "{handed_in}");
    assert!(handed_in.contains(",yes,2,2,maxconnect4.zip,maxconnect4.zip: attempt 1,ready\n"));
}

#[test]
fn blackboard_has_receipts_and_attempts() {
    let text = |text: &str| text.as_bytes().to_vec();
    let files = vec![
        ("HW 2_jdoe_attempt_2025-11-19-23-12-11.txt", text("Name: Jane Doe (jdoe)\n")),
        ("HW 2_jdoe_attempt_2025-11-19-23-12-11_p.zip", zipped(&[("run.sh", "#!/bin/sh\n:")])),
        ("HW 2_jdoe_attempt_2025-11-20-23-12-11.txt", text("Name: Jane Doe (jdoe)\n")),
        ("HW 2_jdoe_attempt_2025-11-20-23-12-11_p.zip", program()),
        ("HW 2_rroe_attempt_2025-11-19-23-12-11.txt", text("Name: Ric Roe (rroe)\nno files\n")),
    ];
    let (folder, table) = prepared(&files, &[]);
    assert!(table.contains("\n2 prepared now, 0 as before; 1 of 2 ready\n"), "{table}");
    assert!(taken(&table, "jdoe").contains("2 of 2   p.zip"), "{table}");
    assert!(line(&table, "rroe").ends_with("nothing handed in"), "{table}");
    let toml = folder.read("subs/jdoe/plyground.toml");
    assert!(toml.contains("submitted = \"2025-11-20T23:12:11\""), "{toml}");
    assert!(toml.contains("name = \"Jane Doe\"") && toml.contains("login = \"jdoe\""), "{toml}");
    let (folder, table) = prepared(&files, &["--attempt", "first"]);
    assert!(taken(&table, "jdoe").contains("1 of 2"), "{table}");
    assert_eq!(folder.read("subs/jdoe/program/run.sh"), "#!/bin/sh\n:");
    let (_, table) = prepared(&files, &["--attempt", "all"]);
    assert!(line(&table, "jdoe attempt 1").ends_with("ready"), "{table}");
    assert!(line(&table, "jdoe attempt 2").ends_with("ready"), "{table}");
}

#[test]
fn moodle_has_folders_or_none_and_texts() {
    let (_, table) = prepared(
        &vec![
            ("Jane Doe_1234567_assignsubmission_file_/p.zip", program()),
            ("Jane Doe_1234567_assignsubmission_onlinetext_/onlinetext.html", b"late".to_vec()),
            ("Jörg Müller_1234568_assignsubmission_file_/hw.zip", program()),
        ],
        &[],
    );
    assert!(table.contains("\n2 prepared now, 0 as before; 2 of 2 ready\n"), "{table}");
    assert!(taken(&table, "Jane Doe").ends_with("p.zip   1 receipt"), "{table}");
    let (_, table) = prepared(
        &vec![
            ("Jane Doe_1234567_assignsubmission_file_p.zip", program()),
            ("Jane Doe_1234999_assignsubmission_file_p.zip", program()),
        ],
        &[],
    );
    for name in ["Jane Doe 1234567", "Jane Doe 1234999"] {
        assert!(line(&table, name).ends_with("ready"), "{table}");
    }
}

#[test]
fn brightspace_and_gradescope_have_tables_beside_folders() {
    let (folder, table) = prepared(
        &vec![
            ("123456-789012 - Jane Doe - Nov 20, 2025 1159 PM/p.zip", program()),
            ("123456-789012 - Jane Doe - Nov 21, 2025 1 AM/p.zip", b"x".to_vec()),
            ("123457-789012 - Ric Roe - Nov 20, 2025 759 AM/p.zip", program()),
            ("index.html", b"<html>".to_vec()),
        ],
        &["--attempt", "first"],
    );
    assert!(line(&table, "Ric Roe").ends_with("ready"), "{table}");
    assert!(folder.read("subs/Ric Roe/plyground.toml").contains("2025-11-20T07:59:00"));
    let table = "---\nsubmission_1:\n  :submitters:\n  - :name: Jane Doe\n    :sid: '01'\n    \
        :email: jane@school.edu\n  :created_at: 2025-11-20 23:59:00.1 -06:00\n";
    let (folder, table) = prepared(
        &vec![
            ("assignment_7_export/submission_1/run.sh", b"#!/bin/sh\n".to_vec()),
            ("assignment_7_export/submission_2/run.sh", b"#!/bin/sh\n".to_vec()),
            ("assignment_7_export/submission_metadata.yml", table.as_bytes().to_vec()),
        ],
        &[],
    );
    assert!(line(&table, "Jane Doe").ends_with("ready"), "{table}");
    assert!(line(&table, "submission_2").ends_with("ready"), "{table}");
    let toml = folder.read("subs/Jane Doe/plyground.toml");
    for part in ["2025-11-20T23:59:00-06:00", "id = \"01\"", "email = \"jane@school.edu\""] {
        assert!(toml.contains(part), "{toml}");
    }
}

/// A student keeps the name, and with it the row in every table, when another file comes.
#[test]
fn student_keeps_the_name_and_who_is_gone_is_gone() {
    let folder = TestFolder::new();
    fs::create_dir(folder.path("zips")).expect("a folder");
    let prepare = |more: &[&str]| {
        let words = ["submissions", "prepare", "zips", "--out", "subs"];
        run(&folder, &[&words[..], more].concat())
    };
    folder.write("zips/doejane_103_2001_p.zip", zipped(&[("run.sh", "#!/bin/sh\nexit 1\n")]));
    folder.write("zips/roeric_104_2003_p.zip", program());
    prepare(&[]);
    folder.write("zips/doejane_103_2002_p-1.zip", program());
    fs::remove_file(folder.path("zips/roeric_104_2003_p.zip")).expect("a file");
    let table = prepare(&["--keep"]);
    assert!(!table.contains("removed") && folder.path("subs/roeric").exists(), "{table}");
    assert!(folder.read("subs/handed-in.csv").contains("\nroeric,"));
    let table = prepare(&[]);
    assert!(table.ends_with("removed, no longer in the download: roeric\n"), "{table}");
    assert!(!folder.path("subs/roeric").exists());
    assert_eq!(folder.read("subs/doejane/program/run.sh"), "#!/bin/sh\n");
    assert!(!folder.path("subs/doejane_103_2002_p-1").exists());
}

/// A zip of zips is a class, and the files of an attempt may be an archive and a report.
#[test]
fn plain_zip_of_archives_is_a_class() {
    let (folder, table) = prepared(
        &vec![("ann.zip", program()), ("bob.zip", program())],
        &["--program", "maxconnect4"],
    );
    assert!(table.ends_with("\n2 prepared now, 0 as before; 2 of 2 ready\n"), "{table}");
    folder.write("subs/ann/program/left", "");
    let (folder, table) = prepared(
        &vec![
            ("leeann_1_2_report.pdf", b"%PDF".to_vec()),
            ("leeann_1_3_p.zip", program()),
            ("leeann_1_4_q.zip", zipped(&[("notes.txt", "")])),
        ],
        &[],
    );
    assert!(line(&table, "leeann").ends_with("ready"), "{table}");
    assert!(folder.path("subs/leeann/program/p/run.sh").is_file());
}

/// A platform packs what each student has handed in; the fault of one concerns no other.
#[test]
fn student_at_fault_costs_no_other_the_download() {
    let name = |student: &str, file: &str| format!("{student}_assignsubmission_file_/{file}");
    let deep = format!("{}x.c", "a/".repeat(40));
    let [ann, bob] = ["Ann_1", "Bob_2"].map(|student| name(student, "p.zip"));
    let [carl, dora] = [name("Carl_3", &deep), name("Carl_3", "run.sh")];
    let zip = zipped(&[
        (ann.as_str(), program()),
        (&carl, Vec::new()),
        (&dora, b"#!/bin/sh\n".to_vec()),
        (&bob, program()),
    ]);
    let folder = TestFolder::new();
    folder.write("submissions.zip", zip);
    let words = ["submissions", "prepare", "submissions.zip", "--out", "subs"];
    let table = run(&folder, &words);
    assert!(table.contains("\n3 prepared now, 0 as before; 2 of 3 ready\n"), "{table}");
    let expected = "not unpacked: expected folders nested at most 32 deep, found more";
    let first = table.split("\n\n").next().unwrap_or_default();
    assert!(line(first, "Carl").ends_with(expected), "{table}");
    assert!(line(first, "Bob").ends_with("ready"), "{table}");
}

#[test]
fn damaged_table_is_named() {
    let folder = TestFolder::new();
    fs::create_dir_all(folder.path("zips/submission_1")).expect("a folder");
    folder.write("zips/submission_metadata.yml", "a: [");
    let words = ["submissions", "prepare", "zips", "--out", "subs"];
    let refused = crate::common::run::Run::of(&mut folder.command(words));
    refused.failure(2, "submission_metadata.yml: ");
}
