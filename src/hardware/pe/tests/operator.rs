//! Whole operators: their closed form against the simulation of real command lists, and its bounds.

use proptest::prelude::*;

use super::*;
use crate::spec::program::LargeModel;
use crate::spec::program::bounds::Interval;
use crate::spec::refine::Timing;

fn layer(m: u64, k: u64, n: u64, epilogue: u64) -> Layer {
    Layer { m, k, n, times: 1, prologue: 0, epilogue }
}

/// Blocks of 4 rows by 2 x 2, one tile each. Both operands come in, 4 x 2 + 2 x 2 values of 2 bytes: 24 cycles. The feeder
/// takes 3, GEMM 7 (as in `prologue_product_and_epilogue_...`), the activation of 4 x 2 elements 8; the result stays. Alone
/// that is 3 + 24 + 7 + 8 = 42. Two blocks: the second one is fed until 6, read from 27 to 51, done at 51 + 7 + 8 = 66.
#[test]
fn blocks_of_rows_overlap_in_the_simulation_only() {
    let layers = [layer(8, 2, 2, 1)];
    let resident = Resident { output: true, ..Resident::default() };
    let work =
        |command_rows, independent| Layers { layers: &layers, command_rows, element_bytes: 2.0, resident, independent };
    let parameters = unit_rates((4, 2, 2), 4);
    assert_eq!(work(4, true).closed_cycles(&parameters), Ok(84.0));
    assert_eq!(work(4, true).simulated(&parameters).expect("run"), 66.0);
    assert_eq!(work(4, false).simulated(&parameters).expect("run"), 84.0);
}

/// A prologue of three operations on 4 x 2 resident elements, 8 cycles each, and a queue of one: the first is fed at 3
/// and starts, the second waits in the queue, the third finds room when the second starts, at 11. Only then is the
/// product fed and reads its 2 x 2 weights: 8 cycles, until 19. It computes when the prologue ends, at 27, until 34.
#[test]
fn a_product_behind_a_full_queue_is_fed_late() {
    let product = Layer { prologue: 3, ..layer(4, 2, 2, 0) };
    let slow = Layers {
        layers: &[product],
        command_rows: 4,
        element_bytes: 2.0,
        resident: Resident { input: true, output: true, ..Resident::default() },
        independent: true,
    };
    let mut parameters = unit_rates((4, 2, 2), 1);
    assert_eq!(slow.closed_cycles(&parameters), Ok(34.0));
    // With a quarter of the bandwidth the weights take 32 cycles: from 11 to 43, or from 3 to 35 where all find room.
    parameters.read_bytes_per_cycle = 0.25;
    assert_eq!(slow.closed_cycles(&parameters), Ok(50.0));
    parameters.queue_depth = 2;
    assert_eq!(slow.closed_cycles(&parameters), Ok(42.0));
}

/// Elements go in, through the math engine and out; one after the other.
#[test]
fn element_wise_work_is_one_command() {
    assert_eq!(element_wise_cycles(10.0, 40.0, 6.0, &unit_rates((1, 1, 1), 1)), 3.0 + 10.0 + 40.0 + 6.0);
    assert_eq!(element_wise_cycles(0.0, 40.0, 0.0, &unit_rates((1, 1, 1), 1)), 43.0);
}

#[derive(Debug, Clone)]
struct Case {
    layers: Vec<Layer>,
    command_rows: u64,
    resident: Resident,
    parameters: Parameters,
}

impl Case {
    fn work(&self, independent: bool) -> Layers<'_> {
        let Self { layers, command_rows, resident, .. } = self;
        Layers { layers, command_rows: *command_rows, element_bytes: 2.0, resident: *resident, independent }
    }

    /// The commands of each block of rows as a user would write them.
    fn lists(&self) -> Vec<CommandList> {
        let rows = self.layers[0].m;
        (0..rows.div_ceil(self.command_rows))
            .map(|block| self.list(self.command_rows.min(rows - block * self.command_rows)))
            .collect()
    }

    fn list(&self, rows: u64) -> CommandList {
        let products: Vec<Layer> =
            self.layers.iter().flat_map(|layer| std::iter::repeat_n(*layer, layer.times as usize)).collect();
        let last = products.len() - 1;
        let mut tensors = vec![tensor("x", rows, products[0].k, self.resident.input)];
        let mut commands = Vec::new();
        for (at, product) in products.iter().enumerate() {
            let a = tensors.len() as u32 - 1;
            tensors.push(tensor("w", product.k, product.n, self.resident.weights));
            let stays = if at == last { self.resident.output } else { self.resident.between };
            tensors.push(tensor("y", rows, product.n, stays));
            // The input of a later product is the output of the one before: two places back, behind its weights.
            let a = if at == 0 { 0 } else { a };
            let out = tensors.len() as u32 - 1;
            let around = |count: u64, on: u32| (0..count).map(|_| operation(Function::Relu, &[on], on)).collect();
            commands.push(Command {
                name: format!("{at}"),
                prologue: around(product.prologue, a),
                gemm: gemm(a, out - 1, out),
                epilogue: around(product.epilogue, out),
            });
        }
        CommandList::new(tensors, commands).expect("commands")
    }
}

