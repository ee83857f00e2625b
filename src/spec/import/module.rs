//! Modules of the JSON as units.

use super::build::{Builder, Known, decimal};
use super::remarks::Remarks;
use super::vocabulary::{ModuleType, Vocabulary};
use crate::spec::Span;
use crate::spec::diagnostic::did_you_mean;
use crate::spec::reader::Reader;
use crate::spec::tree::Table;

/// A number of the JSON and its place.
#[derive(Debug, Clone)]
pub struct Figure {
    pub value: f64,
    pub span: Span,
}

/// A module as far as the schema's meaning goes.
pub struct Module {
    /// Its key in `hardware_modules`.
    pub name: String,
    pub span: Span,
    /// `module_type`.
    pub kind: String,
    /// What its type means; `None` for memory interfaces and types that nobody knows.
    pub entry: Option<&'static ModuleType>,
    pub is_controller: bool,
    implementation: String,
    count: Option<Figure>,
    pub latency: Option<Figure>,
    throughput: Option<Figure>,
    pub max_mhz: Option<Figure>,
    pub bandwidth: Option<Figure>,
    pub area: Cost,
    pub power: Cost,
    leakage: Cost,
    /// Local memory in KiB.
    pub memory_kib: Option<Figure>,
    /// `specifications.memory_type`, frequency in MHz, width in bits, channels: of a memory interface.
    pub interface: Option<Interface>,
    trains: bool,
}

/// What a memory interface says of its memory.
pub struct Interface {
    pub memory: Option<(String, Span)>,
    /// Bandwidth in 10^9 bytes per second that frequency, width and channels give at one transfer per cycle.
    pub single_rate_gb_per_s: Option<f64>,
}

/// An area in mm2 or a power in mW, of one instance or of all.
#[derive(Debug, Clone, Default)]
pub struct Cost {
    figure: Option<Figure>,
    /// True if the figure is taken as that of all instances.
    total: bool,
    /// Lowest and highest reading of the figure of one instance, where there are several.
    range: Option<[f64; 2]>,
}

impl Cost {
    /// Of all instances.
    pub fn total(&self, count: f64) -> f64 {
        let factor = if self.total { 1.0 } else { count };
        self.figure.as_ref().map_or(0.0, |figure| figure.value * factor)
    }
}

impl Module {
    /// Instances.
    pub fn count(&self) -> f64 {
        self.count.as_ref().map_or(1.0, |count| count.value)
    }

    /// Reads one entry of `hardware_modules`; `None` if it is faulty.
    pub fn read(name: &str, span: &Span, table: &Table, remarks: &Remarks<'_>) -> Option<Self> {
        let reader = Reader::new(table, format!("module `{name}`"), remarks.diagnostics());
        let vocabulary = Vocabulary::stock();
        let kind = reader.required_text("module_type")?;
        let kind_span = reader.node("module_type").map_or_else(|| span.clone(), |node| node.span.clone());
        let implementation = reader.text("implementation").unwrap_or_default();
        let is_controller = vocabulary.is_controller(&kind);
        let entry = vocabulary.module(&kind, &implementation);
        let count = figure(&reader, "count", 1.0, remarks);
        match &count {
            None if reader.node("count").is_none() => {
                remarks.warn(span, format!("module `{name}` states no count"), "one instance is taken");
            }
            Some(count) if count.value.fract() != 0.0 => {
                remarks.error(
                    &count.span,
                    format!("a count of {} is no whole number", count.value),
                    "write an integer",
                );
            }
            _ => {}
        }
        let specifications = reader.table("specifications");
        let (mut latency, mut throughput, mut max_mhz, mut bandwidth) = (None, None, None, None);
        if let Some(table) = reader.table("performance") {
            let inner = Reader::new(table, "`performance`", remarks.diagnostics());
            latency = figure(&inner, "latency_cycles", 0.0, remarks);
            throughput = figure(&inner, "throughput_ops_per_cycle", f64::MIN_POSITIVE, remarks);
            max_mhz = figure(&inner, "max_frequency_mhz", f64::MIN_POSITIVE, remarks);
            bandwidth = gigabytes(&inner, "bandwidth", remarks);
            not_understood(&inner, &format!("`performance` of module `{name}`"), remarks);
        }
        let mut module = Self {
            name: name.to_owned(),
            span: span.clone(),
            entry,
            is_controller,
            count,
            latency,
            throughput,
            max_mhz,
            bandwidth,
            area: Cost::default(),
            power: Cost::default(),
            leakage: Cost::default(),
            memory_kib: None,
            interface: specifications.filter(|_| is_controller).map(|table| interface(table, remarks)),
            trains: specifications.is_some_and(|table| {
                Reader::new(table, "`specifications`", remarks.diagnostics()).boolean("backward_pass") == Some(true)
            }),
            kind,
            implementation,
        };
        if let Some(table) = reader.table("resources") {
            module.read_resources(table, remarks);
        }
        not_understood(&reader, &format!("module `{name}`"), remarks);
        if module.entry.is_none() && !is_controller {
            remarks.warn(
                &kind_span,
                format!("`{}` is no module type that is known: `{name}` executes nothing and is left out", module.kind),
                format!(
                    "{}; or give it to a [[unit]] in the TOML (its {} mm2 and {} mW are missing until then)",
                    did_you_mean(&module.kind, vocabulary.types()),
                    decimal(module.area.total(module.count())),
                    decimal(module.power.total(module.count())),
                ),
            );
        }
        if let Some(table) = specifications {
            module.check_array(table, remarks);
        }
        Some(module)
    }

