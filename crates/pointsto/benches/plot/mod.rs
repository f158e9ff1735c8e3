//! Growth as a picture: seconds and memory over the number of instructions, both axes logarithmic.

use std::error::Error;
use std::ops::Range;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

/// What was measured of one program.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct Measured {
    pub(crate) instructions: f64,
    pub(crate) seconds: f64,
    pub(crate) mib: f64,
}

/// Width and height of the picture.
const SIZE: (u32, u32) = (900, 380);

/// Writes the picture as SVG.
///
/// # Errors
/// If there are no measurements, or the file cannot be written.
pub(crate) fn draw(file: &Path, measured: &[Measured]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(file, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, right) = root.split_horizontally(SIZE.0 / 2);
    let points = |of: fn(&Measured) -> f64| measured.iter().map(|m| (m.instructions, of(m))).collect::<Vec<_>>();
    panel(&left, "seconds of processor time", &BLUE, &points(|m| m.seconds))?;
    panel(&right, "MiB at most", &RED, &points(|m| m.mib))?;
    root.present()?;
    Ok(())
}

/// One curve, with a dotted line for growth in proportion.
fn panel(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    title: &str,
    color: &RGBColor,
    points: &[(f64, f64)],
) -> Result<(), Box<dyn Error>> {
    let first = points.first().ok_or("there is nothing to draw")?;
    let in_proportion: Vec<(f64, f64)> = points.iter().map(|p| (p.0, first.1 * p.0 / first.0)).collect();
    let all = || points.iter().chain(&in_proportion);
    let (x, y) = (decades(all().map(|p| p.0)), decades(all().map(|p| p.1)));
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .caption(title, ("sans-serif", 16))
        .x_label_area_size(44)
        .y_label_area_size(52)
        .build_cartesian_2d(x.log_scale(), y.log_scale())?;
    chart
        .configure_mesh()
        .x_desc("instructions")
        .x_label_formatter(&|x| short(*x))
        .y_label_formatter(&|y| short(*y))
        .light_line_style(BLACK.mix(0.06))
        .bold_line_style(BLACK.mix(0.15))
        .draw()?;
    chart.draw_series(DashedLineSeries::new(in_proportion, 2, 4, BLACK.mix(0.5).into()))?;
    chart.draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?;
    chart.draw_series(points.iter().map(|&p| Circle::new(p, 3, color.filled())))?;
    Ok(())
}

/// The powers of ten around positive numbers.
fn decades(values: impl Iterator<Item = f64> + Clone) -> Range<f64> {
    let least = values.clone().fold(f64::INFINITY, f64::min).max(1e-3);
    let most = values.fold(least, f64::max);
    // A program of 9,998 instructions does not need a decade of its own.
    let low = 10_f64.powf((least.log10() + 0.001).floor());
    low..10_f64.powf(most.log10().ceil()).max(low * 10.0)
}

/// A number with a suffix instead of zeros.
fn short(value: f64) -> String {
    if value >= 1e6 {
        format!("{}M", value / 1e6)
    } else if value >= 1e3 {
        format!("{}k", value / 1e3)
    } else {
        format!("{}", (value * 1e4).round() / 1e4)
    }
}
