//! Plots of times against depths.

use std::ops::Range;
use std::time::Duration;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use thiserror::Error;

use super::calibrate::CalibrationRow;
use super::runtime_table::{RuntimeRow, RuntimeTable, SearchKind};

/// The width and height of the picture, in pixels.
const SIZE: (u32, u32) = (900, 620);
/// The horizontal center.
const CENTER: i32 = SIZE.0 as i32 / 2;
const HEADING_HEIGHT: i32 = 100;
const CURVE_WIDTH: u32 = 2;
const FONT: &str = "sans-serif";
const TITLE_SIZE: u32 = 22;
const LABEL_SIZE: u32 = 16;
const TICK_SIZE: u32 = 14;
const NOTE_SIZE: u32 = 13;

const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
const NOTE: RGBColor = RGBColor(0x77, 0x77, 0x77);
const GRID: RGBColor = RGBColor(0xe6, 0xe6, 0xe6);
const MARK: RGBColor = RGBColor(0x99, 0x99, 0x99);

/// The colors of the curves, which people with any color vision can tell apart (M. Okabe and K.
/// Ito, "Color universal design", 2008).
const COLORS: [RGBColor; 2] = [RGBColor(0xd5, 0x5e, 0x00), RGBColor(0x00, 0x72, 0xb2)];

/// The marked times: people ask which depth takes less than a second, and which first takes over a
/// minute.
const MARKS: [(f64, &str); 2] = [(1.0, "1 s"), (60.0, "60 s")];

/// The greatest number of depths that are all numbered.
const MOST_NUMBERS: u32 = 30;

type Fallible = Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Axis, Axis>>;

/// A curve of a plot: times by depths.
#[derive(Clone, Debug)]
pub struct DepthCurve {
    /// The name of the curve.
    pub name: String,
    /// The depths in plies, in rising order, each with its time.
    pub points: Vec<(u32, Duration)>,
}

/// A plot of times against depths, with a curve for each search or statistic.
#[derive(Clone, Debug)]
pub struct DepthPlot {
    /// The heading.
    pub title: String,
    /// The line below the heading.
    pub note: String,
    /// The curves, at most two: there are no more colors.
    pub curves: Vec<DepthCurve>,
}

/// The error for a plot that cannot be drawn.
#[derive(Debug, Error)]
pub enum PlotError {
    /// There is nothing to draw.
    #[error("cannot draw the plot: the table has no rows")]
    NoRows,
    /// The drawing library fails.
    #[error("cannot draw the plot: {0}")]
    Drawing(String),
}

impl DepthPlot {
    /// Creates a plot of the median times of a runtime table, with a curve for each search.
    pub fn of_table(table: &RuntimeTable) -> DepthPlot {
        let curves = SearchKind::ALL.map(|kind| {
            let rows = table.rows().iter().filter(|row| row.search == kind);
            let points = rows.map(|row| (row.depth, row.cpu_median)).collect();
            DepthCurve { name: kind.to_string(), points }
        });
        let row = table.rows().first();
        let of = |text: fn(&RuntimeRow) -> String| row.map(text).unwrap_or_default();
        DepthPlot {
            title: of(|row| title(&row.game)),
            note: of(|row| format!("position {}", row.position)),
            curves: curves.to_vec(),
        }
    }

    /// Creates a plot of the times of a calibration of `player`: the median time, and the time of
    /// the slowest position if there are several.
    pub fn of_calibration(rows: &[CalibrationRow], player: &str) -> DepthPlot {
        let curve = |name: &str, time: fn(&CalibrationRow) -> Duration| DepthCurve {
            name: name.to_owned(),
            points: rows.iter().map(|row| (row.depth, time(row))).collect(),
        };
        let slowest = curve("slowest", |row| row.cpu_max);
        let slowest = rows.iter().any(|row| row.positions > 1).then_some(slowest);
        let curves = slowest.into_iter().chain([curve("median", |row| row.cpu_median)]).collect();
        let title = rows.first().map(|row| title(&row.game)).unwrap_or_default();
        DepthPlot { title, note: player.to_owned(), curves }
    }

    /// Draws the times on a logarithmic scale as an SVG document.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no points, or if the drawing library fails.
    pub fn to_svg(&self) -> Result<String, PlotError> {
        let frame = Frame::of(self).ok_or(PlotError::NoRows)?;
        let mut svg = String::new();
        draw(&mut svg, &frame, self).map_err(|error| PlotError::Drawing(error.to_string()))?;
        Ok(svg)
    }

    fn colored(&self) -> impl Iterator<Item = (&DepthCurve, RGBColor)> {
        self.curves.iter().zip(COLORS)
    }
}

fn title(game: &str) -> String {
    format!("{game}: CPU time of choosing one move")
}

/// The range of the axes: depth from left to right, the decimal logarithm of seconds upwards.
#[derive(Clone, Copy, Debug)]
struct Frame {
    left: f64,
    right: f64,
    bottom: f64,
    top: f64,
}

