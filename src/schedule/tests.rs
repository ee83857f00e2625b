//! The schedulers against each other: jumped against simulated, one pass against the list, both against an independent
//! checker.

use proptest::prelude::*;

use super::graph::StageGraph;
use super::kernel::{Method, Schedule};
use super::order::Order;
use super::stage::Stage;
use super::verify::{Recorded, TileViolation, verify};
use crate::spec::expr::Function;
use crate::spec::hardware::Assign;
use crate::spec::program::{BinningTiles, Columns, Graph, NodeId, Operation, Program, TileTable};

/// A pipeline of random stages.
#[derive(Debug, Clone)]
struct Pipeline {
    /// Durations: one per stage (equal tiles), or one per stage and tile.
    durations: Vec<Vec<f64>>,
    latencies: Vec<f64>,
    groups: Vec<usize>,
    /// Producer, consumer, buffer; stages are in order.
    edges: Vec<(usize, usize, usize)>,
    /// Frame operators before the stream: duration of each.
    frame: f64,
    tiles: usize,
    /// Unit of each stage.
    units: Vec<usize>,
}

impl Pipeline {
    /// Has the recorded schedule verified, then spoilt versions of it; returns the makespan of the record.
    fn verified(&self, equal: bool, method: Option<Method>) -> Result<f64, String> {
        let mut result = Err("not run".into());
        self.run(equal, method, |schedule, columns, makespan| {
            result = match schedule.verify(columns, makespan) {
                Ok(true) => Ok(schedule.record(columns).map_or(f64::NAN, |record| record.makespan)),
                Ok(false) => Err("no schedule".into()),
                Err(violation) => Err(violation.to_string()),
            };
        });
        result
    }

    /// Makespan and lower bound by the program's own way.
    fn schedule(&self, equal: bool) -> (f64, f64, Method) {
        self.schedule_by(equal, None)
    }

    /// As [`Pipeline::schedule`], by a given method.
    fn schedule_by(&self, equal: bool, method: Option<Method>) -> (f64, f64, Method) {
        self.run(equal, method, |_, _, _| {})
    }

