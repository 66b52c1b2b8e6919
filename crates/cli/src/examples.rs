//! Examples of the shared commands, for their help.

/// The examples of a shared command; `None` for others. `{rules}` stands for the option that chooses
/// other rules: without such an option there is no such example. The files are the reader's own, for
/// a program is installed without any.
pub(super) fn examples(command: &str) -> Option<&'static [&'static str]> {
    Some(match command {
        "one-move" => &[
            "position.txt out.txt 7",
            "position.txt out.txt --time 1s",
            "position.txt /dev/stdout perfect",
        ],
        "interactive" => &[
            "position.txt computer-next 7",
            "position.txt human-next --time 2s",
            "new.txt human-next 7",
        ],
        "analyze" => &["position.txt", "position.txt --depth 12", "position.txt --time 10s --json"],
        "explain" => &[
            "position.txt --depth 2",
            "position.txt --depth 5 --order good --html tree.html",
            "position.txt --minimax --dot tree.dot",
        ],
        "practice" => &[
            "--seed 7",
            "--seed 7 --html practice.html",
            "--seed 7 --questions 10 --sheet exam.html --no-solutions",
        ],
        "solve" => &["position.txt", "position.txt --json", "{rules} --verify"],
        "book" => &[
            "build --plies 4 --out book.bin",
            "build --plies 4 --out part2.bin --shard 2/8",
            "merge part1.bin part2.bin --out book.bin",
            "build --plies 8 --repertoire --jobs 2 --out own.bin",
            "build --plies 6 --values --base own.bin --out all.bin",
            "verify --sample 3",
        ],
        "play" => &[
            "human machine",
            "machine:depth=7 machine:time=1s Ann Bob --record game.jsonl",
            "machine random -r -q --seed 1",
            "human machine:perfect,time=1s",
            "machine 'line:python3 bob.py' --wall 5s --memory 512MiB",
            "random 'file:./ann one-move {in} {out} {depth}' --depth 7",
        ],
        "match" => &[
            "machine:depth=6 machine:depth=4 --games 200 --seed 1",
            "machine:time=0.5s machine:time=100ms --sprt 0,100 --jobs 2",
            "machine:depth=4 random --record games --csv pairs.csv",
        ],
        "engine" => &["", "machine:depth=7", "random --seed 1"],
        "engine-check" => &["'python3 bob.py'", "./ann --wall 5s --logs logs"],
        "tournament" => &[
            "class.toml --jobs 4",
            "class.toml --out part2 --shard 2/8",
            "merge class.toml part1 part2 --out class",
        ],
        "cluster" => &[
            "slurm --tasks 50 --sbatch --time=4:00:00 \\\n      tournament class.toml --out class",
            "run --jobs 4 tournament class.toml --out class",
            "status class.work",
            "merge class.work",
        ],
        "calibrate" => &[
            "--player machine:depth={depth} --limit 1s --depths 1..10",
            "--player 'file:./ann one-move {in} {out} {depth}' \\\n      --positions 20 --csv ann.csv",
        ],
        "grade" => &[
            "--player machine:depth={depth} --json results.json",
            "--player 'file:{folder}/player {in} {out} {depth}' \\\n      --class subs --out grades",
        ],
        "starter" => &["", "--language python --out player"],
        "replay" => &["game.jsonl"],
        "serve" => &[
            "",
            "--open",
            "--port 8080 --no-analysis",
            "--player 'bob=line:python3 bob.py' --wall 5s",
        ],
        "perft" => &["5", "position.txt 6", "position.txt 4 --divide"],
        "bench" => &["", "--table 256"],
        "timing" => &[
            "--csv times.csv --plot times.svg",
            "--csv times.csv --plot times.svg --search minimax",
            "position.txt --depths 1..8 --runs 5",
            "a.txt b.txt c.txt --csv 'times-{name}.csv'",
        ],
        _ => return None,
    })
}