impl Frame {
    /// Returns a frame with room for all points and marks, up to the next power of ten; `None`
    /// without points.
    fn of(plot: &DepthPlot) -> Option<Frame> {
        let points = || plot.colored().flat_map(|(curve, _)| &curve.points);
        let first = points().map(|&(depth, _)| depth).min()?;
        let last = points().map(|&(depth, _)| depth).max()?;
        let marks = MARKS.map(|(seconds, _)| seconds.log10());
        let heights = || points().map(|&(_, time)| height(time)).chain(marks);
        Some(Frame {
            left: f64::from(first) - 0.5,
            right: f64::from(last) + 0.5,
            bottom: heights().fold(f64::INFINITY, f64::min).floor(),
            top: heights().fold(f64::NEG_INFINITY, f64::max).ceil(),
        })
    }

    fn depths(&self) -> Vec<f64> {
        let (first, last) = (self.left.ceil() as u32, self.right.floor() as u32);
        let step = (last - first) / MOST_NUMBERS + 1;
        (first..=last).filter(|depth| depth % step == 0 || step == 1).map(f64::from).collect()
    }

    fn powers(&self) -> Vec<f64> {
        (self.bottom as i32..=self.top as i32).map(f64::from).collect()
    }
}

/// A linear axis with given ticks.
struct Axis {
    range: RangedCoordf64,
    ticks: Vec<f64>,
}

impl Axis {
    fn new(range: Range<f64>, ticks: Vec<f64>) -> Axis {
        Axis { range: range.into(), ticks }
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.range()
    }
}

fn height(time: Duration) -> f64 {
    time.max(Duration::from_nanos(1)).as_secs_f64().log10()
}

/// Returns the label of a power of ten seconds: `10 µs`, `1 ms`, `100 s`.
fn power_label(power: f64) -> String {
    const UNITS: [(i32, &str); 3] = [(0, "s"), (-3, "ms"), (-6, "µs")];
    let power = power.round() as i32;
    let (least, unit) = UNITS.into_iter().find(|(least, _)| power >= *least).unwrap_or((-9, "ns"));
    let number = 10_i64.pow(power.saturating_sub(least).clamp(0, 18) as u32);
    format!("{number} {unit}")
}

fn draw(svg: &mut String, frame: &Frame, plot: &DepthPlot) -> Fallible {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let (heading, body) = area.split_vertically(HEADING_HEIGHT);
    draw_heading(&heading, plot)?;
    let mut chart: Chart<'_> = ChartBuilder::on(&body)
        .margin_left(10)
        .margin_right(30)
        .margin_bottom(10)
        .x_label_area_size(50)
        .y_label_area_size(80)
        .build_cartesian_2d(
            Axis::new(frame.left..frame.right, frame.depths()),
            Axis::new(frame.bottom..frame.top, frame.powers()),
        )?;
    draw_axes(&mut chart)?;
    draw_grid(&mut chart, frame)?;
    draw_marks(&mut chart, frame)?;
    for (curve, color) in plot.colored() {
        draw_curve(&mut chart, curve, color)?;
    }
    area.present()?;
    Ok(())
}

/// Draws the title, the note, and the color of each curve.
fn draw_heading(area: &Area<'_>, plot: &DepthPlot) -> Fallible {
    let middle = Pos::new(HPos::Center, VPos::Top);
    let style = (FONT, TITLE_SIZE).into_font().color(&INK).pos(middle);
    area.draw(&Text::new(plot.title.clone(), (CENTER, 16), style))?;
    let style = (FONT, NOTE_SIZE).into_font().color(&NOTE).pos(middle);
    area.draw(&Text::new(plot.note.clone(), (CENTER, 46), style))?;
    draw_legend(area, plot)
}

fn draw_legend(area: &Area<'_>, plot: &DepthPlot) -> Fallible {
    const ENTRY_WIDTH: i32 = 130;
    const STROKE_WIDTH: i32 = 28;
    const GAP: i32 = 8;
    const HEIGHT: i32 = 80;
    let shown: Vec<_> = plot.colored().filter(|(curve, _)| !curve.points.is_empty()).collect();
    let mut left = CENTER - ENTRY_WIDTH * shown.len() as i32 / 2;
    for (curve, color) in shown {
        let stroke = vec![(left, HEIGHT), (left + STROKE_WIDTH, HEIGHT)];
        area.draw(&PathElement::new(stroke, color.stroke_width(CURVE_WIDTH)))?;
        let style = (FONT, LABEL_SIZE).into_font().color(&color);
        let style = style.pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(curve.name.clone(), (left + STROKE_WIDTH + GAP, HEIGHT), style))?;
        left += ENTRY_WIDTH;
    }
    Ok(())
}

