//! Models in hardware files, techniques, policies of schedules, stated counts.

use super::Case;

pub const CASES: &[Case] = &[
    (
        "hardware.toml",
        "capacity_kib = 8",
        "capacity_kib = 8\nmodel = { cell = \"hp\" }",
        &["hardware.toml:35:9", "the SRAM model needs banks and width of SRAM block `buffer`", "add `banks = 1`"],
    ),
    (
        "hardware.toml",
        "capacity_kib = 8",
        "capacity_kib = 8\nbanks = 2\nwidth_bytes = 8\nmodel = { cell = \"fast\" }",
        &["hardware.toml:37:18", "unknown device `fast`: write hp or lstp"],
    ),
    (
        "hardware.toml",
        "capacity_kib = 8",
        "capacity_kib = 8\nbanks = 2\nports = \"2rw\"",
        &["hardware.toml:36:9", "unknown ports `2rw`"],
    ),
    (
        "hardware.toml",
        "node_nm = 28",
        "node_nm = 28\nscale_to_nm = 27",
        &["hardware.toml:3:15", "no scaling for 27 nm", "nearest first"],
    ),
    (
        "hardware.toml",
        "rate      = { item = \"pixel_gaussian\", per_cycle = 1 }",
        "array     = { rows = 4, cols = 4, dataflow = \"os\", multiply = \"int8\", accumulate = \"int32\", set = \"horowitz\" }",
        &["can execute operator `blend`", "its array does matrix products, and kind `GaussianAlphaBlend` has none"],
    ),
    (
        "hardware.toml",
        "{ each = 0.5, basis = \"published\" }",
        "{ each = 0.5, basis = \"assumed\", range = [1, 2] }",
        &["the value 0.5 lies outside its range", "`factor = [low, high]` is relative"],
    ),
    (
        "hardware.toml",
        "{ each = 0.5, basis = \"published\" }",
        "{ each = \"0.5 * half\", basis = \"assumed\", range = [1, 4] }",
        &["`range` is absolute, but `0.5 * half` moves with the names in it", "write `factor"],
    ),
    (
        "hardware.toml",
        "{ each = 0.5, basis = \"published\" }",
        "{ each = 0.5, basis = \"assumed\", range = [0, 1], factor = [0.5, 2] }",
        &["`range` and `factor` are both given", "keep one"],
    ),
    (
        "hardware.toml",
        "{ each = 0.5, basis = \"published\" }",
        "{ each = 0.5, basis = \"assumed\", factor = [2, 3] }",
        &["`factor` is relative to the value and must hold 1", "for half to twice"],
    ),
    (
        "sweep.toml",
        "[parameters]",
        "optimizations = [\"nope\"]\n[parameters]",
        &["there is no technique `nope`", "known are"],
    ),
    (
        "sweep.toml",
        "[parameters]",
        "optimizations = [\"tile_culling\"]\n[parameters]",
        &[
            "technique `tile_culling` needs the feature \"tile-culling\", which hardware `hw` does not have",
            "it has none",
        ],
    ),
    (
        "hardware.toml",
        "node_nm = 28",
        "node_nm = 28\nfeatures = [\"a\"]\nbuilt_in_features = [\"a\"]",
        &["\"a\" stands in `features` and in `built_in_features`", "keep it in"],
    ),
    ("sweep.toml", "\"grid\"", "\"grid\"\nstarts = 3", &["sweep.toml:17", "strategy \"grid\" takes no `starts`"]),
    ("sweep.toml", "\"grid\"", "\"nsga2\"\nweights = [1, 1]", &["\"nsga2\" takes no `weights`", "\"anneal\""]),
    ("sweep.toml", "\"grid\"", "\"anneal\"", &["shares its evaluations out", "add `budget = { evaluations"]),
    ("sweep.toml", "\"grid\"", "\"pso\"\nweights = [1]", &["`weights` has 1 numbers for 2 objectives"]),
    ("sweep.toml", "\"grid\"", "\"pso\"\nweights = [0, 0]", &["`weights` must not be negative, nor all 0"]),
    ("sweep.toml", "\"grid\"", "\"pso\"\nreference = 5", &["`reference` must be a list of numbers", "in their order"]),
    (
        "pipeline.toml",
        "gaussians = \"scene.gaussians\"",
        "gaussians = \"scene.gaussians\"\ncounts = { gausian = 1 }",
        &["pipeline.toml:17:12", "counts no `gausian` in the forward pass", "did you mean `gaussian`?"],
    ),
    (
        "pipeline.toml",
        "gaussians = \"scene.gaussians\"",
        "gaussians = \"scene.gaussians\"\ncounts = { gaussian = -1 }",
        &["pipeline.toml:17", "-1 is below the least value 0 in count `gaussian` of operator `cull`"],
    ),
    (
        "pipeline.toml",
        "gaussians = \"scene.gaussians\"",
        "gaussians = \"scene.gaussians\"\ncounts = 5",
        &["pipeline.toml:17", "`counts` must be a table, not a number"],
    ),
    (
        "pipeline.toml",
        "gaussians = \"scene.gaussians\"",
        "gaussians = \"scene.gaussians\"\ncounts = { gaussian = \"scene.gausians\" }",
        &["pipeline.toml:17", "`scene.gausians`", "did you mean `scene.gaussians`?"],
    ),
    (
        "pipeline.toml",
        "[stream]",
        "[training]\niterations = 5\n[stream]",
        &["this pipeline has iterations, but nothing leads from one to the next", "kind = \"carried\""],
    ),
    ("pipeline.toml", "[stream]", "[training]\n[stream]", &["[training] needs the key `iterations`"]),
    (
        "pipeline.toml",
        "[stream]",
        "[schedule]\npolicy = \"best\"\n[stream]",
        &["`policy` cannot be \"best\"", "known are"],
    ),
    ("pipeline.toml", "[stream]", "[schedule]\nalpha = 2\n[stream]", &["[schedule] needs the key `policy`"]),
    (
        "pipeline.toml",
        "[stream]",
        "[schedule]\npolicy = \"fifo\"\nalpha = 2\n[stream]",
        &["only DAGS has `alpha` and `beta`", "policy = \"dags\""],
    ),
    (
        "pipeline.toml",
        "[stream]",
        "[schedule]\npolicy = \"dags\"\nweights = { cull = 1 }\n[stream]",
        &["this policy has no weights", "policy = \"weights\""],
    ),
    (
        "pipeline.toml",
        "[stream]",
        "[schedule]\npolicy = \"weights\"\nweights = { cul = 1 }\n[stream]",
        &["there is no operator `cul`", "cull"],
    ),
    ("sweep.toml", "[search]", "[schedule]\npolicy = \"dags\"\nalpha = \"nothing\"\n[search]", &["nothing"]),
];
