//! Commands and knobs of a processing element, read from a TOML file.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::command::{Command, CommandList, Function, Gemm, MathOperation, Tensor, TensorId, check};
use super::parameters::Parameters;
use crate::hardware::systolic::Dataflow;
use crate::spec::diagnostic::{Collector, Diagnostic, did_you_mean};
use crate::spec::reader::Reader;
use crate::spec::source::{Source, Span};
use crate::spec::tree::{self, Node, Table, Value};

/// What a file declares.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// The element's knobs.
    pub parameters: Parameters,
    /// The commands.
    pub list: CommandList,
}

/// Reads a file of commands; faults go to `diagnostics`.
pub fn read(source: &Arc<Source>, diagnostics: &Collector) -> Option<Declared> {
    let before = diagnostics.error_count();
    let root = tree::parse(source, diagnostics);
    let reader = Reader::new(&root, "a file of commands", diagnostics);
    let name = reader.required_text("name");
    reader.text("doc");
    let parameters = reader.table("pe").map_or_else(Parameters::default, |table| read_parameters(table, diagnostics));
    let tensors = read_tensors(&reader);
    let names =
        tensors.iter().enumerate().map(|(id, (tensor, _))| (tensor.name.as_str(), TensorId(id as u32))).collect();
    let commands: Vec<(Command, Span)> = reader
        .tables("command")
        .into_iter()
        .filter_map(|table| Some((read_command(table, &names, diagnostics)?, table.span.clone())))
        .collect();
    if commands.is_empty() && diagnostics.error_count() == before {
        reader.error(reader.span(), "this file has no command", "add a [[command]]");
    }
    reader.finish();
    if diagnostics.error_count() > before {
        return None;
    }
    // One command at a time, so that each fault has its place.
    let plain: Vec<Tensor> = tensors.iter().map(|(tensor, _)| tensor.clone()).collect();
    for (command, span) in &commands {
        if let Err(fault) = check(command, &plain) {
            diagnostics.error(
                Diagnostic::new(span, fault.to_string())
                    .help("docs/processing-element.md says what each operation takes"),
            );
        }
    }
    let list = CommandList::new(plain, commands.into_iter().map(|(command, _)| command).collect()).ok()?;
    Some(Declared { name: name?, parameters, list })
}

fn read_parameters(table: &Table, diagnostics: &Collector) -> Parameters {
    let reader = Reader::new(table, "[pe]", diagnostics);
    let mut parameters = Parameters::default();
    let whole = |key: &str, into: &mut u64| {
        if let Some(value) = reader.whole(key, 1) {
            *into = value;
        }
    };
    whole("tile_m", &mut parameters.tile_m);
    whole("tile_k", &mut parameters.tile_k);
    whole("tile_n", &mut parameters.tile_n);
    whole("rows", &mut parameters.array.rows);
    whole("cols", &mut parameters.array.cols);
    let mut depth = u64::from(parameters.queue_depth);
    whole("queue_depth", &mut depth);
    parameters.queue_depth = u32::try_from(depth).unwrap_or(u32::MAX);
    for (key, into) in [
        ("command_cycles", &mut parameters.command_cycles),
        ("read_bytes_per_cycle", &mut parameters.read_bytes_per_cycle),
        ("write_bytes_per_cycle", &mut parameters.write_bytes_per_cycle),
        ("transfer_cycles", &mut parameters.transfer_cycles),
        ("math_elements_per_cycle", &mut parameters.math_elements_per_cycle),
    ] {
        if let Some(value) = reader.number(key) {
            *into = value;
        }
    }
    let flows =
        [("os", Dataflow::OutputStationary), ("ws", Dataflow::WeightStationary), ("is", Dataflow::InputStationary)];
    if let Some(dataflow) = reader.choice("dataflow", &flows) {
        parameters.array.dataflow = dataflow;
    }
    if let Err(fault) = parameters.check() {
        let place = table.get(fault.name).map_or(&table.span, |node| &node.span);
        reader.error(place, fault.to_string(), format!("write {}", fault.wanted));
    }
    reader.finish();
    parameters
}

