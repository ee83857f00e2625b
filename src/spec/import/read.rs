//! The configuration as a whole.

use std::sync::Arc;

use super::build::{Builder, Known, decimal};
use super::json;
use super::memory::{Block, Memory, read_blocks, read_memory};
use super::module::{Figure, Module, differ, figure, not_understood};
use super::remarks::Remarks;
use super::vocabulary::Vocabulary;
use crate::spec::diagnostic::did_you_mean;
use crate::spec::reader::Reader;
use crate::spec::tree::{Node, Table, Value};
use crate::spec::{Collector, Source, Span};

/// Most modules, and most SRAM blocks, of a file.
const MOST_PARTS: usize = 1000;

/// The node that is taken where the file states none: that of most published accelerators.
const DEFAULT_NODE_NM: f64 = 28.0;
/// The clock that is taken where the file states none.
const DEFAULT_MHZ: f64 = 1000.0;

/// Whether a file is in the field's JSON schema.
pub fn is_json(source: &Source) -> bool {
    source.name.ends_with(".json")
}

/// The tree of a hardware file that says what the JSON says; `None` if it is faulty. Remarks go to `diagnostics` too.
pub fn read(source: &Arc<Source>, diagnostics: &Collector) -> Option<Table> {
    let root = json::parse(source, diagnostics)?;
    let faults = diagnostics.error_count();
    let remarks = Remarks::new(diagnostics);
    let head = first_line(&root.span);
    let reader = Reader::new(&root, "a hardware configuration", diagnostics);
    let name = read_name(&reader, source, &head, &remarks);
    let modules = read_modules(&reader, &remarks);
    let tables = reader.tables("sram_blocks");
    if tables.len() > MOST_PARTS {
        remarks.error(&head, format!("`sram_blocks` has more than {MOST_PARTS} entries"), "is this the right file?");
        return None;
    }
    let blocks = read_blocks(&tables, &modules, &remarks);
    let memory = read_memory(reader.table("memory_hierarchy"), &modules, &head, &remarks);
    let system = reader.table("system_specifications");
    let (node, clock) = read_system(system, &modules, &head, &remarks);
    read_interconnect(&reader, &remarks);
    let trains = reader.table("training_specific").is_some_and(|table| {
        Reader::new(table, "`training_specific`", diagnostics).boolean("backward_pass_support") == Some(true)
    });
    let extra = read_mapping(&reader, &modules, &remarks);
    check_local_memory(&modules, &blocks, &remarks);
    check_reference(&reader, &modules, &blocks, &remarks);
    reader.node("accelerator_type");
    not_understood(&reader, "a hardware configuration", &remarks);

    let mut parameters = Builder::new(&head);
    let (mut units, mut srams) = (Vec::new(), Vec::new());
    let bound: Vec<String> = blocks.iter().map(|block| identifier(&block.name)).collect();
    for (at, module) in modules.iter().enumerate().filter(|(_, module)| module.entry.is_some()) {
        let own = blocks.iter().zip(&bound).filter(|(block, _)| block.modules.contains(&at));
        let own: Vec<String> = own.map(|(_, name)| name.clone()).collect();
        let name = identifier(&module.name);
        units.extend(module.unit(&name, &extra[at], &own, trains, &remarks));
        parameters = parameters.table(&name, module.parameter());
    }
    for (block, name) in blocks.iter().zip(&bound) {
        srams.push(block.sram(name));
        parameters = parameters.table(&Block::parameter_name(name), block.parameter());
    }
    let known = if clock.0 { Known::Stated } else { Known::Assumed(DEFAULT_MHZ / 10.0, DEFAULT_MHZ * 2.0) };
    let mhz = Builder::new(&clock.1.span)
        .number("default", clock.1.value, &clock.1.span)
        .text("type", "real", &clock.1.span)
        .text("doc", "clock", &clock.1.span)
        .provenance(&known, &clock.1.span);
    parameters = parameters.table("clock_mhz", mhz);
    if let Some(memory) = &memory {
        parameters = parameters.table(Memory::PARAMETER, memory.parameter());
    }
    if units.is_empty() && diagnostics.error_count() == faults {
        remarks.error(&head, "none of the modules executes anything that is known", "see the remarks on module types");
    }
    remarks.finish(&head);
    let parameters = parameters.finish();
    check_repeated(&parameters, &remarks);
    if diagnostics.error_count() > faults {
        return None;
    }
    let file = source.name.rsplit(['/', '\\']).next().unwrap_or(&source.name);
    let table = Builder::new(&head)
        .text("name", name, &head)
        .number("node_nm", node.value, &node.span)
        .text("source", file, &head)
        .texts("boundary", &["core".to_owned()], &head)
        .value("parameters", Value::Table(parameters), &head)
        .table(
            "clock",
            Builder::new(&clock.1.span).text("mhz", "clock_mhz", &clock.1.span).number(
                "reference_mhz",
                clock.1.value,
                &clock.1.span,
            ),
        )
        .tables("unit", units)
        .tables("sram", srams)
        .optional("dram", memory.map(|memory| memory.dram(clock.1.value, &remarks)));
    Some(table.finish())
}