    fn read_resources(&mut self, table: &Table, remarks: &Remarks<'_>) {
        let reader = Reader::new(table, format!("`resources` of module `{}`", self.name), remarks.diagnostics());
        let area = measure(&reader, "area", AREA, remarks);
        let stated_power = measure(&reader, "power", POWER, remarks);
        let dynamic = measure(&reader, "dynamic_power", POWER, remarks);
        let leakage = measure(&reader, "static_power", POWER, remarks);
        self.memory_kib = measure(&reader, "memory", CAPACITY, remarks);
        not_understood(&reader, &format!("`resources` of module `{}`", self.name), remarks);
        let missing = |what: &str| {
            remarks.warn(
                &self.span,
                format!("module `{}` states no {what}", self.name),
                format!("metrics leave its {what} out; add it to the TOML"),
            );
        };
        if area.is_none() {
            missing("area");
        }
        let power = match (stated_power, dynamic) {
            (Some(total), Some(part)) => {
                let leaks = leakage.as_ref().map_or(0.0, |figure| figure.value);
                if differ(total.value, part.value + leaks, 1e-6) {
                    remarks.warn(
                        &total.span,
                        format!("power and the sum of dynamic and static power of `{}` disagree", self.name),
                        "the parts are taken",
                    );
                }
                Some(part)
            }
            (total, part) => part.or(total),
        };
        if power.is_none() && leakage.is_none() {
            missing("power");
        }
        let count = self.count();
        let is_total = self.are_totals(&[&area, &power, &leakage], remarks);
        let cost = |figure: Option<Figure>| match figure {
            // The figure of one instance is one of these two.
            Some(figure) if count > 1.0 => {
                Cost { range: Some([figure.value / count, figure.value]), total: is_total, figure: Some(figure) }
            }
            figure => Cost { figure, total: false, range: None },
        };
        self.area = cost(area.clone());
        self.power = cost(power.clone());
        self.leakage = cost(leakage);
        // In the file's own units: square micrometres and microwatts.
        if let (Some(area), Some(power)) = (&area, &power)
            && area.value > 0.0
            && !differ(area.value * 1e6, power.value * 1e3, 1e-12)
        {
            remarks.warn(
                &power.span,
                format!(
                    "the power of `{}` equals its area ({} in the file): a placeholder",
                    self.name,
                    decimal(area.value * 1e6)
                ),
                "it is marked as assumed, between nothing and this figure; put the published power in its place",
            );
            let high = self.power.range.map_or(power.value, |[_, high]| high);
            self.power.range = Some([0.0, high]);
        }
    }

    /// Whether figures beside a count are those of all instances: what was added up or published is round or divides by
    /// the count, what a tool gave for one instance has all its digits.
    fn are_totals(&self, figures: &[&Option<Figure>], remarks: &Remarks<'_>) -> bool {
        let count = self.count();
        let stated: Vec<&Figure> = figures.iter().filter_map(|figure| figure.as_ref()).collect();
        let Some(first) = stated.first().filter(|_| count > 1.0) else { return false };
        let text = |figure: &Figure| figure.span.text().parse::<f64>().unwrap_or(figure.value);
        let is_total = stated.iter().all(|figure| {
            let stored = text(figure);
            (stored / count).fract() == 0.0 || significant_digits(stored) <= ROUND_DIGITS
        });
        let reading =
            if is_total { "read as totals, of which each has its share" } else { "read as those of one instance" };
        let correction = if is_total { "remove the division" } else { "divide by the count" };
        remarks.warn(
            &first.span,
            format!(
                "area and power of `{}` stand beside a count of {} and do not say of how many they are: {reading}",
                self.name,
                decimal(count)
            ),
            format!(
                "they are marked as assumed, between the two readings; {correction} in the TOML if the other is right"
            ),
        );
        is_total
    }

