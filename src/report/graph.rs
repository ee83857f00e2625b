//! A pipeline as a graph of boxes and arrows, and as DOT.

use std::fmt::Write;

use super::layers::rank;
use crate::spec::kind::{KindDecl, Pass};
use crate::spec::pipeline::{EdgeKind, PipelineDecl};
use crate::spec::{Diagnostic, Diagnostics};

/// Whether composite operators are one box or a box for each of their stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// A box for each operator.
    Coarse,
    /// A box for each stage of a composite.
    Expanded,
}

/// A box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The operator, or the stage's kind if it is a stage.
    pub name: String,
    /// What stands below the name: the operator's kind; nothing for a stage.
    pub kind: String,
    /// The family: sampling, encoding ...
    pub category: String,
    /// Values or gradients.
    pub pass: Pass,
    /// Index of the composite that it is a stage of.
    pub group: Option<usize>,
}

/// What an arrow means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrowKind {
    /// The consumer waits for everything.
    Barrier,
    /// Tile by tile.
    Stream,
    /// To the next iteration.
    Carried,
    /// From one stage of a composite to the next.
    Inside,
}

/// An arrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrow {
    /// Index of the box that it starts from.
    pub from: usize,
    /// Index of the box that it leads to.
    pub to: usize,
    /// What it means.
    pub kind: ArrowKind,
    /// Tiles in flight of a stream, as declared.
    pub buffer: Option<String>,
}

/// A pipeline as boxes and arrows. Without its carried arrows it has no cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineGraph {
    /// The pipeline.
    pub name: String,
    /// Boxes in the order of the file.
    pub nodes: Vec<Node>,
    /// Arrows in the order of the file.
    pub arrows: Vec<Arrow>,
    /// Composites that are expanded: operator and kind.
    pub groups: Vec<(String, String)>,
}

impl PipelineGraph {
    /// The graph of a pipeline.
    ///
    /// # Errors
    /// An operator of a kind that is not there, an edge to no operator, or a cycle.
    pub fn new(pipeline: &PipelineDecl, kinds: &[KindDecl], detail: Detail) -> Result<Self, Diagnostics> {
        let mut graph = Self { name: pipeline.name.clone(), nodes: Vec::new(), arrows: Vec::new(), groups: Vec::new() };
        let mut faults = Vec::new();
        // First and last box of every operator.
        let mut ends: Vec<(&str, usize, usize)> = Vec::new();
        for operator in &pipeline.operators {
            let (kind_name, span) = &operator.kind;
            let Some(kind) = kinds.iter().find(|kind| kind.name == *kind_name) else {
                let help =
                    crate::spec::diagnostic::did_you_mean(kind_name, kinds.iter().map(|kind| kind.name.as_str()));
                faults.push(Diagnostic::new(span, format!("there is no operator kind `{kind_name}`")).help(help));
                continue;
            };
            let first = graph.nodes.len();
            let stages = if detail == Detail::Expanded { kind.stages_of(operator.pass) } else { &[] };
            if stages.is_empty() {
                graph.nodes.push(Node {
                    name: operator.name.clone(),
                    kind: kind.name.clone(),
                    category: kind.category.clone(),
                    pass: operator.pass,
                    group: None,
                });
            } else {
                let group = Some(graph.groups.len());
                graph.groups.push((operator.name.clone(), kind.name.clone()));
                for stage in stages {
                    let category = kinds.iter().find(|kind| kind.name == stage.kind).map(|kind| kind.category.clone());
                    graph.nodes.push(Node {
                        name: stage.kind.clone(),
                        kind: String::new(),
                        category: category.unwrap_or_else(|| kind.category.clone()),
                        pass: stage.pass,
                        group,
                    });
                }
                let inside = (first..graph.nodes.len()).collect::<Vec<_>>();
                graph.arrows.extend(inside.windows(2).map(|pair| Arrow {
                    from: pair[0],
                    to: pair[1],
                    kind: ArrowKind::Inside,
                    buffer: None,
                }));
            }
            ends.push((&operator.name, first, graph.nodes.len() - 1));
        }
        for edge in &pipeline.edges {
            let end = |(name, _): &(String, _)| ends.iter().find(|(known, ..)| known == name);
            let (Some((_, _, from)), Some((_, to, _))) = (end(&edge.from), end(&edge.to)) else {
                // An edge of an operator that was reported above, or that the reader of pipelines has reported.
                continue;
            };
            let (kind, buffer) = match edge.kind {
                EdgeKind::Barrier => (ArrowKind::Barrier, None),
                EdgeKind::Stream => (ArrowKind::Stream, Some(edge.buffer.text.clone())),
                EdgeKind::Carried => (ArrowKind::Carried, None),
            };
            graph.arrows.push(Arrow { from: *from, to: *to, kind, buffer });
        }
        if faults.is_empty() && graph.layers().is_none() {
            faults.push(
                Diagnostic::new(
                    &pipeline.span,
                    format!("the operators of pipeline `{}` wait for each other in a circle", graph.name),
                )
                .help("an edge to the next iteration has kind = \"carried\""),
            );
        }
        if faults.is_empty() { Ok(graph) } else { Err(Diagnostics(faults)) }
    }

