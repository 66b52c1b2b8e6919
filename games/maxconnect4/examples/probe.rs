//! Searches the empty board to a depth, showing every depth on the way.
use maxconnect4::*;
use plyground::search::*;

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let depth: u32 = a[1].parse().unwrap();
    let size = if a.len() > 3 {
        Size::new(a[2].parse().unwrap(), a[3].parse().unwrap()).unwrap()
    } else {
        Size::STANDARD
    };
    let e = |n: &str| std::env::var(n).is_err();
    let t = |n: &str, d: u32| std::env::var(n).map_or(d, |v| v.parse().unwrap());
    let o = Options {
        table_depth: t("T", 2),
        child_cutoff_depth: t("E", 4),
        table_mib: std::env::var("MIB").map_or(512, |v| v.parse().unwrap()),
        child_cutoff: e("NOETC"),
        null_window: e("NOPVS"),
        deepening: e("NODEEP"),
        aspiration: e("NOASP"),
        killers: e("NOKILL"),
        history: e("NOHIST"),
        evaluator_order: e("NOORD"),
        seed: None,
    };
    let mut s = AlphaBeta::new(OpenQuads, o);
    let p = Position::empty(size);
    s.search(&p, &Limits::depth(depth), Scope::BestMove, &mut |r| {
        println!(
            "{:2} {} {:>9} {:>12} nodes {:>8.3}s {:>5.2}M/s {}",
            r.depth,
            r.best_move(),
            r.score(),
            r.nodes,
            r.cpu.as_secs_f64(),
            r.nodes_per_second() / 1e6,
            r.best().pv.iter().map(|m| m.to_string()).collect::<String>()
        );
    });
}
