//! Konane once more, without the package: rows of letters, and moves found by looking along them.

/// The rows of the board, and the letter of the side to move.
#[derive(Clone)]
pub struct Naive {
    rows: Vec<Vec<char>>,
    side: char,
}

const DIRECTIONS: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

impl Naive {
    pub fn start(size: usize) -> Naive {
        let row = |y: usize| {
            (0..size).map(|x| if (x + y).is_multiple_of(2) { 'X' } else { 'O' }).collect()
        };
        Naive { rows: (0..size).map(row).collect(), side: 'X' }
    }

    fn at(&self, x: i32, y: i32) -> char {
        let row = usize::try_from(y).ok().and_then(|y| self.rows.get(y));
        let cell = row.zip(usize::try_from(x).ok()).and_then(|(row, x)| row.get(x));
        cell.copied().unwrap_or('#')
    }

    fn squares(&self, letter: char) -> Vec<(i32, i32)> {
        let size = self.rows.len() as i32;
        let all = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
        all.filter(|&(x, y)| self.at(x, y) == letter).collect()
    }

    /// The board with other letters on these squares, for the other side.
    fn with(&self, changes: &[(i32, i32, char)]) -> Naive {
        let mut next = self.clone();
        for &(x, y, letter) in changes {
            next.rows[y as usize][x as usize] = letter;
        }
        next.side = if self.side == 'X' { 'O' } else { 'X' };
        next
    }

    /// The positions after every move.
    pub fn after(&self) -> Vec<Naive> {
        let (own, holes) = (self.squares(self.side), self.squares('.'));
        let last = self.rows.len() as i32 - 1;
        let is_place = |(x, y): (i32, i32)| match holes[..] {
            [] => x == y && (x == 0 || x == last || x == last / 2 || x == last / 2 + 1),
            [(a, b)] => (x - a).abs() + (y - b).abs() == 1,
            _ => false,
        };
        let removed = own.iter().filter(|&&square| is_place(square));
        let mut found: Vec<_> = removed.map(|&(x, y)| self.with(&[(x, y, '.')])).collect();
        for &(x, y) in &own {
            for (right, down) in DIRECTIONS {
                let mut changes = vec![(x, y, '.')];
                for step in (1..).step_by(2) {
                    let over = (x + right * step, y + down * step);
                    let to = (over.0 + right, over.1 + down);
                    if !['X', 'O'].contains(&self.at(over.0, over.1)) || self.at(to.0, to.1) != '.'
                    {
                        break;
                    }
                    changes.push((over.0, over.1, '.'));
                    let landed = [&changes[..], &[(to.0, to.1, self.side)]].concat();
                    found.push(self.with(&landed));
                }
            }
        }
        found
    }

    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 { 1 } else { self.after().iter().map(|next| next.perft(depth - 1)).sum() }
    }

    /// The number of plies to the end with best play, and if the side to move wins.
    pub fn value(&self) -> (bool, u32) {
        let replies: Vec<_> = self.after().iter().map(Naive::value).collect();
        let wins = replies.iter().filter(|(wins, _)| !wins).map(|(_, plies)| plies + 1).min();
        let losses = replies.iter().map(|(_, plies)| plies + 1).max();
        wins.map_or((false, losses.unwrap_or(0)), |plies| (true, plies))
    }
}
