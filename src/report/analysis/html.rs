//! The report as one HTML file that needs nothing else.

use std::fmt::Write;

use super::figures::unstated;
use super::ir::ScheduledIr;
use super::roofline::roofline_svg;
use super::sheet::{Sheet, operators, sources};
use super::summary::{sentences, warnings};
use super::timeline_svg::timeline_svg;
use super::words::{escaped, listed};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/page.js");

/// The page. Everything stands in it as text and pictures; the script adds zoom, utilization and the choice of an operator.
///
/// # Errors
/// If the schedule cannot be written as JSON.
pub fn html(ir: &ScheduledIr) -> Result<String, serde_json::Error> {
    // `<` cannot appear in the data's JSON, so that nothing in it can end the script.
    let data = serde_json::to_string(ir)?.replace('<', "\\u003c");
    let title = escaped(&format!("{} on {}", ir.workload.name, ir.hardware.name));
    let list = |tag: &str, lines: Vec<String>| -> String {
        lines.iter().map(|line| format!("<{tag}>{}</{tag}>", escaped(line))).collect()
    };
    let parts = [
        ("title", title),
        ("style", STYLE.to_owned()),
        ("summary", list("p", sentences(ir))),
        ("timeline", timeline_svg(ir)),
        ("operators", table(&operators(ir))),
        ("roofline", roofline(ir)),
        ("sources", table(&sources(ir)) + &list("p", notes(ir))),
        ("warnings", list("li", warnings(ir))),
        ("data", data),
        ("script", SCRIPT.to_owned()),
    ];
    Ok(filled(PAGE, &parts))
}

/// The page with its `{{name}}` replaced; what is put in is not looked at again.
fn filled(page: &str, parts: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        out.push_str(before);
        out.push_str(parts.iter().find(|(part, _)| *part == name).map_or("", |(_, text)| text));
        rest = after;
    }
    out + rest
}

fn roofline(ir: &ScheduledIr) -> String {
    let none = "<p>No operator counts FLOPs and moves bytes through a memory port: none has a place on a roofline.</p>";
    // A picture that cannot be drawn is left out like one without points: the table holds its figures.
    roofline_svg(ir).ok().flatten().unwrap_or_else(|| none.into())
}

fn notes(ir: &ScheduledIr) -> Vec<String> {
    let mut notes = Vec::new();
    let unstated = unstated(ir);
    if !unstated.is_empty() {
        notes.push(format!(
            "The hardware file states neither area nor power of {}: they count as 0.",
            listed(&unstated)
        ));
    }
    if let Some(source) = &ir.hardware.source {
        notes.push(format!("The hardware file rests on: {source}."));
    }
    notes
}

fn table(sheet: &Sheet) -> String {
    let cell = |tag: &str, at: usize, text: &str| {
        let class = if sheet.numbers.contains(&at) { " class=\"number\"" } else { "" };
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

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn what_is_put_into_the_page_is_not_filled_itself() {
        let parts = [("a", "{{b}}".to_owned()), ("b", "text".to_owned())];
        assert_eq!(filled("<{{a}}> {{b}} {{none}}.", &parts), "<{{b}}> text .");
    }
}
