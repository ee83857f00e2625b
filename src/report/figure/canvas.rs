//! The sheet of paper: lengths in tenths of a typographic point, the palette, and text whose width is estimated.
//!
//! `plotters` draws at whole units, so a unit is a tenth of a point and the finished SVG is told its size in points.

use super::pareto::MAX_SERIES;
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Canvas units in one point (1/72 inch).
pub(super) const PT: i32 = 10;

/// Body text: ticks, legend, note. Seven points is the least that ISCA and MICRO accept in a figure.
pub(super) const SMALL: i32 = 7 * PT;
/// Axis labels.
pub(super) const MEDIUM: i32 = 8 * PT;
/// The title, in bold.
pub(super) const LARGE: i32 = 9 * PT;

/// The colours are of Okabe and Ito's palette, told apart by colour-blind readers, and differ in lightness for grey print.
pub(super) const PAPER: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);
pub(super) const INK: RGBColor = RGBColor(0x1A, 0x1A, 0x1A);
pub(super) const FAINT_INK: RGBColor = RGBColor(0x55, 0x55, 0x55);
pub(super) const FRAME: RGBColor = RGBColor(0x66, 0x66, 0x66);
pub(super) const GRID: RGBColor = RGBColor(0xEA, 0xEA, 0xEA);
pub(super) const CLOUD: RGBColor = RGBColor(0xB4, 0xB4, 0xB4);
pub(super) const FRONT: RGBColor = RGBColor(0x00, 0x72, 0xB2);
pub(super) const MARKED: RGBColor = RGBColor(0xE6, 0x9F, 0x00);
/// Colours of fronts that are compared, the first that of a single one.
pub(super) const SERIES: [RGBColor; MAX_SERIES] = [
    FRONT,
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0x56, 0xB4, 0xE9),
];

/// Radii of the marks.
pub(super) const CLOUD_DISC: i32 = 11;
pub(super) const FRONT_DISC: i32 = 21;
pub(super) const STAR: i32 = 45;
pub(super) const MARK: i32 = 34;
/// The staircase where it is the front of the figure, and where it is that of a pair among more objectives.
pub(super) const FRONT_LINE: i32 = 10;
pub(super) const THIN_FRONT_LINE: i32 = 7;

/// Generic sans-serif in the end; the two before it are the faces that papers embed.
const FAMILY: &str = "Helvetica, Arial, sans-serif";

/// What drawing gives, or the error of the library that writes it down.
pub(super) type Drawing<T> = Result<T, DrawingAreaErrorKind<std::io::Error>>;
pub(super) type Drawn = Drawing<()>;
pub(super) type Point = (i32, i32);

/// How a line of text sits on its anchor.
#[derive(Clone, Copy)]
pub(super) enum Align {
    Left,
    Centre,
    Right,
    /// Centred and turned to read from bottom to top.
    Upwards,
}

/// A drawing surface; every coordinate is in canvas units from the upper left corner.
pub(super) struct Canvas<'a>(DrawingArea<SVGBackend<'a>, Shift>);

