//! Layered networks: multiply-adds and parameters from real layer widths.

/// Counts of a network for one row.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct NetworkCounts {
    pub(super) macs: f64,
    pub(super) weights: f64,
    pub(super) biases: f64,
    /// Layers that see the network's input again.
    pub(super) skips: f64,
}

/// Most layers that a network may have: more is an error of the trace.
const MAX_LAYERS: f64 = 1024.0;

/// A chain of layers from `inputs` over `layers - 1` hidden ones of `width` to `outputs`; a layer in `skip` (from 0) sees
/// the network's input beside its own. `None` if there are no or too many layers.
pub(super) fn mlp(inputs: f64, outputs: f64, layers: f64, width: f64, skip: &[u64]) -> Option<NetworkCounts> {
    if !(1.0..=MAX_LAYERS).contains(&layers) {
        return None;
    }
    let layers = layers as u64;
    let mut counts = NetworkCounts::default();
    for layer in 0..layers {
        let skips = layer > 0 && skip.contains(&layer);
        let skipped = if skips { inputs } else { 0.0 };
        counts.skips += f64::from(u8::from(skips));
        let from = if layer == 0 { inputs } else { width + skipped };
        let to = if layer + 1 == layers { outputs } else { width };
        counts.weights += from * to;
        counts.biases += to;
    }
    counts.macs = counts.weights;
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    // `mlp_macs_per_sample` in traces/vanilla_nerf_4096x192.summary.json and traces/nerfacto_4096_stockcfg.summary.json.
    #[test]
    fn multiply_adds_per_sample_are_those_of_the_traced_models() {
        let macs = |inputs, outputs, layers, width, skip: &[u64]| {
            mlp(inputs, outputs, layers, width, skip).map(|counts| counts.macs)
        };
        assert_eq!(macs(63.0, 256.0, 8.0, 256.0, &[4]), Some(491_008.0));
        assert_eq!(macs(283.0, 128.0, 2.0, 128.0, &[]), Some(52_608.0));
        assert_eq!(macs(128.0, 3.0, 1.0, 0.0, &[]), Some(384.0));
        assert_eq!(macs(32.0, 16.0, 2.0, 64.0, &[]), Some(3072.0));
        assert_eq!(macs(63.0, 3.0, 3.0, 64.0, &[]), Some(8320.0));
        assert_eq!(macs(10.0, 1.0, 2.0, 16.0, &[]), Some(176.0));
    }
}
