//! The detection of the commands that build and start a submission, from the files of the
//! submission.

use std::cell::LazyCell;
use std::io;
use std::path::{Path, PathBuf};

use crate::submissions::building::{NOT_INCLUDED, by_language, cargo_build, inclusions};
use crate::submissions::claim::{
    Claim, MOST_FOLDERS, class, has_words, imports, is_helper, is_whole, leads_to,
    program_not_built, strange,
};
use crate::submissions::file_kind::{CARGO, CMAKE, Language, MAKEFILES, other_language};
use crate::submissions::files::{Place, SourceReader};
use crate::submissions::java::java_player;
use crate::submissions::recipe::{
    Override, Recipe, Submission, built_start, doubt, path_from, shipped_start, start_script, word,
};

/// Returns the recipe of a submission. The overrides of a person take precedence over the files.
pub(crate) fn recipe(submission: Submission<'_>, said: &Override) -> io::Result<Option<Recipe>> {
    let folder = said.folder.as_deref();
    let found = match java_player(submission, folder).or_else(|| program(submission, folder)) {
        Some(found) => Some(found),
        None if folder.is_none() => shipped_start(submission)?,
        None => None,
    };
    if said.start.is_none() && said.build.is_none() {
        return Ok(found);
    }
    let own_folder = folder.unwrap_or(Path::new(""));
    let mut recipe =
        found.unwrap_or_else(|| Recipe { folder: own_folder.to_owned(), ..Recipe::default() });
    // A person who gives a command has chosen the program, and sees to its modules.
    (recipe.doubt, recipe.modules) = (String::new(), Vec::new());
    if let Some(build) = said.build.clone() {
        // The root of the package of a class is above the folder in which a person builds it.
        let below = folder.filter(|_| said.start.is_none());
        let below = below.map(|folder| path_from(&recipe.folder, folder));
        recipe.build = in_folder(below.as_deref(), build);
        // A person who gives the build command also provides its tools.
        (recipe.other_builds, recipe.tools) = (Vec::new(), Vec::new());
    }
    if said.start.is_some() {
        (recipe.start, recipe.is_player) = (said.start.clone(), false);
        // The start command of a person is for the folder that the person gives.
        recipe.folder = folder.map_or(recipe.folder, Path::to_owned);
    }
    Ok(Some(recipe))
}

/// Returns the recipe of the program in `folder`; without it, of the program in the nearest folder that has
/// one, or of another that has a better claim.
fn program(submission: Submission<'_>, folder: Option<&Path>) -> Option<Recipe> {
    let folders = folder.map_or_else(|| submission.folders(), |folder| vec![folder]);
    let found = |folder: &&Path| recipe_in(submission, folder);
    let nearest = folders.iter().enumerate().find_map(|(at, folder)| Some((at, found(folder)?)))?;
    // The texts of other programs do not use up the limits of the texts of the program.
    let claims = Submission { sources: &SourceReader::default(), ..submission };
    let near = folders[nearest.0];
    let own = Claim::of(claims, near);
    let preferred = preferred(submission, claims, &folders, (nearest.0, own));
    let (at, claim, recipe) = preferred.unwrap_or((nearest.0, own, nearest.1));
    let has_none = folder.is_none()
        && claim == Claim::Place
        && has_words(claims, folders[at], &[]) == Some(false);
    let is_helper = has_none && is_helper(claims, folders[at]);
    // Words and arguments may be in the texts that are not read.
    if is_helper && program_not_built(claims).is_some() && !claims.sources.is_used_up() {
        return None;
    }
    // Words are a weaker sign than a name, so a person should know of the nearer program.
    let near = Some(near).filter(|near| *near != folders[at] && claim < Claim::Name);
    let level = |folder| {
        let Place { is_beside, depth, .. } = Place::inside(folder);
        (is_beside, depth)
    };
    let others = folders[at + 1..].iter().take_while(|folder| level(folder) == level(folders[at]));
    let is_as_good = |folder: &&&Path| Claim::of(claims, folder) == claim;
    let others = others.filter(is_as_good).take(MOST_FOLDERS);
    let others = others.copied().filter(|folder| has_program(submission, folder));
    let all: Vec<&Path> = [folders[at]].into_iter().chain(near).chain(others).collect();
    // A program in the same folder is the nearer doubt.
    let mut doubts = [recipe.doubt, doubt(&all, "folders with programs", "`folder`")].into_iter();
    let doubt = doubts.find(|doubt| !doubt.is_empty());
    let strange = has_none.then(|| strange(submission));
    let class = folder.is_none().then(|| class(claims)).flatten();
    let doubt = class.into_iter().chain(strange).chain(doubt).collect::<Vec<_>>().join("; ");
    Some(Recipe { doubt, ..recipe })
}

/// Returns the nearest folder whose program has a better claim than the program in the folder `nearest`, which has
/// the claim `own`; with its claim and its recipe. A student's collection of homework has other programs, which may be
/// nearer. `claims` reads the texts that decide.
fn preferred(
    submission: Submission<'_>,
    claims: Submission<'_>,
    folders: &[&Path],
    (nearest, own): (usize, Claim),
) -> Option<(usize, Claim, Recipe)> {
    let folder = folders[nearest];
    if own == Claim::Name {
        return None;
    }
    let is_beside = |folder: &Path| Place::inside(folder).is_beside;
    let beyond = folders.iter().enumerate().skip(nearest + 1);
    let beyond = beyond.filter(|(_, other)| is_beside(other) == is_beside(folder));
    let claimants = beyond.map(|(at, other)| (at, Claim::of(claims, other)));
    let claimants = claimants.filter(|&(_, claim)| claim > own).take(MOST_FOLDERS);
    // These are found once, because a stranger chose the number of the folders.
    let is_whole = LazyCell::new(|| is_whole(claims, folder));
    let imports = LazyCell::new(|| imports(claims, folder));
    let is_part = |&(at, claim): &(usize, Claim)| {
        let is_below = folders[at].starts_with(folder);
        is_below && (*is_whole || claim < Claim::Name && leads_to(&imports, folder, folders[at]))
    };
    let better: Vec<(usize, Claim)> = claimants.filter(|claimant| !is_part(claimant)).collect();
    let recipe_of = |claim: Claim| {
        let those = better.iter().filter(|it| it.1 == claim);
        those.map(|it| it.0).find_map(|at| Some((at, claim, recipe_in(submission, folders[at])?)))
    };
    if claims.sources.is_used_up() {
        return None;
    }
    recipe_of(Claim::Name).or_else(|| {
        // The words may be in another part of the nearer program.
        let others: Vec<&Path> = better.iter().map(|&(at, _)| folders[at]).collect();
        let is_in_part = has_words(claims, folder, &others) == Some(true);
        if is_in_part { None } else { recipe_of(Claim::Words) }
    })
}

