//! Every kind of wrong input ends with status 2, the place, what is wrong and what to do, and leaves nothing behind.
//!
//! Each case takes the sound files of `tests/bad_input/` and changes one thing.

mod common;

use std::fs;
use std::path::Path;

use common::program;

/// File, text to replace (empty: replace the whole file), replacement, what the error must say: place, fault, remedy.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    // Syntax and keys.
    ("sweep.toml", "name     = \"bad\"", "name     = \"bad", &["sweep.toml:1", "not valid TOML"]),
    ("sweep.toml", "[constraints]", "[parameters]", &["sweep.toml:12", "not valid TOML"]),
    ("sweep.toml", "[search]", "colour = 1\n[search]", &["constraint `colour` must be a table", "write `colour"]),
    (
        "sweep.toml",
        "strategy ",
        "stratgy ",
        &["sweep.toml:16:1", "[search] has no key `stratgy`", "did you mean `strategy`?"],
    ),
    ("sweep.toml", "name     = \"bad\"\n", "", &["a sweep file needs the key `name`", "add `name = ...`"]),
    ("sweep.toml", "name     = \"bad\"", "name     = \"../bad\"", &["sweep.toml:1:12", "cannot name a folder"]),
    ("sweep.toml", "name     = \"bad\"", "name     = 5", &["`name` must be a string, not a number"]),
    (
        "hardware.toml",
        "peak_gb_per_s = 25.6",
        "peak_gbps = 25.6",
        &["hardware.toml:39:1", "no key `peak_gbps`", "write `peak_gb_per_s`"],
    ),
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
    ("hardware.toml", "capacity_kib = 8", "capacity_kb = 8", &["no key `capacity_kb`", "write `capacity_kib`"]),
    (
        "hardware.toml",
        "executes  = [\"blending\"]",
        "executes  = [\"Blending\"]",
        &["`Blending` is no operator kind", "did you mean `blending`?"],
    ),
    (
        "hardware.toml",
        "instances = \"half\"",
        "instances = [1]",
        &["`instances` must be a number or an expression, not an array"],
    ),
    ("hardware.toml", "area_mm2  = { total = 1 }", "area_mm2  = 1", &["`area_mm2` must be a table, not a number"]),
    ("hardware.toml", "{ total = 1 }", "{ total = 1, each = 1 }", &["`each` and `total` are both given", "keep one"]),
    (
        "hardware.toml",
        "{ each = 0.5, basis = \"published\" }",
        "{ each = 0.5, basis = \"guessed\" }",
        &["`basis` cannot be \"guessed\"", "known are: assumed"],
    ),
    (
        "hardware.toml",
        "{ each = 0.5, basis = \"published\" }",
        "{ each = 0.5, basis = \"assumed\" }",
        &["an assumed figure needs a range", "add `range"],
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
        "hardware.toml",
        "each_leakage = 1 }",
        "each_leakage = 1, includes = [\"leakage\"] }",
        &["leakage would be counted twice"],
    ),
    (
        "hardware.toml",
        "name      = \"blender\"",
        "name      = \"culler\"",
        &["there are two of the unit or SRAM block `culler`", "the first stands at"],
    ),
    ("hardware.toml", "{ mhz = 1500", "{ mhz = 400", &["operating points must have increasing clocks"]),
    // Techniques.
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
    // Objectives that are expressions, groups, conditions, marks, figures, several sweeps, refining.
    (
        "sweep.toml",
        "\"area_mm2\"]",
        "\"energy_mj * latncy_ms\"]",
        &["sweep.toml:17", "`latncy_ms` is not defined here", "did you mean `latency_ms`?"],
    ),
    (
        "sweep.toml",
        "\"area_mm2\"]",
        "\"fps * area_mm2\"]",
        &["`fps * area_mm2` has no natural direction", "goal = \"minimise\""],
    ),
    (
        "sweep.toml",
        "\"area_mm2\"]",
        "{ name = \"fps\", value = \"1000 / latency_ms\" }]",
        &["there is a metric `fps` already", "another name"],
    ),
    ("sweep.toml", "\"area_mm2\"]", "{ value = \"1000 / latency_ms\" }]", &["an objective needs the key `name`"]),
    ("sweep.toml", "\"area_mm2\"]", "5]", &["an objective must be a metric or an expression, not a number"]),
    (
        "sweep.toml",
        "fps = { min = 1 }",
        "edp2 = { value = \"energy_mj * latencyms\", max = 1 }",
        &["`latencyms` is not defined here", "did you mean `latency_ms`?"],
    ),
    (
        "sweep.toml",
        "[search]",
        "[[group]]\naxes = [\"units\", \"dpth\"]\n[search]",
        &["this sweep has no axis `dpth`", "did you mean `depth`?"],
    ),
    (
        "sweep.toml",
        "[search]",
        "[[group]]\naxes = [\"units\", \"test\"]\n[search]",
        &["`units` has 3 values and `test` has 1", "as many values"],
    ),
    ("sweep.toml", "[search]", "[[group]]\naxes = [\"units\"]\n[search]", &["a group of one axis joins nothing"]),
    (
        "sweep.toml",
        "[search]",
        "[[group]]\naxes = [\"units\", \"depth\"]\n[[group]]\naxes = [\"depth\", \"test\"]\n[search]",
        &["`depth` is in two groups"],
    ),
    (
        "sweep.toml",
        "{ choice = [\"circle\"] }",
        "{ choice = [\"circle\"], when = \"units == 1\" }\n[[group]]\naxes = [\"units\", \"test\"]",
        &["`test` moves with others", "remove `when`"],
    ),
    (
        "sweep.toml",
        "units = [1, 2, 4]",
        "units = { values = [1, 2, 4], when = \"depth == 1\" }",
        &["the condition of `units` looks at `depth`, which stands below it"],
    ),
    (
        "sweep.toml",
        "step = 1 }",
        "step = 1, when = \"unts == 1\" }",
        &["`unts` is not defined here", "did you mean `units`?"],
    ),
    ("sweep.toml", "step = 1 }", "step = 1, when = \"1 / (units - 2)\" }", &["the condition of `depth` has no value"]),
    (
        "sweep.toml",
        "half  = \"units * 2\"",
        "half  = \"units * 2\"\nown = { values = [1, 2], when = \"units == 1\" }",
        &["`own` has no value where this does not hold"],
    ),
    ("sweep.toml", "units = [1, 2, 4]", "units = { values = 3 }", &["`values` of axis `units` must be a list"]),
    (
        "sweep.toml",
        "[search]",
        "[[output.mark]]\nlabel = \"x\"\nuntis = 1\n[search]",
        &["has a parameter `untis`", "did you mean `units`?"],
    ),
    (
        "sweep.toml",
        "[search]",
        "[[output.mark]]\nlabel = \"x\"\nunits = [1]\n[search]",
        &["`units` of a marked design must be one value"],
    ),
    ("sweep.toml", "[search]", "[[output.mark]]\nlabel = \"x\"\n[search]", &["this mark says nothing of its design"]),
    ("sweep.toml", "[search]", "[[output.mark]]\nunits = 1\n[search]", &["a [[output.mark]] needs the key `label`"]),
    (
        "sweep.toml",
        "[search]",
        "[output]\nfigures = [\"convergnce\"]\n[search]",
        &["there is no figure \"convergnce\"", "did you mean `convergence`?"],
    ),
    (
        "sweep.toml",
        "[search]",
        "[output]\nfigures = [\"convergence\"]\n[search]",
        &["strategy \"grid\" knows its points beforehand", "nsga2"],
    ),
    (
        "sweep.toml",
        "strategy   = \"grid\"",
        "strategy = \"exact\"\n[output]\nfigures = [\"sensitivity\"]\n[search.x]",
        &["[search] has no key `x`"],
    ),
    ("sweep.toml", "[search]", "[[sweep]]\nparameters = { units = 1 }\n[search]", &["a [[sweep]] needs a `name`"]),
    (
        "sweep.toml",
        "[search]",
        "[[sweep]]\nname = \"a\"\n[[sweep]]\nname = \"a\"\n[search]",
        &["there are two sweeps `a`"],
    ),
    ("sweep.toml", "[search]", "[[sweep]]\nname = \"a\"\ncolour = 1\n[search]", &["a sweep file has no key `colour`"]),
    (
        "sweep.toml",
        "[search]",
        "[[sweep]]\nname = \"a\"\n[[sweep]]\nname = \"b\"\nsearch = { objectives = [\"fps\"] }\n[search]",
        &["have different objectives"],
    ),
    (
        "sweep.toml",
        "[search]",
        "[refine]\ntiles = \"measured\"\n[search]",
        &["there is nothing to refine", "tiles = \"equal\""],
    ),
    (
        "sweep.toml",
        "name     = \"bad\"",
        "name     = \"bad\"\ntiles = \"equl\"",
        &["`tiles` cannot be \"equl\"", "did you mean `equal`?"],
    ),
    // Numbers and expressions.
    (
        "sweep.toml",
        "units * 2",
        "unis * 2",
        &["sweep.toml:9:10", "`unis` is not defined here", "did you mean `units`?"],
    ),
    ("sweep.toml", "units * 2", "units * * 2", &["sweep.toml:9:18", "`*` cannot stand here"]),
    (
        "sweep.toml",
        "units * 2",
        "half + 1",
        &["parameter `half` follows itself: half -> half", "give one of them a number"],
    ),
    (
        "hardware.toml",
        "half  = 4",
        "half  = 4\nonce = \"twice\"\ntwice = \"once\"",
        &["`once` follows itself: once -> twice -> once"],
    ),
    ("sweep.toml", "units * 2", "units / 4", &["0.25 is not a whole number", "units = 1", "counts are integers"]),
    ("sweep.toml", "units * 2", "1 / (units - 2)", &["division by zero", "where units = 2", "guard it"]),
    (
        "hardware.toml",
        "{ each = 0.5,",
        "{ each = \"0.5 / (units - 4) / (depth - 3)\",",
        &["hardware.toml:20", "division by zero", "units = 1, depth = 3"],
    ),
    ("sweep.toml", "units * 2", "sqroot(units)", &["`sqroot` is no function", "did you mean `sqrt`?"]),
    ("sweep.toml", "units * 2", "test == 'obc'", &["'obc' is none of this parameter's words", "did you mean `obb`?"]),
    ("sweep.toml", "units * 2", "test + 1", &["a word cannot be calculated with"]),
    ("sweep.toml", "units * 2", "2 * units - 2", &["0 is below the least value 1", "units = 1"]),
    ("sweep.toml", "units = [1, 2, 4]", "units = [1, nan]", &["sweep.toml:7:13", "must be finite"]),
    ("sweep.toml", "units = [1, 2, 4]", "units = [1, inf]", &["must be finite"]),
    ("sweep.toml", "units = [1, 2, 4]", "units = [0, 2]", &["sweep.toml:7:10", "0 is below the least value 1"]),
    ("sweep.toml", "units = [1, 2, 4]", "units = [-1, 2]", &["-1 is below the least value 1"]),
    ("sweep.toml", "units = [1, 2, 4]", "units = [1.5, 2]", &["1.5 is not a whole number", "type = \"real\""]),
    ("sweep.toml", "units = [1, 2, 4]", "units = [1, 128]", &["128 is above the greatest value 64"]),
    // Axes and space.
    ("sweep.toml", "units = [1, 2, 4]", "units = []", &["axis `units` has no values"]),
    ("sweep.toml", "units = [1, 2, 4]", "units = [1, 2, 1]", &["sweep.toml:7:16", "1 stands twice on axis `units`"]),
    ("sweep.toml", "units = [1, 2, 4]", "units = [1, \"2\"]", &["a string cannot be a value of an axis"]),
    ("sweep.toml", "units = [1, 2, 4]", "units = { choice = [\"a\"] }", &["`units` takes numbers, not words"]),
    (
        "sweep.toml",
        "{ choice = [\"circle\"] }",
        "{ choice = [\"circel\"] }",
        &["`test` cannot be \"circel\"", "did you mean `circle`?"],
    ),
    ("sweep.toml", "{ choice = [\"circle\"] }", "[1, 2]", &["`test` takes words, not numbers"]),
    ("sweep.toml", "units = [1, 2, 4]", "untis = [1, 2, 4]", &["has a parameter `untis`", "did you mean `units`?"]),
    ("sweep.toml", "step = 1 }", "step = 0 }", &["`step` is 0, so the range never ends"]),
    ("sweep.toml", "step = 1 }", "step = -1 }", &["`step` is -1"]),
    ("sweep.toml", "step = 1 }", "step = 1e-9 }", &["more than 1000000 values"]),
    ("sweep.toml", "from = 1, to = 3", "from = 3, to = 1", &["`from` (3) is larger than `to` (1)", "swap them"]),
    ("sweep.toml", "step = 1 }", "step = 1, num = 3 }", &["the range of `depth` is not determined", "one of them"]),
    (
        "sweep.toml",
        "step = 1 }",
        "scale = \"log\" }",
        &["the range of `depth` is not determined", "a log range needs `num`"],
    ),
    (
        "sweep.toml",
        "from = 1, to = 3, step = 1 }",
        "from = 0, to = 3, num = 3, scale = \"log\" }",
        &["a logarithmic range cannot start at 0"],
    ),
    (
        "sweep.toml",
        "units = [1, 2, 4]\ndepth = { from = 1, to = 3, step = 1 }",
        "units = [1]\na = { from = 1, to = 1000000, step = 1 }\nb = { from = 1, to = 1000000, step = 1 }\nc = { from = 1, to = 1000000, step = 1 }\nd = { from = 1, to = 1000000, step = 1 }\ndepth = \"(a + b + c + d) / 1000000\"",
        &["2^64 points or more"],
    ),
    // What the sweep names.
    (
        "sweep.toml",
        "scenes   = [\"scene.toml\"]",
        "scenes   = [\"lgo\"]",
        &["sweep.toml:4:13", "there is no scene `lgo`", "did you mean `lego`?"],
    ),
    ("sweep.toml", "scenes   = [\"scene.toml\"]", "scenes   = []", &["`scenes` names no scene"]),
    ("sweep.toml", "\"hardware.toml\"", "\"missing.toml\"", &["there is no hardware `missing.toml`"]),
    ("sweep.toml", "\"hardware.toml\"", "\"folder.toml\"", &["is a folder, not a hardware file"]),
    (
        "sweep.toml",
        "\"latency_ms\", ",
        "\"latency\", ",
        &["there is no metric `latency`", "did you mean `latency_ms`?"],
    ),
    ("sweep.toml", "\"latency_ms\", ", "\"area_mm2\", ", &["objective `area_mm2` stands twice"]),
    ("sweep.toml", "\"latency_ms\", ", "\"dram_utilization\", ", &["has no natural direction", "goal = \"minimise\""]),
    ("sweep.toml", "\"latency_ms\", ", "\"bottleneck\", ", &["no natural direction"]),
    ("sweep.toml", "fps = { min = 1 }", "speed = { min = 1 }", &["there is no metric `speed`"]),
    ("sweep.toml", "fps = { min = 1 }", "fps = { min = 2, max = 1 }", &["nothing lies between 2 and 1"]),
    ("sweep.toml", "fps = { min = 1 }", "fps = {}", &["constraint `fps` bounds nothing"]),
    ("sweep.toml", "\"grid\"", "\"gird\"", &["`strategy` cannot be \"gird\"", "did you mean `grid`?"]),
    ("sweep.toml", "\"grid\"", "\"random\"", &["strategy \"random\" needs the number of its points"]),
    ("sweep.toml", "\"grid\"", "\"random\"\nsamples = 0", &["`samples` must be a whole number of at least 1"]),
    ("sweep.toml", "\"grid\"", "\"lhs\"", &["strategy \"lhs\" needs the number of its points", "add `samples"]),
    (
        "sweep.toml",
        "\"grid\"",
        "\"sobol\"\nsamples = 1000000000000",
        &["sweep.toml:17:11", "takes at most 100000000", "use fewer"],
    ),
    ("sweep.toml", "\"grid\"", "\"grid\"\nstarts = 3", &["sweep.toml:17", "strategy \"grid\" takes no `starts`"]),
    ("sweep.toml", "\"grid\"", "\"nsga2\"\nweights = [1, 1]", &["\"nsga2\" takes no `weights`", "\"anneal\""]),
    ("sweep.toml", "\"grid\"", "\"anneal\"", &["shares its evaluations out", "add `budget = { evaluations"]),
    ("sweep.toml", "\"grid\"", "\"pso\"\nweights = [1]", &["`weights` has 1 numbers for 2 objectives"]),
    ("sweep.toml", "\"grid\"", "\"pso\"\nweights = [0, 0]", &["`weights` must not be negative, nor all 0"]),
    ("sweep.toml", "\"grid\"", "\"pso\"\nreference = 5", &["`reference` must be a list of numbers", "in their order"]),
    ("sweep.toml", "\"grid\"", "\"grid\"\nsamples = 3", &["strategy \"grid\" takes no `samples`", "remove it"]),
    (
        "sweep.toml",
        "\"grid\"",
        "\"exact\"\nsamples = 3",
        &["strategy \"exact\" takes no `samples`", "write `budget = { evaluations"],
    ),
    ("sweep.toml", "\"grid\"", "\"nsga2\"", &["\"nsga2\" never ends by itself", "add `budget"]),
    (
        "sweep.toml",
        "\"grid\"",
        "\"grid\"\nbudget = { evaluations = 3 }",
        &["sweep.toml:17:10", "takes no `budget`", "strategy = \"exact\""],
    ),
    ("sweep.toml", "\"grid\"", "\"exact\"\nbudget = {}", &["`budget` limits nothing", "add `evaluations"]),
    ("sweep.toml", "\"grid\"", "\"exact\"\nbudget = 5", &["`budget` must be a table, not a number"]),
    (
        "sweep.toml",
        "\"grid\"",
        "\"exact\"\nbudget = { evaluation = 5 }",
        &["`budget` has no key `evaluation`", "did you mean `evaluations`?"],
    ),
    (
        "sweep.toml",
        "\"grid\"",
        "\"exact\"\nbudget = { evaluations = -5 }",
        &["`evaluations` must be a whole number of at least 0"],
    ),
    ("sweep.toml", "\"grid\"", "\"exact\"\nbudget = { seconds = -1 }", &["`seconds` is negative"]),
    ("sweep.toml", "\"grid\"", "\"exact\"\nbudget = { seconds = nan }", &["a number must be finite here"]),
    ("sweep.toml", "\"grid\"", "\"grid\"\nepsilon = 1.5", &["`epsilon` is 1.5, not a share", "write `epsilon = 0.01`"]),
    ("sweep.toml", "\"grid\"", "\"grid\"\nepsilon = -0.1", &["sweep.toml:17:11", "`epsilon` is -0.1"]),
    (
        "sweep.toml",
        "\"grid\"",
        "\"exact\"\npopulation = 50",
        &["strategy \"exact\" has no `population`", "strategy = \"nsga2\""],
    ),
    (
        "sweep.toml",
        "\"grid\"",
        "\"nsga2\"\nbudget = { evaluations = 9 }\npopulation = 2",
        &["`population` must be a whole number of at least 4"],
    ),
    ("sweep.toml", "[search]", "[output]\nformats = [\"xlsx\"]\n[search]", &["there is no format \"xlsx\""]),
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

