use super::*;
use crate::hardware::testing::reference_dir;
use proptest::prelude::*;

/// Serves one group access by access: per cycle, each bank takes up to `ports` of those that wait.
fn serve(banks: &[u32], banking: Banking) -> (u32, u32) {
    let mut waiting = banks.to_vec();
    let (mut cycles, mut conflicts) = (0, 0);
    while !waiting.is_empty() {
        let mut taken = vec![0; banking.banks as usize];
        waiting.retain(|&bank| {
            taken[bank as usize] += 1;
            taken[bank as usize] > banking.ports
        });
        if cycles == 0 {
            conflicts = waiting.len() as u32;
        }
        cycles += 1;
    }
    (cycles, conflicts)
}

#[test]
fn random_groups_equal_the_mean_over_all_placements() {
    for banks in 1..=4 {
        for ports in 1..=2 {
            for lanes in 1..=6 {
                let banking = Banking { banks, ports };
                let placements = banks.pow(lanes);
                let (mut cycles, mut conflicts) = (0, 0);
                for placement in 0..placements {
                    let group: Vec<u32> = (0..lanes).map(|lane| placement / banks.pow(lane) % banks).collect();
                    let (c, k) = serve(&group, banking);
                    (cycles, conflicts) = (cycles + c, conflicts + k);
                }
                let cost = banking.group_cost(lanes, AccessPattern::Random).expect("a cost");
                let mean = |sum: u32| f64::from(sum) / f64::from(placements);
                assert!((cost.cycles - mean(cycles)).abs() < 1e-12, "{banking:?} {lanes} {cost:?}");
                assert!((cost.conflicts - mean(conflicts)).abs() < 1e-12, "{banking:?} {lanes} {cost:?}");
            }
        }
    }
}

#[test]
fn strided_groups_equal_the_served_group_from_any_first_address() {
    for banks in 1..=8_u32 {
        for ports in 1..=3 {
            for lanes in 1..=12 {
                for stride in 0..=17_u32 {
                    for base in 0..banks {
                        let group: Vec<u32> = (0..lanes).map(|lane| (base + lane * stride) % banks).collect();
                        let banking = Banking { banks, ports };
                        let (cycles, conflicts) = serve(&group, banking);
                        let cost = banking.group_cost(lanes, AccessPattern::Stride(stride.into())).expect("a cost");
                        assert_eq!((cost.cycles, cost.conflicts), (cycles.into(), conflicts.into()));
                    }
                }
            }
        }
    }
}

#[test]
fn two_random_lanes_on_two_banks_stall_every_second_group() {
    // Both in one bank with probability 1/2: one conflict, one cycle more.
    let cost = Banking { banks: 2, ports: 1 }.group_cost(2, AccessPattern::Random).expect("a cost");
    assert!((cost.stall_cycles - 0.5).abs() < 1e-15 && (cost.conflicts - 0.5).abs() < 1e-15);
}

#[test]
fn large_groups_stay_finite_and_exact() {
    for (banks, lanes) in [(1024, 256), (256, 256), (1, 1024), (1024, 1), (16, 512)] {
        let banking = Banking { banks, ports: 1 };
        let cost = banking.group_cost(lanes, AccessPattern::Random).expect("a cost");
        // Expected occupied banks: banks (1 - (1 - 1/banks)^lanes); every other access conflicts.
        let b = f64::from(banks);
        let occupied = b * (1.0 - (1.0 - 1.0 / b).powi(lanes as i32));
        assert!((cost.conflicts - (f64::from(lanes) - occupied)).abs() < 1e-6, "{banks} {lanes} {cost:?}");
        assert!(cost.cycles >= f64::from(lanes.div_ceil(banks)) - 1e-9 && cost.cycles <= f64::from(lanes));
    }
}

#[test]
fn nothing_and_too_much_are_errors() {
    let banking = Banking { banks: 4, ports: 1 };
    assert_eq!(banking.group_cost(0, AccessPattern::Stream), Err(ConflictError::Zero("lanes")));
    assert!(Banking { banks: 0, ports: 1 }.group_cost(1, AccessPattern::Random).is_err());
    assert!(banking.group_cost(5000, AccessPattern::Random).is_err());
}

