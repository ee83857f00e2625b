//! The HTML report in a real headless Chromium: it loads without an error, and every choice of its operator selector
//! draws that operator's memory traffic. Needs `chromium`, which `.ci/run` installs.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::reference;
use nerarch_dse::report::analysis::{self, ScheduledIr};
use nerarch_dse::trace::{TransformOptions, workload};
use serde_json::Value as Json;

/// Stands before everything else: what goes wrong in the page is kept.
const WATCH: &str = r#"<script>
window.faults = [];
addEventListener("error", event => faults.push("error: " + (event.message || event.target.outerHTML)), true);
addEventListener("unhandledrejection", event => faults.push("rejected: " + event.reason));
for (const level of ["error", "warn"]) {
  const write = console[level];
  console[level] = (...words) => { faults.push(level + ": " + words.join(" ")); write.apply(console, words); };
}
</script>"#;

/// Stands after everything else: uses the page as a reader would and writes down what it shows.
const USE: &str = r##"<script>
addEventListener("load", () => {
  const select = document.getElementById("operator");
  const show = () => {
    const svg = document.querySelector("#topology svg");
    return {
      markup: svg.outerHTML,
      busy: [...svg.querySelectorAll("rect")].filter(box => box.getAttribute("fill") !== "#fff")
        .map(box => box.nextElementSibling.textContent),
      labels: [...svg.querySelectorAll("text")].map(text => text.textContent).filter(text => /^(read|write) /.test(text)),
    };
  };
  const before = show().markup;
  const options = [...select.options].map(option => {
    option.selected = true;
    select.dispatchEvent(new Event("change", { bubbles: true }));
    return { name: option.textContent, ...show() };
  });
  const bar = document.querySelector("#timeline svg.bars rect");
  const width = () => bar.getBoundingClientRect().width;
  const widths = [width()];
  for (const id of ["in", "in", "out", "out", "out"]) { document.getElementById(id).click(); widths.push(width()); }
  const page = document.documentElement;
  const found = {
    before, options, widths, faults, ready: page.dataset.ready,
    overflow: page.scrollWidth - page.clientWidth,
    lanes: document.querySelectorAll("#utilization .row").length,
    injected: window.injected || "no",
  };
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = "FOUND" + btoa(encodeURIComponent(JSON.stringify(found))) + "END";
  document.body.appendChild(out);
});
</script>"##;

/// Debian's name, and those of other systems; `None`, said loudly, without any. In CI that is a failure.
fn chromium() -> Option<&'static str> {
    let starts = |name: &&&str| {
        Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|end| end.success())
    };
    let found = ["chromium", "chromium-browser", "google-chrome"].iter().find(starts).copied();
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "no chromium to look at the page with");
        eprintln!("SKIPPED: no chromium; install it to test the page");
    }
    found
}