/// Returns the folder and the start command of a submission after its build, if the recipe has no start
/// command.
pub(crate) fn start_of_built(
    submission: Submission<'_>,
    recipe: &Recipe,
) -> io::Result<Option<(PathBuf, String)>> {
    if let Some(start) = &recipe.start {
        return Ok(Some((recipe.folder.clone(), start.clone())));
    }
    if let Some(found) = built_start(submission, &recipe.folder)? {
        return Ok(Some(found));
    }
    let found = by_language(submission, &recipe.folder, true);
    Ok(found.and_then(|found| Some((found.folder, found.start?))))
}

/// The tool whose file in a folder says how to build.
#[derive(Clone, Copy)]
enum BuildTool {
    Make,
    CMake,
    Cargo,
}

impl BuildTool {
    /// Returns the tool of the program in a folder, if it has the file of one.
    fn of(submission: Submission<'_>, folder: &Path) -> Option<BuildTool> {
        let has = |name: &str| submission.in_folder(folder).any(|file| file.ends_with(name));
        if MAKEFILES.iter().any(|name| has(name)) {
            return Some(BuildTool::Make);
        }
        if has(CMAKE) && !is_for_another(submission, folder) {
            return Some(BuildTool::CMake);
        }
        has(CARGO).then_some(BuildTool::Cargo)
    }
}

/// Returns true if [`recipe_in`] finds a program in this folder, in less time than a recipe takes.
fn has_program(submission: Submission<'_>, folder: &Path) -> bool {
    BuildTool::of(submission, folder).is_some()
        || start_script(submission, folder).is_some()
        || Language::ALL.into_iter().any(|it| !submission.entries(folder, it).is_empty())
}

/// Returns the recipe of the program in this folder, if there is a program.
fn recipe_in(submission: Submission<'_>, folder: &Path) -> Option<Recipe> {
    let mut script = start_script(submission, folder);
    let built = match BuildTool::of(submission, folder) {
        Some(BuildTool::Make) => {
            let others = without_tool(submission, folder);
            Some(built_by(submission, folder, "make", "make", others))
        }
        Some(BuildTool::CMake) => {
            let build = "cmake -S . -B build && cmake --build build";
            // Without its cache, `cmake` begins again. The folder may have sources of the student's own.
            let with_headers = format!(
                "rm -f build/CMakeCache.txt && CFLAGS='{}' CXXFLAGS='{}' && \
             export CFLAGS CXXFLAGS && {build}",
                inclusions(Language::C),
                inclusions(Language::Cpp)
            );
            let mut others = vec![(with_headers, NOT_INCLUDED)];
            others.extend(without_tool(submission, folder));
            Some(built_by(submission, folder, "cmake", build, others))
        }
        Some(BuildTool::Cargo) => {
            let build = cargo_build(submission, folder);
            Some(built_by(submission, folder, "cargo", &build, Vec::new()))
        }
        None => {
            let plain = by_language(submission, folder, false);
            // A script that passes no arguments on demonstrates the program with fixed ones.
            script = script.filter(|script| plain.is_none() || script.takes_arguments);
            plain
        }
    };
    match (script.map(|script| script.start), built) {
        (Some(start), Some(built)) => {
            // The script starts in this folder, but the program is built in its own.
            let below = path_from(folder, &built.folder);
            let build = in_folder(Some(&below), built.build);
            // What a makefile fails to make, the script starts, if it is classes.
            let is_java = built.language == Language::Java.name();
            let others = built.other_builds.into_iter().filter(|_| is_java);
            let in_own = |(build, doubt)| (in_folder(Some(&below), build), doubt);
            let other_builds = others.map(in_own).collect();
            // The script says what starts, and where its modules are.
            let (modules, doubt) = (Vec::new(), String::new());
            let (folder, start) = (folder.to_owned(), Some(start));
            Some(Recipe { folder, build, other_builds, start, modules, doubt, ..built })
        }
        (Some(start), None) => Some(Recipe {
            language: "script".to_owned(),
            folder: folder.to_owned(),
            doubt: not_built_for(submission, folder, &start),
            start: Some(start),
            ..Recipe::default()
        }),
        (None, built) => built,
    }
}

/// Returns the command of a build that runs in this folder, as seen from that of the recipe.
fn in_folder(folder: Option<&Path>, build: String) -> String {
    match folder {
        Some(folder) if !folder.as_os_str().is_empty() && !build.is_empty() => {
            format!("cd {} && {build}", word(folder))
        }
        _ => build,
    }
}

/// Returns the builds without `make` or `cmake` of the program in a folder. Their files may also build tests, need
/// files or tools that only their author has, or make nothing if no target is named.
fn without_tool(submission: Submission<'_>, folder: &Path) -> Vec<(String, &'static str)> {
    let plain = by_language(submission, folder, false).filter(|plain| plain.folder == folder);
    let builds = plain.map(|plain| [(plain.build, "")].into_iter().chain(plain.other_builds));
    builds.into_iter().flatten().collect()
}

