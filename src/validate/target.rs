//! `validation/*.toml`: inputs with their basis, and targets computed from them.

use std::sync::Arc;

use include_dir::{Dir, include_dir};

use crate::spec::diagnostic::Collector;
use crate::spec::figure::{Basis, Figure};
use crate::spec::reader::{Quantity, Reader};
use crate::spec::source::{Origin, Source, Span};
use crate::spec::tree::{self, Table};

static VALIDATION: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/validation");

/// What a target says about the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Put in as published: reproducing it proves nothing.
    Input,
    /// Arithmetic on published figures of the same design.
    Derived,
    /// Something was tuned so that it comes out right.
    Calibrated,
    /// Computed without knowing it.
    Predicted,
    /// Another model's output, no measurement: shown with its error, judged by nothing.
    Compared,
}

impl Role {
    const NAMES: [(&'static str, Role); 5] = [
        ("input", Role::Input),
        ("derived", Role::Derived),
        ("calibrated", Role::Calibrated),
        ("predicted", Role::Predicted),
        ("compared", Role::Compared),
    ];

    /// The word in files and reports.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, role)| *role == self).map_or("", |(name, _)| name)
    }
}

/// A published figure and how it is computed.
#[derive(Debug, Clone)]
pub struct TargetDecl {
    /// Name for `derived_from`: `gbu.standalone_area`.
    pub id: String,
    /// Where its table stands.
    pub span: Span,
    /// What it is, with its unit.
    pub quantity: String,
    /// The published value.
    pub published: f64,
    /// Who published it.
    pub source: String,
    /// What it says about the model.
    pub role: Role,
    /// How it is computed from the inputs and `point.*`.
    pub value: Quantity,
    /// A design point whose metrics and traffic are `point.*` in `value`.
    pub point: Option<PointDecl>,
    /// Targets that are the same equation as this one: counted once, with the first.
    pub same_as: Option<(String, Span)>,
    /// Largest error in percent that the test accepts; `None` for an interval.
    pub tolerance_percent: Option<f64>,
    /// The fact that would turn an interval into a number.
    pub missing: String,
    /// Why another model's output differs.
    pub differs: String,
}

/// A design on one scene, at its defaults or with parameters set.
#[derive(Debug, Clone)]
pub struct PointDecl {
    /// Where it stands.
    pub span: Span,
    /// Hardware, pipeline, scene.
    pub names: [String; 3],
    /// Parameters that it sets, as the inline table of a sweep.
    pub parameters: String,
}

/// A validation file.
#[derive(Debug, Clone)]
pub struct FileDecl {
    /// Display name.
    pub name: String,
    /// Inputs: name, place, figure.
    pub inputs: Vec<(String, Span, Figure)>,
    /// Targets in the order of the file.
    pub targets: Vec<TargetDecl>,
}

/// Names of the stock files, sorted.
pub fn stock_names() -> Vec<String> {
    let stem = |file: &include_dir::File<'_>| Some(file.path().file_stem()?.to_str()?.to_owned());
    let mut names: Vec<String> = VALIDATION.files().filter_map(stem).collect();
    names.sort();
    names
}

/// The stock file of that name.
pub fn stock(name: &str) -> Option<Arc<Source>> {
    let path = format!("{name}.toml");
    let text = VALIDATION.get_file(&path)?.contents_utf8()?;
    let path = format!("validation/{path}");
    Some(Arc::new(Source { name: format!("stock:{path}"), text: text.to_owned(), origin: Origin::Stock(path) }))
}

/// Reads a validation file; faults go to `diagnostics`.
pub fn read(source: &Arc<Source>, diagnostics: &Collector) -> Option<FileDecl> {
    let root = tree::parse(source, diagnostics);
    let reader = Reader::new(&root, "a validation file", diagnostics);
    let name = reader.required_text("name");
    reader.text("doc");
    let inputs = reader.table("inputs").map_or_else(Vec::new, |table| {
        let inner = Reader::new(table, "[inputs]", diagnostics);
        let entries = inner.rest();
        let figures = entries.into_iter().filter_map(|(key, span, _)| {
            crate::spec::parameter::check_name(&inner, key, span);
            let figure = Figure::read(&inner, key)?;
            if figure.provenance.basis.is_none() {
                inner.error(
                    span,
                    format!("input `{key}` does not say its basis"),
                    "add basis = \"published\" or another",
                );
            }
            Some((key.clone(), span.clone(), figure))
        });
        figures.collect()
    });
    let targets: Vec<TargetDecl> =
        reader.tables("target").into_iter().filter_map(|table| read_target(table, diagnostics)).collect();
    if root.get("target").is_none() {
        reader.error(reader.span(), "this file has no targets", "add at least one [[target]]");
    }
    crate::spec::report_repeated(targets.iter().map(|target| (&target.id, &target.span)), "target", diagnostics);
    reader.finish();
    Some(FileDecl { name: name?, inputs, targets })
}