fn first_line(span: &Span) -> Span {
    span.part(0..span.text().find('\n').unwrap_or(span.text().len()))
}

fn read_name(reader: &Reader<'_>, source: &Source, head: &Span, remarks: &Remarks<'_>) -> String {
    let file = source.name.rsplit(['/', '\\']).next().unwrap_or(&source.name);
    let stem = file.strip_suffix(".json").unwrap_or(file).to_owned();
    let Some(node) = reader.node("accelerator_name") else {
        remarks.warn(head, "the file does not name the accelerator", format!("it is called `{stem}` after the file"));
        return stem;
    };
    let Some(name) = reader.text("accelerator_name") else { return stem };
    let plain =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    if !plain(&stem).contains(&plain(&name)) && !plain(&name).contains(&plain(&stem)) {
        remarks.warn(
            &node.span,
            format!("`{file}` says that it is \"{name}\": parts of it may be copied from there"),
            "check the figures that have no source of their own",
        );
    }
    name
}

fn read_modules(reader: &Reader<'_>, remarks: &Remarks<'_>) -> Vec<Module> {
    reader.required("hardware_modules");
    let Some(table) = reader.table("hardware_modules") else { return Vec::new() };
    if table.entries.len() > MOST_PARTS {
        remarks.error(
            &first_line(&table.span),
            format!("`hardware_modules` has more than {MOST_PARTS} entries"),
            "is this the right file?",
        );
        return Vec::new();
    }
    let module = |(name, span, node): &(String, Span, Node)| match &node.value {
        Value::Table(table) => Module::read(name, span, table, remarks),
        other => {
            remarks.error(
                &node.span,
                format!("module `{name}` must be an object, not {}", other.kind()),
                "write { ... }",
            );
            None
        }
    };
    table.entries.iter().filter_map(module).collect()
}

/// The node, and the clock with whether the file states it.
fn read_system(
    system: Option<&Table>,
    modules: &[Module],
    head: &Span,
    remarks: &Remarks<'_>,
) -> (Figure, (bool, Figure)) {
    let (mut node, mut target) = (None, None);
    if let Some(table) = system {
        let reader = Reader::new(table, "`system_specifications`", remarks.diagnostics());
        node = figure(&reader, "technology_node_nm", f64::MIN_POSITIVE, remarks);
        target = figure(&reader, "target_frequency_mhz", f64::MIN_POSITIVE, remarks);
        for known in ["supply_voltage_v", "target_fps", "max_power_budget_mw", "max_area_budget_mm2"] {
            reader.node(known);
        }
        not_understood(&reader, "`system_specifications`", remarks);
    }
    let node = node.unwrap_or_else(|| {
        remarks.warn(head, "the file states no technology node", format!("{DEFAULT_NODE_NM} nm is taken"));
        Figure { value: DEFAULT_NODE_NM, span: head.clone() }
    });
    let clocks = || modules.iter().filter(|module| module.entry.is_some()).filter_map(|module| module.max_mhz.as_ref());
    let slowest = clocks().min_by(|a, b| a.value.total_cmp(&b.value));
    let fastest = clocks().max_by(|a, b| a.value.total_cmp(&b.value));
    let clock = match (target, slowest, fastest) {
        (Some(target), Some(slowest), _) => {
            if slowest.value < target.value {
                remarks.warn(
                    &slowest.span,
                    format!(
                        "this module reaches {} MHz, the target is {} MHz",
                        decimal(slowest.value),
                        decimal(target.value)
                    ),
                    "the target is taken as the clock of all",
                );
            }
            (true, target)
        }
        (Some(target), ..) => (true, target),
        (None, Some(slowest), Some(fastest)) => {
            if slowest.value < fastest.value {
                let message =
                    format!("modules reach from {} to {} MHz", decimal(slowest.value), decimal(fastest.value));
                remarks.warn(&slowest.span, message, "there is one clock, and the slowest is taken");
            }
            (true, slowest.clone())
        }
        _ => {
            remarks.warn(head, "the file states no clock", format!("{DEFAULT_MHZ} MHz is assumed"));
            (false, Figure { value: DEFAULT_MHZ, span: head.clone() })
        }
    };
    (node, clock)
}

/// The interconnect has no place in a hardware file: what it costs is said.
fn read_interconnect(reader: &Reader<'_>, remarks: &Remarks<'_>) {
    let Some(table) = reader.table("interconnect") else { return };
    let costs = table.get("resources").and_then(|node| match &node.value {
        Value::Table(table) => Some(Reader::new(table, "`resources` of the interconnect", remarks.diagnostics())),
        _ => None,
    });
    let (area, power) = costs.map_or((0.0, 0.0), |costs| {
        let value =
            |stem, units| super::module::measure(&costs, stem, units, remarks).map_or(0.0, |figure| figure.value);
        (value("area", super::module::AREA), value("power", super::module::POWER))
    });
    if area > 0.0 || power > 0.0 {
        remarks.warn(
            &first_line(&table.span),
            format!("the interconnect is left out, with its {} mm2 and {} mW", decimal(area), decimal(power)),
            "add them to a unit if they matter",
        );
    }
}

