//! Units with a processing element inside sweeps: against the simulation of the same commands, refined, bounded, explained.

mod common;

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use common::program;
use nerarch_dse::explore::Space;
use nerarch_dse::hardware::pe::{
    Command, CommandList, Function, Gemm, Hazards, Layer, Layers, MathOperation, Parameters, Resident, Tensor,
    TensorId, simulate,
};
use nerarch_dse::hardware::systolic::{Dataflow, SystolicArray};
use nerarch_dse::ppa::{Evaluator, Outcome, Plan};
use nerarch_dse::spec::Study;
use nerarch_dse::spec::source::{Origin, Source};

const KNOBS: [&str; 16] = [
    "rows",
    "cols",
    "tile_m",
    "tile_k",
    "tile_n",
    "command_rows",
    "queue_depth",
    "read_rate",
    "write_rate",
    "math_rate",
    "transfer",
    "command",
    "m",
    "k",
    "n",
    "epilogue",
];

/// A hardware of one element, a pipeline of one product with its epilogue, all numbers of which are parameters.
fn write_files(folder: &Path) {
    let parameters: String = KNOBS
        .iter()
        .chain(&["elements"])
        .map(|name| format!("{name} = {{ default = 1, type = \"real\" }}\n"))
        .collect();
    let hardware = format!(
        "name = \"element\"\nnode_nm = 28\n[parameters]\n{parameters}dataflow = {{ choice = [\"os\", \"ws\", \"is\"], default = \"ws\" }}\n\
         [clock]\nmhz = 1000\nreference_mhz = 1000\n[[unit]]\nname = \"pe\"\nexecutes = [\"computation\"]\npasses = [\"forward\", \"backward\"]\n\
         instances = \"elements\"\narea_mm2 = {{ each = \"tile_m + 2 * tile_k + 3 * tile_n + command_rows\" }}\npower_mw = {{ each_dynamic = 1 }}\n[unit.pe]\n\
         rows = \"rows\"\ncols = \"cols\"\ndataflow = \"dataflow\"\ntile_m = \"tile_m\"\ntile_k = \"tile_k\"\n\
         tile_n = \"tile_n\"\ncommand_rows = \"command_rows\"\nqueue_depth = \"queue_depth\"\n\
         read_bytes_per_cycle = \"read_rate\"\nwrite_bytes_per_cycle = \"write_rate\"\n\
         math_elements_per_cycle = \"math_rate\"\ntransfer_cycles = \"transfer\"\ncommand_cycles = \"command\"\n\
         resident = [\"output\"]\n"
    );
    fs::write(folder.join("element.toml"), hardware).expect("write");
    let pipeline = "name = \"product\"\n[[operator]]\nname = \"product\"\nkind = \"Product\"\nm = \"m\"\nk = \"k\"\nn = \"n\"\nafter = \"epilogue\"\n\
         [[kind]]\nname = \"Product\"\ncategory = \"computation\"\nparameters = { m = \"required\", k = \"required\", n = \"required\", after = 0 }\n\
         counts = { macs = \"m * k * n\" }\ngemm = [{ m = \"m\", n = \"n\", k = \"k\", epilogue = \"after\" }]\n";
    fs::write(folder.join("product.toml"), pipeline).expect("write");
    fs::write(folder.join("one.toml"), "name = \"one\"\ncredit = \"none\"\nsource = \"none\"\nwidth = 1\nheight = 1\n")
        .expect("write");
}

fn head(name: &str) -> String {
    format!("name = \"{name}\"\nhardware = \"element.toml\"\npipeline = \"product.toml\"\nscenes = [\"one.toml\"]\n")
}

fn compile(folder: &Path, text: String) -> Plan {
    let path = folder.join("sweep.toml");
    fs::write(&path, &text).expect("write");
    let source = Source { name: "sweep.toml".into(), text, origin: Origin::File(path) };
    let (study, _) = Study::from_source(&std::sync::Arc::new(source)).unwrap_or_else(|faults| panic!("{faults}"));
    Plan::compile(&study).unwrap_or_else(|faults| panic!("{faults}")).0
}

/// A number from a fixed generator, from 1 to `most`.
fn draw(state: &mut u64, most: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    1 + (*state >> 33) % most
}

/// The most that each of [`KNOBS`] gets.
const MOST: [u64; 16] = [8, 8, 40, 40, 40, 80, 4, 16, 16, 16, 9, 20, 120, 60, 60, 3];
const FLOWS: [Dataflow; 3] = [Dataflow::OutputStationary, Dataflow::WeightStationary, Dataflow::InputStationary];