    /// The layer of every box: one below the lowest of its producers; `None` if the arrows go in a circle.
    pub fn layers(&self) -> Option<Vec<usize>> {
        let arrows = self.arrows.iter().filter(|arrow| arrow.kind != ArrowKind::Carried);
        let arrows: Vec<(usize, usize)> = arrows.map(|arrow| (arrow.from, arrow.to)).collect();
        let ranks = rank(self.nodes.len(), &arrows);
        ranks.down.iter().all(|down| *down).then_some(ranks.layers)
    }

    /// The graph in the DOT language.
    pub fn to_dot(&self) -> String {
        let mut dot = format!("digraph {} {{\n", quoted(&self.name));
        dot.push_str("  rankdir=TB;\n  node [shape=box, style=filled, fontname=\"Helvetica\"];\n");
        dot.push_str("  edge [fontname=\"Helvetica\"];\n");
        let boxes = |group: Option<usize>| self.nodes.iter().enumerate().filter(move |(_, node)| node.group == group);
        let node = |dot: &mut String, indent: &str, at: usize, node: &Node| {
            let kind = if node.kind.is_empty() { String::new() } else { format!("\n{}", node.kind) };
            let pass = if node.pass == Pass::Backward { "\nbackward" } else { "" };
            let label = quoted(&format!("{}{kind}{pass}", node.name));
            let border = if node.pass == Pass::Backward { ", color=\"#D55E00\"" } else { "" };
            let fill = fill(&node.category);
            let _ = writeln!(dot, "{indent}n{at} [label={label}, fillcolor=\"{fill}\"{border}];");
        };
        for (at, one) in boxes(None) {
            node(&mut dot, "  ", at, one);
        }
        for (group, (name, kind)) in self.groups.iter().enumerate() {
            let _ = writeln!(dot, "  subgraph cluster_{group} {{\n    label={};", quoted(&format!("{name}: {kind}")));
            for (at, one) in boxes(Some(group)) {
                node(&mut dot, "    ", at, one);
            }
            dot.push_str("  }\n");
        }
        for arrow in &self.arrows {
            let style = match arrow.kind {
                ArrowKind::Barrier => "style=bold, arrowhead=normaltee, tooltip=\"barrier\"".to_owned(),
                ArrowKind::Stream => {
                    let tiles = arrow.buffer.as_deref().unwrap_or_default();
                    format!("color=\"#0072B2\", label={}, tooltip=\"stream\"", quoted(&format!("{tiles} tiles")))
                }
                ArrowKind::Carried => {
                    "style=dashed, color=\"#D55E00\", constraint=false, tooltip=\"carried\"".to_owned()
                }
                ArrowKind::Inside => "color=\"#666666\", tooltip=\"inside\"".to_owned(),
            };
            let _ = writeln!(dot, "  n{} -> n{} [{style}];", arrow.from, arrow.to);
        }
        dot.push_str("}\n");
        dot
    }
}

/// The fill of a family's boxes: light tints of Okabe and Ito's palette.
pub fn fill(category: &str) -> &'static str {
    match category {
        "sampling" => "#D6ECF9",
        "encoding" => "#D5EFE5",
        "computation" => "#FDF0D2",
        "blending" => "#F5E1EC",
        _ => "#EDEDED",
    }
}

/// A quoted string of DOT; line breaks are `\n` there.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{}\"", escaped.replace(char::is_control, " "))
}