fn read_tensors(reader: &Reader<'_>) -> Vec<(Tensor, Span)> {
    let mut tensors: Vec<(Tensor, Span)> = Vec::new();
    let mut names = HashSet::new();
    for table in reader.tables("tensor") {
        let inner = Reader::new(table, "a [[tensor]]", reader.diagnostics());
        let name = inner.required_text("name");
        let (rows, cols) =
            (inner.required("rows").and(inner.whole("rows", 1)), inner.required("cols").and(inner.whole("cols", 1)));
        let bytes_per_element = inner.number("bytes_per_element").unwrap_or(2.0);
        let resident = inner.boolean("resident").unwrap_or(false);
        inner.finish();
        let (Some(name), Some(rows), Some(cols)) = (name, rows, cols) else { continue };
        let tensor = Tensor { name, rows, cols, bytes_per_element, resident };
        if !names.insert(tensor.name.clone()) {
            reader.error(&table.span, format!("there are two tensors `{}`", tensor.name), "give one another name");
        } else if let Err(fault) = CommandList::new(vec![tensor.clone()], Vec::new()) {
            reader.error(&table.span, fault.to_string(), "check its rows, cols and bytes_per_element");
        }
        tensors.push((tensor, table.span.clone()));
    }
    tensors
}

type Names<'a> = HashMap<&'a str, TensorId>;

fn read_command(table: &Table, names: &Names<'_>, diagnostics: &Collector) -> Option<Command> {
    let before = diagnostics.error_count();
    let reader = Reader::new(table, "a [[command]]", diagnostics);
    let name = reader.required_text("name");
    let gemm = reader.table("gemm").map(|table| {
        let inner = Reader::new(table, "`gemm`", diagnostics);
        let part = |key: &str| inner.required(key).and_then(|node| tensor(node, names, diagnostics));
        let gemm = (part("a"), part("b"), part("out"));
        inner.finish();
        gemm
    });
    let prologue = read_operations(&reader, "prologue", names);
    let epilogue = read_operations(&reader, "epilogue", names);
    reader.finish();
    if diagnostics.error_count() > before {
        return None;
    }
    let gemm = match gemm {
        Some((a, b, output)) => Some(Gemm { a: a?, b: b?, output: output? }),
        None => None,
    };
    Some(Command { name: name?, prologue, gemm, epilogue })
}

fn read_operations(reader: &Reader<'_>, key: &str, names: &Names<'_>) -> Vec<MathOperation> {
    let diagnostics = reader.diagnostics();
    reader
        .tables(key)
        .into_iter()
        .filter_map(|table| {
            let inner = Reader::new(table, format!("an operation of `{key}`"), diagnostics);
            inner.required("op");
            let function = inner.choice("op", &Function::NAMES);
            let output = inner.required("out").and_then(|node| tensor(node, names, diagnostics));
            let inputs = match inner.node("in").map(|node| (&node.value, node)) {
                None => Vec::new(),
                Some((Value::Array(items), _)) => {
                    items.iter().filter_map(|item| tensor(item, names, diagnostics)).collect()
                }
                Some((_, node)) => tensor(node, names, diagnostics).into_iter().collect(),
            };
            inner.finish();
            Some(MathOperation { function: function?, inputs, output: output? })
        })
        .collect()
}

fn tensor(node: &Node, names: &Names<'_>, diagnostics: &Collector) -> Option<TensorId> {
    let Value::Text(name) = &node.value else {
        diagnostics.error(
            Diagnostic::new(&node.span, format!("a tensor's name is a string, not {}", node.value.kind()))
                .help("write its name in quotes"),
        );
        return None;
    };
    let found = names.get(name.as_str()).copied();
    if found.is_none() {
        let help = did_you_mean(name, names.keys().copied());
        diagnostics.error(Diagnostic::new(&node.span, format!("there is no tensor `{name}`")).help(help));
    }
    found
}
