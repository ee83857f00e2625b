//! The report as one HTML file that needs nothing else.

use std::fmt::Write;

use super::ir::ScheduledIr;
use super::markdown::{Sheet, blocks, operators};
use super::summary::sentences;
use super::timeline_svg::{COLOURS, timeline_svg};
use super::words::escaped;

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/page.js");

/// The page. Everything stands in it as text and pictures; the script adds zoom, utilization and the choice of an operator.
pub fn html(ir: &ScheduledIr) -> Result<String, serde_json::Error> {
    // `<` cannot appear in the data's JSON, so that nothing in it can end the script.
    let data = serde_json::to_string(ir)?.replace('<', "\\u003c");
    let colours = serde_json::to_string(&COLOURS)?;
    let title = escaped(&format!("{} on {}", ir.workload.name, ir.hardware.name));
    let mut summary = String::new();
    for sentence in sentences(ir) {
        let _ = write!(summary, "<p>{}</p>", escaped(&sentence));
    }
    let warnings: String = ir.warnings.iter().map(|warning| format!("<li>{}</li>", escaped(warning))).collect();
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{title}</title><link rel=\"icon\" href=\"data:,\"><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n<section id=\"summary\">{summary}</section>\n<h2>Schedule</h2><p class=\"controls\"><button id=\"in\">Zoom in</button> <button id=\"out\">Zoom out</button> Each lane is a unit; a bar is one operator on one tile.</p><div id=\"timeline\" class=\"wide\">{}</div>\n<h2>Utilization over time</h2><div id=\"utilization\" class=\"wide\"></div>\n<h2>Memory topology</h2><p class=\"choice\"><label>Bytes of <select id=\"operator\"></select></label></p><div id=\"topology\" class=\"wide\"></div>\n<h2>Operators</h2>{}\n<h2>Area, energy and what they rest on</h2>{}\n<h2>What to know</h2><ul id=\"warnings\">{warnings}</ul>\n<script type=\"application/json\" id=\"data\">{data}</script><script>const COLOURS = {colours};\n{SCRIPT}</script></body></html>\n",
        timeline_svg(ir),
        table(&operators(ir)),
        table(&blocks(ir)),
    ))
}

fn table(sheet: &Sheet) -> String {
    let cell = |tag: &str, at: usize, text: &str| {
        let class = if at < sheet.right { "" } else { " class=\"number\"" };
        format!("<{tag}{class}>{}</{tag}>", escaped(text))
    };
    let header: String = sheet.header.iter().enumerate().map(|(at, text)| cell("th", at, text)).collect();
    let mut out = format!("<div class=\"wide\"><table><thead><tr>{header}</tr></thead><tbody>");
    for row in &sheet.rows {
        let cells: String = row.iter().enumerate().map(|(at, text)| cell("td", at, text)).collect();
        let _ = write!(out, "<tr>{cells}</tr>");
    }
    out.push_str("</tbody></table></div>");
    out
}
