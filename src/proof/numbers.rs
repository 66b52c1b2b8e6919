//! Proof and disproof numbers.

/// The number of an impossible proof or disproof.
const IMPOSSIBLE: u32 = (1 << 21) - 1;

/// The proof and disproof numbers of a position: estimates of the number of positions that a proof and a
/// disproof take. Each is at most 2^21 - 2 while the position is open.
///
/// ```
/// use plyground::proof::Numbers;
///
/// assert_eq!(Numbers::PROVEN.verdict(), Some(true));
/// assert_eq!(Numbers::DISPROVEN.verdict(), Some(false));
/// assert_eq!(Numbers::open(3, 5).verdict(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

impl Numbers {
    /// The attacker reaches the goal.
    pub const PROVEN: Numbers = Numbers { proof: 0, disproof: IMPOSSIBLE };
    /// The defender prevents it.
    pub const DISPROVEN: Numbers = Numbers { proof: IMPOSSIBLE, disproof: 0 };
    /// The limit of a search without limits.
    pub(super) const UNLIMITED: Numbers = Numbers { proof: IMPOSSIBLE, disproof: IMPOSSIBLE };

    /// Returns an open position; both numbers are held between 1 and the greatest.
    #[inline]
    #[must_use]
    pub fn open(proof: u32, disproof: u32) -> Numbers {
        let held = |number: u32| number.clamp(1, IMPOSSIBLE - 1);
        Numbers { proof: held(proof), disproof: held(disproof) }
    }

    /// Returns true if the goal is reached, false if it is not; `None` while the question is open.
    #[inline]
    #[must_use]
    pub fn verdict(self) -> Option<bool> {
        match self {
            Numbers { proof: 0, .. } => Some(true),
            Numbers { disproof: 0, .. } => Some(false),
            _ => None,
        }
    }
}
