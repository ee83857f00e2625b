//! Pipelines, mapping, operator kinds, scenes.

use super::Case;

pub const CASES: &[Case] = &[
    // Pipeline and mapping.
    (
        "pipeline.toml",
        "kind      = \"FrustumCullProject\"",
        "kind      = \"FrustumCull\"",
        &["there is no operator kind `FrustumCull`", "did you mean"],
    ),
    ("pipeline.toml", "gaussians = \"scene.gaussians\"", "", &["does not say its `gaussians`"]),
    (
        "pipeline.toml",
        "gaussians = \"scene.gaussians\"",
        "gausians = 1",
        &["has no parameter `gausians`", "did you mean `gaussians`?"],
    ),
    ("pipeline.toml", "scene.gaussians\"\n\n", "-1\"\n\n", &["-1 is below the least value 0", "count `gaussian`"]),
    ("pipeline.toml", "to   = \"load\"", "to   = \"lod\"", &["there is no operator `lod`", "did you mean `load`?"]),
    (
        "pipeline.toml",
        "to   = \"blend\"\nkind = \"stream\"",
        "to   = \"blend\"\nkind = \"stream\"\n[[edge]]\nfrom = \"blend\"\nto = \"load\"\nkind = \"stream\"",
        &["wait for each other", "load -> blend -> load"],
    ),
    ("pipeline.toml", "kind = \"barrier\"", "kind = \"barrier\"\nbuffer = 2", &["a barrier has no buffer"]),
    (
        "pipeline.toml",
        "to   = \"blend\"\nkind = \"stream\"",
        "to   = \"blend\"\nkind = \"stream\"\nbuffer = 0",
        &["0 is below the least value 1", "buffer of the edge"],
    ),
    (
        "pipeline.toml",
        "memory    = \"dram\"",
        "memory    = \"buffer\"",
        &[
            "no unit of hardware `hw` can execute operator `cull`",
            "`culler`: `cull` needs SRAM block `buffer`",
            "`blender`: executes blending",
        ],
    ),
    (
        "pipeline.toml",
        "memory    = \"dram\"",
        "memory    = \"drum\"",
        &["has no memory `drum`", "did you mean `dram`?"],
    ),
    (
        "pipeline.toml",
        "direction = \"read\"\nbytes     = \"tile.binned * 32\"",
        "direction = \"write\"\nbytes     = \"tile.binned * 32\"",
        &["states no write bandwidth and latency", "nothing is guessed"],
    ),
    (
        "pipeline.toml",
        "bytes     = \"scene.gaussians * 118\"",
        "bytes     = 1\npattern = \"random\"",
        &["states no efficiency for pattern \"random\""],
    ),
    (
        "hardware.toml",
        "executes  = [\"FrustumCullProject\"]",
        "executes  = [\"QuickSort\"]",
        &["pipeline.toml:13", "no unit of hardware `hw` can execute operator `cull`", "`culler`: executes QuickSort"],
    ),
    (
        "hardware.toml",
        "item = \"gaussian\"",
        "item = \"sample\"",
        &["works at a rate in `sample`, but `FrustumCullProject` counts gaussian"],
    ),
    ("hardware.toml", "groups    = 2", "groups    = 3", &["is not a whole number", "instances per group"]),
    // Kinds and passes.
    (
        "pipeline.toml",
        "gaussians = \"scene.gaussians\"",
        "gaussians = \"scene.gaussians\"\npass = \"backwards\"",
        &["`pass` cannot be \"backwards\"", "did you mean `backward`?"],
    ),
    (
        "pipeline.toml",
        "gaussians = \"scene.gaussians\"",
        "gaussians = \"scene.gaussians\"\npass = \"backward\"",
        &["can execute operator `cull`", "`culler`: runs forward only, but this is the backward pass"],
    ),
    (
        "pipeline.toml",
        "[[operator]]\nname      = \"cull\"",
        "[[operator]]\nname = \"a\"\nkind = \"BUM\"\nsamples = 1\n[[operator]]\nname      = \"cull\"",
        &["operator `a`: kind `BUM` has no forward pass", "write pass = \"backward\""],
    ),
    (
        "pipeline.toml",
        "name = \"pipe\"",
        "name = \"pipe\"\nkind = [{ name = \"K\", category = \"blending\", stages = [\"MPL\"], counts = { a = 1 } }]",
        &["`MPL` can be no stage of kind `K`", "did you mean `MLP`?"],
    ),
    (
        "pipeline.toml",
        "name = \"pipe\"",
        "name = \"pipe\"\nkind = [{ name = \"K\", category = \"blending\", backward = {} }]",
        &["`backward` counts nothing", "add a count"],
    ),
    (
        "hardware.toml",
        "executes  = [\"blending\"]",
        "executes  = [\"blending\"]\npasses = [\"both\"]",
        &["there is no pass \"both\"", "known are: forward, backward"],
    ),
    ("pipeline.toml", "over = \"tiles\"", "over = \"rays\"", &["`over` cannot be \"rays\"", "known are"]),
    ("pipeline.toml", "over = \"tiles\"", "over = \"batches\"", &["[stream] needs the key `batches`"]),
    // Scenes.
    (
        "sweep.toml",
        "{ choice = [\"circle\"] }",
        "{ choice = [\"obb\"] }",
        &["not measured", "test \"circle\" with tile 16"],
    ),
    ("sweep.toml", "half  = ", "tile = [16, 8]\nhalf  = ", &["not measured", "tile = 8"]),
    ("scene.toml", "binned = 60", "binned = 61", &["`binned` is 61 here, but the tiles of binning 1 add up to 60"]),
    ("scene.toml", "tiles_file = \"tiles.csv\"", "tiles_file = \"../tiles.csv\"", &["leaves the folder"]),
    ("scene.toml", "id     = 1", "id     = 2", &["has no rows of binning 2"]),
    ("tiles.csv", "1,3,20", "1,3,twenty", &["tiles.csv:3", "`twenty` is no measured number"]),
    ("tiles.csv", "1,3,20", "1,9,20", &["not in row-major order"]),
    ("scene.toml", "gaussians = 1000", "gaussians = -5", &["`gaussians` is negative"]),
];