fn parameters(value: &impl Fn(&str) -> u64, dataflow: Dataflow) -> Parameters {
    let rate = |name: &str| value(name) as f64;
    Parameters {
        tile_m: value("tile_m"),
        tile_k: value("tile_k"),
        tile_n: value("tile_n"),
        queue_depth: value("queue_depth") as u32,
        command_cycles: rate("command"),
        read_bytes_per_cycle: rate("read_rate"),
        write_bytes_per_cycle: rate("write_rate"),
        transfer_cycles: rate("transfer"),
        math_elements_per_cycle: rate("math_rate"),
        array: SystolicArray { rows: value("rows"), cols: value("cols"), dataflow },
    }
}

/// Commands of the blocks of rows, which share the weights.
fn commands(value: &impl Fn(&str) -> u64) -> CommandList {
    let (m, k, n, rows) = (value("m"), value("k"), value("n"), value("command_rows"));
    let tensor = |name: String, rows, cols, resident| Tensor { name, rows, cols, bytes_per_element: 2.0, resident };
    let mut tensors = vec![tensor("w".into(), k, n, false)];
    let mut commands = Vec::new();
    for block in 0..m.div_ceil(rows) {
        let rows = rows.min(m - block * rows);
        let at = tensors.len() as u32;
        tensors.push(tensor(format!("x{block}"), rows, k, false));
        tensors.push(tensor(format!("y{block}"), rows, n, true));
        let [w, x, y] = [0, at, at + 1].map(TensorId);
        let relu = MathOperation { function: Function::Relu, inputs: vec![y], output: y };
        commands.push(Command {
            name: format!("block{block}"),
            gemm: Some(Gemm { a: x, b: w, output: y }),
            epilogue: vec![relu; value("epilogue") as usize],
            ..Command::default()
        });
    }
    CommandList::new(tensors, commands).expect("commands")
}

/// 600 random designs through a sweep, each also as a list of commands through the event simulation: the closed form is
/// the sum of the commands alone, `pe = "events"` the simulation of all.
#[test]
fn a_sweep_takes_the_cycles_of_the_simulated_commands() {
    const CASES: usize = 600;
    let folder = tempfile::tempdir().expect("folder");
    write_files(folder.path());
    let axes: String = KNOBS.iter().zip(MOST).map(|(name, most)| format!("{name} = [1, {most}]\n")).collect();
    let text = |name: &str, line: &str| {
        format!(
            "{}{line}[parameters]\n{axes}dataflow = {{ choice = [\"os\", \"ws\", \"is\"] }}\n\
             [search]\nobjectives = [\"latency_cycles\"]\n",
            head(name)
        )
    };
    let (closed, events) =
        (compile(folder.path(), text("closed", "")), compile(folder.path(), text("events", "pe = \"events\"\n")));
    let (mut closed, mut events) = (Evaluator::new(&closed), Evaluator::new(&events));
    let (mut equal, mut shorter, mut state) = (0, 0, 5);
    for case in 0..CASES {
        let flow = case % 3;
        let drawn = MOST.map(|most| draw(&mut state, most));
        let value = |name: &str| drawn[KNOBS.iter().position(|known| *known == name).expect("knob")];
        let (parameters, list) = (parameters(&value, FLOWS[flow]), commands(&value));
        let run = |list: &CommandList| simulate(list, &parameters, Hazards::Tracked, false).expect("run").cycles;
        let alone: f64 = list
            .commands()
            .iter()
            .map(|command| run(&CommandList::new(list.tensors().to_vec(), vec![command.clone()]).expect("command")))
            .sum();
        let all = run(&list);
        let values: Vec<f64> = drawn.iter().map(|value| *value as f64).chain([flow as f64]).collect();
        for (evaluator, expected) in [(&mut closed, alone), (&mut events, all)] {
            assert_eq!(evaluator.evaluate_values(&values), Outcome::Feasible, "{}", evaluator.reason());
            let cycles = evaluator.objectives()[0];
            // Rates that do not divide the bytes give fractions, which sums in another order round otherwise.
            assert!((cycles / expected - 1.0).abs() < 1e-12, "case {case}: {cycles}, not {expected}");
        }
        equal += usize::from(list.commands().len() == 1);
        shorter += usize::from(all < alone);
        assert!(list.commands().len() > 1 || all == alone);
    }
    println!("{CASES} designs, {equal} of one command, {shorter} shorter where commands overlap");
    assert!(equal > 50 && shorter > 200);
}

