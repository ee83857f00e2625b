//! When things happen.

use proptest::prelude::*;

use super::*;

/// Eight equal tiles through read, GEMM and write: a flow shop of equal jobs, whose length is one pass of a job plus
/// the longest step for each further one (Johnson 1954).
///
/// 16 x 4 by 4 x 4 in tiles of 2 x 4 x 4: 8 tiles along M. Read: (2*4 + 4*4) * 2 = 48 bytes. GEMM, output stationary on
/// 2 x 2: ceil(2/2) ceil(4/2) (4 + 2 + 2 - 2) - 1 = 11. Write: 2 * 4 * 2 = 16. So 3 + (48 + 11 + 16) + 7 * 48 = 414.
#[test]
fn equal_tiles_take_one_pass_and_the_longest_step_for_each_further_one() {
    let tensors = vec![tensor("a", 16, 4, false), tensor("b", 4, 4, false), tensor("c", 16, 4, false)];
    let command = Command { name: "product".into(), gemm: gemm(0, 1, 2), ..Command::default() };
    let list = CommandList::new(tensors, vec![command]).expect("commands");
    for depth in [1, 2, 8] {
        let run = simulate(&list, &unit_rates((2, 4, 4), depth), Hazards::Tracked, false).expect("run");
        assert_eq!(run.cycles, 414.0, "depth {depth}");
        assert_eq!(run.engines[Engine::Read as usize].busy_cycles, 8.0 * 48.0);
    }
    assert_eq!(closed_form(&list, &list.commands()[0], &unit_rates((2, 4, 4), 8)), Some(414.0));
}

/// A prologue of 8 elements (3 + 8 = 11), then one tile that may read meanwhile: 4 x 2 and 2 x 2 give 24 bytes, until 27;
/// GEMM ceil(4/2) ceil(2/2) (2 + 2 + 2 - 2) - 1 = 7, until 34; the output stays. Epilogue of 8 elements until 42.
#[test]
fn prologue_product_and_epilogue_count_as_tokens_and_follow_each_other() {
    let tensors =
        vec![tensor("a", 4, 2, false), tensor("b", 2, 2, false), tensor("c", 4, 2, true), tensor("scale", 4, 1, true)];
    let command = Command {
        name: "composite".into(),
        prologue: vec![operation(Function::Multiply, &[2, 3], 2)],
        gemm: gemm(0, 1, 2),
        epilogue: vec![operation(Function::Relu, &[2], 2)],
    };
    let list = CommandList::new(tensors, vec![command]).expect("commands");
    let run = simulate(&list, &unit_rates((4, 2, 2), 4), Hazards::Tracked, true).expect("run");
    assert_eq!(run.cycles, 42.0);
    assert_eq!(run.commands[0].tokens, 3);
    let finished: Vec<(u32, f64)> = run.log.iter().map(|record| (record.operation, record.cycle)).collect();
    assert_eq!(finished, [(0, 11.0), (1, 34.0), (2, 42.0)]);
    assert_eq!(closed_form(&list, &list.commands()[0], &unit_rates((4, 2, 2), 4)), Some(42.0));
}

/// The second command overwrites what the first one reads; without the tracker it would finish first.
#[test]
fn a_command_waits_for_one_that_reads_what_it_writes() {
    let tensors = vec![tensor("x", 8, 8, true), tensor("y", 8, 8, true), tensor("z", 8, 8, true)];
    let slow = Command {
        name: "slow".into(),
        prologue: vec![operation(Function::Exp, &[1], 1), operation(Function::Add, &[1, 0], 2)],
        ..Command::default()
    };
    let quick =
        Command { name: "quick".into(), prologue: vec![operation(Function::Copy, &[2], 0)], ..Command::default() };
    let list = CommandList::new(tensors, vec![slow, quick]).expect("commands");
    let run = simulate(&list, &unit_rates((2, 2, 2), 4), Hazards::Tracked, false).expect("run");
    assert!(run.commands[1].admitted >= run.commands[0].completed);
}

#[test]
fn commands_that_mean_nothing_are_refused() {
    let tensors = || vec![tensor("a", 4, 2, true), tensor("b", 2, 3, true), tensor("c", 4, 3, true)];
    let refused = |command: Command| CommandList::new(tensors(), vec![command]).expect_err("refused").to_string();
    let named = |command: Command| Command { name: "x".into(), ..command };
    assert!(refused(named(Command::default())).contains("does nothing"));
    assert!(refused(named(Command { gemm: gemm(1, 0, 2), ..Command::default() })).contains("cannot join"));
    assert!(refused(named(Command { gemm: gemm(0, 1, 0), ..Command::default() })).contains("overwrites"));
    assert!(refused(named(Command { gemm: gemm(0, 9, 2), ..Command::default() })).contains("does not exist"));
    let add = vec![operation(Function::Add, &[0], 0)];
    assert!(refused(named(Command { prologue: add, ..Command::default() })).contains("takes 2 inputs"));
    let early = vec![operation(Function::Accumulate, &[], 2)];
    assert!(
        refused(named(Command { prologue: early, gemm: gemm(0, 1, 2), ..Command::default() })).contains("epilogue")
    );
    let wide = vec![operation(Function::Add, &[0, 1], 0)];
    assert!(refused(named(Command { epilogue: wide, ..Command::default() })).contains("cannot join"));
}

/// Square tensors, so that every operation fits every tensor; column vectors for the second operands.
const SIDE: u64 = 6;
const MATRICES: u32 = 5;