fn any_case() -> impl Strategy<Value = Case> {
    let widths = prop::collection::vec((1..20u64, 0..4u64, 0..4u64), 1..4);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (1..40u64, 1..20u64, widths, 1..50u64, flags, super::timing::any_parameters(), 1..4u64).prop_map(
        |(m, k, widths, command_rows, (input, weights, between, output), parameters, times)| {
            let mut inner = k;
            let layers = widths
                .into_iter()
                .map(|(n, prologue, epilogue)| {
                    // Equal products follow each other only where one's output fits the next one's input.
                    let times = if n == inner { times } else { 1 };
                    let layer = Layer { m, k: inner, n, times, prologue, epilogue };
                    inner = n;
                    layer
                })
                .collect();
            Case { layers, command_rows, resident: Resident { input, weights, between, output }, parameters }
        },
    )
}

fn arguments(case: &Case) -> Vec<f64> {
    let Parameters { array, .. } = case.parameters;
    let knobs = Arguments {
        tile_m: case.parameters.tile_m as f64,
        tile_k: case.parameters.tile_k as f64,
        tile_n: case.parameters.tile_n as f64,
        rows: array.rows as f64,
        cols: array.cols as f64,
        dataflow: DATAFLOWS.iter().position(|flow| *flow == array.dataflow).expect("dataflow") as f64,
        command_rows: case.command_rows as f64,
        queue_depth: f64::from(case.parameters.queue_depth),
        read_bytes_per_cycle: case.parameters.read_bytes_per_cycle,
        write_bytes_per_cycle: case.parameters.write_bytes_per_cycle,
        math_elements_per_cycle: case.parameters.math_elements_per_cycle,
        transfer_cycles: case.parameters.transfer_cycles,
        command_cycles: case.parameters.command_cycles,
        element_bytes: 2.0,
    };
    let layers = case.layers.iter().flat_map(|layer| {
        [layer.m, layer.k, layer.n, layer.times, layer.prologue, layer.epilogue].map(|number| number as f64)
    });
    knobs.list().into_iter().chain(layers).collect()
}

fn model(case: &Case, timing: Timing) -> ElementModel {
    let task = Task::Products { layers: case.layers.len(), independent: true };
    ElementModel { task, resident: case.resident, timing }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever the depth of the queues, each command of an operator takes what its closed form says, alone and behind
    /// those that it waits for.
    #[test]
    fn the_closed_form_of_an_operator_equals_the_simulation_of_its_commands(case in any_case()) {
        let parameters = &case.parameters;
        let run = |list: &CommandList| simulate(list, parameters, Hazards::Tracked, false).expect("run").cycles;
        let lists = case.lists();
        let chains: f64 = lists.iter().map(run).sum();
        let closed = case.work(true).closed_cycles(parameters).expect("cycles");
        prop_assert_eq!(closed, chains);
        prop_assert_eq!(case.work(false).simulated(parameters).expect("run"), chains);
        if let [list] = lists.as_slice() {
            prop_assert_eq!(case.work(true).simulated(parameters).expect("run"), chains);
            // And the closed form of single commands agrees where it applies.
            let alone = list.commands().iter().map(|command| closed_form(list, command, parameters));
            if let Some(sum) = alone.sum::<Option<f64>>() {
                prop_assert_eq!(sum, chains);
            }
        }
        let from_arguments = model(&case, Timing::Closed).value(&arguments(&case));
        prop_assert_eq!(from_arguments, closed);
    }

    /// Every point of a box lies within the bounds of the box, in both timings.
    #[test]
    fn bounds_hold_for_every_point_of_a_box(
        (case, other) in (any_case(), any_case()),
        wide in prop::collection::vec(any::<bool>(), 14 + 6 * 3),
        rates in prop::collection::vec(0.25..4.0f64, 6),
        picks in prop::collection::vec((0..3usize, 0.0..1.0f64), 14 + 6 * 3),
    ) {
        let (mut first, mut second) = (arguments(&case), arguments(&other));
        // The first layers of both, so that they have equally many.
        let layers = case.layers.len().min(other.layers.len());
        first.truncate(14 + 6 * layers);
        second.truncate(14 + 6 * layers);
        for (at, rate) in rates.iter().enumerate() {
            let place = 8 + at % 3;
            if at < 3 { first[place] = *rate } else { second[place] = *rate }
        }
        let mut boxed: Vec<Interval> = first
            .iter()
            .zip(&second)
            .zip(&wide)
            .map(|((a, b), wide)| if *wide { Interval::point(*a).hull(Interval::point(*b)) } else { Interval::point(*a) })
            .collect();
        boxed[5] = Interval { lo: 0.0, hi: if wide[5] { 2.0 } else { 0.0 } };
        let inside: Vec<f64> = boxed
            .iter()
            .zip(&picks)
            .enumerate()
            .map(|(at, (range, (end, share)))| match end {
                0 => range.lo,
                1 => range.hi,
                _ if (8..11).contains(&at) => range.lo + share * (range.hi - range.lo),
                _ => (range.lo + share * (range.hi - range.lo)).floor(),
            })
            .collect();
        for timing in [Timing::Closed, Timing::Events] {
            let task = Task::Products { layers, independent: true };
            let model = ElementModel { task, resident: case.resident, timing };
            let (bounds, value) = (model.bounds(&boxed), model.value(&inside));
            prop_assert!(value.is_finite(), "{}", model.why(&inside));
            prop_assert!(bounds.lo <= value && value <= bounds.hi, "{timing:?}: {value} in {bounds:?}");
        }
    }
}
