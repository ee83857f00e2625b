//! The operation log on real numbers.

use ndarray::{Array2, Axis};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::timing::{any_list, any_parameters};
use super::*;

/// Tensors, their values, and commands, put together step by step.
#[derive(Default)]
struct Build {
    tensors: Vec<Tensor>,
    data: Vec<Array2<f64>>,
    commands: Vec<Command>,
}

impl Build {
    fn tensor(&mut self, name: &str, values: Array2<f64>) -> u32 {
        self.tensors.push(tensor(
            name,
            values.nrows() as u64,
            values.ncols() as u64,
            self.tensors.len().is_multiple_of(2),
        ));
        self.data.push(values);
        self.tensors.len() as u32 - 1
    }

    fn command(&mut self, prologue: Vec<MathOperation>, gemm: Option<Gemm>, epilogue: Vec<MathOperation>) {
        let name = format!("command {}", self.commands.len());
        self.commands.push(Command { name, prologue, gemm, epilogue });
    }

    /// Values after the log of a simulation has been executed.
    fn run(&self, parameters: &Parameters, hazards: Hazards) -> Vec<Array2<f64>> {
        let list = CommandList::new(self.tensors.clone(), self.commands.clone()).expect("commands");
        let run = simulate(&list, parameters, hazards, true).expect("run");
        let mut data = self.data.clone();
        execute(&list, &run.log, &mut data).expect("data");
        data
    }
}

fn random(seed: u64, rows: usize, cols: usize, from: f64, to: f64) -> Array2<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    Array2::from_shape_fn((rows, cols), |_| random.random_range(from..to))
}

