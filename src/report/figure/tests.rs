//! The whole figure, as its caller sees it.

use super::*;

const LATENCY: Axis = Axis { label: "latency (ms)", maximise: false };
const AREA: Axis = Axis { label: "area (mm²)", maximise: false };
const FPS: Axis = Axis { label: "throughput (FPS)", maximise: true };
const POWER: Axis = Axis { label: "power (mW)", maximise: false };
const ENERGY: Axis = Axis { label: "energy (mJ)", maximise: false };
const FIVE: [Axis; 5] = [LATENCY, AREA, FPS, POWER, ENERGY];
const PLAIN: ParetoFigure = ParetoFigure {
    title: "",
    axes: &[],
    cloud: &[],
    front: &[],
    front_label: "",
    compared: &[],
    marked: None,
    marks: &[],
    note: "",
};

/// What the SVG writes for a disc of the front, of the cloud, and for the star.
const FRONT_DISC: &str = r##"fill="#0072B2" stroke="none""##;
const CLOUD_DISC: &str = r##"r="11" opacity="1" fill="#B4B4B4""##;
const STAR: &str = r##"<polygon opacity="1" fill="#E69F00""##;

/// Points with `n` coordinates in [0.5, 1.5), from a linear congruential generator.
fn scattered(count: usize, n: usize) -> Vec<Vec<f64>> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        0.5 + (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| (0..n).map(|_| next()).collect()).collect()
}