/// The published figures have no banks, ports or lanes beside them, so they can not be predicted. What can be checked is
/// their structure, and between which of the model's cases they lie.
#[test]
fn published_conflicts_and_stalls_are_compared() {
    let Some(dir) = reference_dir() else { return };
    let text = std::fs::read_to_string(dir.join("published.toml")).expect("the file opens");
    let mut ratios = Vec::new();
    for name in ["icarus", "neurex", "gscore"] {
        let (conflicts, stalls) = (figures(&text, name, "bank_conflicts"), figures(&text, name, "stall_cycles"));
        assert!(!conflicts.is_empty(), "no figures of {name}");
        for (block, count) in conflicts {
            let stall = stalls.iter().find(|(other, _)| *other == block).map(|&(_, stall)| stall);
            let stall = stall.expect("a block with conflicts has stalls");
            println!("published {name:7} {block:10} {count:12.0} conflicts, {stall:12.0} stalls: {:.4}", stall / count);
            ratios.push(stall / count);
        }
    }
    for ratio in &ratios {
        assert!((ratio - 0.05).abs() < 0.002, "stalls are 5 % of conflicts in every published block: {ratio}");
    }
    println!("published stalls are 5 % of conflicts in all {} rows: a factor, not a count of cycles", ratios.len());
    for (banks, lanes) in [(4, 4), (8, 8), (16, 16)] {
        let cost = Banking { banks, ports: 1 }.group_cost(lanes, AccessPattern::Random).expect("a cost");
        println!(
            "model, random, {lanes} lanes on {banks} banks: {:.3} conflicts per access, {:.3} stalls per conflict",
            cost.conflicts / f64::from(lanes),
            cost.stall_cycles / cost.conflicts
        );
        assert!(cost.stall_cycles / cost.conflicts > 0.05, "without queues the model stalls longer");
    }
    // ICARUS, weights: 122.88 M reads of 4,096 bytes each by the published traffic, so 64 accesses if a bank gives 64
    // bytes, and 73.7 M conflicts: 0.009 per access, between a stream's 0 and the 0.34 of 8 random lanes on 8 banks.
    println!("published ICARUS weights: {:.4} conflicts per 64 bytes", 73.7e6 / 122.88e6 / 64.0);
}

/// The inline table `key = { block = count, ... }` of one accelerator's tables, by block.
fn figures<'a>(text: &'a str, accelerator: &str, key: &str) -> Vec<(&'a str, f64)> {
    let mut inside = false;
    for line in text.lines() {
        if let Some(header) = line.strip_prefix('[') {
            inside = header.trim_start_matches('[').split(['.', ']']).next() == Some(accelerator);
        }
        let Some(rest) = line.strip_prefix(key).filter(|_| inside) else {
            continue;
        };
        let entries = rest.trim_matches([' ', '=', '{', '}']).split(',');
        return entries
            .filter_map(|entry| entry.split_once('='))
            .filter_map(|(block, count)| Some((block.trim(), count.trim().parse().ok()?)))
            .filter(|(block, _)| *block != "overhead_pct")
            .collect();
    }
    Vec::new()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn more_banks_and_ports_never_add_stalls(
        banks in 1u32..20,
        more in 1u32..20,
        times in 1u32..8,
        ports in 1u32..4,
        lanes in 1u32..32,
        stride in 0u64..100,
    ) {
        let cost = |banks, ports, pattern| Banking { banks, ports }.group_cost(lanes, pattern).expect("a cost");
        for pattern in [AccessPattern::Stream, AccessPattern::Random] {
            let base = cost(banks, ports, pattern);
            prop_assert!(base.stall_cycles >= 0.0 && base.conflicts >= 0.0);
            prop_assert!(base.cycles * f64::from(banks * ports) >= f64::from(lanes) * (1.0 - 1e-12));
            for wider in [cost(banks + more, ports, pattern), cost(banks, ports + 1, pattern)] {
                prop_assert!(wider.stall_cycles <= base.stall_cycles + 1e-9);
                prop_assert!(wider.conflicts <= base.conflicts + 1e-9);
            }
        }
        let strided = AccessPattern::Stride(stride);
        prop_assert!(cost(banks * times, ports, strided).stall_cycles <= cost(banks, ports, strided).stall_cycles);
    }
}
