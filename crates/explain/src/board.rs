//! Boards as drawings in pages that stand by themselves.

use maud::{Markup, html};
use plyground::Side;
use plyground_host::HostedPosition;
use plyground_host::page::{Count, Ground, Owner};

/// The side of a cell in pixels.
const CELL: usize = 26;

/// Returns the board of a position as an SVG element, with `words` as its description for people who cannot
/// see it; `None` if the game has no board for pages.
#[must_use]
pub fn drawing(position: &HostedPosition, words: &str) -> Option<Markup> {
    let layout = position.game().layout()?;
    let picture = position.picture();
    let edge = |names: &[String], index: usize| names.get(index).cloned().unwrap_or_default();
    let (top, left) = (CELL, CELL);
    let (width, height) = ((layout.columns + 2) * CELL, (layout.rows + 2) * CELL);
    Some(html! {
        svg role="img" aria-label=(words) width=(width) height=(height)
            viewBox=(format!("0 0 {width} {height}")) {
            @for column in 0..layout.columns {
                @let x = left + column * CELL + CELL / 2;
                (label(x, top - 8, &edge(&layout.edges.top, column)))
                (label(x, height - 8, &edge(&layout.edges.bottom, column)))
            }
            @for row in 0..layout.rows {
                @let y = top + row * CELL + CELL / 2 + 5;
                (label(left / 2, y, &edge(&layout.edges.left, row)))
                (label(width - CELL / 2, y, &edge(&layout.edges.right, row)))
            }
            @for cell in 0..layout.columns * layout.rows {
                @let (x, y) = (left + cell % layout.columns * CELL, top + cell / layout.columns * CELL);
                @if layout.grounds.get(cell) != Some(&Ground::Dead) {
                    rect x=(x) y=(y) width=(CELL) height=(CELL) {}
                }
                @let side = match picture.cells.get(cell).copied().flatten() {
                    Some(Owner::First) => Some(0),
                    Some(Owner::Second) => Some(1),
                    Some(Owner::Neutral) | None => None,
                };
                @if let Some(side) = side {
                    @let piece = layout.pieces[side];
                    @let (x, y) = (x + CELL / 2, y + CELL / 2);
                    circle cx=(x) cy=(y) r=(CELL * 2 / 5) fill=(piece.fill) stroke=(piece.mark) {}
                    // Not everybody can tell the owner of a piece by its color.
                    text x=(x) y=(y + 5) fill=(piece.mark) { (piece.symbol) }
                }
            }
        }
    })
}

/// Returns the counts that are shown beside the board, such as the chips that are left: `White: 4 in hand`;
/// one line for each side that has any.
#[must_use]
pub fn counts(position: &HostedPosition) -> Vec<String> {
    let counts = position.picture().counts;
    let line = |(side, counts): (Side, &Vec<Count>)| {
        let parts = counts.iter().map(|count| format!("{} {}", count.value, count.name));
        let parts = parts.collect::<Vec<_>>().join(", ");
        (!parts.is_empty()).then(|| format!("{}: {parts}", position.game().side_name(side)))
    };
    Side::BOTH.into_iter().zip(&counts).filter_map(line).collect()
}

fn label(x: usize, y: usize, text: &str) -> Markup {
    html! { @if !text.is_empty() { text class="edge" x=(x) y=(y) { (text) } } }
}
