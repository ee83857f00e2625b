//! An IR that is written, read and written again is the same text, whatever its numbers are.

use std::collections::BTreeMap;

use nerarch_dse::ppa::breakdown::{MemoryUse, PortName};
use nerarch_dse::report::analysis::{HardwareRef, MAPPED_FORMAT, MappedIr, Resource, VERSION};
use nerarch_dse::spec::workload::{Movement, Transfer, Workload, WorkloadOperator, WorkloadTotals};
use proptest::prelude::*;

/// A number that an IR can hold: any that is finite and not below 0, from the smallest to the largest.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        (0..f64::INFINITY.to_bits()).prop_map(f64::from_bits),
        // Numbers of the usual size, of which a third lost a bit where text was read by a quick method.
        1e-3..1e12_f64,
    ]
}

fn ir(numbers: &[f64], whole: u64) -> MappedIr {
    let at = |index: usize| numbers[index % numbers.len()];
    let operator = WorkloadOperator {
        name: "mlp".into(),
        kind: "MLP".into(),
        category: "computation".into(),
        pass: "forward".into(),
        function: "nn.Module".into(),
        stage: None,
        calls: whole,
        streamed: false,
        inputs: vec![vec![whole, 3]],
        outputs: Vec::new(),
        parameters: BTreeMap::from([("samples".to_owned(), at(0)), ("width".to_owned(), at(1))]),
        counts: BTreeMap::from([("flops".to_owned(), at(2)), ("read_bytes".to_owned(), at(3))]),
        inferred: Vec::new(),
        sources: Vec::new(),
        unit: Some("array".into()),
    };
    let port = PortName { memory: "dram".into(), direction: "both".into() };
    let used = MemoryUse {
        port,
        carries: vec!["weights".into()],
        read_bytes: at(4),
        written_bytes: at(5),
        cycles: at(6),
        shared_cycles: at(7),
    };
    MappedIr {
        format: MAPPED_FORMAT.into(),
        version: VERSION,
        hardware: HardwareRef { file: "h".into(), name: "H".into(), node_nm: at(8), source: None },
        workload: Workload {
            name: "t".into(),
            tiles: 1,
            operators: vec![operator],
            edges: Vec::new(),
            traffic: vec![Transfer {
                name: "weights".into(),
                operator: "mlp".into(),
                memory: "dram".into(),
                direction: Movement::Read,
                bytes: at(9),
            }],
            unrecognised: Vec::new(),
            remarks: Vec::new(),
            totals: WorkloadTotals { flops: whole, flops_backward: 0, macs: whole / 2 },
        },
        resources: vec![Resource {
            operator: "mlp".into(),
            unit: "array".into(),
            instances: at(10),
            groups: 1.0,
            compute_cycles: at(11),
            memory: vec![used],
        }],
        warnings: Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn written_read_and_written_again_it_is_the_same(numbers in prop::collection::vec(number(), 12), whole: u64) {
        let ir = ir(&numbers, whole);
        let text = serde_json::to_string_pretty(&ir).expect("JSON");
        let again = MappedIr::from_json("m", &text).expect("a mapped IR");
        prop_assert_eq!(&again, &ir);
        prop_assert_eq!(serde_json::to_string_pretty(&again).expect("JSON"), text);
    }
}