    /// Schedules, and shows the schedule with its inputs and the makespan.
    fn run(
        &self,
        equal: bool,
        method: Option<Method>,
        mut show: impl FnMut(&Schedule, Columns<'_>, f64),
    ) -> (f64, f64, Method) {
        let mut graph = Graph::new();
        let tiles = graph.constant(self.tiles as f64);
        let zero = graph.constant(0.0);
        let binning = zero;
        let occupancies: Vec<NodeId> = (0..self.durations.len())
            .map(|at| {
                if equal {
                    graph.constant(self.durations[at][0])
                } else {
                    graph.push(Operation::TileField(at, binning))
                }
            })
            .collect();
        let frame = graph.constant(self.frame);
        let mut stages = vec![Stage {
            name: "frame".into(),
            streamed: false,
            candidates: vec![self.groups.len()],
            unit: graph.constant(self.groups.len() as f64),
            occupancy: frame,
            work: frame,
            latency: zero,
            barriers: Vec::new(),
            inputs: Vec::new(),
        }];
        for (at, occupancy) in occupancies.iter().enumerate() {
            let work = if equal {
                graph.binary(Function::Mul, *occupancy, tiles)
            } else {
                graph.push(Operation::SumTiles(*occupancy))
            };
            let inputs: Vec<(usize, NodeId)> = self
                .edges
                .iter()
                .filter(|(_, to, _)| *to == at)
                .map(|(from, _, buffer)| (from + 1, graph.constant(*buffer as f64)))
                .collect();
            stages.push(Stage {
                name: format!("stage {at}"),
                streamed: true,
                candidates: vec![self.units[at]],
                unit: graph.constant(self.units[at] as f64),
                occupancy: *occupancy,
                work,
                latency: graph.constant(self.latencies[at]),
                barriers: if inputs.is_empty() { vec![0] } else { Vec::new() },
                inputs,
            });
        }
        let one = graph.constant(1.0);
        let mut groups: Vec<NodeId> = self.groups.iter().map(|groups| graph.constant(*groups as f64)).collect();
        groups.push(one);
        let assign = vec![Assign::Dynamic; groups.len()];
        let operators = (0..stages.len()).collect();
        let order = Order::Dags { alpha: one, beta: one };
        let port_cycles = vec![Vec::new(); stages.len()];
        let stage_graph = StageGraph { port_cycles, stages, operators, groups, assign, tiles, order, training: None };
        let inputs = Schedule::inputs(&stage_graph);
        graph.set_kernel_inputs(&inputs);
        let outputs = [graph.push(Operation::Kernel(0)), graph.push(Operation::Kernel(1))];
        let table = TileTable {
            binnings: vec![BinningTiles { count: if equal { 0 } else { self.tiles }, fields: self.durations.clone() }],
        };
        let program = Program::new(
            &graph,
            0,
            &outputs,
            &inputs,
            &outputs,
            table.into(),
            (!equal).then_some(binning),
            &Default::default(),
        );
        let mut schedule = Schedule::new(&stage_graph, &program);
        if method == Some(Method::List) {
            schedule = schedule.by_list();
        }
        let mut state = program.state();
        program.run(&mut state, None, &mut schedule);
        let [makespan, bound] =
            outputs.map(|node| program.place_of(node).map_or(f64::NAN, |place| program.scalar(&state, place)));
        show(&schedule, program.columns(&state), makespan);
        (makespan, bound, schedule.method())
    }

    /// The definition, written down once more and as plainly as possible: every start is the maximum of what it waits for.
    fn by_definition(&self) -> f64 {
        let stages = self.durations.len();
        let mut ends = vec![vec![0.0_f64; self.tiles]; stages];
        let mut free: Vec<Vec<f64>> = self.groups.iter().map(|groups| vec![0.0; *groups]).collect();
        for tile in 0..self.tiles {
            for stage in 0..stages {
                let mut start = self.frame;
                for (from, to, buffer) in &self.edges {
                    if *to == stage {
                        start = start.max(ends[*from][tile]);
                    }
                    if *from == stage && tile >= *buffer {
                        start = start.max(ends[*to][tile - buffer]);
                    }
                }
                let servers = &mut free[self.units[stage]];
                let server = (0..servers.len()).min_by(|a, b| servers[*a].total_cmp(&servers[*b])).unwrap_or(0);
                let values = &self.durations[stage];
                let busy_until = start.max(servers[server]) + values[tile.min(values.len() - 1)];
                servers[server] = busy_until;
                ends[stage][tile] = busy_until + self.latencies[stage];
            }
        }
        ends.iter().flatten().copied().fold(self.frame, f64::max)
    }

    /// The same pipeline with each tile's duration written out.
    fn spelled_out(&self) -> Self {
        let durations = self.durations.iter().map(|values| vec![values[0]; self.tiles]).collect();
        Self { durations, ..self.clone() }
    }
}

/// Chains with forks and joins; `per_tile` durations for each stage, whole numbers or not.
fn pipelines(equal: bool, whole: bool, max_tiles: usize) -> impl Strategy<Value = Pipeline> {
    (1_usize..6, 1..max_tiles).prop_flat_map(move |(stages, tiles)| {
        let durations = prop::collection::vec(
            prop::collection::vec((0_u32..2000, 1_u32..64), if equal { 1 } else { tiles }),
            stages,
        );
        let edges: Vec<_> = (1..stages).map(|to| (0..to, 1_usize..9)).collect();
        (
            durations,
            prop::collection::vec(0_u32..300, stages),
            prop::collection::vec(1_usize..6, stages),
            edges,
            0_u32..5000,
        )
            .prop_map(move |(durations, latencies, groups, edges, frame)| Pipeline {
                durations: durations
                    .iter()
                    .map(|values| {
                        let value =
                            |(n, d): &(u32, u32)| if whole { f64::from(*n) } else { f64::from(*n) / f64::from(*d) };
                        values.iter().map(value).collect()
                    })
                    .collect(),
                latencies: latencies.into_iter().map(f64::from).collect(),
                edges: edges.into_iter().enumerate().map(|(at, (from, buffer))| (from, at + 1, buffer)).collect(),
                units: (0..groups.len()).collect(),
                groups,
                frame: f64::from(frame),
                tiles,
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn equal_tiles_of_whole_cycles_are_jumped_to_the_cycle(pipeline in pipelines(true, true, 3000)) {
        let (jumped, _, method) = pipeline.schedule(true);
        prop_assert_eq!(method, Method::Stream);
        prop_assert_eq!(jumped, pipeline.spelled_out().by_definition());
    }

    /// A long frame operator before the stream must not cost the jump its precision.
    #[test]
    fn the_jump_stays_exact_behind_a_long_barrier(pipeline in pipelines(true, false, 3000)) {
        let late = Pipeline { frame: 3e7 + 1.0 / 3.0, ..pipeline.clone() };
        let early = Pipeline { frame: 0.0, ..pipeline };
        let (jumped, bound, _) = late.schedule(true);
        let expected = late.frame + early.schedule(true).0;
        prop_assert!((jumped - expected).abs() <= 1e-15 * expected, "{jumped} is not {expected}");
        prop_assert!(jumped >= bound * (1.0 - 1e-14));
    }

    #[test]
    fn equal_tiles_of_fractional_cycles_are_jumped_to_1e_12(pipeline in pipelines(true, false, 3000)) {
        let (jumped, _, _) = pipeline.schedule(true);
        let full = pipeline.spelled_out().by_definition();
        prop_assert!((jumped - full).abs() <= 1e-12 * full, "{jumped} is not {full}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn measured_tiles_are_scheduled_by_the_definition(pipeline in pipelines(false, false, 200)) {
        let (makespan, bound, _) = pipeline.schedule(false);
        let expected = pipeline.by_definition();
        prop_assert!((makespan - expected).abs() <= 1e-12 * expected, "{makespan} is not {expected}");
        prop_assert!(makespan >= bound * (1.0 - 1e-12), "{makespan} beats {bound}");
    }

    #[test]
    fn the_list_scheduler_agrees_where_nothing_competes(pipeline in pipelines(false, true, 60)) {
        let (list, _, method) = pipeline.schedule_by(false, Some(Method::List));
        prop_assert_eq!(method, Method::List);
        prop_assert_eq!(list, pipeline.by_definition());
    }

    #[test]
    fn stages_that_share_a_unit_never_beat_the_lower_bound(pipeline in pipelines(false, true, 60), unit in 0_usize..5) {
        let mut shared = pipeline.clone();
        shared.units = pipeline.units.iter().map(|own| if own % 2 == 0 { unit % pipeline.units.len() } else { *own }).collect();
        let (makespan, bound, _) = shared.schedule(false);
        prop_assert!(makespan.is_finite());
        prop_assert!(makespan >= bound * (1.0 - 1e-12), "{makespan} beats {bound}");
        // A unit that several stages share has to do the work of all of them.
        for unit in 0..shared.groups.len() {
            let work: f64 = (0..shared.units.len()).filter(|at| shared.units[*at] == unit).map(|at| shared.durations[at].iter().sum::<f64>()).sum();
            let busy = work / shared.groups[unit] as f64;
            prop_assert!(makespan >= shared.frame + busy - 1e-6);
            prop_assert!(bound >= busy * (1.0 - 1e-12), "{bound} leaves out that the unit is busy for {busy}");
        }
    }
}

#[test]
fn a_chain_of_three_fills_and_drains_once() {
    // Two buffers between stages of 5, 7 and 3 cycles: 10 tiles take 5 + 10 * 7 + 3 cycles.
    let chain = Pipeline {
        durations: vec![vec![5.0], vec![7.0], vec![3.0]],
        latencies: vec![0.0; 3],
        groups: vec![1; 3],
        edges: vec![(0, 1, 2), (1, 2, 2)],
        frame: 0.0,
        tiles: 10,
        units: vec![0, 1, 2],
    };
    assert_eq!(chain.schedule(true).0, 78.0);
}

#[test]
fn one_buffer_makes_neighbours_wait_for_each_other() {
    // A slot is taken when the producer starts and freed when the consumer has finished: 5 + 7 cycles a tile.
    let chain = Pipeline {
        durations: vec![vec![5.0], vec![7.0]],
        latencies: vec![0.0; 2],
        groups: vec![1; 2],
        edges: vec![(0, 1, 1)],
        frame: 100.0,
        tiles: 10,
        units: vec![0, 1],
    };
    assert_eq!(chain.schedule(true).0, 100.0 + 10.0 * 12.0);
}

#[test]
fn two_stages_on_one_unit_take_turns() {
    // Both need the unit for each of 10 tiles: 10 * (5 + 7) cycles, however they are interleaved.
    let shared = Pipeline {
        durations: vec![vec![5.0; 10], vec![7.0; 10]],
        latencies: vec![0.0; 2],
        groups: vec![1, 1],
        edges: vec![(0, 1, 4)],
        frame: 0.0,
        tiles: 10,
        units: vec![0, 0],
    };
    let (makespan, bound, method) = shared.schedule(false);
    assert_eq!(method, Method::List);
    assert_eq!(makespan, 120.0);
    // The unit is busy throughout, which the bound knows.
    assert_eq!(bound, 120.0);
}

/// Tile 1 has no work and overtakes tile 0 on another group, so the consumer starts long before tile 0 is there.
#[test]
fn the_lower_bound_knows_that_a_tile_can_overtake_the_first() {
    let mut first = vec![0.0; 13];
    first[0] = 1736.0;
    let pipeline = Pipeline {
        durations: vec![first, vec![1000.0; 13]],
        latencies: vec![197.0, 165.0],
        groups: vec![5, 2],
        edges: vec![(0, 1, 8)],
        frame: 3125.0,
        tiles: 13,
        units: vec![0, 1],
    };
    let (makespan, bound, _) = pipeline.schedule(false);
    assert!(makespan >= bound, "{makespan} beats {bound}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The record simulates every tile, so its length is that of the jump too.
    #[test]
    fn the_checker_accepts_equal_tiles(pipeline in pipelines(true, false, 2500)) {
        let (makespan, _, _) = pipeline.schedule(true);
        let recorded = pipeline.verified(true, None).map_err(TestCaseError::fail)?;
        prop_assert!((recorded - makespan).abs() <= 1e-12 * makespan);
    }

    #[test]
    fn the_checker_accepts_measured_tiles(pipeline in pipelines(false, false, 150), shared in any::<bool>()) {
        let mut pipeline = pipeline;
        if shared {
            pipeline.units.iter_mut().for_each(|unit| *unit /= 2);
        }
        let (makespan, _, _) = pipeline.schedule(false);
        prop_assert_eq!(pipeline.verified(false, None).map_err(TestCaseError::fail)?, makespan);
    }

    #[test]
    fn a_spoilt_schedule_of_tiles_is_refused(pipeline in pipelines(false, true, 60), at in any::<prop::sample::Index>()) {
        let stages = pipeline.units.len();
        pipeline.run(false, None, |schedule, columns, _| {
            let sound = schedule.record(columns).expect("schedule");
            let verdict = |spoil: &dyn Fn(&mut Recorded)| {
                let mut spoilt = sound.clone();
                spoil(&mut spoilt);
                verify(&schedule.stages, &schedule.groups, pipeline.tiles, columns, &spoilt)
            };
            let (stage, tile) = (1 + at.index(stages), at.index(pipeline.tiles));
            assert_eq!(verdict(&|_| {}), Ok(()));
            assert!(matches!(verdict(&|record| record.makespan += 1.0), Err(TileViolation::Length { .. })));
            let lost = verdict(&|record| record.visits[stage][tile].tile = pipeline.tiles);
            assert!(matches!(lost, Err(TileViolation::Tiles { .. })));
            let short = verdict(&|record| record.visits[stage][tile].start += 1.0);
            assert!(matches!(short, Err(TileViolation::Duration { .. })));
            // The first stage moved before the frame operator that it waits for.
            let shift = |record: &mut Recorded| {
                let visit = &mut record.visits[1][0];
                let early = visit.start - (pipeline.frame - 1.0);
                (visit.start, visit.left, visit.end) = (visit.start - early, visit.left - early, visit.end - early);
                record.makespan = record.visits.iter().flatten().map(|visit| visit.end).fold(0.0, f64::max);
            };
            if pipeline.frame >= 1.0 {
                let early = verdict(&shift);
                assert!(matches!(early, Err(TileViolation::Dependency { .. })), "{early:?}");
            }
        });
    }
}

/// Two tiles that a unit of one group works on at once, and a producer that runs ahead of its buffer.
#[test]
fn busy_groups_and_full_buffers_are_found() {
    let chain = Pipeline {
        durations: vec![vec![5.0; 2], vec![7.0; 2]],
        latencies: vec![0.0; 2],
        groups: vec![1; 2],
        edges: vec![(0, 1, 1)],
        frame: 0.0,
        tiles: 2,
        units: vec![0, 1],
    };
    chain.run(false, None, |schedule, columns, makespan| {
        let sound = schedule.record(columns).expect("schedule");
        // 0-5 and 5-12, then 12-17 and 17-24.
        assert_eq!((sound.makespan, makespan), (24.0, 24.0));
        let at = |start: f64| {
            let mut spoilt = sound.clone();
            let visit = &mut spoilt.visits[1][1];
            (visit.start, visit.left, visit.end) = (start, start + 5.0, start + 5.0);
            verify(&schedule.stages, &schedule.groups, 2, columns, &spoilt)
        };
        assert_eq!(at(12.0), Ok(()));
        assert!(matches!(at(11.0), Err(TileViolation::Room { .. })));
    });
    let wide = Pipeline { edges: vec![(0, 1, 2)], ..chain };
    wide.run(false, None, |schedule, columns, _| {
        let mut spoilt = schedule.record(columns).expect("schedule");
        let visit = &mut spoilt.visits[1][1];
        (visit.start, visit.left, visit.end) = (4.0, 9.0, 9.0);
        let found = verify(&schedule.stages, &schedule.groups, 2, columns, &spoilt);
        assert_eq!(found, Err(TileViolation::Groups { unit: 0, groups: 1, busy: 2, time: 4.0 }));
    });
}