    /// A systolic array's throughput is the product of its sides.
    fn check_array(&self, specifications: &Table, remarks: &Remarks<'_>) {
        let reader = Reader::new(specifications, "`specifications`", remarks.diagnostics());
        let Some(text) = reader.node("array_size").and_then(|_| reader.text("array_size")) else { return };
        let sides: Option<Vec<f64>> = text.split(['x', 'X']).map(|side| side.trim().parse().ok()).collect();
        if let (Some(sides), Some(throughput)) = (sides, &self.throughput)
            && differ(sides.iter().product(), throughput.value, 1e-9)
        {
            remarks.warn(
                &throughput.span,
                format!(
                    "an array of {text} does {} operations per cycle, not {}",
                    decimal(sides.iter().product()),
                    decimal(throughput.value)
                ),
                "the throughput is taken as it stands",
            );
        }
    }

    /// The parameter that holds the count.
    pub fn parameter(&self) -> Builder {
        let span = self.count.as_ref().map_or(&self.span, |count| &count.span);
        let known = if self.count.is_some() { Known::Stated } else { Known::Assumed(1.0, 1.0) };
        Builder::new(span)
            .number("default", self.count(), span)
            .number("min", 1.0, span)
            .text("doc", format!("instances of {}", self.name), span)
            .provenance(&known, span)
    }

    /// The unit, bound to `blocks`; `None` if the module computes nothing. `extra` are kinds that it executes besides
    /// those of its type, `trains` says that every module also runs backward.
    pub fn unit(
        &self,
        identifier: &str,
        extra: &[String],
        blocks: &[String],
        trains: bool,
        remarks: &Remarks<'_>,
    ) -> Option<Builder> {
        let entry = self.entry?;
        let Some(throughput) = &self.throughput else {
            remarks.error(
                &self.span,
                format!("module `{}` states no throughput", self.name),
                "add `throughput_ops_per_cycle` to its `performance`; nothing is guessed",
            );
            return None;
        };
        remarks.warn_once(
            "operations",
            &throughput.span,
            format!("`throughput_ops_per_cycle` does not say what an operation is: read as one `{}`", entry.item),
            "rates are marked as assumed, with the slowest reading as the lower end of the range; check each unit's `rate`",
        );
        if self.latency.is_none() {
            remarks.warn(&self.span, format!("module `{}` states no latency", self.name), "none is taken");
        }
        let span = &self.span;
        let executes: Vec<String> = entry.executes.iter().chain(extra).cloned().collect();
        let mut passes = entry.passes.clone();
        if trains || self.trains {
            passes = vec!["forward".into(), "backward".into()];
        }
        let known = Known::Assumed(throughput.value / entry.most_ops, throughput.value);
        let rate = Builder::new(&throughput.span)
            .text("item", entry.item.clone(), &throughput.span)
            .number("per_cycle", throughput.value, &throughput.span)
            .provenance(&known, &throughput.span);
        let doc = match self.implementation.as_str() {
            "" => format!("{} ({})", self.name, self.kind),
            implementation => format!("{}: {implementation} ({})", self.name, self.kind),
        };
        let mut unit = Builder::new(span)
            .text("name", identifier, span)
            .text("doc", doc, span)
            .texts("executes", &executes, span)
            .texts("passes", &passes, span)
            .text("instances", identifier, span)
            .table("rate", rate);
        if let Some(latency) = &self.latency {
            unit = unit.number("latency_cycles", latency.value, &latency.span);
        }
        if !blocks.is_empty() {
            unit = unit.texts("reads", blocks, span).texts("writes", blocks, span);
        }
        Some(unit.optional("area_mm2", self.area_table()).optional("power_mw", self.power_table()))
    }

    fn area_table(&self) -> Option<Builder> {
        let figure = self.area.figure.as_ref()?;
        Some(
            self.share(Builder::new(&figure.span), "each", &self.area)?
                .provenance(&self.known(&self.area), &figure.span),
        )
    }

    fn power_table(&self) -> Option<Builder> {
        let first = self.power.figure.as_ref().or(self.leakage.figure.as_ref())?;
        let mut table = Builder::new(&first.span);
        if self.power.figure.is_some() {
            table = self.share(table, "each_dynamic", &self.power)?;
        }
        if self.leakage.figure.is_some() {
            table = self.share(table, "each_leakage", &self.leakage)?;
        } else {
            table = table.texts("includes", &["leakage".to_owned()], &first.span);
        }
        Some(table.provenance(&self.known(&self.power), &first.span))
    }

    /// The figure of one instance; a total stays visible as a division by the file's own count.
    fn share(&self, table: Builder, key: &str, cost: &Cost) -> Option<Builder> {
        let figure = cost.figure.as_ref()?;
        Some(if cost.total {
            table.text(key, format!("{} / {}", decimal(figure.value), decimal(self.count())), &figure.span)
        } else {
            table.number(key, figure.value, &figure.span)
        })
    }

    fn known(&self, cost: &Cost) -> Known {
        match cost.range {
            Some([low, high]) => Known::Assumed(low, high),
            None => Known::Stated,
        }
    }
}

