//! The IRs of every trace against their JSON Schemas, and the schemas against the reader: both take and refuse the same keys.

mod common;
mod trace_support;

use std::fs;
use std::path::Path;

use nerarch_dse::report::analysis::{self, MappedIr, ScheduledIr};
use nerarch_dse::trace::{TransformOptions, workload};
use serde_json::{Map, Value as Json, json};
use trace_support::{files, traces};

const MAPPED: &str = "mapped_ir.schema.json";
const SCHEDULED: &str = "scheduled_ir.schema.json";

/// The part of JSON Schema (draft 2020-12) that the schemas use. A keyword beyond it is an error, not a pass.
struct Schemas(Map<String, Json>);

impl Schemas {
    fn load() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        let read = |name: &str| {
            let text = fs::read_to_string(folder.join(name)).expect("a schema");
            (name.to_owned(), serde_json::from_str(&text).expect("JSON"))
        };
        Self([MAPPED, SCHEDULED, "common.schema.json"].map(read).into_iter().collect())
    }

    fn check(&self, file: &str, value: &Json) -> Result<(), String> {
        self.value(file, &self.0[file], value, "")
    }

    fn value(&self, file: &str, schema: &Json, value: &Json, at: &str) -> Result<(), String> {
        let Some(rules) = schema.as_object() else {
            return if schema == &Json::Bool(true) { Ok(()) } else { Err(format!("{at}: nothing may stand here")) };
        };
        let fail = |what: &str, rule: &Json| Err(format!("{at}: {value} is not {what} {rule}"));
        let size = value.as_array().map(Vec::len);
        for (keyword, rule) in rules {
            match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" | "additionalProperties" | "prefixItems" => {}
                "$ref" => {
                    let (other, pointer) = rule.as_str().and_then(|rule| rule.split_once('#')).expect("a reference");
                    let file = if other.is_empty() { file } else { other };
                    let schema = self.0[file].pointer(pointer).unwrap_or_else(|| panic!("no {rule}"));
                    self.value(file, schema, value, at)?;
                }
                "type" => {
                    let one = |name: &Json| match name.as_str().expect("a type") {
                        "null" => value.is_null(),
                        "boolean" => value.is_boolean(),
                        "string" => value.is_string(),
                        "array" => value.is_array(),
                        "object" => value.is_object(),
                        "number" => value.is_number(),
                        "integer" => value.is_u64() || value.is_i64(),
                        other => panic!("type {other}"),
                    };
                    if !rule.as_array().map_or_else(|| one(rule), |names| names.iter().any(one)) {
                        return fail("of type", rule);
                    }
                }
                "const" if value != rule => return fail("", rule),
                "enum" if !rule.as_array().expect("values").contains(value) => return fail("one of", rule),
                "const" | "enum" => {}
                "minimum" if value.as_f64() < rule.as_f64() && value.is_number() => return fail("at least", rule),
                "maximum" if value.as_f64() > rule.as_f64() => return fail("at most", rule),
                "exclusiveMinimum" if value.as_f64() <= rule.as_f64() && value.is_number() => {
                    return fail("above", rule);
                }
                "minItems" if size.is_some_and(|size| (size as u64) < rule.as_u64().expect("a size")) => {
                    return fail("at least of size", rule);
                }
                "maxItems" if size.is_some_and(|size| size as u64 > rule.as_u64().expect("a size")) => {
                    return fail("at most of size", rule);
                }
                "minimum" | "maximum" | "exclusiveMinimum" | "minItems" | "maxItems" => {}
                "anyOf" | "oneOf" => {
                    let choices = rule.as_array().expect("schemas").iter();
                    let fits = choices.filter(|choice| self.value(file, choice, value, at).is_ok()).count();
                    if fits == 0 || (keyword == "oneOf" && fits > 1) {
                        return fail("as wanted by", rule);
                    }
                }
                "items" => {
                    let first = rules.get("prefixItems").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.value(file, first.get(index).unwrap_or(rule), item, &format!("{at}/{index}"))?;
                    }
                }
                "required" => {
                    let Some(object) = value.as_object() else { continue };
                    let keys = rule.as_array().expect("keys").iter().map(|key| key.as_str().expect("a key"));
                    if let Some(missing) = keys.into_iter().find(|key| !object.contains_key(*key)) {
                        return Err(format!("{at}: `{missing}` is missing"));
                    }
                }
                "properties" => {
                    for (key, item) in value.as_object().into_iter().flatten() {
                        let Some(schema) = rule.get(key).or_else(|| rules.get("additionalProperties")) else {
                            continue;
                        };
                        self.value(file, schema, item, &format!("{at}/{key}"))?;
                    }
                }
                other => panic!("the check does not know the keyword `{other}`"),
            }
        }
        if let (None, Some(schema)) = (rules.get("properties"), rules.get("additionalProperties")) {
            for (key, item) in value.as_object().into_iter().flatten() {
                self.value(file, schema, item, &format!("{at}/{key}"))?;
            }
        }
        Ok(())
    }
}