fn draw_axes(chart: &mut Chart<'_>) -> Fallible {
    chart
        .configure_mesh()
        .disable_mesh()
        .axis_style(INK)
        .label_style((FONT, TICK_SIZE).into_font().color(&INK))
        .axis_desc_style((FONT, LABEL_SIZE).into_font().color(&INK))
        .x_desc("search depth (plies)")
        .y_desc("CPU time (log scale)")
        .x_label_formatter(&|depth| format!("{depth:.0}"))
        .y_label_formatter(&|power| power_label(*power))
        .draw()?;
    Ok(())
}

fn draw_grid(chart: &mut Chart<'_>, frame: &Frame) -> Fallible {
    let across = |y: f64| PathElement::new(vec![(frame.left, y), (frame.right, y)], GRID);
    let upright = |x: f64| PathElement::new(vec![(x, frame.bottom), (x, frame.top)], GRID);
    chart.draw_series(frame.powers().into_iter().skip(1).map(across))?;
    chart.draw_series(frame.depths().into_iter().map(upright))?;
    Ok(())
}

fn draw_marks(chart: &mut Chart<'_>, frame: &Frame) -> Fallible {
    const DASH: i32 = 6;
    const GAP: i32 = 4;
    for (seconds, label) in MARKS {
        let y = seconds.log10();
        let ends = [(frame.left, y), (frame.right, y)];
        chart.draw_series(DashedLineSeries::new(ends, DASH, GAP, MARK.stroke_width(1)))?;
        let style = (FONT, NOTE_SIZE).into_font().color(&NOTE);
        let style = style.pos(Pos::new(HPos::Left, VPos::Top));
        let text = EmptyElement::at((frame.left, y)) + Text::new(label, (8, 4), style);
        chart.draw_series([text])?;
    }
    Ok(())
}

/// Draws a curve, with a dot for each depth.
fn draw_curve(chart: &mut Chart<'_>, curve: &DepthCurve, color: RGBColor) -> Fallible {
    const RADIUS: i32 = 4;
    let points = curve.points.iter().map(|&(depth, time)| (f64::from(depth), height(time)));
    chart.draw_series(LineSeries::new(points.clone(), color.stroke_width(CURVE_WIDTH)))?;
    chart.draw_series(points.map(|point| Circle::new(point, RADIUS, color.filled())))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::runtime_table::tests::row;

    #[test]
    fn plot_has_labels_and_a_point_for_each_row() -> Result<(), PlotError> {
        let mut table = RuntimeTable::default();
        (1..=5).for_each(|depth| table.insert(row(SearchKind::Minimax, depth)));
        (1..=12).for_each(|depth| table.insert(row(SearchKind::AlphaBeta, depth)));
        let svg = DepthPlot::of_table(&table).to_svg()?;
        assert_eq!(svg.matches("<circle").count(), table.rows().len());
        for text in [
            "toy: CPU time of choosing one move",
            "position 0000/1",
            "search depth (plies)",
            "CPU time (log scale)",
            "minimax",
            "alphabeta",
            "60 s",
            "10 ms",
            "100 s",
        ] {
            assert!(svg.contains(&format!("\n{text}\n")), "{text}\n{svg}");
        }
        for depth in 1..=12 {
            assert!(svg.contains(&format!("\n{depth}\n")), "depth {depth}");
        }
        Ok(())
    }

    #[test]
    fn slowest_position_has_a_curve_of_its_own() {
        let row = |positions| CalibrationRow {
            game: "toy".to_owned(),
            depth: 3,
            positions,
            cpu_median: Duration::from_secs(1),
            cpu_max: Duration::from_secs(2),
            ..CalibrationRow::default()
        };
        for (positions, names) in [(1, &["median"][..]), (5, &["slowest", "median"])] {
            let plot = DepthPlot::of_calibration(&[row(positions)], "machine:depth={depth}");
            assert!(plot.curves.iter().map(|curve| &curve.name).eq(names));
            assert_eq!(plot.title, "toy: CPU time of choosing one move");
        }
    }

    #[test]
    fn any_rows_can_be_drawn() -> Result<(), PlotError> {
        let mut table = RuntimeTable::default();
        let circles = |table: &RuntimeTable| {
            DepthPlot::of_table(table).to_svg().map(|svg| svg.matches("<circle").count())
        };
        assert!(matches!(circles(&table), Err(PlotError::NoRows)));
        let zero = Duration::ZERO;
        let odd = RuntimeRow { depth: 200, ..row(SearchKind::Minimax, 1) };
        table.insert(RuntimeRow { cpu_min: zero, cpu_median: zero, cpu_max: zero, ..odd.clone() });
        assert_eq!(circles(&table)?, 1);
        let long = Duration::from_secs(u64::MAX);
        table.insert(RuntimeRow { depth: 1, cpu_median: long, cpu_max: long, ..odd });
        assert_eq!(circles(&table)?, 2);
        Ok(())
    }

    #[test]
    fn powers_have_readable_names() {
        let names: Vec<_> = (-7..=3).map(|power| power_label(power.into())).collect();
        let expected = [
            "100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s",
            "1000 s",
        ];
        assert_eq!(names, expected);
    }
}
