//! Quadruples of cells, four in a row, in the bitboards of `cells.rs`.

/// The distances between the neighboring cells of a quadruple: vertical, falling diagonal,
/// horizontal, rising diagonal.
const DIRECTIONS: [u32; 4] = [1, 7, 8, 9];

/// The rows in which a quadruple of each direction can start without leaving the board.
const STARTS: [u64; 4] =
    [0x1f1f_1f1f_1f1f_1f1f, 0xf8f8_f8f8_f8f8_f8f8, u64::MAX, 0x1f1f_1f1f_1f1f_1f1f];

/// Sets of quadruples, a bitboard of starting cells for each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quads([u64; 4]);

impl Quads {
    /// Returns the quadruples that lie in `cells` altogether.
    #[inline]
    #[must_use]
    pub fn within(cells: u64) -> Quads {
        let mut quads = [0; 4];
        for ((quad, distance), starts) in quads.iter_mut().zip(DIRECTIONS).zip(STARTS) {
            let pairs = cells & (cells >> distance);
            *quad = pairs & (pairs >> (2 * distance)) & starts;
        }
        Quads(quads)
    }

    /// Returns the number of quadruples.
    #[inline]
    #[must_use]
    pub fn count(self) -> u32 {
        self.0.iter().map(|quads| quads.count_ones()).sum()
    }

    /// Returns the quadruples that are not in `other`.
    #[inline]
    #[must_use]
    pub fn without(self, other: Quads) -> Quads {
        let mut quads = self.0;
        for (quad, out) in quads.iter_mut().zip(other.0) {
            *quad &= !out;
        }
        Quads(quads)
    }

    /// Returns all cells of all quadruples.
    #[inline]
    #[must_use]
    pub fn cells(self) -> u64 {
        let mut cells = [0; 4];
        for ((cell, quads), distance) in cells.iter_mut().zip(self.0).zip(DIRECTIONS) {
            let pairs = quads | (quads << distance);
            *cell = pairs | (pairs << (2 * distance));
        }
        cells[0] | cells[1] | cells[2] | cells[3]
    }

    /// Returns the quadruples that are not vertical.
    #[inline]
    #[must_use]
    pub fn slanted(self) -> Quads {
        Quads([0, self.0[1], self.0[2], self.0[3]])
    }

    /// Returns the numbers of quadruples that hold exactly 0, 1, 2 and 3 of `stones`.
    #[inline]
    #[must_use]
    pub fn count_by_stones(self, stones: u64) -> [u32; 4] {
        let mut counts = [0; 4];
        for (quads, distance) in self.0.into_iter().zip(DIRECTIONS) {
            // A bit-sliced sum of the four cells of every quadruple at once.
            let (a, b) = (stones, stones >> distance);
            let (c, d) = (stones >> (2 * distance), stones >> (3 * distance));
            let (ones_ab, twos_ab) = (a ^ b, a & b);
            let (ones_cd, twos_cd) = (c ^ d, c & d);
            let ones = ones_ab ^ ones_cd;
            let twos = twos_ab ^ twos_cd ^ (ones_ab & ones_cd);
            counts[0] += (quads & !ones & !twos & !(twos_ab & twos_cd)).count_ones();
            counts[1] += (quads & ones & !twos).count_ones();
            counts[2] += (quads & !ones & twos).count_ones();
            counts[3] += (quads & ones & twos).count_ones();
        }
        counts
    }
}

/// Returns the number of vertical quadruples that lack only their top cell, which is in `empty`.
#[inline]
#[must_use]
pub fn open_threes(stones: u64, empty: u64) -> u32 {
    let threes = stones & (stones >> 1) & (stones >> 2);
    (threes & (empty >> 3) & STARTS[0]).count_ones()
}

/// The number of boards that [`greatest_margin`] takes: as many as fit into the widest vectors.
pub const LANES: usize = 8;

/// Returns the margins of some boards: quadruples in the cells of one side less those in the cells of the
/// other. The code lets a compiler compute all boards at once.
#[inline(always)]
#[must_use]
pub fn margins(ones: &[u64; LANES], others: &[u64; LANES]) -> [i64; LANES] {
    // Written out in full, the sum is inlined even where overflow is checked.
    let along = |cells: u64, direction: usize| {
        let pairs = cells & (cells >> DIRECTIONS[direction]);
        let starts = pairs & (pairs >> (2 * DIRECTIONS[direction])) & STARTS[direction];
        i64::from(starts.count_ones())
    };
    let count = |cells| along(cells, 0) + along(cells, 1) + along(cells, 2) + along(cells, 3);
    std::array::from_fn(|lane| count(ones[lane]) - count(others[lane]))
}

/// Returns the greatest of the [`margins`].
#[inline]
#[must_use]
pub fn greatest_margin(ones: &[u64; LANES], others: &[u64; LANES]) -> i32 {
    margins(ones, others).into_iter().fold(i64::MIN, i64::max) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a board of `columns` by `rows` with all cells set.
    fn full(columns: u32, rows: u32) -> u64 {
        (0..columns).map(|c| ((0xff << (8 - rows)) & 0xff) << (8 * c)).sum()
    }

    #[test]
    fn counts_of_whole_boards() {
        assert_eq!(Quads::within(full(7, 6)).count(), 69);
        assert_eq!(Quads::within(full(4, 4)).count(), 10);
        assert_eq!(Quads::within(full(8, 8)).count(), 8 * 5 * 2 + 25 * 2);
        assert_eq!(Quads::within(full(8, 8)).slanted().count(), 8 * 5 + 25 * 2);
    }

    #[test]
    fn rows_do_not_run_into_the_next_column() {
        let wrapped = 0b11 | 0b11 << 62;
        assert_eq!(Quads::within(wrapped).count(), 0);
        for quad in [0xf0u64 << 2, 1 << 2 | 1 << 9 | 1 << 16 | 1 << 15] {
            assert_eq!(Quads::within(quad).count(), 0, "{quad:x}");
        }
    }

    #[test]
    fn cells_of_one_quadruple_of_each_direction() {
        for distance in DIRECTIONS {
            let quad = (0..4).map(|i| 1u64 << (11 + i * distance)).sum();
            assert_eq!(Quads::within(quad).count(), 1);
            assert_eq!(Quads::within(quad).cells(), quad);
        }
    }

    #[test]
    fn margins_are_those_of_single_boards() {
        let boards: [u64; LANES] = std::array::from_fn(|i| full(4 + i as u32 % 5, 7) >> (7 * i));
        let none = [0; LANES];
        let single = boards.map(|cells| Quads::within(cells).count() as i32);
        assert_eq!(Some(&greatest_margin(&boards, &none)), single.iter().max());
        assert_eq!(greatest_margin(&none, &boards), -single.iter().min().expect("a board"));
    }

    #[test]
    fn stones_are_counted_quad_by_quad() {
        let column = full(1, 6);
        let quads = Quads::within(column);
        let bottom = |n: u32| (0..n).map(|i| 4u64 << i).sum::<u64>();
        assert_eq!(quads.count_by_stones(0), [3, 0, 0, 0]);
        assert_eq!(quads.count_by_stones(bottom(1)), [2, 1, 0, 0]);
        assert_eq!(quads.count_by_stones(bottom(2)), [1, 1, 1, 0]);
        assert_eq!(quads.count_by_stones(bottom(3)), [0, 1, 1, 1]);
        assert_eq!(open_threes(bottom(3), column), 1);
        assert_eq!(open_threes(bottom(2), column), 0);
    }
}