/// Returns the doubt about a script `start` that may start a program in a language that is not built here.
fn not_built_for(submission: Submission<'_>, folder: &Path, start: &str) -> String {
    let mut files = submission.files.iter().filter(|file| file.starts_with(folder));
    let language = files.find_map(|file| other_language(file));
    language.map_or_else(String::new, |language| {
        format!(
            "`{start}` may start a program in {language}, which is not built here by itself: give `build` in \
             --override if it must be built"
        )
    })
}

/// Returns true if the CMake file in a folder is for another program: a source file beside it has
/// the name of the requested program, which the CMake file does not mention.
fn is_for_another(submission: Submission<'_>, folder: &Path) -> bool {
    let mut sources = submission
        .in_folder(folder)
        .filter(|file| Language::of(file).is_some() && submission.is_called_program(file));
    let text = submission.text(&folder.join(CMAKE)).to_lowercase();
    let named = submission.program.to_lowercase();
    sources.next().is_some() && !text.contains(&named) && !text.contains("glob")
}

/// Returns the recipe of a submission with a build tool of its own.
fn built_by(
    submission: Submission<'_>,
    folder: &Path,
    tool: &'static str,
    build: &str,
    other_builds: Vec<(String, &'static str)>,
) -> Recipe {
    let below = submission.files.iter().filter(|file| file.starts_with(folder));
    let language = below.filter_map(|file| Language::of(file)).min();
    Recipe {
        language: language.map_or_else(String::new, |language| language.name().to_owned()),
        folder: folder.to_owned(),
        build: build.to_owned(),
        other_builds,
        tools: vec![tool],
        ..Recipe::default()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fixtures;
    use crate::submissions::files::{MOST_FILES, plain_files};
    use crate::submissions::recipe::LONGEST_README;

    const JAVA: &str = "public static void main(String[] a) {}";
    const CPP: &str = "int main() {}";

    fn found(tree: &[(&str, &str)]) -> Option<Recipe> {
        found_for("maxconnect4", tree, &Override::default())
    }

    #[track_caller]
    fn recipe_of(tree: &[(&str, &str)]) -> Recipe {
        found(tree).expect("a recipe")
    }

    #[track_caller]
    fn network(tree: &[(&str, &str)]) -> Recipe {
        found_for("network", tree, &Override::default()).expect("a recipe")
    }

    fn found_for(program: &str, tree: &[(&str, &str)], said: &Override) -> Option<Recipe> {
        let folder = fixtures::folder(tree);
        let (root, sources) = (folder.path(), &SourceReader::default());
        let files = &plain_files(root).expect("files");
        recipe(Submission { root, files, program, sources }, said).expect("readable files")
    }

    /// Returns a doubt about the choice among several programs alone.
    fn choice(doubt: &str) -> String {
        let mut doubts = doubt.split("; ").filter(|doubt| doubt.starts_with("found"));
        doubts.next().unwrap_or_default().to_owned()
    }

    #[test]
    fn program_without_a_word_of_the_assignment_is_doubted() {
        let doubt = |text: &str| {
            let tree = [("a/b.py", text), ("README", "homework")];
            recipe_of(&tree).doubt
        };
        let strange = "the program has none of the words `maxconnect4`, `one-move` and `bestmove`: is it for \
                       another assignment?";
        assert_eq!(doubt("import sys\nsys.argv\n"), strange);
        assert!(doubt("import sys\nbestMove = sys.argv\n").contains("none of the words"));
        for word in ["maxConnect4", "Max Connect-4", "one-move", "bestmove"] {
            assert_eq!(doubt(&format!("import sys\nsys.argv\nprint('{word}')\n")), "", "{word}");
        }
    }

    #[test]
    fn class_in_one_submission_is_doubted() {
        let doubt_with = |text: &str, files: &[&str]| {
            let tree: Vec<_> = files.iter().map(|file| (*file, text)).collect();
            let doubt = found(&tree).map(|it| it.doubt).unwrap_or_default();
            doubt.split("; ").next().filter(|it| it.contains("class")).map(str::to_owned)
        };
        let doubt = |files: &[&str]| doubt_with("import sys\nsys.argv\n", files);
        let class =
            ["ann/maxconnect4.py", "bob/src/maxconnect4.py", "carl/maxConnect4.py", "list.csv"];
        let expected = "3 folders in it have a program of the assignment each (ann, bob, carl): if it is a class, \
                        unpack it and name its folder";
        assert_eq!(doubt(&class).as_deref(), Some(expected));
        // One student: too few programs, a program beside the folders, and a collection of homework.
        assert_eq!(doubt(&class[..2]), None);
        for beside in ["README.md", "Makefile", "play.py"] {
            assert_eq!(doubt(&[&class[..], &[beside]].concat()), None, "{beside}");
        }
        assert_eq!(doubt(&["hw1/route.py", "hw2/maxconnect4.py", "hw3/bayes.py"]), None);
        // The program may be in an archive.
        let assigned = "import sys\nif sys.argv[1] == 'one-move': play()\n";
        for [one, other] in [
            ["Ann Lee/hw2.zip", "Bob Ray/play.py"],
            ["Lee, Ann - s42/a/p.py", "O'Ray, Bob - s43/hw2.tar.gz"],
            ["HW2/Lee, Ann(alee)/In/hw2.zip", "HW2/Ray, Bob(bray)/In/hw2.zip"],
            ["x/Revision 1 - On Time/p.py", "x/Revision 2 - Late/p.py"],
            ["Ann Lee - hw2.zip", "Bob Ray - play.py"],
            ["a@x.edu_1_p.zip", "b@x.edu_1_p.zip"],
        ] {
            let files = [one, other, "play.py", "README"];
            let found = doubt_with(assigned, &files).unwrap_or_default();
            let expected = "2 names in it look like those of students";
            assert!(found.starts_with(expected), "{one} {found}");
        }
        for [one, other] in [
            ["Source Files/play.py", "Header Files/board.h"],
            ["Game Board.py", "Min Max.py"],
            ["Ann Lee/hw2.zip", "Bob Ray/notes.txt"],
            ["Ann Lee/hw2.zip", "x/Bob Ray/hw2.zip"],
            ["part1/hw2.zip", "part2/hw2.zip"],
            ["Source Code/a.py", "Old Code/b.py"],
            ["Final Project/hw2.zip", "Test Copy/hw2.zip"],
        ] {
            assert_eq!(doubt_with(assigned, &[one, other, "play.py"]), None, "{one}");
        }
        assert_eq!(doubt(&["Search Strategies/play.py", "Wumpus World/play.py", "a.py"]), None);
    }

    #[track_caller]
    fn check(tree: &[(&str, &str)], folder: &str, build: &str, start: &str) {
        let recipe = recipe_of(tree);
        assert_eq!(recipe.folder, Path::new(folder));
        assert!(recipe.build.contains(build), "{recipe:?}");
        assert_eq!(recipe.start.as_deref().unwrap_or_default(), start, "{recipe:?}");
    }

    /// A sandbox shows the paths that a command names, and `:` separates such paths.
    #[test]
    fn folder_that_names_a_path_of_the_host_leads_nowhere() {
        for name in [":/etc/Makefile", ":/etc/main.py", "a=/etc/CMakeLists.txt", "{start}/main.py"]
        {
            let tree = [(name, "all:\n"), ("readme.txt", "")];
            assert_eq!(found(&tree), None, "{name}");
        }
    }

    #[test]
    fn languages_are_told_from_their_files() {
        let tree = [("Board.java", ""), ("maxConnect4.java", JAVA), ("Test.java", JAVA)];
        check(&tree, "", " -d . ./maxConnect4.java || javac ", "java -cp . maxConnect4");
        let start = "java -cp . edu.uta.Play";
        let tree = [("src/edu/uta/Play.java", &*format!("package edu.uta;\n{JAVA}"))];
        check(&tree, "src", "-sourcepath . -d . ./edu/uta/Play.java || javac ", start);
        let tree = [("Play.java", &*format!("package edu.uta;\n{JAVA}"))];
        check(&tree, "", "./*.java", start);
        let tree = [("main.cpp", CPP), ("board.cpp", ""), ("test.cpp", CPP)];
        let build = "-o plyground-program ./board.cpp ./main.cpp -lm -pthread || g++ ";
        check(&tree, "", build, "./plyground-program");
        check(&[("a.c", CPP)], "", "gcc -o", "./plyground-program");
        check(&[("src/a b.py", "play()")], "src", "py_compile", "python3 './a b.py'");
        check(&[("x.js", "play()"), ("main.js", "play()")], "", "", "node ./main.js");
        // A module of definitions does nothing by itself.
        let reads = "import argparse\nargs = argparse.ArgumentParser().parse_args()\n";
        let tree = [("maxConnect4.py", "class Game: pass\n"), ("play.py", reads)];
        check(&tree, "", "py_compile", "python3 ./play.py");
    }

    /// A student's collection of homework has other programs.
    #[test]
    fn program_of_the_assignment_is_found_in_a_collection() {
        let start = |tree: &[(&str, &str)]| {
            let recipe = recipe_of(tree);
            (recipe.folder, recipe.start.unwrap_or_default(), choice(&recipe.doubt))
        };
        let [search, main] = ["import sys\nsys.argv\n", "print('__main__')\n"];
        let ours = |folder: &str, start: &str| (PathBuf::from(folder), start.into(), String::new());
        for (place, folder, file) in [
            ("maxconnect4/maxconnect4.py", "maxconnect4", "maxconnect4.py"),
            ("hw/part2/Max_Connect-4.py", "hw/part2", "Max_Connect-4.py"),
            ("HW2 max connect-4/code/play.py", "HW2 max connect-4/code", "play.py"),
        ] {
            let expected = ours(folder, &format!("python3 {}", word(Path::new(file))));
            for other in ["find_route.py", "A star/find_route.py", "a/Makefile", "a/b/run.sh"] {
                let tree = [(place, main), (other, search), ("readme.md", "python find_route.py")];
                let tree = if other == "find_route.py" { &tree[..2] } else { &tree };
                assert_eq!(start(tree), expected, "{other}");
            }
        }
        // Words of the assignment, or a part of its name, count for more than a nearer place.
        let mode = "import sys\nif sys.argv[1] == 'one-move': pass\n";
        for (file, text) in
            [("play.py", mode), ("connect4.py", search), ("maxconnect4_v2.py", search)]
        {
            let place = format!("hw2/game/{file}");
            for other in ["hw1/find_route.py", "find_route.py", "hw1/Makefile", "a/b/run.sh"] {
                let (folder, command, doubt) = start(&[(&*place, text), (other, search)]);
                assert_eq!(command, format!("python3 ./{file}"), "{other}");
                assert_eq!(folder, Path::new("hw2/game"));
                assert!(doubt.starts_with("found 2 folders with programs, took hw2/game, not"));
            }
        }
        let readme = ("hw2/game/README.md", "Usage: play.py one-move IN OUT DEPTH");
        let tree = [("hw2/game/play.py", search), readme, ("hw1/find_route.py", search)];
        assert_eq!(start(&tree).0, Path::new("hw2/game"));
        let tree =
            [("hw1/a.py", search), ("hw2/b/connect.py", search), ("hw2/neural/x.py", search)];
        assert_eq!(start(&tree).0, Path::new("hw1"));
        let tree =
            [("main.py", "from game import cli\nimport sys\nsys.argv\n"), ("game/cli.py", mode)];
        assert_eq!(start(&tree), ours("", "python3 ./main.py"));
        // A program of another language beside it imports nothing, and a comment is no import.
        let tree = [tree[0], tree[1], ("Bench.java", JAVA)];
        assert_eq!(start(&tree).0, Path::new(""));
        let route = ("find_route.py", "# a route in the graph of the game\nimport sys\nsys.argv\n");
        assert_eq!(start(&[route, ("game/cli.py", mode)]).0, Path::new("game"));
        // The mode may be in a part of the program, and a tool of the student may start the program.
        let parsing = ("args.py", "MODE = 'one-move'\n");
        let imports = ("main.py", "from args import MODE\nimport sys\nsys.argv\n");
        assert_eq!(start(&[imports, parsing, ("tools/bench.py", mode)]).0, Path::new(""));
        let arguments = ("src/code/arguments.py", mode);
        let imports = "import sys\nfrom code import arguments\nsys.argv\n";
        let tree = [("src/main.py", imports), arguments, ("tools/rank.py", mode)];
        assert_eq!(start(&tree).0, Path::new("src"));
        // These begin elsewhere, although a part of them has the name.
        let part = ("game/maxconnect4.py", main);
        let imports = "import game.maxconnect4\nimport sys\nsys.argv\n";
        let agent = ("agent.py", search);
        for (tree, file) in [
            (&[part, ("main.py", imports)][..], "main.py"),
            (&[part, agent, ("readme.txt", "Start: python agent.py")], "agent.py"),
            (&[("old/maxconnect4.py", main), agent], "agent.py"),
            (&[("connect4/maxconnect4.py", ""), agent], "agent.py"),
        ] {
            assert_eq!(start(tree), ours("", &format!("python3 ./{file}")));
        }
        let tree = [("Makefile", "all:\n\tg++ src/*.cpp\n"), ("src/maxconnect4.cpp", CPP)];
        assert_eq!(start(&tree), ours("", ""));
    }

    #[test]
    fn helper_beside_a_program_that_is_not_built_is_not_started() {
        let sharp = ("maxconnect4.cs", "class A { static void Main() {} }");
        let words = ("Program.cs", "if (args[0] == \"one-move\") {}");
        let notebook = ("maxconnect4.ipynb", "{}");
        let plot = ("plot.py", "print('depth')\n");
        let go = ("main.go", "func main() { MaxConnect4() }");
        let none = |tree: &[(&str, &str)]| found(tree).is_none();
        assert!(none(&[sharp, plot]) && none(&[words, plot]) && none(&[notebook, plot]));
        assert!(none(&[go, ("web/app.js", "document.x = 1")]));
        for program in [
            ("plot.py", "import sys\nsys.argv\n"),
            ("plot.py", "print('one-move')\n"),
            ("maxconnect4.py", "play()\n"),
            ("run.sh", "dotnet run"),
        ] {
            assert!(!none(&[sharp, program]), "{program:?}");
        }
        assert!(!none(&[sharp, plot, ("run.sh", "dotnet run")]));
        assert!(!none(&[sharp, plot, ("readme.txt", "python plot.py")]));
        assert!(!none(&[("stats.cs", "class A {}"), plot]));
        // Another script of the program reads the arguments.
        let run = ("main.py", "from game import run\nrun()\n");
        for file in ["game.py", "game/moves.py"] {
            let game = (file, "import sys\ndef run():\n    print(sys.argv)\n");
            assert!(!none(&[notebook, run, game]), "{file}");
        }
        assert!(none(&[notebook, run, ("game.py", "def run():\n    pass\n")]));
        for name in ["tailwind.config.js", "jquery.min.js", "Gruntfile.js", ".eslintrc.js"] {
            assert!(none(&[(name, "process.argv")]), "{name}");
        }
        assert!(!none(&[("maxConnect4.min.js", "process.argv")]));
    }

    /// The words may be in a script behind the limit.
    #[test]
    fn script_among_too_many_is_no_helper() {
        let others = (0..MOST_FILES).map(|number| (format!("a/{number}.py"), ""));
        let tree: Vec<_> = others.collect();
        let mut tree: Vec<_> = tree.iter().map(|(name, text)| (&**name, *text)).collect();
        tree.extend([("maxconnect4.ipynb", "{}"), ("plot.py", "print('depth')\n")]);
        assert!(found(&tree).is_some());
    }

    #[test]
    fn python_is_judged_by_all_that_it_imports() {
        let board = ("board.py", "print('x')\nimport main\n");
        let inner = ("game/rules.py", "from . import moves\nfrom .. import up\n");
        let tree = [
            ("main.py", "import board, numpy\nfrom game.rules import x\nimport sys; sys.argv\n"),
            board,
            ("game/__init__.py", ""),
            inner,
            ("game/moves.py", ""),
            ("unused.py", "def (:"),
        ];
        let all = "./main.py ./board.py ./game/__init__.py ./game/rules.py ./game/moves.py";
        check(&tree, "", &format!("py_compile {all}"), "python3 ./main.py");
        let guarded = "try:\n    import board\nexcept E: pass";
        for (main, other, is_new) in [
            ("import board", ("board.py", "print 'x'"), false),
            ("import board", ("board.py", "import Queue"), false),
            ("from game import moves", ("game/moves.py", "print 'x'"), false),
            (guarded, ("board.py", "print 'x'"), true),
            ("import Queue", ("Queue.py", ""), true),
        ] {
            let build = recipe_of(&[("main.py", main), other]).build;
            let words = if is_new { "python3 -m py_compile" } else { "python3" };
            assert_eq!(build.contains(words), is_new, "{main} {build}");
        }
    }

    #[test]
    fn builds_are_tried_without_the_tools_of_their_authors() {
        let others = |tree: &[(&str, &str)]| {
            let builds = recipe_of(tree).other_builds.into_iter().map(|(build, _)| build);
            builds.collect::<Vec<_>>().join("\n")
        };
        let main = "#include \"board.h\"\nint main() {}";
        let tree = [
            ("app/main.cpp", main),
            ("inc/board.h", "#include \"deep/move.h\"\n"),
            ("inc/deep/move.h", ""),
            ("src/board.cpp", "#include \"board.h\"\n"),
            ("src/move.cc", ""),
            ("src/other.cpp", CPP),
            ("tests/board.cpp", ""),
        ];
        let parts =
            "-I./../inc -o plyground-program ./../src/board.cpp ./../src/move.cc ./main.cpp ";
        let found_builds = others(&tree);
        assert!(found_builds.contains(parts), "{found_builds}");
        assert!(found_builds.starts_with("g++ -std=gnu++20 -o"), "{found_builds}");
        assert!(!others(&[("main.cpp", main), ("board.h", "")]).contains("-I"));
        let make = ("Makefile", "");
        for (tree, part) in [
            (&[make, ("main.cpp", CPP)][..], "-o plyground-program"),
            (&[("CMakeLists.txt", ""), ("main.cpp", CPP)], "-o plyground-program"),
            (&[make, ("main.c", CPP)], "-o plyground-program"),
            (&[make, ("play.py", "play()")], "py_compile ./play.py"),
            (&[make, ("run.sh", "java Play $@"), ("Play.java", JAVA)], "javac"),
        ] {
            assert!(others(tree).contains(part), "{tree:?}");
        }
        assert_eq!(others(&[make, ("run.sh", "a.out"), ("main.c", CPP)]), "");
        let tree = [
            ("src/run.sh", "cd .. && python3 -m src.main $@"),
            ("src/main.py", "from src.rules import x\nplay()\n"),
            ("src/rules.py", ""),
        ];
        let recipe = recipe_of(&tree);
        assert!(recipe.build.starts_with("cd ./.. && "), "{}", recipe.build);
        let java = "import org.x.Y; public class Play { public static void main(String[] a) {} }";
        let tree = [("src/Play.java", java), ("lib/x.jar", ""), ("src/own/y.jar", "")];
        let recipe = recipe_of(&tree);
        assert!(recipe.build.starts_with("cp ./../lib/x.jar . && javac"), "{}", recipe.build);
        assert_eq!(recipe.start.as_deref(), Some("java -cp '*:own/*:.' Play"));
    }

    #[test]
    fn python_in_a_package_starts_above_it() {
        let named = ("src/main.py", "from src.rules import x\nimport sys; sys.argv\n");
        let relative = ("a/maxconnect4/__main__.py", "from .rules import x\nplay()\n");
        let both = ("part/main.py", "import utils\nimport board\nplay()\n");
        let [beside, rules] = ["src/rules.py", "rules.py"].map(|file| (file, ""));
        let (plain, main) = ("import rules\nplay()\n", "python3 ./main.py");
        for (tree, folder, start) in [
            (&[named, beside, ("src/__init__.py", "")][..], "", "python3 -m src.main"),
            (&[relative, ("a/maxconnect4/rules.py", "")], "a", "python3 -m maxconnect4.__main__"),
            (&[("src/main.py", plain), beside, rules], "src", main),
            // A module beside the script goes before those above, and no name above is searched for.
            (&[both, ("part/board.py", ""), ("utils.py", "")], "part", main),
            (&[("code/main.py", "import queue\nplay()\n"), ("queue.py", "")], "code", main),
            (&[("a b/main.py", plain), rules], "a b", main),
        ] {
            check(tree, folder, "py_compile", start);
        }
    }

    #[test]
    fn script_of_a_program_in_another_language_is_doubted() {
        let doubt = |tree: &[(&str, &str)]| recipe_of(tree).doubt;
        let said = doubt(&[("run.sh", "./a"), ("src/Game.cs", "class Game {}")]);
        assert!(said.contains("`sh ./run.sh` may start a program in C#"), "{said}");
        assert!(!doubt(&[("run.sh", "./a"), ("a.txt", "")]).contains("may start"));
    }

    #[test]
    fn what_builds_itself_comes_before_sources() {
        check(&[("Makefile", ""), ("main.cpp", CPP)], "", "make", "");
        check(&[("code/CMakeLists.txt", ""), ("code/src/main.cpp", CPP)], "code", "cmake -S", "");
        check(&[("Cargo.toml", ""), ("src/main.rs", "fn main() {}")], "", "cargo build", "");
        for arguments in ["$@", "\"$1\" \"$2\"", "${*}"] {
            let run = format!("java Play {arguments}");
            let tree = [("run.sh", &*run), ("Play.java", JAVA)];
            check(&tree, "", "javac", "sh ./run.sh");
        }
        let tree = [("run.sh", "java Play one-move in.txt"), ("Play.java", JAVA)];
        check(&tree, "", "javac", "java -cp . Play");
        let tree = [("play", "#!/usr/bin/env python3\nplay()\n"), ("rules.py", "play()")];
        check(&tree, "", "py_compile", "./play");
        let tree = [("Makefile", ""), ("run", "#!/bin/sh\n")];
        check(&tree, "", "make", "./run");
    }

    #[test]
    fn configuration_of_another_computer_is_not_obeyed() {
        let tree = |config: &'static str| {
            [("Cargo.toml", ""), ("src/main.rs", "fn main() {}"), (".cargo/config.toml", config)]
        };
        for config in ["[build]\nrustc-wrapper = 'C:\\sccache.exe'\n", "source.crates-io.x = 1\n"] {
            let own = "cargo build --release --offline || (";
            check(&tree(config), "", own, "");
            check(&tree(config), "", "cd \"$TMPDIR\" && cargo build", "");
        }
    }

    #[test]
    fn file_of_cmake_for_something_else_is_left_alone() {
        let cmake = "project(x)\nadd_executable(hello hello.c)\n";
        let tree = [("CMakeLists.txt", cmake), ("hello.c", CPP), ("maxconnect4.py", "import sys")];
        check(&tree, "", "py_compile", "python3 ./maxconnect4.py");
        let cmake = "add_executable(maxconnect4 maxconnect4.c)\n";
        check(&[("CMakeLists.txt", cmake), ("maxconnect4.c", CPP)], "", "cmake -S", "");
    }

    #[test]
    fn class_that_plays_is_found_beside_scripts_and_makefiles() {
        let class =
            "package player;\npublic class MachinePlayer extends Player { { a.getMove(); } }";
        let tree = [
            ("Makefile", "all:\n"),
            ("run.sh", "java Test"),
            ("player/MachinePlayer.java", class),
            ("player/BoardTest.java", "import org.junit.Test;"),
        ];
        let recipe = network(&tree);
        assert!(recipe.is_player && recipe.start.is_none(), "{recipe:?}");
        assert!(recipe.build.contains("./player/MachinePlayer.java || javac"), "{recipe:?}");
        assert_eq!(recipe.folder, Path::new(""));
        let doubt = "its class MachinePlayer has neither a method chooseMove() nor getMove(): ";
        assert!(recipe.doubt.starts_with(doubt), "{recipe:?}");
    }

    #[test]
    fn folder_of_a_person_says_where_the_player_is() {
        let class =
            "package player;\npublic class MachinePlayer extends Player { Move chooseMove() }";
        let tree =
            [("pj/player/MachinePlayer.java", class), ("pj 2/player/MachinePlayer.java", class)];
        let recipe = network(&tree);
        assert_eq!(recipe.folder, Path::new("pj"));
        let doubt = "found 2 players, took pj/player/MachinePlayer.java, not pj 2/player/MachinePlayer.java: \
                     `folder` in a file of --override takes another";
        assert_eq!(recipe.doubt, doubt);
        let last = [tree[0], ("pj Final/player/MachinePlayer.java", class)];
        let recipe = network(&last);
        assert_eq!(recipe.folder, Path::new("pj Final"));
        assert!(recipe.doubt.contains("not pj/player/MachinePlayer.java"), "{recipe:?}");
        for folder in ["pj 2", "pj 2/player"] {
            let said = Override { folder: Some(folder.into()), ..Override::default() };
            let recipe = found_for("network", &tree, &said).expect("a recipe");
            assert_eq!((recipe.folder.as_path(), &*recipe.doubt), (Path::new("pj 2"), ""));
            assert!(recipe.is_player, "{recipe:?}");
        }
        let (start, build) = (None, Some("javac *.java".to_owned()));
        let said = Override { folder: Some("pj 2/player".into()), build, start };
        let recipe = found_for("network", &tree, &said).expect("a recipe");
        let build = "cd ./player && javac *.java";
        assert_eq!((recipe.folder.as_path(), &*recipe.build), (Path::new("pj 2"), build));
        let said = Override { folder: Some("none".into()), ..Override::default() };
        assert_eq!(found_for("network", &tree, &said), None);
    }

    #[test]
    fn programs_that_are_as_good_a_choice_are_named() {
        let doubt = |tree: &[(&str, &str)]| choice(&recipe_of(tree).doubt);
        let [a, b] = ["a.py", "b.py"].map(|file| (file, "sys.argv"));
        let [one, deep, old] =
            ["one/a.py", "two/deep/c.py", "old/a.py"].map(|file| (file, "play()"));
        for (tree, part) in [
            (&[a, b][..], "found 2 programs, took a.py, not b.py: `start`"),
            (&[a, ("b.c", CPP)], "found 2 programs, took b.c, not a.py: `start`"),
            (
                &[one, ("two/Makefile", ""), deep],
                "found 2 folders with programs, took one, not two: `folder`",
            ),
        ] {
            let told = doubt(tree);
            assert!(told.starts_with(part), "{told}");
        }
        for tree in [
            &[("main.py", "sys.argv"), b][..],
            &[one, deep, old, ("z/notes.txt", "")],
            &[("run.sh", "python3 a.py $@"), a, b],
            &[a, ("b.py", "")],
        ] {
            assert_eq!(doubt(tree), "", "{tree:?}");
        }
        let said = || Some("true".to_owned());
        let tree = [a, b];
        for said in [
            Override { start: said(), ..Override::default() },
            Override { build: said(), ..Override::default() },
        ] {
            let recipe = found_for("maxconnect4", &tree, &said).expect("a recipe");
            assert_eq!(recipe.doubt, "", "{said:?}");
        }
    }

    /// A helper that has a `main`, too, and an old copy are not the player.
    #[test]
    fn class_that_plays_may_test_itself() {
        let main = "public static void main(String[] a) {}";
        let player = |package: &str| {
            format!("package {package};\npublic class MachinePlayer\n  extends Player {{ {main} }}")
        };
        let list = format!("package list;\npublic class DList {{ {main} }}");
        let tree = [
            ("list/DList.java", list.as_str()),
            ("old/MachinePlayer.java", &player("old")),
            ("player/MachinePlayer.java", &player("player")),
        ];
        let recipe = network(&tree);
        assert!(recipe.is_player && recipe.start.is_none(), "{recipe:?}");
        assert!(recipe.build.contains("./player/MachinePlayer.java || javac"), "{recipe:?}");
        let program = format!("public class MyMachinePlayer {{ {main} }}");
        let recipe = network(&[("MyMachinePlayer.java", &program)]);
        assert_eq!(recipe.start.as_deref(), Some("java -cp . MyMachinePlayer"));
    }

    #[test]
    fn what_is_called_as_the_assignment_says_is_taken() {
        let tree = [("Gui.java", JAVA), ("maxconnect4.py", "import sys")];
        check(&tree, "", "py_compile", "python3 ./maxconnect4.py");
    }

    #[test]
    fn source_that_another_includes_is_not_compiled_alone() {
        let tree =
            [("ai.cpp", "Board b;"), ("main.cpp", "# include \"src/ai.cpp\"\nint main() {}")];
        let recipe = recipe_of(&tree);
        let builds: Vec<&str> = recipe.build.split(" || ").collect();
        let with_it: Vec<bool> = builds.iter().map(|it| it.contains("ai.cpp")).collect();
        assert_eq!(with_it, [false, true]);
        assert!(builds.iter().all(|it| it.contains("main.cpp")), "{}", recipe.build);
    }

    /// The arguments may be read in a function of another script, which does nothing by itself.
    #[test]
    fn script_that_calls_the_other_is_taken() {
        let reads = "import sys\nsys.setrecursionlimit(9)\ndef main():\n    sys.argv\n";
        let guarded = format!("{reads}if __name__ == '__main__':\n    main()\n");
        let calls = "from helper import main\nmain()\n";
        for (name, helper) in [
            ("maxconnect4.py", reads),
            ("main.py", reads),
            ("connect4.py", reads),
            ("maxconnect4.py", &guarded),
        ] {
            let tree = [("helper.py", helper), (name, calls), ("test_play.py", "play()")];
            check(&tree, "", "py_compile", &format!("python3 ./{name}"));
        }
        assert_eq!(found(&[("maxconnect4.py", "\n")]), None);
        for name in ["maxconnect4.js", "index.js"] {
            let tree =
                [("game.js", "exports.main = () => process.argv"), (name, "require('./game')")];
            check(&tree, "", "", &format!("node ./{name}"));
        }
    }

    /// The course's own code, which moves at random, lies beside the program under the name of the
    /// assignment.
    #[test]
    fn what_a_readme_names_is_taken() {
        let files = |readme| {
            [("readme.txt", readme), ("maxconnect4.py", "sys.argv"), ("ours.py", "sys.argv")]
        };
        for (readme, start) in [
            ("Run: python3 ours.py one-move IN OUT 4", "python3 ./ours.py"),
            ("Run: python3 maxConnect4.py\nours.py has tests", "python3 ./maxconnect4.py"),
            ("All hours are ours.", "python3 ./maxconnect4.py"),
        ] {
            check(&files(readme), "", "py_compile", start);
        }
    }

    /// To sort 1900 programs by 40 whole readmes of 1 MiB would take hours.
    #[test]
    fn readmes_are_read_within_limits() {
        let long = "x ".repeat(LONGEST_README as usize);
        let files: Vec<(String, &str)> = (0..1_900)
            .map(|number| (format!("src/p{number:04}.py"), "sys.argv"))
            .chain((0..40).map(|number| (format!("src/{number}/readme.txt"), long.as_str())))
            .chain([
                ("src/readme.md".to_owned(), "python3 p1234.py"),
                ("README".to_owned(), &*long),
            ])
            .collect();
        let tree: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, *text)).collect();
        check(&tree, "src", "py_compile", "python3 ./p1234.py");
        // Text behind the limit is not read.
        let far = format!("{long} ours.py");
        let tree = [("readme.txt", &*far), ("maxconnect4.py", "sys.argv"), ("ours.py", "sys.argv")];
        check(&tree, "", "py_compile", "python3 ./maxconnect4.py");
        // The readme of a package is not the readme of the program.
        let tree = [("node_modules/x/readme.md", "ours.py"), tree[1], tree[2]];
        check(&tree, "", "py_compile", "python3 ./maxconnect4.py");
    }

    #[test]
    fn packages_of_others_are_no_program() {
        let tree =
            [("node_modules/x/main.js", "play()"), ("site-packages/y/maxconnect4.py", "sys.argv")];
        assert_eq!(found(&tree), None);
        let said = Override { folder: Some("node_modules/x".into()), ..Override::default() };
        let recipe = found_for("maxconnect4", &tree, &said).expect("a recipe");
        assert_eq!(recipe.start.as_deref(), Some("node ./main.js"));
    }

    /// The nearest sources are read, and a program behind the limits is not found.
    #[test]
    fn sources_are_read_within_limits() {
        let sources = (0..20).map(|number| (format!("a/b/{number}.c"), "int x;"));
        let folder = fixtures::folder(&sources.collect::<Vec<_>>());
        let found = |files| {
            let (root, program, sources) =
                (folder.path(), "maxconnect4", &SourceReader::of(1 << 20, files));
            let files = &plain_files(root).expect("files");
            let submission = Submission { root, files, program, sources };
            let found = recipe(submission, &Override::default()).expect("readable files");
            (found.map(|found| found.folder), sources.is_used_up())
        };
        assert_eq!(found(50), (None, false));
        assert_eq!(found(10), (None, true));
        fixtures::write(folder.path(), "a/main.c", CPP);
        assert_eq!(found(10), (Some("a".into()), false));
        let [from, to] = ["a/main.c", "a/b/main.c"].map(|file| folder.path().join(file));
        fs::rename(from, to).expect("a file");
        assert_eq!(found(10), (None, true));
    }

    #[test]
    fn person_has_the_last_word() {
        let said = Override {
            start: Some("python2 play.py".to_owned()),
            build: Some(String::new()),
            folder: Some("code".into()),
        };
        let tree = [("main.c", CPP), ("code/play.py", "play()")];
        let recipe = found_for("maxconnect4", &tree, &said).expect("a recipe");
        assert_eq!((recipe.build.as_str(), recipe.start.as_deref()), ("", Some("python2 play.py")));
        assert_eq!(recipe.folder, Path::new("code"));
        assert_eq!(found(&[("report.pdf", "")]), None);
    }

    #[test]
    fn name_that_would_mean_something_to_a_command_is_no_program() {
        for name in ["a=b.py", "x:y.py", "{in}.py"] {
            assert_eq!(found(&[(name, "")]), None, "{name}");
        }
        check(&[("$(touch x).py", "play()")], "", "", "python3 './$(touch x).py'");
    }
}