/// Both IRs of a trace on a hardware, if it fits; where the hardware can, with a technique on its samplers.
fn irs(trace: &Path, hardware: &str) -> Option<(Json, Json)> {
    let workload = workload::load(trace, &TransformOptions::default()).expect("a workload");
    let mapped = analysis::map(workload, "t", hardware).ok()?;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("o.toml");
    std::fs::write(&file, "[low_precision_sampling]\n").expect("a file");
    let has_sampler = mapped.workload.operators.iter().any(|operator| operator.kind == "UniformSampler");
    let optimization = (hardware == "programmable" && has_sampler).then_some(file.as_path());
    let scheduled =
        analysis::schedule(&mapped, "m", hardware, optimization).unwrap_or_else(|faults| panic!("{faults}"));
    Some((serde_json::to_value(&mapped).expect("JSON"), serde_json::to_value(&scheduled).expect("JSON")))
}

#[test]
fn the_irs_of_every_trace_keep_their_schemas() {
    let Some(folder) = traces() else { return };
    let schemas = Schemas::load();
    let mut checked = 0;
    for trace in files(&folder, |name| name.ends_with(".pkl")) {
        for hardware in ["programmable", "icarus", "gaurast", "gbu"] {
            let Some((mapped, scheduled)) = irs(&trace, hardware) else { continue };
            for (file, ir) in [(MAPPED, &mapped), (SCHEDULED, &scheduled)] {
                schemas.check(file, ir).unwrap_or_else(|fault| panic!("{} on {hardware}: {fault}", trace.display()));
            }
            checked += 1;
        }
    }
    assert_eq!(checked, 13);
}

/// Pointers to the values below `value`; of a list only the first item, which has the shape of the others.
fn pointers(value: &Json, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Json::Object(object) => object.iter().for_each(|(key, item)| pointers(item, &format!("{at}/{key}"), found)),
        Json::Array(items) => items.iter().take(1).for_each(|item| pointers(item, &format!("{at}/0"), found)),
        _ => {}
    }
}

/// Every way to break `ir` by one key or one type: what was done, and the result.
fn broken(ir: &Json) -> Vec<(String, Json)> {
    let mut places = Vec::new();
    pointers(ir, "", &mut places);
    let mut cases = Vec::new();
    for at in places {
        let change = |cases: &mut Vec<(String, Json)>, what: &str, change: &dyn Fn(&mut Json)| {
            let mut changed = ir.clone();
            change(changed.pointer_mut(&at).expect("a place"));
            cases.push((format!("{what} at {at}"), changed));
        };
        let value = ir.pointer(&at).expect("a place");
        change(&mut cases, "another type", &|value| {
            *value = if value.is_boolean() { json!("yes") } else { json!(true) }
        });
        if let Some(object) = value.as_object() {
            change(&mut cases, "a key more", &|value| value["colour"] = json!(1));
            for key in object.keys() {
                change(&mut cases, &format!("without `{key}`"), &|value| {
                    value.as_object_mut().expect("an object").shift_remove(key);
                });
            }
        }
    }
    cases
}

#[test]
fn the_reader_and_the_schemas_refuse_the_same() {
    let Some(folder) = traces() else { return };
    let schemas = Schemas::load();
    let (mapped, scheduled) =
        irs(&folder.join("vanilla_nerf_100x100_3chunks.pkl"), "programmable").expect("a trace that fits");
    let mut refused = 0;
    for (file, ir) in [(MAPPED, &mapped), (SCHEDULED, &scheduled)] {
        for (what, changed) in broken(ir) {
            let text = changed.to_string();
            let read = if file == MAPPED {
                MappedIr::from_json("m", &text).map(drop)
            } else {
                ScheduledIr::from_json("s", &text).map(drop)
            };
            let checked = schemas.check(file, &changed);
            assert_eq!(read.is_ok(), checked.is_ok(), "{file}, {what}: {checked:?}, {:?}", read.err());
            refused += usize::from(checked.is_err());
        }
    }
    assert!(refused > 400, "{refused}");
}