/// Panics unless tags nest, attributes are quoted, and no character is left that XML forbids in a text.
fn assert_well_formed(svg: &str) {
    let mut open = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("a tag that ends");
        assert!(tag.matches('"').count() % 2 == 0, "{tag}");
        let entities = text.match_indices('&').map(|(at, _)| &text[at..]);
        let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"];
        assert!(entities.into_iter().all(|e| known.iter().any(|k| e.starts_with(k))), "{text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn every_point_of_the_front_and_of_the_cloud_gets_one_mark_in_every_panel() {
    for (n, panels) in [(1, 1), (2, 1), (3, 3), (4, 6), (5, 10)] {
        let (cloud, front) = (scattered(40, n), scattered(6, n));
        let marked = Some(Marked { label: "published", values: &cloud[7] });
        let figure = ParetoFigure { axes: &FIVE[..n], cloud: &cloud, front: &front, marked, ..PLAIN };
        let svg = figure.svg().expect("a figure");
        assert_well_formed(&svg);
        // One more of each is the key of the legend.
        assert_eq!(svg.matches(FRONT_DISC).count(), 6 * panels + 1, "{n} objectives");
        assert_eq!(svg.matches(CLOUD_DISC).count(), 40 * panels + 1, "{n} objectives");
        assert_eq!(svg.matches(STAR).count(), panels + 1, "{n} objectives");
    }
}

#[test]
fn the_same_points_in_another_order_give_the_same_bytes() {
    for n in [1, 2, 3] {
        let axes = &[LATENCY, AREA, FPS][..n];
        let (cloud, front) = (scattered(5000, n), scattered(900, n));
        let svg = ParetoFigure { axes, cloud: &cloud, front: &front, ..PLAIN }.svg().expect("a figure");
        let turned = |points: &[Vec<f64>]| points.iter().rev().cloned().collect::<Vec<_>>();
        let (cloud, front) = (turned(&cloud), turned(&front));
        let again = ParetoFigure { axes, cloud: &cloud, front: &front, ..PLAIN }.svg().expect("a figure");
        assert!(svg == again, "{n} objectives");
    }
}

#[test]
fn a_front_of_two_objectives_is_a_staircase_that_bounds_what_it_dominates() {
    // On both axes from 0.9 to 3.1: 5 % of the extent is left free on either side.
    let front = [vec![1.0, 3.0], vec![2.0, 2.0], vec![3.0, 1.0], vec![2.5, 2.5]];
    let stairs = |axes: &[Axis; 2]| {
        let svg = ParetoFigure { axes, front: &front, ..PLAIN }.svg().expect("a figure");
        let line = svg.lines().filter(|l| l.contains(r##"stroke="#0072B2" stroke-width="10""##)).nth(1);
        line.map_or(0, |line| line.matches(',').count())
    };
    // Minimised: three points, the corner before each, and the end at the frame; the fourth is dominated.
    assert_eq!(stairs(&[LATENCY, AREA]), 7);
    // Both maximised, (1, 3), (2.5, 2.5) and (3, 1) remain. Opposed: only (3, 1) or (1, 3).
    assert_eq!(stairs(&[FPS, FPS]), 7);
    assert_eq!(stairs(&[FPS, AREA]), 3);
    assert_eq!(stairs(&[LATENCY, FPS]), 3);
}

#[test]
fn the_staircase_of_a_pair_is_exact_however_long_the_front_is() {
    // Two points bound every pair from below; what lies above them is thinned for the file's size, they are not.
    let mut front = scattered(20_000, 3);
    front.extend([vec![0.1, 0.2, 0.1], vec![0.2, 0.1, 0.1]]);
    let stairs = |front: &[Vec<f64>], cloud: &[Vec<f64>]| {
        let svg = ParetoFigure { axes: &[LATENCY, AREA, POWER], front, cloud, ..PLAIN }.svg().expect("a figure");
        let lines = svg.lines().filter(|l| l.contains(r##"stroke="#0072B2" stroke-width="7""##));
        // The first is the key of the legend.
        lines.skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let all = stairs(&front, &[]);
    assert_eq!(all, stairs(&front[20_000..], &front));
    assert_eq!(all.len(), 3);
}

#[test]
fn tens_of_thousands_of_points_stay_below_300_kb() {
    for (n, with_rims) in [(2, 60), (5, 60)] {
        // Linear, and over decades: axes with all their ticks; and no empty place in a panel.
        for decades in [0.3, 4.0] {
            let spread = |p: &Vec<f64>| p.iter().map(|v| 10_f64.powf(v * decades)).collect::<Vec<_>>();
            let cloud: Vec<_> = scattered(20_000, n).iter().map(spread).collect();
            for front in [with_rims, 600, 20_000] {
                let (axes, front) = (&FIVE[..n], &cloud[..front]);
                let svg = ParetoFigure { axes, cloud: &cloud, front, ..PLAIN }.svg().expect("a figure");
                assert_well_formed(&svg);
                assert!(svg.len() < 300_000, "{n} objectives, {} in front: {}", front.len(), svg.len());
            }
        }
    }
}

#[test]
fn special_characters_of_labels_are_escaped() {
    let svg = ParetoFigure {
        title: "a < b & \"c\"",
        axes: &[LATENCY, Axis { label: "area <\u{0}&> (mm²)", maximise: false }],
        front: &[vec![1.0, 2.0]],
        marked: Some(Marked { label: "</svg>", values: &[1.0, 3.0] }),
        note: "it's 3 > 2",
        ..PLAIN
    };
    let svg = svg.svg().expect("a figure");
    assert_well_formed(&svg);
    for text in ["a &lt; b &amp; &quot;c&quot;", "area &lt; &amp;&gt; (mm²)", "&lt;/svg&gt;", "it&apos;s 3 &gt; 2"] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn one_point_equal_values_zero_negative_and_extreme_values_are_drawn() {
    let fronts: [&[Vec<f64>]; 6] = [
        &[vec![1.0, 2.0]],
        &[vec![0.0, 0.0]],
        &[vec![5.0, 1.0], vec![5.0, 1.0]],
        &[vec![-3.0, 7.0], vec![0.0, 7.0], vec![4.0, 7.0]],
        &[vec![1e300, -1e300], vec![-1e300, 1e300]],
        &[vec![5e-324, 1e300], vec![1.0, 1e-300]],
    ];
    for front in fronts {
        for axes in [&[LATENCY, AREA][..], &[FPS, AREA], &[AREA, FPS]] {
            let svg = ParetoFigure { axes, front, ..PLAIN }.svg().expect("a figure");
            assert_well_formed(&svg);
            assert!(svg.contains(FRONT_DISC));
        }
        let alone: Vec<Vec<f64>> = front.iter().map(|p| vec![p[0]]).collect();
        let svg = ParetoFigure { axes: &[AREA], front: &alone, ..PLAIN }.svg().expect("a figure");
        assert_well_formed(&svg);
    }
}

#[test]
fn the_better_end_of_an_axis_is_said_in_words_where_there_is_room() {
    let front = [vec![1.0, 2.0]];
    let svg = ParetoFigure { axes: &[AREA, FPS], front: &front, ..PLAIN }.svg().expect("a figure");
    assert!(
        svg.contains("area (mm²)\u{2002}←\u{a0}better\n") && svg.contains("throughput (FPS)\u{2002}better\u{a0}→\n")
    );
    let long = Axis { label: "latency of the slowest frame of the sequence (ms)", maximise: false };
    let svg = ParetoFigure { axes: &[long, FPS], front: &front, ..PLAIN }.svg().expect("a figure");
    assert!(svg.contains("\u{a0}←\n") && svg.contains("\ntowards better\n"));
}

#[test]
fn a_figure_that_cannot_be_drawn_says_why() {
    fn fits_anyhow<T: std::error::Error + Send + Sync + 'static>() {}
    fits_anyhow::<FigureError>();
    let message = |figure: ParetoFigure| figure.svg().expect_err("an error").to_string();
    let none = ParetoFigure { axes: &[], ..PLAIN };
    assert_eq!(message(none), "a Pareto figure needs at least one objective");
    let six = ParetoFigure { axes: &[AREA; 6], ..PLAIN };
    assert_eq!(
        message(six),
        "a Pareto figure shows at most 5 objectives and was given 6: draw it for 5 of them, or leave the figure \
         out and read the table of the front"
    );
    let pair = ParetoFigure { axes: &[LATENCY, AREA], ..PLAIN };
    assert_eq!(message(pair), "there is no feasible point to draw");
    let short = [vec![1.0, 2.0], vec![1.0]];
    assert_eq!(
        message(ParetoFigure { cloud: &short, ..pair }),
        "evaluated point 1 has 1 values, but the figure has 2 axes"
    );
    for value in [f64::NAN, f64::INFINITY, 1e301] {
        let front = [vec![1.0, value]];
        assert_eq!(
            message(ParetoFigure { front: &front, ..pair }),
            format!("point 0 of the front has the value {value} for area (mm²), which has no place on an axis")
        );
    }
    let marked = Some(Marked { label: "GSCore", values: &[f64::NEG_INFINITY, 1.0] });
    assert_eq!(
        message(ParetoFigure { marked, ..pair }),
        "the marked point `GSCore` has the value -inf for latency (ms), which has no place on an axis"
    );
}
