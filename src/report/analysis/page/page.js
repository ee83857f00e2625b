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
function bytes(value) {
  for (const [size, name] of [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]])
    if (value >= size) return (value / size).toPrecision(3) + " " + name;
  return value.toFixed(0) + " B";
}
let zoom = 1;
function setZoom(factor) {
  zoom = Math.min(64, Math.max(1, zoom * factor));
  at("timeline").querySelector("svg").style.width = zoom * 100 + "%";
}
at("in").addEventListener("click", () => setZoom(2));
at("out").addEventListener("click", () => setZoom(0.5));

function curve(name, values, top, colour) {
  const row = document.createElement("div");
  row.className = "row";
  const label = document.createElement("span");
  label.textContent = name;
  row.appendChild(label);
  const svg = draw(row, "svg", { viewBox: `0 0 ${values.length} 1`, preserveAspectRatio: "none", "shape-rendering": "crispEdges" });
  values.forEach((value, bin) => {
    const height = top > 0 ? Math.min(1, value / top) : 0;
    draw(svg, "rect", { x: bin, y: 1 - height, width: 1.02, height, fill: colour });
  });
  at("utilization").appendChild(row);
}
ir.schedule.units.forEach((unit, n) => curve(unit.unit, unit.occupied, 1, COLOURS[n % COLOURS.length]));
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
function topology(chosen) {
  const operators = chosen < 0 ? ir.ppa.operators : [ir.ppa.operators[chosen]];
  const { units, srams, dram } = ir.ppa;
  const rows = Math.max(units.length, srams.length, 1);
  const height = rows * 70 + 20;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 900 ${height}`);
  svg.setAttribute("font-size", 13);
  const middle = (n, count) => (n + 0.5) * height / count;
  const box = (x, y, name, busy) => {
    draw(svg, "rect", { x, y: y - 20, width: 150, height: 40, rx: 5, fill: busy ? "#e7f1f8" : "#fff", stroke: "#0072b2" });
    draw(svg, "text", { x: x + 75, y: y + 5, "text-anchor": "middle" }, name);
  };
  // Drawn after all lines, so that none crosses a text.
  const labels = [];
  const link = (x1, y1, x2, y2, reads, writes) => {
    const busy = reads + writes > 0;
    draw(svg, "line", { x1, y1, x2, y2, stroke: busy ? "#d55e00" : "#ccc", "stroke-width": busy ? 2.5 : 1 });
    if (busy) labels.push([(x1 + x2) / 2, (y1 + y2) / 2 + 4, "read " + bytes(reads) + ", write " + bytes(writes)]);
  };
  const moved = (unit, memory) => {
    let [reads, writes] = [0, 0];
    for (const operator of operators) if (operator.unit === unit)
      for (const use of operator.memory) if (use.port.memory === memory) { reads += use.read_bytes; writes += use.written_bytes; }
    return [reads, writes];
  };
  units.forEach((unit, u) => {
    srams.forEach((sram, s) => {
      if (unit.reads.includes(sram.block.name) || unit.writes.includes(sram.block.name))
        link(170, middle(u, units.length), 380, middle(s, srams.length), ...moved(u, sram.block.name));
    });
  });
  if (dram) {
    let [reads, writes] = [0, 0];
    units.forEach((_, u) => { const [r, w] = moved(u, "dram"); reads += r; writes += w; });
    if (srams.length) srams.forEach((_, s) => link(530, middle(s, srams.length), 730, height / 2, s ? 0 : reads, s ? 0 : writes));
    else units.forEach((_, u) => link(170, middle(u, units.length), 730, height / 2, ...moved(u, "dram")));
    box(730, height / 2, "DRAM", reads + writes > 0);
  }
  for (const [x, y, text] of labels) {
    const width = text.length * 6.6;
    draw(svg, "rect", { x: x - width / 2, y: y - 12, width, height: 16, fill: "#fff" });
    draw(svg, "text", { x, y, "font-size": 12, "text-anchor": "middle" }, text);
  }
  units.forEach((unit, u) => box(20, middle(u, units.length), unit.block.name, operators.some(operator => operator.unit === u)));
  srams.forEach((sram, s) => box(380, middle(s, srams.length), sram.block.name, units.some((_, u) => moved(u, sram.block.name)[0] + moved(u, sram.block.name)[1] > 0)));
  at("topology").replaceChildren(svg);
}
select.addEventListener("change", () => topology(Number(select.value)));
topology(-1);
document.documentElement.dataset.ready = "yes";
