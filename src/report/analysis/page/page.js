"use strict";
const ir = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
function draw(parent, tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}
// Three digits.
const digits = value => value === 0 ? "0" : value >= 99.95 ? value.toFixed(0) : value.toPrecision(3);
function scaled(value, units) {
  for (const [size, name] of units) if (value >= size * 0.9995) return digits(value / size) + " " + name;
  return digits(value) + " " + units[units.length - 1][1];
}
const bytes = value => scaled(value, [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]]);
const time = cycles => cycles === 0 ? "0 s"
  : scaled(cycles / ir.ppa.clock_mhz, [[1e6, "s"], [1e3, "ms"], [1, "us"], [1e-3, "ns"]]);

// The timeline shows the share from `start` on that is one over `zoom`.
const bars = at("timeline").querySelector("svg.bars"), labels = at("timeline").querySelector("svg.labels");
const ticks = [...at("timeline").querySelectorAll("text.tick")];
const [, , room, tall] = bars.getAttribute("viewBox").split(" ").map(Number);
let zoom = 1, start = 0;
function show() {
  start = Math.min(Math.max(0, start), 1 - 1 / zoom);
  bars.setAttribute("viewBox", `${start * room} 0 ${room / zoom} ${tall}`);
  ticks.forEach((tick, n) => {
    tick.textContent = time((start + n / (ticks.length - 1) / zoom) * ir.schedule.makespan_cycles);
  });
  labels.replaceChildren();
  for (const bar of bars.children) {
    const [x, y, width, height] = ["x", "y", "width", "height"].map(name => Number(bar.getAttribute(name)));
    const left = Math.max(0, (x - start * room) * zoom), right = Math.min(room, (x + width - start * room) * zoom);
    const name = bar.dataset.name;
    if (height > 18 && right - left > 8 * [...name].length)
      draw(labels, "text", { x: left + 5, y: y + height / 2 + 5, fill: bar.dataset.ink }, name);
  }
  at("pan").value = zoom > 1 ? 1000 * start / (1 - 1 / zoom) : 0;
  at("pan").disabled = zoom === 1;
  at("out").disabled = zoom === 1;
}
function setZoom(factor) {
  const middle = start + 0.5 / zoom;
  zoom = Math.min(1024, Math.max(1, zoom * factor));
  start = middle - 0.5 / zoom;
  show();
}
at("in").addEventListener("click", () => setZoom(2));
at("out").addEventListener("click", () => setZoom(0.5));
at("pan").addEventListener("input", () => { start = at("pan").value / 1000 * (1 - 1 / zoom); show(); });
show();

function curve(name, values, top, colour) {
  const row = document.createElement("div");
  row.className = "row";
  const label = document.createElement("span");
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length / (top || 1);
  label.textContent = name;
  label.title = name;
  row.appendChild(label);
  const svg = draw(row, "svg", { viewBox: `0 0 ${values.length} 1`, preserveAspectRatio: "none", "shape-rendering": "crispEdges" });
  values.forEach((value, bin) => {
    const height = top > 0 ? Math.min(1, value / top) : 0;
    draw(svg, "rect", { x: bin, y: 1 - height, width: 1.02, height, fill: colour });
  });
  const share = document.createElement("span");
  share.className = "mean";
  share.textContent = mean > 0 && mean < 0.0005 ? "< 0.1 %" : (100 * mean).toFixed(mean < 0.0995 && mean > 0 ? 1 : 0) + " %";
  row.appendChild(share);
  at("utilization").appendChild(row);
}
ir.schedule.units.forEach(unit => curve(unit.unit, unit.occupied, 1, "#0072b2"));
ir.schedule.ports.filter(port => port.memory === "dram" && ir.ppa.dram).forEach(port => {
  const seconds = ir.schedule.bin_cycles / (ir.ppa.clock_mhz * 1e6);
  curve("DRAM", port.bytes, ir.ppa.dram.peak_gb_per_s * 1e9 * seconds, "#555");
});

