//! Tables as pictures in SVG: a panel for each figure, in which each run has a bar for each configuration and a mark
//! where the reference is.
//!
//! A panel whose numbers differ by a factor of [`WIDE`] or more has a logarithmic scale; it says so.

use std::fmt::{self, Write as _};

/// A picture.
pub(super) struct Picture<'a> {
    pub(super) title: &'a str,
    /// Whose the references are.
    pub(super) source: Option<&'a str>,
    /// The names of the configurations, each with a color.
    pub(super) configurations: &'a [&'a str],
    pub(super) panels: Vec<Panel>,
}

/// A figure of all runs.
pub(super) struct Panel {
    pub(super) title: String,
    /// Runs with their bars.
    pub(super) rows: Vec<(String, Vec<Bar>)>,
}

/// A figure of a run in one configuration.
pub(super) struct Bar {
    /// Which of the configurations.
    pub(super) configuration: usize,
    pub(super) number: Option<f64>,
    pub(super) reference: Option<f64>,
    /// What the table says.
    pub(super) text: String,
}

const COLORS: &[&str] = &["#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377", "#66ccee"];
/// Quotient of the largest and the smallest number from which on a scale is logarithmic.
const WIDE: f64 = 50.0;

// In pixels.
const PANEL_WIDTH: f64 = 470.0;
const NAME_WIDTH: f64 = 110.0;
const BARS_WIDTH: f64 = 230.0;
const BAR_HEIGHT: f64 = 11.0;
const ROW_GAP: f64 = 5.0;
const HEADING: f64 = 26.0;
const TOP: f64 = 56.0;
const PANELS_BESIDE: usize = 2;

impl Panel {
    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.rows.iter().flat_map(|(_, bars)| bars)
    }

    fn numbers(&self) -> impl Iterator<Item = f64> {
        self.bars().flat_map(|bar| [bar.number, bar.reference]).flatten()
    }

    /// Leaves out runs of which nothing is known.
    fn without_empty_rows(mut self) -> Self {
        self.rows.retain(|(_, bars)| bars.iter().any(|bar| bar.number.is_some() || bar.reference.is_some()));
        self
    }

    fn height(&self) -> f64 {
        let bars = self.bars().count() as f64;
        HEADING + bars * BAR_HEIGHT + self.rows.len() as f64 * ROW_GAP + ROW_GAP
    }

    fn write(&self, out: &mut String, left: f64, top: f64) -> fmt::Result {
        let scale = Scale::of(self.numbers());
        let kind = if matches!(scale, Scale::Logarithmic { .. }) { " (logarithmic)" } else { "" };
        let title = escaped(&self.title);
        writeln!(out, "<text x=\"{left}\" y=\"{}\" class=\"panel\">{title}{kind}</text>", top + 16.0)?;
        let start = left + NAME_WIDTH;
        let mut y = top + HEADING;
        for (name, bars) in &self.rows {
            let middle = y + bars.len() as f64 * BAR_HEIGHT / 2.0 + 3.0;
            let name = escaped(name);
            writeln!(out, "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{name}</text>", start - 6.0)?;
            for bar in bars {
                bar.write(out, &scale, start, y)?;
                y += BAR_HEIGHT;
            }
            y += ROW_GAP;
        }
        let bottom = y - ROW_GAP;
        let line = top + HEADING - 2.0;
        writeln!(out, "<line x1=\"{start}\" y1=\"{line}\" x2=\"{start}\" y2=\"{bottom}\" stroke=\"#888\"/>")
    }
}

impl Bar {
    fn write(&self, out: &mut String, scale: &Scale, start: f64, y: f64) -> fmt::Result {
        let place = |number: f64| scale.share(number) * BARS_WIDTH;
        let mut end = start;
        if let Some(number) = self.number {
            let (width, height) = (place(number), BAR_HEIGHT - 2.0);
            let color = color(self.configuration);
            writeln!(out, "<rect x=\"{start}\" y=\"{y}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{color}\"/>")?;
            end += width;
        }
        if let Some(number) = self.reference {
            let x = start + place(number);
            writeln!(out, "<path d=\"M{x:.1} {:.1}l4 4.5l-4 4.5l-4 -4.5z\" class=\"mark\"/>", y)?;
            end = end.max(x);
        }
        writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{}\" class=\"number\">{}</text>",
            end + 8.0,
            y + BAR_HEIGHT - 3.0,
            escaped(&self.text)
        )
    }
}

/// Where numbers are between the ends of a panel.
#[derive(PartialEq, Debug)]
enum Scale {
    /// From zero to the number.
    Linear(f64),
    /// Between two logarithms to the base of ten.
    Logarithmic { low: f64, high: f64 },
}

impl Scale {
    fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for number in numbers.filter(|number| *number > 0.0) {
            low = low.min(number);
            high = high.max(number);
        }
        if high < WIDE * low {
            return Self::Linear(high);
        }
        // The smallest number is to be seen.
        Self::Logarithmic { low: (low / 2.0).log10(), high: high.log10() }
    }

    /// Between 0 and 1.
    fn share(&self, number: f64) -> f64 {
        match self {
            Self::Linear(high) if *high > 0.0 => number / high,
            Self::Linear(_) => 0.0,
            Self::Logarithmic { .. } if number <= 0.0 => 0.0,
            Self::Logarithmic { low, high } => (number.log10() - low) / (high - low),
        }
    }
}

