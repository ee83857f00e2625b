//! Units.

use super::array::{Array, CYCLES_BASIS, Logic, compile_array, compile_logic};
use super::block::{Power, TotalArea, compile_share};
use super::clock::Clock;
use super::element::{Element, compile_element};
use super::process::{Process, scaled};
use super::stated::{Answer, Stated};
use crate::spec::expr::Function;
use crate::spec::figure::Provenance;
use crate::spec::hardware::{Assign, RateDecl, UnitDecl};
use crate::spec::program::NodeId;
use crate::spec::request::ArrayPart;
use crate::spec::scope::{Scope, Typed};

/// Most groups of a unit.
pub const MAX_GROUPS: usize = 256;

/// A unit at a design point.
pub struct Unit {
    /// Its name.
    pub name: String,
    /// Instances in all.
    pub instances: NodeId,
    /// Groups that take whole tiles.
    pub groups: NodeId,
    /// Instances of one group.
    pub lanes: NodeId,
    /// How tiles go to groups.
    pub assign: Assign,
    /// Pipeline depth in cycles.
    pub latency_cycles: NodeId,
    /// Area of all instances, mm2.
    pub area_mm2: TotalArea,
    /// Power of all instances.
    pub power: Power,
    /// Throughput as declared.
    pub rate: RateDecl,
    /// The array that times matrix products, and whose multiply-accumulates cost energy.
    pub array: Option<Array>,
    /// The processing element that times operators.
    pub element: Option<Element>,
    /// pJ per multiply-accumulate at the reference voltage; `None` where the unit's power covers them.
    pub pj_per_mac: Option<NodeId>,
    /// Its figures with what they rest on.
    pub figures: Vec<Stated>,
}

/// Compiles a unit; `None` if it is faulty.
pub fn compile_unit(scope: &mut Scope<'_>, decl: &UnitDecl, clock: &Clock, process: &Process) -> Option<Unit> {
    let what = format!("unit `{}`", decl.name);
    let instances = scope.compile_count(&decl.instances, &format!("instances of {what}"), 1.0, None)?;
    let groups = scope.compile_count(&decl.groups, &format!("groups of {what}"), 1.0, Some(MAX_GROUPS as f64))?;
    let lanes = scope.graph.binary(Function::Div, instances, groups);
    let lanes = scope.whole(lanes, &decl.groups.span, &format!("instances per group of {what}"));
    let latency = scope.compile(&decl.latency_cycles, &format!("latency of {what}"), &[])?;
    let latency_cycles = scope.at_least(latency, 0.0, &decl.latency_cycles.span, &format!("latency of {what}"));
    let array = match &decl.array {
        Some(array) => Some(compile_array(scope, array, process, &what)?),
        None => None,
    };
    let logic = match &decl.logic {
        Some(logic) => Some(compile_logic(scope, logic, process, &what)?),
        None => None,
    };
    if let (Some(array), Some(_)) = (&decl.array, &logic) {
        let help = "split the unit in two, or count the array's operations in `logic`";
        scope.error(&array.span, format!("{what} has both `array` and `logic`"), help);
        return None;
    }
    let figures = Sized { scope, decl, clock, process, what: &what, instances }.figures(array.as_ref(), logic.as_ref());
    let UnitFigures { area_mm2, power, pj_per_mac, mut figures } = figures?;
    if let RateDecl::Item { per_cycle, provenance, .. } = &decl.rate {
        let rate = scope.compile(per_cycle, &format!("rate of {what}"), &[])?;
        figures.push(Stated::choose(scope, "items_per_cycle", Some((rate, provenance)), None, false));
    }
    let element = match &decl.rate {
        RateDecl::Element(element) => Some(compile_element(scope, element, &what)?),
        _ => None,
    };
    figures.extend(element.iter().flat_map(|element| element.figures.clone()));
    Some(Unit {
        name: decl.name.clone(),
        instances,
        groups,
        lanes,
        assign: decl.assign,
        latency_cycles,
        area_mm2,
        power,
        rate: decl.rate.clone(),
        array,
        element,
        pj_per_mac,
        figures,
    })
}

struct UnitFigures {
    area_mm2: NodeId,
    power: Power,
    pj_per_mac: Option<NodeId>,
    figures: Vec<Stated>,
}

struct Sized<'b, 's> {
    scope: &'b mut Scope<'s>,
    decl: &'b UnitDecl,
    clock: &'b Clock,
    process: &'b Process,
    what: &'b str,
    instances: NodeId,
}

impl Sized<'_, '_> {
    /// Whether the model's figure counts: the one that the file asks for, or the only one.
    fn prefers(&self, part: ArrayPart, stated: bool) -> bool {
        let array = self.decl.array.as_ref().map(|array| array.gives.as_ref());
        let logic = self.decl.logic.as_ref().map(|logic| logic.gives.as_ref());
        match array.or(logic) {
            Some(Some(gives)) => gives.iter().any(|(given, _)| *given == part),
            Some(None) => !stated,
            None => false,
        }
    }