fn distance(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Attention over blocks of keys: `S = Q K^T`, running maximum and sum, `O = O * corr + P V`, at last `O / l`.
/// Returns the build and the tensor of the result.
fn flash_attention(queries: usize, keys: usize, width: usize, block: usize) -> Case {
    let (q, k, v) =
        (random(1, queries, width, -1.0, 1.0), random(2, keys, width, -1.0, 1.0), random(3, keys, width, -1.0, 1.0));
    // The definition: softmax of all scores of a query, times the values.
    let scores = q.dot(&k.t()).mapv(f64::exp);
    let sums = scores.sum_axis(Axis(1)).insert_axis(Axis(1));
    let expected = (&scores / &sums).dot(&v);

    let mut build = Build::default();
    let query = build.tensor("q", q);
    let column = |value: f64| Array2::from_elem((queries, 1), value);
    let maximum = build.tensor("m", column(-1e30));
    let sum = build.tensor("l", column(0.0));
    let output = build.tensor("o", Array2::zeros((queries, width)));
    let [new, corr, part] = ["m_new", "corr", "part"].map(|name| build.tensor(name, column(0.0)));
    for start in (0..keys).step_by(block) {
        let end = (start + block).min(keys);
        let rows = |matrix: &Array2<f64>| matrix.slice(ndarray::s![start..end, ..]).to_owned();
        let keys = build.tensor("k^T", rows(&k).reversed_axes());
        let values = build.tensor("v", rows(&v));
        let score = build.tensor("s", Array2::zeros((queries, end - start)));
        build.command(
            vec![],
            gemm(query, keys, score),
            vec![
                operation(Function::RowMaximum, &[score], part),
                operation(Function::Maximum, &[maximum, part], new),
                operation(Function::Subtract, &[maximum, new], corr),
                operation(Function::Exp, &[corr], corr),
                operation(Function::Subtract, &[score, new], score),
                operation(Function::Exp, &[score], score),
                operation(Function::RowSum, &[score], part),
                operation(Function::Multiply, &[sum, corr], sum),
                operation(Function::Add, &[sum, part], sum),
                operation(Function::Copy, &[new], maximum),
            ],
        );
        build.command(
            vec![operation(Function::Multiply, &[output, corr], output)],
            gemm(score, values, output),
            vec![operation(Function::Accumulate, &[], output)],
        );
    }
    build.command(vec![operation(Function::Divide, &[output, sum], output)], None, vec![]);
    (build, output, expected)
}

/// `relu(x W1 + b1) W2 + b2`.
fn network() -> Case {
    let (x, w1, b1) = (random(4, 9, 5, -1.0, 1.0), random(5, 5, 11, -1.0, 1.0), random(6, 1, 11, -1.0, 1.0));
    let (w2, b2) = (random(7, 11, 4, -1.0, 1.0), random(8, 1, 4, -1.0, 1.0));
    let expected = (x.dot(&w1) + &b1).mapv(|v| v.max(0.0)).dot(&w2) + &b2;
    let mut build = Build::default();
    let [x, w1, b1, w2, b2] =
        [("x", x), ("w1", w1), ("b1", b1), ("w2", w2), ("b2", b2)].map(|(name, values)| build.tensor(name, values));
    let hidden = build.tensor("hidden", Array2::zeros((9, 11)));
    let output = build.tensor("y", Array2::zeros((9, 4)));
    build.command(
        vec![],
        gemm(x, w1, hidden),
        vec![operation(Function::Add, &[hidden, b1], hidden), operation(Function::Relu, &[hidden], hidden)],
    );
    build.command(vec![], gemm(hidden, w2, output), vec![operation(Function::Add, &[output, b2], output)]);
    (build, output, expected)
}

/// Front-to-back blending of depth-sorted Gaussians in chunks: `C += w colours` with `w = T alpha prod(1 - alpha)`.
fn blending(pixels: usize, gaussians: usize, chunk: usize) -> Case {
    let (alpha, colour) = (random(9, pixels, gaussians, 0.0, 0.9), random(10, gaussians, 3, 0.0, 1.0));
    // The rasteriser's loop (Kerbl et al. 2023): each Gaussian takes its share of the light that is left.
    let mut expected = Array2::zeros((pixels, 3));
    for pixel in 0..pixels {
        let mut transmittance = 1.0;
        for gaussian in 0..gaussians {
            for channel in 0..3 {
                expected[[pixel, channel]] += transmittance * alpha[[pixel, gaussian]] * colour[[gaussian, channel]];
            }
            transmittance *= 1.0 - alpha[[pixel, gaussian]];
        }
    }
    let mut build = Build::default();
    let light = build.tensor("transmittance", Array2::ones((pixels, 1)));
    let output = build.tensor("colour", Array2::zeros((pixels, 3)));
    let passed = build.tensor("passed", Array2::zeros((pixels, 1)));
    // All chunks, which are equal, have their weights in one place.
    let weight = build.tensor("weight", Array2::zeros((pixels, chunk)));
    for start in (0..gaussians).step_by(chunk) {
        let end = (start + chunk).min(gaussians);
        let opacity = build.tensor("alpha", alpha.slice(ndarray::s![.., start..end]).to_owned());
        let colours = build.tensor("colours", colour.slice(ndarray::s![start..end, ..]).to_owned());
        build.command(
            vec![
                operation(Function::Complement, &[opacity], weight),
                operation(Function::RowProduct, &[weight], passed),
                operation(Function::RowProductBefore, &[weight], weight),
                operation(Function::Multiply, &[weight, opacity], weight),
                operation(Function::Multiply, &[weight, light], weight),
            ],
            gemm(weight, colours, output),
            vec![operation(Function::Accumulate, &[], output), operation(Function::Multiply, &[light, passed], light)],
        );
    }
    (build, output, expected)
}

/// Commands, the tensor of their result, and what it must be.
type Case = (Build, u32, Array2<f64>);

fn works() -> [(&'static str, Case); 3] {
    [("attention", flash_attention(7, 20, 6, 5)), ("network", network()), ("blending", blending(10, 32, 8))]
}

#[test]
fn logs_compute_the_definition_whatever_the_tiles_and_queues() {
    for (name, (build, output, expected)) in works() {
        for tiles in [(1, 1, 1), (2, 3, 2), (4, 4, 4), (3, 16, 2), (64, 64, 64)] {
            for depth in [1, 2, 7] {
                let data = build.run(&unit_rates(tiles, depth), Hazards::Tracked);
                let far = distance(&data[output as usize], &expected);
                assert!(far < 1e-12, "{name}, tiles {tiles:?}, depth {depth}: {far}");
            }
        }
    }
}

/// The tracker is needed: without it each of the three comes out wrong.
#[test]
fn without_hazards_the_answer_is_wrong() {
    let slow = unit_rates((2, 3, 2), 7);
    // The weights of the next chunk must be ready before the product has read those of this one.
    let quick = Parameters {
        math_elements_per_cycle: 1024.0,
        read_bytes_per_cycle: 1024.0,
        write_bytes_per_cycle: 1024.0,
        command_cycles: 0.0,
        ..slow
    };
    for (name, (build, output, expected)) in works() {
        let data = build.run(if name == "blending" { &quick } else { &slow }, Hazards::Ignored);
        let far = distance(&data[output as usize], &expected);
        assert!(far > 1e-3, "{name} came out right without hazards: {far}");
    }
}

/// The product's records carry `accumulate` exactly where they add: later parts of K, and products whose epilogue adds.
#[test]
fn accumulating_products_follow_their_prologue_in_the_log() {
    let (build, ..) = flash_attention(4, 8, 4, 4);
    let list = CommandList::new(build.tensors, build.commands).expect("commands");
    let run = simulate(&list, &unit_rates((2, 2, 2), 2), Hazards::Tracked, true).expect("run");
    for (place, record) in run.log.iter().enumerate() {
        let Work::Gemm { block, accumulate } = record.work else { continue };
        let command = &list.commands()[record.command as usize];
        assert_eq!(accumulate, command.accumulates() || block.k.0 > 0);
        let prologue = |earlier: &&Record| {
            earlier.command == record.command && (earlier.operation as usize) < command.prologue.len()
        };
        assert_eq!(run.log[..place].iter().filter(prologue).count(), command.prologue.len());
    }
}

#[test]
fn foreign_logs_and_shapes_are_refused() {
    let (build, ..) = network();
    let list = CommandList::new(build.tensors.clone(), build.commands.clone()).expect("commands");
    let mut data = build.data.clone();
    let record = Record { cycle: 0.0, command: 9, operation: 0, work: Work::Math };
    assert_eq!(execute(&list, &[record], &mut data), Err(DataError::Foreign(0)));
    let block = Block { m: (0, 99), k: (0, 1), n: (0, 1) };
    let record = Record { command: 0, work: Work::Gemm { block, accumulate: false }, ..record };
    assert_eq!(execute(&list, &[record], &mut data), Err(DataError::Foreign(0)));
    data[1] = Array2::zeros((1, 1));
    assert_eq!(execute(&list, &[], &mut data), Err(DataError::Shape("w1".into())));
    data.pop();
    assert_eq!(execute(&list, &[], &mut data), Err(DataError::Count { wanted: 7, given: 6 }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Any commands: the log computes what the commands say, one after the other.
    #[test]
    fn logs_compute_what_the_commands_say(list in any_list(), parameters in any_parameters(), seed in any::<u64>()) {
        let run = simulate(&list, &parameters, Hazards::Tracked, true).expect("run");
        let start: Vec<_> = list
            .tensors()
            .iter()
            .enumerate()
            .map(|(index, tensor)| random(seed ^ index as u64, tensor.rows as usize, tensor.cols as usize, -0.4, 0.4))
            .collect();
        let (mut logged, mut plain) = (start.clone(), start);
        execute(&list, &run.log, &mut logged).expect("data");
        reference(&list, &mut plain).expect("data");
        for (logged, plain) in logged.iter().zip(&plain) {
            let scale = plain.iter().map(|x| x.abs()).fold(1.0, f64::max);
            prop_assert!(distance(logged, plain) <= 1e-11 * scale);
        }
    }
}
