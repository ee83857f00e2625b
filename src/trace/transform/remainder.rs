//! What is not in the pipeline, with its share.

use std::collections::{BTreeMap, HashMap};

use super::call::{Call, Role};
use super::pipeline::Unrecognised;
use super::tree::Position;

/// Lists functions that are not recognised or could not be counted, the largest share of bytes first.
pub(super) fn unrecognised(
    calls: &[Call<'_>],
    positions: &[Position],
    rejected: &[(usize, String)],
) -> Vec<Unrecognised> {
    let rejected: HashMap<usize, &str> = rejected.iter().map(|(node, reason)| (*node, reason.as_str())).collect();
    let (mut all_calls, mut all_bytes) = (0_usize, 0.0);
    let mut groups: BTreeMap<(&str, &str), (usize, f64)> = BTreeMap::new();
    for (node, (call, position)) in calls.iter().zip(positions).enumerate() {
        if position.owner.is_some() {
            continue;
        }
        let (reason, traffic) = match (call.role, position.has_callees) {
            (Role::Operator(_), _) => (rejected.get(&node).copied(), call.traffic()),
            (Role::Container(_), true) => continue,
            (Role::Container(_), false) => (Some("a container whose calls were not traced"), call.traffic()),
            (Role::Unknown, true) => (Some("not in the call tables; the calls in it are, its own work is not"), 0.0),
            (Role::Unknown, false) => (Some("not in the call tables"), call.traffic()),
        };
        all_calls += 1;
        all_bytes += traffic;
        if let Some(reason) = reason {
            let group = groups.entry((call.function, reason)).or_default();
            group.0 += 1;
            group.1 += traffic;
        }
    }
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let described = groups.into_iter().map(|((function, reason), (calls, bytes))| Unrecognised {
        function: function.to_owned(),
        calls,
        reason: reason.to_owned(),
        share_of_calls: share(calls as f64, all_calls as f64),
        share_of_bytes: share(bytes, all_bytes),
    });
    let mut list: Vec<_> = described.collect();
    list.sort_by(|left, right| right.share_of_bytes.total_cmp(&left.share_of_bytes));
    list
}