/// What `pe` prints for commands, a sweep takes for the same product.
#[test]
fn a_sweep_takes_the_cycles_that_the_pe_command_prints() {
    let folder = tempfile::tempdir().expect("folder");
    write_files(folder.path());
    let mut state = 11;
    for _ in 0..12 {
        let drawn = MOST.map(|most| draw(&mut state, most));
        let value = |name: &str| drawn[KNOBS.iter().position(|known| *known == name).expect("knob")];
        let line = |key: &str, name: &str| format!("{key} = {}\n", value(name));
        let mut text = "name = \"one\"\n[pe]\ndataflow = \"is\"\n".to_owned();
        for name in ["rows", "cols", "tile_m", "tile_k", "tile_n", "queue_depth"] {
            text += &line(name, name);
        }
        for (key, name) in [
            ("read_bytes_per_cycle", "read_rate"),
            ("write_bytes_per_cycle", "write_rate"),
            ("math_elements_per_cycle", "math_rate"),
            ("transfer_cycles", "transfer"),
            ("command_cycles", "command"),
        ] {
            text += &line(key, name);
        }
        let (m, k, n) = (value("m"), value("k"), value("n"));
        text += &format!(
            "[[tensor]]\nname = \"x\"\nrows = {m}\ncols = {k}\n[[tensor]]\nname = \"w\"\nrows = {k}\ncols = {n}\n\
             [[tensor]]\nname = \"y\"\nrows = {m}\ncols = {n}\nresident = true\n\
             [[command]]\nname = \"product\"\ngemm = {{ a = \"x\", b = \"w\", out = \"y\" }}\n\
             epilogue = [{}]\n",
            vec!["{ op = \"relu\", in = \"y\", out = \"y\" }"; value("epilogue") as usize].join(", ")
        );
        fs::write(folder.path().join("commands.toml"), text).expect("write");
        let output = program(folder.path(), &["pe", "commands.toml", "--format", "json"]);
        let printed: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let axes: String = KNOBS.iter().zip(drawn).map(|(name, value)| format!("{name} = [{value}]\n")).collect();
        let axes = axes.replace(
            &line("command_rows", "command_rows").replace("= ", "= [").replace('\n', "]\n"),
            "command_rows = [1000]\n",
        );
        let text = format!(
            "{}[parameters]\ndataflow = {{ choice = [\"is\"] }}\n{axes}[search]\nobjectives = [\"latency_cycles\"]\n",
            head("one")
        );
        let plan = compile(folder.path(), text);
        let mut evaluator = Evaluator::new(&plan);
        assert_eq!(evaluator.evaluate(&[0; 17]), Outcome::Feasible);
        let (ours, theirs) = (evaluator.objectives()[0], printed["cycles"].as_f64().expect("cycles"));
        assert!((ours / theirs - 1.0).abs() < 1e-12, "{ours}, not {theirs}");
    }
}

const AXES: &str = "[parameters]\nrows = [2, 4]\ncols = \"rows\"\ntile_m = [4, 16, 64]\ntile_k = [8, 32]\ntile_n = [8, 16]\n\
    command_rows = [16, 50, 120]\nqueue_depth = [1, 4]\nread_rate = [2, 8]\nwrite_rate = 4\nmath_rate = 4\ntransfer = 3\n\
    command = 8\nm = 120\nk = 48\nn = 30\nepilogue = 1\n";

fn rows(path: &Path) -> Vec<HashMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).expect("table");
    let header = reader.headers().expect("header").clone();
    let map =
        |record: csv::StringRecord| header.iter().zip(&record).map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
    reader.records().map(|record| map(record.expect("row"))).collect()
}