    fn figures(mut self, array: Option<&Array>, logic: Option<&Logic>) -> Option<UnitFigures> {
        let (decl, instances, process) = (self.decl, self.instances, self.process);
        let area = decl.area.as_ref().map(|figure| &figure.share);
        let area = compile_share(self.scope, area, instances, process.logic_area(), &format!("area of {}", self.what))?;
        let power = decl.power.as_ref();
        let dynamic = compile_share(
            self.scope,
            power.and_then(|power| power.dynamic.as_ref()),
            instances,
            process.dynamic_power(),
            &format!("power of {}", self.what),
        )?;
        let leakage = compile_share(
            self.scope,
            power.and_then(|power| power.leakage.as_ref()),
            instances,
            process.energy(),
            &format!("leakage of {}", self.what),
        )?;
        let each = array.map(|array| &array.area_mm2).or(logic.map(|logic| &logic.area_mm2));
        let area_model = self.of_all(each.and_then(Option::as_ref));
        let each = array.map(|array| &array.leakage_mw).or(logic.map(|logic| &logic.leakage_mw));
        let leakage_model = self.of_all(each.and_then(Option::as_ref));
        let prefers_area = self.prefers(ArrayPart::Area, decl.area.is_some());
        self.refuse_missing(prefers_area && area_model.is_none(), "area")?;
        let prefers_energy = self.prefers(ArrayPart::Energy, power.is_some_and(|power| power.dynamic.is_some()));
        let none = Provenance::default();
        let area_from = decl.area.as_ref().map_or(&none, |figure| &figure.provenance);
        let power_from = power.map_or(&none, |figure| &figure.provenance);
        let scope = &mut *self.scope;
        let area = Stated::choose(scope, "area_mm2", area.map(|n| (n, area_from)), area_model.as_ref(), prefers_area);
        // A logic unit's operations all work in every busy cycle: that is a power at the reference clock.
        let dynamic_model = logic.map(|logic| {
            let all = logic.pj_per_cycle.times(scope, instances).times(scope, self.clock.reference_mhz);
            Answer { node: scaled(scope, all.node, 1e-3), ..all }
        });
        let mut dynamic = Stated::choose(
            scope,
            "dynamic_mw",
            dynamic.map(|node| (node, power_from)),
            dynamic_model.as_ref(),
            prefers_energy && logic.is_some(),
        );
        let includes_leakage = power.is_some_and(|power| power.includes.iter().any(|(part, _)| part == "leakage"));
        let prefers_leakage = prefers_energy && leakage.is_none();
        let mut leakage = Stated::choose(
            scope,
            "leakage_mw",
            leakage.map(|node| (node, power_from)),
            leakage_model.as_ref(),
            prefers_leakage && leakage_model.is_some(),
        );
        let mut figures = vec![area.clone()];
        let mut pj_per_mac = None;
        if let Some(array) = array {
            let energy = Stated::choose(scope, "pj_per_mac", None, Some(&array.pj_per_mac), prefers_energy);
            if prefers_energy {
                pj_per_mac = Some(energy.used);
                dynamic.used = scope.graph.constant(0.0);
            }
            figures.push(energy);
        } else if includes_leakage && !prefers_energy {
            leakage.used = scope.graph.constant(0.0);
        }
        let power = Power { dynamic_mw: dynamic.used, leakage_mw: leakage.used, idle: decl.idle };
        figures.push(dynamic);
        figures.push(leakage);
        if let RateDecl::Array = decl.rate
            && let Some(array) = array
        {
            let cycles = Answer {
                node: array.macs,
                source: CYCLES_BASIS.1.into(),
                expected_error: Some(0.0),
                extrapolated: None,
            };
            figures.push(Stated::choose(scope, "macs_per_cycle", None, Some(&cycles), true));
        }
        Some(UnitFigures { area_mm2: area.used, power, pj_per_mac, figures })
    }

    fn of_all(&mut self, each: Option<&Answer>) -> Option<Answer> {
        each.map(|answer| answer.times(self.scope, self.instances))
    }

    fn refuse_missing(&self, missing: bool, figure: &str) -> Option<()> {
        let asked = self.decl.array.as_ref().map(|array| (&array.span, array.gives.is_some()));
        let asked = asked.or(self.decl.logic.as_ref().map(|logic| (&logic.span, logic.gives.is_some())));
        let Some((span, _)) = asked.filter(|_| missing) else { return Some(()) };
        let message = format!("the operations of {} have no {figure}", self.what);
        self.scope.error(span, message, "state it in the file, or choose operations of another set");
        None
    }
}

impl Unit {
    /// Names that hold in the unit's `cycles` expression: `lanes` working on one tile, `instances`, `groups`.
    pub fn locals(&self, lanes: NodeId) -> Vec<(String, Typed)> {
        [("lanes", lanes), ("instances", self.instances), ("groups", self.groups)]
            .map(|(name, node)| (name.to_owned(), Typed::number(node)))
            .to_vec()
    }
}