impl Canvas<'_> {
    /// Runs `draw` on a white sheet of `width` by `height` units and returns the SVG text, sized in points.
    pub fn paint((width, height): Point, draw: impl FnOnce(&Canvas) -> Drawn) -> Drawing<String> {
        let size = (width.unsigned_abs(), height.unsigned_abs());
        let mut svg = String::new();
        {
            let canvas = Canvas(SVGBackend::with_string(&mut svg, size).into_drawing_area());
            canvas.0.fill(&PAPER)?;
            draw(&canvas)?;
            canvas.0.present()?;
        }
        let units = format!(r#"width="{}" height="{}""#, size.0, size.1);
        let points = |length: u32| f64::from(length) / f64::from(PT);
        let sized = format!(r#"width="{}pt" height="{}pt""#, points(size.0), points(size.1));
        Ok(svg.replacen(&units, &sized, 1))
    }

    /// An open line through `points`, `weight` units thick.
    pub fn line(&self, points: &[Point], colour: RGBColor, weight: i32) -> Drawn {
        let style = colour.stroke_width(weight.unsigned_abs());
        self.0.draw(&PathElement::new(points, style))
    }

    pub fn disc(&self, centre: Point, radius: i32, colour: RGBColor) -> Drawn {
        self.0.draw(&Circle::new(centre, radius, colour.filled()))
    }

    pub fn polygon(&self, points: Vec<Point>, colour: RGBColor) -> Drawn {
        self.0.draw(&Polygon::new(points, colour.filled()))
    }

    /// A rectangle from its upper left to its lower right corner.
    pub fn rectangle(&self, (left, top): Point, (right, bottom): Point, fill: RGBColor, rim: RGBColor) -> Drawn {
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        self.polygon(corners.to_vec(), fill)?;
        self.line(&[corners[0], corners[1], corners[2], corners[3], corners[0], corners[1]], rim, 6)
    }

    /// An open line through `points` of dashes of `dash` units with gaps of as much.
    pub fn dashed(&self, points: &[Point], colour: RGBColor, weight: i32, dash: i32) -> Drawn {
        let (mut left, mut drawing) = (f64::from(dash), true);
        let mut piece: Vec<Point> = points.first().copied().into_iter().collect();
        for pair in points.windows(2) {
            let (mut from, to) = ((f64::from(pair[0].0), f64::from(pair[0].1)), pair[1]);
            let end = (f64::from(to.0), f64::from(to.1));
            loop {
                let rest = (end.0 - from.0).hypot(end.1 - from.1);
                if rest <= left {
                    left -= rest;
                    piece.push(to);
                    break;
                }
                let share = left / rest;
                from = (from.0 + (end.0 - from.0) * share, from.1 + (end.1 - from.1) * share);
                let at = (from.0.round() as i32, from.1.round() as i32);
                piece.push(at);
                if drawing {
                    self.line(&piece, colour, weight)?;
                }
                piece = vec![at];
                (left, drawing) = (f64::from(dash), !drawing);
            }
        }
        if drawing && piece.len() > 1 { self.line(&piece, colour, weight) } else { Ok(()) }
    }

    /// The mark of the published design: a five-pointed star with a dark rim, recognisable without its colour.
    pub fn star(&self, (x, y): Point, radius: i32) -> Drawn {
        // A regular star in thousandths of its radius, so that no mathematical library touches the output.
        const CORNERS: [Point; 10] = [
            (0, -1000),
            (264, -364),
            (951, -309),
            (428, 139),
            (588, 809),
            (0, 450),
            (-588, 809),
            (-428, 139),
            (-951, -309),
            (-264, -364),
        ];
        let mut outline: Vec<Point> =
            CORNERS.iter().map(|&(dx, dy)| (x + dx * radius / 1000, y + dy * radius / 1000)).collect();
        let star = outline.clone();
        outline.extend_from_slice(&star[..2]);
        self.line(&outline, PAPER, 26)?;
        self.polygon(star, MARKED)?;
        self.line(&outline, INK, 7)
    }

    /// A mark of one of [`MAX_SERIES`] shapes and colours with a dark rim, told apart without colour by its corners.
    pub fn mark(&self, shape: usize, (x, y): Point, radius: i32) -> Drawn {
        // Corners in thousandths of the radius.
        const SHAPES: [&[Point]; MAX_SERIES] = [
            &[(0, -1000), (1000, 0), (0, 1000), (-1000, 0)],
            &[(0, -1000), (900, 700), (-900, 700)],
            &[(-800, -800), (800, -800), (800, 800), (-800, 800)],
            &[(0, 1000), (900, -700), (-900, -700)],
            &[(0, -1000), (951, -309), (588, 809), (-588, 809), (-951, -309)],
        ];
        const FILLS: [RGBColor; MAX_SERIES] = [SERIES[1], SERIES[2], SERIES[3], SERIES[4], PAPER];
        let corners = SHAPES[shape % MAX_SERIES];
        let mut outline: Vec<Point> =
            corners.iter().map(|&(dx, dy)| (x + dx * radius / 1000, y + dy * radius / 1000)).collect();
        let inside = outline.clone();
        outline.extend_from_slice(&inside[..2]);
        self.line(&outline, PAPER, 22)?;
        self.polygon(inside, FILLS[shape % MAX_SERIES])?;
        self.line(&outline, INK, 7)
    }

    /// One line of text of `size` units; `at` is where its baseline starts, has its middle, or ends.
    pub fn text(&self, text: &str, at: Point, align: Align, size: i32, colour: RGBColor) -> Drawn {
        self.styled(text, at, align, size, FontStyle::Normal, colour)
    }

    /// [`Canvas::text`] from the left in bold.
    pub fn bold(&self, text: &str, at: Point, size: i32, colour: RGBColor) -> Drawn {
        self.styled(text, at, Align::Left, size, FontStyle::Bold, colour)
    }

    fn styled(&self, text: &str, (x, y): Point, align: Align, size: i32, weight: FontStyle, colour: RGBColor) -> Drawn {
        // plotters lowers a vertically centred text by half an x-height and divides font sizes by 1.24: both are undone.
        let half_x_height = size * 26 / 100;
        let font = FontDesc::new(FontFamily::Name(FAMILY), f64::from(size) * 1.24, weight);
        let (horizontal, font, at) = match align {
            Align::Left => (HPos::Left, font, (x, y - half_x_height)),
            Align::Centre => (HPos::Center, font, (x, y - half_x_height)),
            Align::Right => (HPos::Right, font, (x, y - half_x_height)),
            Align::Upwards => (HPos::Center, font.transform(FontTransform::Rotate270), (x - half_x_height, y)),
        };
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(horizontal, VPos::Center));
        // A control character is not allowed in XML, not even escaped.
        let text = text.replace(char::is_control, " ");
        self.0.draw(&Text::new(text, at, style))
    }
}