/// The page's own account of itself, and what the browser wrote to its console.
fn browse(browser: &str, folder: &Path, page: &str) -> (Json, String) {
    let watched =
        page.replacen("<head>", &format!("<head>{WATCH}"), 1).replacen("</body>", &format!("{USE}</body>"), 1);
    assert!(watched.contains(WATCH) && watched.contains(USE), "the page has a head and a body");
    let file = folder.join("page.html");
    fs::write(&file, watched).expect("a page");
    let (dom, log) = (folder.join("dom.html"), folder.join("log.txt"));
    let create = |path: &Path| fs::File::create(path).expect("a file");
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr"])
        .args(["--window-size=1280,900", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .stdin(Stdio::null())
        .stdout(create(&dom))
        .stderr(create(&log))
        .spawn()
        .expect("a browser");
    let begin = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begin.elapsed() > Duration::from_secs(120) {
            let _ = child.kill();
            let _ = child.wait();
            panic!("the browser does not come to an end: {}", fs::read_to_string(&log).unwrap_or_default());
        }
        sleep(Duration::from_millis(50));
    }
    let text = |path: &Path| {
        let mut bytes = Vec::new();
        fs::File::open(path).expect("a file").read_to_end(&mut bytes).expect("bytes");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (dom, log) = (text(&dom), text(&log));
    let found = dom.split("FOUND").last().and_then(|rest| rest.split("END").next());
    let found =
        found.filter(|found| found.len() < dom.len()).unwrap_or_else(|| panic!("the page says nothing:\n{log}"));
    (serde_json::from_slice(&percent(&base64(found))).expect("JSON"), log)
}

/// What `btoa` wrote.
fn base64(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = text.bytes().filter(|letter| *letter != b'=').map(value).collect();
    let joined = |four: &[u8]| {
        let bits = four.iter().enumerate().fold(0_u32, |bits, (at, six)| bits | u32::from(*six) << (18 - 6 * at));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    letters.chunks(4).flat_map(joined).collect()
}

/// What `encodeURIComponent` wrote.
fn percent(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &tail[2..];
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}

fn scheduled(trace: &str, hardware: &str) -> Option<ScheduledIr> {
    let path = reference()?.join("traces").join(trace);
    let workload = workload::load(&path, &TransformOptions::default()).expect("a workload");
    let mapped = analysis::map(workload, "t", hardware).unwrap_or_else(|faults| panic!("{faults}"));
    Some(analysis::schedule(&mapped, "m", hardware, None).unwrap_or_else(|faults| panic!("{faults}")))
}

/// What the page found while it was used is what the schedule says.
fn check(ir: &ScheduledIr, (found, log): &(Json, String)) {
    assert_eq!(found["faults"], Json::Array(vec![]), "{log}");
    assert!(!log.contains("CONSOLE"), "the console is not empty:\n{log}");
    assert_eq!((&found["ready"], &found["injected"]), (&"yes".into(), &"no".into()));
    assert_eq!(found["overflow"], 0, "the page itself does not scroll sideways");
    assert!(found["lanes"].as_u64() > Some(ir.schedule.units.len() as u64 - 1));
    let widths: Vec<f64> = found["widths"].as_array().expect("widths").iter().filter_map(Json::as_f64).collect();
    let zoom: Vec<f64> = widths.iter().map(|width| (width / widths[0]).round()).collect();
    assert_eq!(zoom, [1.0, 2.0, 4.0, 2.0, 1.0, 1.0], "two steps in, three out");

    let options = found["options"].as_array().expect("options");
    let operators = &ir.ppa.operators;
    assert_eq!(options.len(), operators.len() + 1);
    assert_eq!(options[0]["name"], "all operators");
    assert_eq!(options[0]["markup"], found["before"], "all operators are shown at first");
    let units: BTreeSet<&str> = operators.iter().map(|operator| operator.unit_name.as_str()).collect();
    let shown = |option: &Json, key: &str| -> Vec<String> {
        option[key].as_array().expect("texts").iter().map(|text| text.as_str().expect("text").to_owned()).collect()
    };
    assert!(units.iter().all(|unit| shown(&options[0], "busy").iter().any(|busy| busy == unit)), "{:?}", options[0]);
    let mut pictures = BTreeSet::new();
    let mut different = BTreeSet::new();
    for (operator, option) in operators.iter().zip(&options[1..]) {
        assert_eq!(option["name"], operator.name.as_str());
        let used: Vec<_> = operator.memory.iter().filter(|one| one.read_bytes + one.written_bytes > 0.0).collect();
        let memories: BTreeSet<&str> = used.iter().map(|one| one.port.memory.as_str()).collect();
        let mut busy: BTreeSet<String> = memories.iter().map(|memory| (*memory).replace("dram", "DRAM")).collect();
        busy.insert(operator.unit_name.clone());
        assert_eq!(shown(option, "busy").into_iter().collect::<BTreeSet<_>>(), busy, "{}", operator.name);
        assert_eq!(shown(option, "labels").len(), memories.len(), "{}: {option}", operator.name);
        pictures.insert(option["markup"].as_str().expect("markup"));
        let moved: Vec<_> =
            used.iter().map(|one| (&one.port.memory, rounded(one.read_bytes), rounded(one.written_bytes))).collect();
        different.insert(format!("{} {moved:?}", operator.unit_name));
    }
    assert!(pictures.len() > 1 && pictures.len() >= different.len(), "{} of {}", pictures.len(), different.len());
}

/// Bytes as the page's labels tell them apart: three digits.
fn rounded(bytes: f64) -> String {
    format!("{bytes:.2e}")
}

#[test]
fn the_page_loads_without_an_error_and_every_operator_draws_its_own_topology() {
    let Some(browser) = chromium() else { return };
    for (trace, hardware) in [
        ("vanilla_nerf_100x100_3chunks.pkl", "programmable"),
        ("splatfacto_playbot_lod4_800.pkl", "gaurast"),
        ("vanilla_nerf_4096x192.pkl", "icarus"),
    ] {
        let Some(ir) = scheduled(trace, hardware) else { return };
        let folder = tempfile::tempdir().expect("a folder");
        let found = browse(browser, folder.path(), &analysis::html(&ir).expect("a page"));
        check(&ir, &found);
    }
}

#[test]
fn names_from_outside_are_text_and_nothing_else() {
    let Some(browser) = chromium() else { return };
    let Some(mut ir) = scheduled("splatfacto_playbot_lod4_800.pkl", "programmable") else { return };
    let name = "</script></title><script>window.injected = 'yes'</script><img src=x onerror=\"window.injected='yes'\">&\u{2028}";
    ir.workload.name = name.into();
    ir.ppa.bottleneck = name.into();
    ir.warnings.push(name.into());
    ir.ppa.operators[0].name = name.into();
    let unit = ir.ppa.operators[0].unit;
    ir.ppa.units[unit].block.name = name.into();
    ir.schedule.units[unit].unit = name.into();
    ir.ppa
        .operators
        .iter_mut()
        .filter(|operator| operator.unit == unit)
        .for_each(|operator| operator.unit_name = name.into());
    let folder = tempfile::tempdir().expect("a folder");
    let found = browse(browser, folder.path(), &analysis::html(&ir).expect("a page"));
    check(&ir, &found);
}