fn read_target(table: &Table, diagnostics: &Collector) -> Option<TargetDecl> {
    let reader = Reader::new(table, "a [[target]]", diagnostics);
    let id = reader.required_text("id");
    let quantity = reader.required_text("quantity");
    let published = reader.required("published").and_then(|_| reader.number("published"));
    let source = reader.required_text("source");
    reader.required("role");
    let role = reader.choice("role", &Role::NAMES);
    let value = reader.required_quantity("value");
    let same_as = reader.node("same_as").map(|node| node.span.clone());
    let same_as = same_as.and_then(|span| Some((reader.text("same_as")?, span)));
    let tolerance_percent = reader.number("tolerance_percent");
    let missing = reader.text("missing").unwrap_or_default();
    let differs = reader.text("differs").unwrap_or_default();
    if let (Some(role), Some(node)) = (role, reader.node("differs"))
        && role != Role::Compared
    {
        reader.error(
            &node.span,
            "only another model's output differs for a reason",
            "write role = \"compared\", or take it out",
        );
    }
    let point = reader.table("point").and_then(|table| read_point(table, diagnostics));
    reader.finish();
    Some(TargetDecl {
        id: id?,
        span: table.span.clone(),
        quantity: quantity?,
        published: published?,
        source: source?,
        role: role?,
        value: value?,
        point,
        same_as,
        tolerance_percent,
        missing,
        differs,
    })
}

fn read_point(table: &Table, diagnostics: &Collector) -> Option<PointDecl> {
    let reader = Reader::new(table, "`point`", diagnostics);
    let names = ["hardware", "pipeline", "scene"].map(|key| reader.required_text(key));
    let parameters = match reader.table("parameters").map(|table| table.span.clone()) {
        Some(span) if span.text().starts_with('{') => span.text().to_owned(),
        Some(span) => {
            reader.error(&span, "the parameters of a point stand in one line", "write `parameters = { lanes = 4 }`");
            return None;
        }
        None => "{}".to_owned(),
    };
    reader.finish();
    let [Some(hardware), Some(pipeline), Some(scene)] = names else { return None };
    Some(PointDecl { span: table.span.clone(), names: [hardware, pipeline, scene], parameters })
}

impl FileDecl {
    /// The inputs that an expression rests on, directly or through other inputs.
    pub fn inputs_of<'a>(&'a self, value: &Quantity) -> Vec<&'a (String, Span, Figure)> {
        let mut names = Vec::new();
        collect_names(&value.expr, &mut names);
        let mut found: Vec<&(String, Span, Figure)> = Vec::new();
        while let Some(name) = names.pop() {
            let Some(input) = self.inputs.iter().find(|(input, _, _)| *input == name) else { continue };
            if !found.iter().any(|known| known.0 == name) {
                collect_names(&input.2.quantity.expr, &mut names);
                found.push(input);
            }
        }
        found
    }

    /// The assumed inputs among them.
    pub fn assumed(&self, value: &Quantity) -> Vec<&(String, Span, Figure)> {
        let assumed = |input: &&(String, Span, Figure)| input.2.provenance.basis == Some(Basis::Assumed);
        self.inputs_of(value).into_iter().filter(assumed).collect()
    }
}

fn collect_names(expr: &crate::spec::expr::Expr, names: &mut Vec<String>) {
    use crate::spec::expr::ExprKind;
    match &expr.kind {
        ExprKind::Name(name) => names.push(name.clone()),
        ExprKind::Apply(_, arguments) => arguments.iter().for_each(|argument| collect_names(argument, names)),
        ExprKind::Sum { parts, .. } => parts.iter().for_each(|part| collect_names(part, names)),
        ExprKind::Number(_) | ExprKind::Text(_) => {}
    }
}