/// `operator_mapping`: what each module executes besides the kinds of its type.
fn read_mapping(reader: &Reader<'_>, modules: &[Module], remarks: &Remarks<'_>) -> Vec<Vec<String>> {
    let mut extra: Vec<Vec<String>> = vec![Vec::new(); modules.len()];
    let Some(table) = reader.table("operator_mapping") else { return extra };
    let vocabulary = Vocabulary::stock();
    let inner = Reader::new(table, "`operator_mapping`", remarks.diagnostics());
    for (word, span, node) in &table.entries {
        let Some(target) = inner.text(word) else { continue };
        let Some(kinds) = vocabulary.operator(word) else {
            let message = format!("`{}` is no operator that is known", word.escape_debug());
            remarks.warn(span, message, did_you_mean(word, vocabulary.operators()));
            continue;
        };
        let Some(at) = modules.iter().position(|module| module.name == target) else {
            remarks.warn(
                &node.span,
                format!("`operator_mapping` gives {word} to `{target}`, which this accelerator does not have"),
                did_you_mean(&target, modules.iter().map(|module| module.name.as_str())),
            );
            continue;
        };
        let Some(entry) = modules[at].entry else { continue };
        let new: Vec<&String> =
            kinds.iter().filter(|kind| !entry.executes.contains(kind) && !extra[at].contains(kind)).collect();
        if !new.is_empty() {
            let list: Vec<&str> = new.iter().map(|kind| kind.as_str()).collect();
            remarks.warn(
                span,
                format!("`operator_mapping` also gives {word} to `{target}`, whose type does not say so"),
                format!("it is followed: the unit executes {} too; take that off if it cannot", list.join(", ")),
            );
            extra[at].extend(new.into_iter().cloned());
        }
    }
    extra
}

/// Local memory of modules is in no SRAM block of its own; beside blocks of the module it should be their sum.
fn check_local_memory(modules: &[Module], blocks: &[Block], remarks: &Remarks<'_>) {
    for (at, module) in modules.iter().enumerate() {
        let Some(local) = module.memory_kib.as_ref().filter(|local| local.value > 0.0) else { continue };
        let own: f64 =
            blocks.iter().filter(|block| block.modules.contains(&at)).map(|block| block.capacity_kib.value).sum();
        if own > 0.0 && differ(own, local.value, 0.01) {
            remarks.warn(
                &local.span,
                format!(
                    "`{}` has {} KiB here, but its SRAM blocks hold {} KiB",
                    module.name,
                    decimal(local.value),
                    decimal(own)
                ),
                "the blocks are taken",
            );
        } else if own == 0.0 {
            remarks.warn_once(
                "local memory",
                &local.span,
                format!(
                    "`memory_kb` of `{}` is in no SRAM block: whether the module's area contains it is not said",
                    module.name
                ),
                "memory of modules becomes no [[sram]]; add one where traffic to it matters",
            );
        }
    }
}

/// The sum of the parts against the totals that the file itself gives.
fn check_reference(reader: &Reader<'_>, modules: &[Module], blocks: &[Block], remarks: &Remarks<'_>) {
    let Some(table) = reader.table("validation_metrics") else { return };
    let inner = Reader::new(table, "`validation_metrics`", remarks.diagnostics());
    let parts = |cost: fn(&Module) -> f64, block: fn(&Block) -> f64| {
        modules.iter().map(cost).sum::<f64>() + blocks.iter().map(block).sum::<f64>()
    };
    let sums = [
        ("reference_area_mm2", "mm2", parts(|m| m.area.total(m.count()), |b| b.totals().0)),
        ("reference_power_mw", "mW", parts(|m| m.power.total(m.count()), |b| b.totals().1)),
    ];
    for (key, unit, sum) in sums {
        let Some(stated) = figure(&inner, key, 0.0, remarks) else { continue };
        if differ(stated.value, sum, 0.2) {
            remarks.warn(
                &stated.span,
                format!(
                    "`{key}` is {} {unit}, the parts of this file add up to {sum:.3} {unit}",
                    decimal(stated.value)
                ),
                "parts are missing, of another design, or in another unit",
            );
        }
    }
}

/// Two parts whose names become one.
fn check_repeated(parameters: &Table, remarks: &Remarks<'_>) {
    let mut seen = std::collections::HashSet::new();
    for (name, _, node) in &parameters.entries {
        if !seen.insert(name) {
            remarks.error(&node.span, format!("two parts of this file are called `{name}`"), "rename one");
        }
    }
}

/// A name that expressions can mention.
fn identifier(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { plain } else { format!("unit_{plain}") }
}
