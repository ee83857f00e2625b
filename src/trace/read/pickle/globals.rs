//! The allow-list: the only Python names a pickle may use, and what each stands for here. Nothing is ever called.

use crate::trace::error::{Problem, TraceError};
use crate::trace::graph::shorten;

/// What an accepted name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Global {
    /// `networkx` DiGraph: its state is read.
    DiGraph,
    /// `networkx` Graph: recognised to say that it is undirected.
    Graph,
    /// `networkx` MultiDiGraph, MultiGraph: recognised to say that they are not read.
    MultiGraph,
    /// A cached view of networkx: an object whose state nobody looks at.
    View,
    /// `dict`, `OrderedDict`: an empty or copied dictionary.
    Dict,
    /// `defaultdict`: a dictionary whose first argument is its factory.
    DefaultDict,
    /// `list`.
    List,
    /// `tuple`, `torch.Size`.
    Tuple,
    /// `set`, `frozenset`.
    Set,
    /// `bytes`, `bytearray` of nothing or of other bytes.
    Bytes,
    /// `object`: stands only in the arguments of `_reconstructor`.
    Object,
    /// `int`, `float`, `str`, `bool`: stand as dictionary factories only.
    Scalar,
    /// `copyreg._reconstructor(class, base, state)`: protocols 0 and 1 make objects so.
    Reconstructor,
    /// `copyreg.__newobj__(class, ...)`.
    NewObject,
    /// `_codecs.encode(text, "latin1")`: protocols 0 to 2 write bytes so.
    Encode,
}

/// Looks a name up.
///
/// # Errors
/// If it is not on the list.
pub(super) fn find(module: &str, name: &str) -> Result<Global, TraceError> {
    let global = match (module, name) {
        ("networkx.classes.digraph", "DiGraph") | ("networkx.classes.ordered", "OrderedDiGraph") => Global::DiGraph,
        ("networkx.classes.graph", "Graph") | ("networkx.classes.ordered", "OrderedGraph") => Global::Graph,
        ("networkx.classes.multidigraph", "MultiDiGraph") | ("networkx.classes.multigraph", "MultiGraph") => {
            Global::MultiGraph
        }
        (
            "networkx.classes.reportviews",
            "NodeView" | "NodeDataView" | "OutEdgeView" | "OutEdgeDataView" | "InEdgeView" | "InEdgeDataView"
            | "EdgeView" | "EdgeDataView" | "DegreeView" | "DiDegreeView" | "InDegreeView" | "OutDegreeView",
        )
        | ("networkx.classes.coreviews", "AtlasView" | "AdjacencyView" | "UnionAtlas" | "UnionAdjacency") => {
            Global::View
        }
        ("builtins" | "__builtin__", builtin) => match builtin {
            "dict" => Global::Dict,
            "list" => Global::List,
            "tuple" => Global::Tuple,
            "set" | "frozenset" => Global::Set,
            "bytes" | "bytearray" => Global::Bytes,
            "object" => Global::Object,
            "int" | "float" | "str" | "bool" => Global::Scalar,
            _ => return Err(forbidden(module, name)),
        },
        ("collections", "OrderedDict") => Global::Dict,
        ("collections", "defaultdict") => Global::DefaultDict,
        ("torch", "Size") => Global::Tuple,
        ("copyreg" | "copy_reg", "_reconstructor") => Global::Reconstructor,
        ("copyreg" | "copy_reg", "__newobj__") => Global::NewObject,
        ("_codecs", "encode") => Global::Encode,
        _ => return Err(forbidden(module, name)),
    };
    Ok(global)
}

fn forbidden(module: &str, name: &str) -> TraceError {
    TraceError::new(Problem::ForbiddenGlobal(shorten(&format!("{module}.{name}")).escape_debug().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_run_something_are_refused() {
        for (module, name) in [("builtins", "eval"), ("posix", "system"), ("builtins", "getattr"), ("torch", "load")] {
            assert!(find(module, name).is_err(), "{module}.{name}");
        }
    }

    #[test]
    fn a_name_of_python_2_means_the_same() {
        assert_eq!(find("__builtin__", "dict"), find("builtins", "dict"));
    }
}