fn prepare(folder: &Path) {
    let sound = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_input");
    for entry in fs::read_dir(&sound).expect("folder") {
        let entry = entry.expect("entry");
        fs::copy(entry.path(), folder.join(entry.file_name())).expect("copy");
    }
    fs::create_dir(folder.join("folder.toml")).expect("folder");
}

fn is_refused(folder: &Path, case: &str, wanted: &[&str]) -> Result<(), String> {
    for command in [["sweep", "sweep.toml"], ["check", "sweep.toml"]] {
        let output = program(folder, &command);
        let text = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(2) {
            return Err(format!("{case}: {command:?} ends with {:?}\n{text}", output.status.code()));
        }
        if let Some(missing) = wanted.iter().find(|wanted| !text.contains(**wanted)) {
            return Err(format!("{case}: {command:?} does not say `{missing}`:\n{text}"));
        }
        if !text.contains("help: ") {
            return Err(format!("{case}: no remedy:\n{text}"));
        }
    }
    if folder.join("out").exists() { Err(format!("{case}: something is left under out/")) } else { Ok(()) }
}

#[test]
fn the_unchanged_files_are_sound() {
    let folder = tempfile::tempdir().expect("folder");
    prepare(folder.path());
    let output = program(folder.path(), &["sweep", "sweep.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.path().join("out/bad/pareto.csv").exists());
}

#[test]
fn every_broken_file_is_refused_with_place_and_remedy() {
    let mut faults = Vec::new();
    for (at, (file, old, new, wanted)) in CASES.iter().enumerate() {
        let folder = tempfile::tempdir().expect("folder");
        prepare(folder.path());
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).expect("text");
        assert!(text.contains(old), "case {at}: {file} does not contain {old:?}");
        fs::write(&path, text.replacen(old, new, 1)).expect("write");
        faults.extend(is_refused(folder.path(), &format!("case {at}, {file}, {new:?}"), wanted).err());
    }
    assert!(faults.is_empty(), "{} of {} cases:\n{}", faults.len(), CASES.len(), faults.join("\n\n"));
    assert!(CASES.len() >= 40);
}

#[test]
fn files_that_are_no_text_are_refused() {
    let folder = tempfile::tempdir().expect("folder");
    prepare(folder.path());
    let sweep = folder.path().join("sweep.toml");
    fs::write(&sweep, b"name = \"\xff\xfe\"\n").expect("write");
    is_refused(folder.path(), "not UTF-8", &["not UTF-8", "line 1", "save the file"]).expect("refused");
    let file = fs::File::create(&sweep).expect("file");
    file.set_len(100 << 20).expect("length");
    is_refused(folder.path(), "100 MB", &["larger than 16 MiB"]).expect("refused");
    fs::remove_file(&sweep).expect("remove");
    is_refused(folder.path(), "missing", &["there is no sweep `sweep.toml`"]).expect("refused");
    fs::create_dir(&sweep).expect("folder");
    is_refused(folder.path(), "folder", &["is a folder"]).expect("refused");
    fs::remove_dir(&sweep).expect("remove");
    let deep = format!("name = {}1{}", "[".repeat(5000), "]".repeat(5000));
    fs::write(&sweep, deep).expect("write");
    is_refused(folder.path(), "deep nesting", &["sweep.toml:1"]).expect("refused");
    fs::write(&sweep, format!("x = \"{}1{}\"", "(".repeat(3000), ")".repeat(3000))).expect("write");
    is_refused(folder.path(), "deep expression", &["sweep.toml"]).expect("refused");
}

#[test]
fn all_faults_of_all_files_are_reported_at_once() {
    let folder = tempfile::tempdir().expect("folder");
    prepare(folder.path());
    for (file, old, new) in [
        ("sweep.toml", "strategy ", "stratgy "),
        ("hardware.toml", "node_nm", "node"),
        ("pipeline.toml", "[stream]", "[straem]"),
        ("scene.toml", "width ", "wdith "),
    ] {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).expect("text");
        fs::write(&path, text.replacen(old, new, 1)).expect("write");
    }
    is_refused(folder.path(), "four files", &["stratgy", "node_nm", "straem", "width"]).expect("refused");
}

#[test]
fn a_constraint_that_nothing_satisfies_keeps_the_results_and_ends_with_status_3() {
    let folder = tempfile::tempdir().expect("folder");
    prepare(folder.path());
    let path = folder.path().join("sweep.toml");
    let text = fs::read_to_string(&path).expect("text");
    fs::write(&path, text.replace("fps = { min = 1 }", "fps = { min = 1e9 }\narea_mm2 = { min = 1.9 }"))
        .expect("write");
    let output = program(folder.path(), &["sweep", "sweep.toml"]);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("`fps` excludes 9 points"), "{text}");
    assert!(text.contains("nearest     point"), "{text}");
    let results = fs::read_to_string(folder.path().join("out/bad/results.csv")).expect("results");
    assert_eq!(results.lines().count(), 10);
    assert!(results.contains("infeasible"));
}