const select = at("operator");
["all operators", ...ir.ppa.operators.map(operator => operator.name)].forEach((name, n) => {
  const option = document.createElement("option");
  option.value = n - 1;
  option.textContent = name;
  select.appendChild(option);
});
// Units on the left, SRAM blocks in the middle, the DRAM on the right.
const [UNIT, SRAM, BUS, DRAM, WIDE] = [10, 375, 650, 740, 150];
function topology(chosen) {
  const operators = chosen < 0 ? ir.ppa.operators : [ir.ppa.operators[chosen]];
  const { units, srams, dram } = ir.ppa;
  const height = Math.max(units.length, srams.length, 1) * 64 + 10;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 900 ${height}`);
  svg.setAttribute("font-size", 13);
  const middle = (n, count) => (n + 0.5) * height / count;
  const box = (x, y, name, busy) => {
    draw(svg, "rect", { x, y: y - 19, width: WIDE, height: 38, rx: 5, fill: busy ? "#e7f1f8" : "#fff", stroke: "#0072b2" });
    const text = draw(svg, "text", { x: x + WIDE / 2, y: y + 5, "text-anchor": "middle" }, name);
    if ([...name].length > 19) { text.setAttribute("textLength", WIDE - 10); text.setAttribute("lengthAdjust", "spacingAndGlyphs"); }
  };
  const line = (x1, y1, x2, y2, busy) =>
    draw(svg, "line", { x1, y1, x2, y2, stroke: busy ? "#d55e00" : "#ccc", "stroke-width": busy ? 2.5 : 1 });
  // Drawn after all lines, so that none crosses a text.
  const labelled = [];
  const link = (x1, y1, x2, y2, reads, writes) => {
    line(x1, y1, x2, y2, reads + writes > 0);
    const parts = [[reads, "read "], [writes, "write "]].filter(([moved]) => moved > 0);
    if (parts.length) labelled.push([x1, y1, x2, y2, parts.map(([moved, word]) => word + bytes(moved)).join(", ")]);
  };
  const moved = (unit, memory) => {
    let [reads, writes] = [0, 0];
    for (const operator of operators) if (operator.unit === unit)
      for (const use of operator.memory) if (use.port.memory === memory) { reads += use.read_bytes; writes += use.written_bytes; }
    return [reads, writes];
  };
  const total = ([reads, writes]) => reads + writes;
  const bound = (unit, sram) => unit.reads.includes(sram.block.name) || unit.writes.includes(sram.block.name);
  units.forEach((unit, u) => srams.forEach((sram, s) => {
    const name = sram.block.name;
    if (bound(unit, sram) || total(moved(u, name)) > 0)
      link(UNIT + WIDE, middle(u, units.length), SRAM, middle(s, srams.length), ...moved(u, name));
  }));
  let note = "";
  if (dram) {
    const all = units.map((_, u) => moved(u, "dram")).reduce(([r, w], [reads, writes]) => [r + reads, w + writes], [0, 0]);
    // Units without a block reach the DRAM past the blocks.
    const direct = units.map(unit => !srams.some(sram => bound(unit, sram)));
    if (srams.length === 1 && !direct.some((past, u) => past && total(moved(u, "dram")) > 0)) {
      link(SRAM + WIDE, height / 2, DRAM, height / 2, ...all);
    } else {
      const ends = [height / 2];
      srams.forEach((sram, s) => {
        const y = middle(s, srams.length);
        if (units.some((unit, u) => bound(unit, sram) && total(moved(u, "dram")) > 0)) { line(SRAM + WIDE, y, BUS, y, true); ends.push(y); }
      });
      units.forEach((_, u) => {
        const y = middle(u, units.length) + 12;
        if (direct[u] && total(moved(u, "dram")) > 0) { line(UNIT + WIDE, y, BUS, y, true); ends.push(y); }
      });
      line(BUS, Math.min(...ends), BUS, Math.max(...ends), total(all) > 0);
      link(BUS, height / 2, DRAM, height / 2, ...all);
      if (total(all) > 0 && srams.length > 1) note = "Through which block the bytes of the DRAM pass is not declared: all blocks of the units that move them are joined to it.";
    }
    box(DRAM, height / 2, "DRAM", total(all) > 0);
  }
  const taken = [];
  for (const [x1, y1, x2, y2, text] of labelled) {
    const width = text.length * 6.6;
    const spots = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74].map(t => [x1 + (x2 - x1) * t, y1 + (y2 - y1) * t + 4]);
    // Too short for its text: above the box that it leads to.
    if (x2 - x1 < width) spots.unshift([x2 + WIDE / 2, y2 - 28]);
    const free = ([x, y]) => taken.every(([left, right, line]) => x + width / 2 < left || right < x - width / 2 || Math.abs(line - y) > 16);
    const [x, y] = spots.find(free) || spots[0];
    taken.push([x - width / 2, x + width / 2, y]);
    draw(svg, "rect", { x: x - width / 2, y: y - 12, width, height: 16, fill: "#fff" });
    draw(svg, "text", { x, y, "font-size": 12, "text-anchor": "middle" }, text);
  }
  units.forEach((unit, u) => box(UNIT, middle(u, units.length), unit.block.name, operators.some(operator => operator.unit === u)));
  srams.forEach((sram, s) => box(SRAM, middle(s, srams.length), sram.block.name, units.some((_, u) => total(moved(u, sram.block.name)) > 0)));
  at("topology").replaceChildren(svg);
  if (!dram && !srams.length) note = "The hardware file declares no memory: what the units read and write costs nothing.";
  at("topology-note").textContent = note;
}
select.addEventListener("change", () => topology(Number(select.value)));
topology(-1);
document.documentElement.dataset.ready = "yes";