fn interface(table: &Table, remarks: &Remarks<'_>) -> Interface {
    let reader = Reader::new(table, "`specifications`", remarks.diagnostics());
    let memory = reader.node("memory_type").and_then(|node| Some((reader.text("memory_type")?, node.span.clone())));
    let numbers: Option<Vec<f64>> =
        ["frequency_mhz", "data_width_bits", "channels"].into_iter().map(|key| reader.number(key)).collect();
    // MHz times bits are 10^6 bits per second.
    Interface { memory, single_rate_gb_per_s: numbers.map(|numbers| numbers.iter().product::<f64>() / 8.0 / 1000.0) }
}

/// Suffixes of an area with their factors to mm2.
pub const AREA: &[(&str, f64)] = &[("um2", 1e-6), ("mm2", 1.0)];
/// Suffixes of a power with their factors to mW.
pub const POWER: &[(&str, f64)] = &[("uw", 1e-3), ("mw", 1.0), ("w", 1e3)];
/// Suffixes of a capacity with their factors to KiB: the schema's kilobytes are binary.
pub const CAPACITY: &[(&str, f64)] = &[("kb", 1.0), ("kib", 1.0), ("mb", 1024.0), ("bytes", 1.0 / 1024.0)];

/// Digits up to which a figure is round.
const ROUND_DIGITS: usize = 3;

fn significant_digits(value: f64) -> usize {
    let text = format!("{value:e}");
    let mantissa = text.split('e').next().unwrap_or_default();
    mantissa.chars().filter(char::is_ascii_digit).count()
}

/// Relative difference above `tolerance`.
pub fn differ(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() > tolerance * a.abs().max(b.abs())
}

/// The number of `key`, at least `least`.
pub fn figure(reader: &Reader<'_>, key: &str, least: f64, remarks: &Remarks<'_>) -> Option<Figure> {
    let span = reader.node(key)?.span.clone();
    let value = reader.number(key)?;
    if value < least {
        let wanted = if least > 0.0 && least < 1.0 { "above 0".to_owned() } else { format!("at least {least}") };
        remarks.error(&span, format!("`{key}` must be {wanted}, not {}", decimal(value)), "correct the figure");
        return None;
    }
    Some(Figure { value, span })
}

/// `STEM_SUFFIX` with one of the suffixes, in our unit. Two that disagree are remarked on; the first wins.
pub fn measure(reader: &Reader<'_>, stem: &str, suffixes: &[(&str, f64)], remarks: &Remarks<'_>) -> Option<Figure> {
    let mut found: Option<(Figure, String)> = None;
    for (suffix, factor) in suffixes {
        let key = format!("{stem}_{suffix}");
        let Some(stated) = figure(reader, &key, 0.0, remarks) else { continue };
        // A division by a power of ten rounds once, a product with its inverse twice.
        let value = if *factor < 1.0 { stated.value / (1.0 / factor).round() } else { stated.value * factor };
        if *suffix == "kb" {
            remarks.warn_once(
                "kb",
                &stated.span,
                format!("`{key}` is read as KiB (1024 bytes), as the schema means it"),
                "write `_kib` figures in the TOML if a kilobyte is 1000 bytes",
            );
        }
        match &found {
            Some((first, first_key)) if differ(first.value, value, 1e-6) => {
                remarks.warn(
                    &stated.span,
                    format!(
                        "`{first_key}` and `{key}` contradict each other by a factor of {:.3}",
                        value / first.value
                    ),
                    format!("`{first_key}` is taken"),
                );
            }
            Some(_) => {}
            None => found = Some((Figure { value, span: stated.span }, key)),
        }
    }
    found.map(|(figure, _)| figure)
}

/// `STEM_gbps` (gigabytes) or `STEM_gb_per_s`, in 10^9 bytes per second.
pub fn gigabytes(reader: &Reader<'_>, stem: &str, remarks: &Remarks<'_>) -> Option<Figure> {
    let key = format!("{stem}_gbps");
    let found = figure(reader, &key, f64::MIN_POSITIVE, remarks);
    if let Some(found) = &found {
        remarks.warn_once(
            "gbps",
            &found.span,
            format!("`{key}` is read as 10^9 bytes per second, as the schema means it"),
            "divide by 8 in the TOML if bits are meant",
        );
    }
    found.or_else(|| figure(reader, &format!("{stem}_gb_per_s"), f64::MIN_POSITIVE, remarks))
}

/// Remarks on every key that nobody asked for.
pub fn not_understood(reader: &Reader<'_>, what: &str, remarks: &Remarks<'_>) {
    for (key, span, _) in reader.rest() {
        remarks.warn(
            span,
            format!("`{}` of {what} has no meaning here and is left out", key.escape_debug()),
            "check its spelling",
        );
    }
}
