//! `optimizations/*.toml`: techniques that save work, bytes or bits.
//!
//! A technique's parameters are parameters of the study under the technique's name: `useful` of `gaussian_skipping` is
//! `gaussian_skipping_useful`, and `gaussian_skipping` itself is a choice of `off` and `on`.

use std::sync::Arc;

use super::diagnostic::{Collector, Diagnostic};
use super::expr::{Expr, ExprKind};
use super::figure::{Figure, Provenance};
use super::kind::Pass;
use super::parameter::{ParameterDecl, ParameterType, check_name, read_parameters};
use super::reader::{Quantity, Reader};
use super::source::{Source, Span};
use super::tree::{self, Table};

/// How a technique saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saving {
    /// Results are used again.
    Reuse,
    /// Work is left out.
    Skip,
    /// Elements have fewer bits.
    LowBit,
}

impl Saving {
    const NAMES: [(&'static str, Saving); 3] =
        [("reuse", Saving::Reuse), ("skip", Saving::Skip), ("low-bit", Saving::LowBit)];

    /// The word in files and reports.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, saving)| *saving == self).map_or("", |(name, _)| name)
    }
}

/// What a technique decides about at a time.
const SCOPES: [(&str, &str); 3] = [("element", "element"), ("region", "region"), ("frame", "frame")];

/// What it decides by.
const CRITERIA: [(&str, &str); 2] = [("boundary", "boundary"), ("threshold", "threshold")];

/// The words of the parameter that switches a technique; `on` unless the user says otherwise.
pub const SWITCH: [&str; 2] = ["off", "on"];

/// A checked technique.
#[derive(Debug, Clone)]
pub struct TechniqueDecl {
    /// Its name, which is that of its file: `gaussian_skipping`.
    pub name: String,
    /// The file's first line.
    pub span: Span,
    /// What it does.
    pub doc: String,
    /// How it saves.
    pub saving: Saving,
    /// What it decides about at a time: `element region frame`.
    pub scope: &'static str,
    /// What it decides by: `boundary threshold`.
    pub criterion: &'static str,
    /// The hardware feature that it needs.
    pub requires: String,
    /// Its parameters under their own, short names.
    pub parameters: Vec<ParameterDecl>,
    /// What it saves, by operator kind.
    pub factors: Vec<FactorDecl>,
}

/// What a technique saves in some kinds of operators. Expressions may use the technique's parameters, `scene.*`, `tile.*`,
/// the operator's `count.*`, its `element_bits`, and `before.s_comp`, `before.r_bytes`: what other techniques have left.
#[derive(Debug, Clone)]
pub struct FactorDecl {
    /// Where its table stands.
    pub span: Span,
    /// Operator kinds, with their places.
    pub kinds: Vec<(String, Span)>,
    /// The pass; `None`: both.
    pub pass: Option<Pass>,
    /// Share of the compute that is left, in (0, 1].
    pub s_comp: Option<Figure>,
    /// Share of the bytes that is left, in (0, 1].
    pub r_bytes: Option<Figure>,
    /// Bits of an element that are left, for a low-bit technique.
    pub bits: Option<Figure>,
    /// Which bytes `r_bytes` is about.
    pub bytes: BytesOf,
}

/// A part of an operator's traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BytesOf {
    /// Off chip, on chip; `None`: both.
    pub dram: Option<bool>,
    /// Read, written; `None`: both.
    pub read: Option<bool>,
}

impl BytesOf {
    /// True if the traffic is part of it.
    pub fn includes(self, dram: bool, read: bool) -> bool {
        self.dram.is_none_or(|wanted| wanted == dram) && self.read.is_none_or(|wanted| wanted == read)
    }
}

impl TechniqueDecl {
    /// The study's name of a parameter.
    pub fn full_name(&self, parameter: &str) -> String {
        format!("{}_{parameter}", self.name)
    }

    /// The parameters as the study knows them: the switch, then the technique's own under their full names.
    pub fn study_parameters(&self) -> Vec<ParameterDecl> {
        let on = Expr { kind: ExprKind::Text("on".into()), range: 0..2 };
        let switch = ParameterDecl {
            name: self.name.clone(),
            span: self.span.clone(),
            default: Quantity { expr: on, span: self.span.clone(), text: "on".into() },
            min: None,
            max: None,
            kind: ParameterType::Choice(SWITCH.map(str::to_owned).to_vec()),
            doc: self.doc.clone(),
            provenance: Provenance::default(),
        };
        let own = self.parameters.iter().map(|decl| ParameterDecl { name: self.full_name(&decl.name), ..decl.clone() });
        std::iter::once(switch).chain(own).collect()
    }