fn any_operation() -> impl Strategy<Value = MathOperation> {
    let functions = [Function::Copy, Function::Relu, Function::Add, Function::Multiply, Function::Maximum];
    (prop::sample::select(functions.to_vec()), 0..MATRICES, 0..MATRICES, 0..MATRICES).prop_map(
        |(function, a, b, out)| {
            let inputs = if function.inputs() == 2 { vec![a, b] } else { vec![a] };
            operation(function, &inputs, out)
        },
    )
}

fn any_command() -> impl Strategy<Value = Command> {
    let operations = || prop::collection::vec(any_operation(), 0..3);
    (operations(), prop::option::of((0..MATRICES, 0..MATRICES, 0..MATRICES)), operations(), any::<bool>())
        .prop_map(|(prologue, product, mut epilogue, accumulate)| {
            let product = product.filter(|(a, b, out)| a != out && b != out);
            if let (Some((_, _, out)), true) = (product, accumulate) {
                epilogue.insert(0, operation(Function::Accumulate, &[], out));
            }
            let gemm = product.and_then(|(a, b, out)| gemm(a, b, out));
            Command { name: "any".into(), prologue, gemm, epilogue }
        })
        .prop_filter("does something", |command| command.operations() > 0)
}

pub(super) fn any_list() -> impl Strategy<Value = CommandList> {
    (prop::collection::vec(any::<bool>(), MATRICES as usize), prop::collection::vec(any_command(), 1..6)).prop_map(
        |(resident, commands)| {
            let tensors = resident
                .into_iter()
                .enumerate()
                .map(|(index, resident)| tensor(&format!("t{index}"), SIDE, SIDE, resident))
                .collect();
            CommandList::new(tensors, commands).expect("commands")
        },
    )
}

pub(super) fn any_parameters() -> impl Strategy<Value = Parameters> {
    (1..8u64, 1..8u64, 1..8u64, 1..6u32, 1..5u64, 1..5u64, 0..4u64).prop_map(|(m, k, n, depth, rows, cols, setup)| {
        let mut parameters = unit_rates((m, k, n), depth);
        parameters.array.rows = rows;
        parameters.array.cols = cols;
        parameters.transfer_cycles = setup as f64;
        parameters
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Where the closed form applies it equals the event simulation to the cycle.
    #[test]
    fn the_closed_form_equals_the_simulation(list in any_list(), parameters in any_parameters()) {
        let tensors = list.tensors().to_vec();
        for command in list.commands() {
            let alone = CommandList::new(tensors.clone(), vec![command.clone()]).expect("commands");
            if let Some(cycles) = closed_form(&alone, command, &parameters) {
                let run = simulate(&alone, &parameters, Hazards::Tracked, false).expect("run");
                prop_assert_eq!(cycles, run.cycles);
            }
        }
    }

    /// Everything ends, every token is logged once, commands are admitted in order, and where two commands conflict
    /// everything of the earlier one is logged before anything of the later one.
    #[test]
    fn nothing_is_lost_and_hazards_hold(list in any_list(), parameters in any_parameters()) {
        let run = simulate(&list, &parameters, Hazards::Tracked, true).expect("run");
        let tokens: u64 = run.commands.iter().map(|span| span.tokens).sum();
        prop_assert_eq!(run.log.len() as u64, tokens);
        prop_assert!(run.log.windows(2).all(|pair| pair[0].cycle <= pair[1].cycle));
        prop_assert!(run.commands.windows(2).all(|pair| pair[0].admitted <= pair[1].admitted));
        for engine in &run.engines {
            prop_assert!(engine.busy_cycles <= run.cycles);
        }
        let touched = |command: &Command| {
            let accesses: Vec<_> = (0..command.operations()).map(|index| command.access(index)).collect();
            let reads: Vec<TensorId> = accesses.iter().flat_map(|(reads, _)| reads.clone()).collect();
            let writes: Vec<TensorId> = accesses.iter().map(|(_, write)| *write).collect();
            (reads, writes)
        };
        for later in 1..list.commands().len() {
            let (reads, writes) = touched(&list.commands()[later]);
            for earlier in 0..later {
                let (before_reads, before_writes) = touched(&list.commands()[earlier]);
                let conflict = before_writes.iter().any(|id| reads.contains(id) || writes.contains(id))
                    || before_reads.iter().any(|id| writes.contains(id));
                let place = |command: usize| run.log.iter().enumerate().filter(move |(_, record)| record.command == command as u32);
                let last = place(earlier).map(|(index, _)| index).max();
                let first = place(later).map(|(index, _)| index).min();
                prop_assert!(!conflict || last < first);
            }
        }
    }
}

/// The closed form applies to what sweeps use it for: a layer with resident activations and its activation function.
#[test]
fn a_layer_of_a_network_is_regular() {
    let tensors = vec![tensor("x", 100, 30, true), tensor("w", 30, 50, false), tensor("y", 100, 50, true)];
    let command = Command {
        name: "layer".into(),
        gemm: gemm(0, 1, 2),
        epilogue: vec![operation(Function::Relu, &[2], 2)],
        ..Command::default()
    };
    let list = CommandList::new(tensors, vec![command]).expect("commands");
    let parameters = unit_rates((16, 8, 12), 4);
    let run = simulate(&list, &parameters, Hazards::Tracked, false).expect("run");
    assert_eq!(closed_form(&list, &list.commands()[0], &parameters), Some(run.cycles));
}