fn sweep(folder: &Path, text: &str) -> String {
    fs::write(folder.join("s.toml"), text).expect("write");
    let output = program(folder, &["sweep", "s.toml", "--force"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

/// A front found by the closed form and refined by the simulation has in each row what searches by either alone have, and
/// both are the same where all rows are in one command.
#[test]
fn a_front_is_refined_event_by_event() {
    let folder = tempfile::tempdir().expect("folder");
    write_files(folder.path());
    let search = "[search]\nobjectives = [\"latency_ms\", \"area_mm2\"]\n";
    let said = sweep(folder.path(), &format!("{}{AXES}[refine]\npe = \"events\"\n{search}", head("closed")));
    assert!(said.contains("with processing elements event by event"), "{said}");
    sweep(folder.path(), &format!("{}pe = \"events\"\n{AXES}{search}", head("events")));
    let out = folder.path().join("out");
    let (closed, events) = (rows(&out.join("closed/results.csv")), rows(&out.join("events/results.csv")));
    let refined = rows(&out.join("closed/refined.csv"));
    let (mut same, mut shorter) = (0, 0);
    for row in &refined {
        let at = row["index"].parse::<usize>().expect("index");
        assert_eq!(row["latency_ms"], closed[at]["latency_ms"]);
        assert_eq!(row["latency_ms_refined"], events[at]["latency_ms"]);
        let error: f64 = row["latency_ms_error"].parse().expect("number");
        match closed[at]["command_rows"].as_str() {
            "120" => assert_eq!(error, 0.0),
            _ => shorter += usize::from(error < 0.0),
        }
        same += usize::from(error == 0.0);
    }
    assert!(same > 0 && shorter > 0, "{} rows, {same} the same, {shorter} shorter", refined.len());
    assert!(said.contains(&format!("{same} unchanged")), "{said}");
    // Nothing to refine where the search simulates already.
    let text = format!("{}pe = \"events\"\n{AXES}[refine]\npe = \"events\"\n{search}", head("twice"));
    fs::write(folder.path().join("s.toml"), text).expect("write");
    let refused = program(folder.path(), &["check", "s.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("the search simulates processing elements already"));
}

/// `exact` bounds boxes of tiles, arrays and rates: its front is that of the grid, in both timings.
#[test]
fn exact_finds_the_front_of_the_grid() {
    let folder = tempfile::tempdir().expect("folder");
    write_files(folder.path());
    for timing in ["closed", "events"] {
        let fronts = ["grid", "exact"].map(|strategy| {
            let text = format!(
                "{}pe = \"{timing}\"\n{AXES}dataflow = {{ choice = [\"os\", \"ws\", \"is\"] }}\n[search]\nstrategy = \"{strategy}\"\n\
                 objectives = [\"latency_ms\", \"area_mm2\"]\n",
                head(&format!("{timing}_{strategy}"))
            );
            let said = sweep(folder.path(), &text);
            println!("{said}");
            let front = rows(&folder.path().join(format!("out/{timing}_{strategy}/pareto.csv")));
            front.iter().map(|row| (row["latency_ms"].clone(), row["area_mm2"].clone())).collect::<Vec<_>>()
        });
        assert!(fronts[0].len() > 3);
        assert_eq!(fronts[0], fronts[1], "{timing}");
    }
}

/// The unit's cycles stand in an explanation with where they come from; a kind that is nothing for an element is refused.
#[test]
fn an_explanation_names_the_model_and_an_error_the_kind() {
    let folder = tempfile::tempdir().expect("folder");
    write_files(folder.path());
    let text = format!("{}{AXES}[search]\nobjectives = [\"latency_ms\", \"area_mm2\"]\n", head("one"));
    fs::write(folder.path().join("s.toml"), &text).expect("write");
    let output = program(folder.path(), &["explain", "s.toml", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let unit = &answer["parts"]["units"][0];
    assert_eq!(unit["rate"]["basis"], "model");
    assert!(unit["rate"]["source"].as_str().expect("source").contains("closed form"));
    assert!(unit["block"]["busy_cycles"].as_f64().expect("cycles") > 0.0);
    let figure = answer["figures"].as_array().expect("figures").iter().find(|row| row["name"] == "macs_per_cycle");
    assert_eq!(figure.expect("figure")["basis"], "model");
    let path = folder.path().join("product.toml");
    let pipeline = fs::read_to_string(&path).expect("pipeline");
    let without =
        pipeline.lines().map(|line| line.split("gemm = ").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    fs::write(&path, without).expect("write");
    let refused = program(folder.path(), &["check", "s.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("no unit of hardware `element` can execute operator `product`"), "{said}");
    assert!(said.contains("kind `Product` has no products and counts no `input` and `output`"), "{said}");
    // With them it is element-wise work: 10 + 2 * 30 elements of two bytes.
    let counted = fs::read_to_string(&path)
        .expect("pipeline")
        .replace("macs = \"m * k * n\"", "input = 10, output = 30, flops = 50");
    fs::write(&path, counted).expect("write");
    let plan = compile(folder.path(), text);
    let mut evaluator = Evaluator::new(&plan);
    assert_eq!(evaluator.evaluate(&vec![0; plan.axes.len()]), Outcome::Feasible);
    let cycles = plan.metric_names.iter().position(|name| name == "latency_cycles").expect("metric");
    // Fed for 8 cycles, 3 and 20 bytes at 2 per cycle, 50 operations at 4 per cycle; the output is resident.
    assert_eq!(evaluator.metric(0, cycles), 8.0 + 3.0 + 20.0 / 2.0 + 50.0 / 4.0);
}

/// A network is its layers, each but the last with an activation; its gradient is two products for each layer, the one for
/// the inputs behind a multiplication by the activation's derivative, all after each other.
#[test]
fn a_network_and_its_gradient_are_the_products_of_their_layers() {
    let folder = tempfile::tempdir().expect("folder");
    write_files(folder.path());
    let text = format!("{}{AXES}[search]\nobjectives = [\"latency_cycles\"]\n", head("network"));
    let layer = |m, k, n, prologue, epilogue| Layer { m, k, n, times: 1, prologue, epilogue };
    let forward = [layer(100, 20, 30, 0, 1), layer(100, 30, 30, 0, 1), layer(100, 30, 5, 0, 0)];
    let backward = forward.map(|Layer { m, k, n, epilogue, .. }| [layer(m, n, k, epilogue, 0), layer(k, m, n, 0, 0)]);
    for (pass, layers) in [("forward", forward.to_vec()), ("backward", backward.concat())] {
        let pipeline = format!(
            "name = \"network\"\n[[operator]]\nname = \"network\"\nkind = \"MLP\"\npass = \"{pass}\"\nsamples = 100\n\
             inputs = 20\nwidth = 30\nlayers = 3\noutputs = 5\n"
        );
        fs::write(folder.path().join("product.toml"), pipeline).expect("write");
        let text = text.replace("m = 120\nk = 48\nn = 30\nepilogue = 1\n", "");
        let plan = compile(folder.path(), text);
        let mut evaluator = Evaluator::new(&plan);
        // The first point of the axes, but for a command of 50 rows.
        let digits: Vec<u32> = plan.axes.iter().map(|axis| u32::from(axis.name == "command_rows")).collect();
        assert_eq!(evaluator.evaluate(&digits), Outcome::Feasible, "{}", evaluator.reason());
        let value = |name: &str| match name {
            "tile_m" => 4,
            "tile_k" | "tile_n" | "command" => 8,
            "queue_depth" => 1,
            "rows" | "cols" | "read_rate" => 2,
            "transfer" => 3,
            _ => 4,
        };
        let work = Layers {
            layers: &layers,
            command_rows: 50,
            element_bytes: 2.0,
            resident: Resident { output: true, ..Resident::default() },
            independent: pass == "forward",
        };
        let expected = work.closed_cycles(&parameters(&value, Dataflow::WeightStationary)).expect("cycles");
        assert!((evaluator.objectives()[0] / expected - 1.0).abs() < 1e-12, "{pass}");
    }
}

/// An operator of too many tokens for the simulation is a row with the reason, not an endless run.
#[test]
fn a_simulation_that_would_not_end_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    write_files(folder.path());
    let axes =
        AXES.replace("m = 120", "m = [120, 1000000000]").replace("command_rows = [16, 50, 120]", "command_rows = 100");
    let text = format!("{}pe = \"events\"\n{axes}[search]\nobjectives = [\"latency_ms\"]\n", head("long"));
    sweep(folder.path(), &text);
    let failed: Vec<_> =
        rows(&folder.path().join("out/long/results.csv")).into_iter().filter(|row| row["status"] == "failed").collect();
    assert!(!failed.is_empty());
    assert!(failed[0]["reason"].contains("commands of"), "{:?}", failed[0]);
    assert!(failed[0]["reason"].contains("cycles of operator `product` on unit `pe`"), "{:?}", failed[0]);
}

/// Every command that the page on processing elements shows.
#[test]
fn the_commands_of_the_page_work() {
    let page = include_str!("../docs/processing-element.md");
    let folder = tempfile::tempdir().expect("folder");
    let shown = page.split("```sh\n").skip(1).flat_map(|block| block.split("```").next().unwrap_or("").lines());
    let mut ran = 0;
    for line in shown {
        let command = line.split('#').next().unwrap_or("").trim();
        let arguments: Vec<&str> =
            command.strip_prefix("nerarch-dse ").expect("a command").split_whitespace().collect();
        let output = program(folder.path(), &arguments);
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        ran += 1;
    }
    assert!(ran >= 4, "{ran} commands");
    assert!(folder.path().join("out/pe/refined.csv").exists());
    // A front worth a page: several points, one of them changed by the simulation.
    let space = Space::new(&common::compile("pe").1.axes).expect("space");
    assert!(space.points() >= 10_000);
}