    /// Every operator kind that it applies to.
    pub fn kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = Vec::new();
        for (kind, _) in self.factors.iter().flat_map(|factor| &factor.kinds) {
            if !kinds.contains(&kind.as_str()) {
                kinds.push(kind);
            }
        }
        kinds
    }
}

/// Reads a technique; faults go to `diagnostics`.
pub fn read(source: &Arc<Source>, diagnostics: &Collector) -> Option<TechniqueDecl> {
    let root = tree::parse(source, diagnostics);
    let reader = Reader::new(&root, "a technique", diagnostics);
    let name = reader.required_text("name");
    let span = root.get("name").map_or_else(|| Span::new(source, 0..0), |node| node.span.clone());
    if let Some(name) = &name {
        check_name(&reader, name, &span);
    }
    let doc = reader.required_text("doc");
    reader.required_text("source");
    let saving = reader.required("type").and_then(|_| reader.choice("type", &Saving::NAMES));
    let scope = reader.required("scope").and_then(|_| reader.choice("scope", &SCOPES));
    let criterion = reader.required("criterion").and_then(|_| reader.choice("criterion", &CRITERIA));
    let requires = reader.required_text("requires");
    let parameters = read_parameters(&reader);
    let tables = reader.tables("factor");
    if root.get("factor").is_none() {
        reader.error(reader.span(), "this technique saves nothing", "add a [[factor]] with `kinds` and `s_comp`");
    }
    let factors: Option<Vec<FactorDecl>> =
        tables.into_iter().map(|table| read_factor(table, saving?, diagnostics)).collect();
    reader.finish();
    Some(TechniqueDecl {
        name: name?,
        span,
        doc: doc?,
        saving: saving?,
        scope: scope?,
        criterion: criterion?,
        requires: requires?,
        parameters,
        factors: factors?,
    })
}

fn read_factor(table: &Table, saving: Saving, diagnostics: &Collector) -> Option<FactorDecl> {
    let reader = Reader::new(table, "a [[factor]]", diagnostics);
    reader.required("kinds");
    let kinds = reader.texts("kinds");
    let pass = reader.choice("pass", &Pass::NAMES);
    let [s_comp, r_bytes, bits] = ["s_comp", "r_bytes", "bits"].map(|key| read_share(&reader, key));
    let bytes = BytesOf {
        dram: reader.choice("memory", &[("dram", true), ("sram", false)]),
        read: reader.choice("direction", &[("read", true), ("write", false)]),
    };
    match saving {
        Saving::LowBit => {
            for figure in [&s_comp, &r_bytes].into_iter().flatten() {
                reader.error(
                    &figure.quantity.span,
                    "a low-bit technique has no factor of its own: bytes and energy follow from the bits",
                    "write `bits = { value = ... }`, or another `type`",
                );
            }
            if bits.is_none() && table.get("bits").is_none() {
                reader.error(
                    reader.span(),
                    "a factor of a low-bit technique needs the key `bits`",
                    "add `bits = { value = 8, basis = \"published\", source = \"...\" }`",
                );
            }
        }
        Saving::Reuse | Saving::Skip => {
            if let Some(figure) = &bits {
                reader.error(
                    &figure.quantity.span,
                    "only a low-bit technique changes the bits of elements",
                    "write type = \"low-bit\", or `s_comp` and `r_bytes`",
                );
            }
            if table.get("s_comp").is_none() && table.get("r_bytes").is_none() {
                reader.error(reader.span(), "this factor saves nothing", "add `s_comp`, `r_bytes` or both");
            }
        }
    }
    if r_bytes.is_none()
        && let Some(node) = table.get("memory").or(table.get("direction"))
    {
        reader.error(&node.span, "this says of which bytes, but there is no `r_bytes`", "add `r_bytes`, or remove it");
    }
    reader.finish();
    Some(FactorDecl { span: table.span.clone(), kinds, pass, s_comp, r_bytes, bits, bytes })
}

/// A figure that must say where it comes from.
fn read_share(reader: &Reader<'_>, key: &str) -> Option<Figure> {
    let figure = Figure::read(reader, key)?;
    if figure.provenance.basis.is_none() || figure.provenance.source.is_none() {
        reader.diagnostics().error(
            Diagnostic::new(&figure.quantity.span, format!("`{key}` does not say where it comes from"))
                .help(format!("write `{key} = {{ value = ..., basis = \"published\", source = \"paper, table\" }}`")),
        );
    }
    Some(figure)
}