impl Picture<'_> {
    /// The picture; none if no panel has a number.
    pub(super) fn svg(self) -> Option<String> {
        let Picture { title, source, configurations, panels } = self;
        let panels: Vec<Panel> = panels.into_iter().map(Panel::without_empty_rows).collect();
        let panels: Vec<Panel> = panels.into_iter().filter(|panel| !panel.rows.is_empty()).collect();
        let has_mark = panels.iter().flat_map(Panel::bars).any(|bar| bar.reference.is_some());
        let source = source.filter(|_| has_mark);
        if panels.is_empty() {
            return None;
        }
        let mut out = String::new();
        write_picture(&mut out, title, source, configurations, &panels).expect("writing to a string does not fail");
        Some(out)
    }
}

fn write_picture(
    out: &mut String,
    title: &str,
    source: Option<&str>,
    configurations: &[&str],
    panels: &[Panel],
) -> fmt::Result {
    let lines: Vec<&[Panel]> = panels.chunks(PANELS_BESIDE).collect();
    let height_of = |line: &&[Panel]| line.iter().map(Panel::height).fold(0.0, f64::max);
    let height = TOP + lines.iter().map(height_of).sum::<f64>() + 12.0;
    let width = PANEL_WIDTH * panels.len().min(PANELS_BESIDE) as f64;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">"
    )?;
    out.write_str(STYLE)?;
    writeln!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>")?;
    writeln!(out, "<text x=\"10\" y=\"20\" class=\"title\">{}</text>", escaped(title))?;
    write_legend(out, source, configurations)?;
    let mut top = TOP;
    for line in lines {
        for (place, panel) in line.iter().enumerate() {
            panel.write(out, 10.0 + place as f64 * PANEL_WIDTH, top)?;
        }
        top += height_of(&line);
    }
    writeln!(out, "</svg>")
}

/// What classes look like.
const STYLE: &str = "<style>text { font: 10px sans-serif; fill: #222 } .title { font-size: 14px } \
                     .panel { font-size: 12px; font-weight: bold } .number { fill: #555 } \
                     .mark { fill: white; stroke: #222 }</style>\n";

fn write_legend(out: &mut String, source: Option<&str>, configurations: &[&str]) -> fmt::Result {
    let mut x = 10.0;
    for (number, name) in configurations.iter().enumerate() {
        let color = color(number);
        writeln!(out, "<rect x=\"{x}\" y=\"32\" width=\"10\" height=\"10\" fill=\"{color}\"/>")?;
        writeln!(out, "<text x=\"{}\" y=\"41\">{}</text>", x + 14.0, escaped(name))?;
        x += 30.0 + 6.0 * name.chars().count() as f64;
    }
    if let Some(source) = source {
        writeln!(out, "<path d=\"M{} 32.5l4 4.5l-4 4.5l-4 -4.5z\" class=\"mark\"/>", x + 4.0)?;
        writeln!(out, "<text x=\"{}\" y=\"41\">{}</text>", x + 14.0, escaped(source))?;
    }
    Ok(())
}

fn color(configuration: usize) -> &'static str {
    COLORS[configuration % COLORS.len()]
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(configuration: usize, number: Option<f64>, reference: Option<f64>) -> Bar {
        Bar { configuration, number, reference, text: "a < b".to_owned() }
    }

    fn picture(rows: Vec<(String, Vec<Bar>)>) -> Option<String> {
        let panels = vec![Panel { title: "paths".to_owned(), rows }];
        Picture { title: "T & U", source: Some("Somebody"), configurations: &["full", "naive"], panels }.svg()
    }

    #[test]
    fn nothing_known_is_no_picture() {
        assert_eq!(picture(Vec::new()), None);
        assert_eq!(picture(vec![("run".to_owned(), vec![bar(0, None, None)])]), None);
    }

    #[test]
    fn bars_are_as_long_as_their_numbers_and_marks_are_at_the_references() {
        let bars = vec![bar(0, Some(50.0), None), bar(1, Some(25.0), Some(100.0))];
        let svg = picture(vec![("run".to_owned(), bars), ("other".to_owned(), vec![bar(0, None, None)])]);
        let svg = svg.expect("there are numbers");
        assert!(svg.contains("width=\"115.0\" height=\"9\" fill=\"#4477aa\""), "{svg}");
        assert!(svg.contains("width=\"57.5\" height=\"9\" fill=\"#ee6677\""), "{svg}");
        assert!(svg.contains("<path d=\"M350.0 "), "{svg}");
        assert!(svg.contains("T &amp; U") && svg.contains("a &lt; b") && svg.contains("Somebody"), "{svg}");
        assert!(!svg.contains("other"), "{svg}");
    }

    #[test]
    fn what_differs_much_is_on_a_logarithmic_scale() {
        assert_eq!(Scale::of([1.0, 0.0, 49.0].into_iter()), Scale::Linear(49.0));
        let scale = Scale::of([2.0, 0.0, 2000.0].into_iter());
        assert_eq!(scale, Scale::Logarithmic { low: 0.0, high: 2000.0_f64.log10() });
        assert!(scale.share(2.0) > 0.05 && scale.share(20.0) < 0.5);
        assert_eq!((scale.share(0.0), scale.share(2000.0)), (0.0, 1.0));
        assert_eq!(Scale::of([0.0].into_iter()).share(0.0), 0.0);
    }
}