/// About how wide `text` comes out, in canvas units: Helvetica's widths by class of letter, rounded up because a reader
/// without Helvetica sees a wider face.
pub(super) fn text_width(text: &str, size: i32) -> i32 {
    let thousandths: i32 = text
        .chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' | 'I' | ' ' => 300,
            'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | '"' | '\\' => 370,
            '⁰'..='⁹' | '⁻' | '²' | '³' | '¹' | '°' | '·' => 400,
            'm' | 'w' | 'M' | 'W' | '%' | '@' => 900,
            'A'..='Z' | '&' => 720,
            c if c.is_ascii() => 580,
            '→' | '←' | '—' | '\u{2002}' => 1000,
            c if c < '\u{2000}' => 620,
            _ => 1000,
        })
        .sum();
    thousandths * size / 1000
}

/// Breaks `text` at its ordinary spaces, and where a word alone is too wide inside it, into lines of at most `width`
/// units. An empty text has no lines.
pub(super) fn wrap(text: &str, size: i32, width: i32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()) {
        if let Some(line) = lines.last_mut()
            && text_width(line, size) + text_width(" ", size) + text_width(word, size) <= width
        {
            line.push(' ');
            line.push_str(word);
            continue;
        }
        let mut piece = String::new();
        for c in word.chars() {
            piece.push(c);
            if text_width(&piece, size) > width && piece.chars().count() > 1 {
                piece.pop();
                lines.push(std::mem::replace(&mut piece, c.to_string()));
            }
        }
        lines.push(piece);
    }
    lines
}

/// [`wrap`] of `text` with `ending` behind it; of a text that needs more than `most` lines, the start is kept.
pub(super) fn wrap_at_most(most: usize, text: &str, ending: &str, size: i32, width: i32) -> Vec<String> {
    let lines = wrap(&format!("{text}{ending}"), size, width);
    if lines.len() <= most {
        return lines;
    }
    // No more letters than this can fit, so that a text of any length is shortened in short time.
    let mut kept: String = text.chars().take(most * (width * 4 / size).unsigned_abs() as usize).collect();
    loop {
        let lines = wrap(&format!("{}…{ending}", kept.trim_end()), size, width);
        if lines.len() <= most || kept.pop().is_none() {
            return lines;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_between_words_and_loses_none() {
        let text = "144 points, worst of lego and bicycle, 28 nm, 1 GHz";
        let lines = wrap(text, SMALL, 100 * PT);
        assert!(lines.len() > 1);
        assert!(lines.iter().all(|line| text_width(line, SMALL) <= 100 * PT), "{lines:?}");
        assert_eq!(lines.join(" "), text);
    }

    #[test]
    fn a_word_wider_than_the_line_is_broken_inside() {
        let lines = wrap("dram_utilization_of_the_whole_frame", SMALL, 40 * PT);
        assert!(lines.iter().all(|line| text_width(line, SMALL) <= 40 * PT), "{lines:?}");
        assert_eq!(lines.concat(), "dram_utilization_of_the_whole_frame");
    }

    #[test]
    fn a_text_of_too_many_lines_is_cut_and_keeps_its_ending() {
        let text = "latency of the slowest frame of a long sequence of frames (ms)";
        let lines = wrap_at_most(2, text, "\u{a0}→", SMALL, 80 * PT);
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[1].ends_with("…\u{a0}→"), "{lines:?}");
        assert_eq!(wrap_at_most(2, &"x".repeat(100_000), "", SMALL, 80 * PT).len(), 2);
    }

    #[test]
    fn an_empty_text_takes_no_line_and_no_width_at_all_still_ends() {
        assert!(wrap("  ", SMALL, 100).is_empty());
        assert_eq!(wrap("ab", SMALL, 0), ["a", "b"]);
    }
}
