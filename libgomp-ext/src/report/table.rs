//! The report as text, at most 100 columns wide.

use core::fmt;

use super::Summary;
use super::document::{Document, Line};
use super::quantity::{Share, Size, Time};

const WIDTH: usize = 100;
/// What a site's place gets at least, however wide the numbers are.
const PLACE_MIN: usize = 24;
const HEAD: [&str; 7] = ["calls", "entries", "to device", "from device", "pinned", "reg.", "time"];

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let process = &self.process;
        writeln!(f, "libgomp-offmem: report of {}, process {}", process.program, process.pid)?;
        match &self.summary {
            Some(summary) => write_summary(f, summary)?,
            None => writeln!(f, "strategy    none: no unit of the program asked for one")?,
        }
        let (total, share) = (self.total.bytes, self.total.pinned_share);
        write!(
            f,
            "copied      {} to the device, {} from it",
            Size(total.to()),
            Size(total.from())
        )?;
        if share.is_some() {
            write!(f, ", {} page-locked", Share(share))?;
        }
        writeln!(f)?;
        if self.total.bytes.shared() > 0 {
            let [to, from] = [
                self.total.bytes.bytes_to_device_shared,
                self.total.bytes.bytes_from_device_shared,
            ];
            writeln!(f, "shared      {} to the device, {} from it", Size(to), Size(from))?;
        }
        if self.sites.is_empty() {
            return writeln!(f, "No call that maps or copies was made.");
        }
        write_sites(f, &self.sites)
    }
}

fn write_summary(f: &mut fmt::Formatter<'_>, summary: &Summary) -> fmt::Result {
    let figures = &summary.figures;
    writeln!(f, "strategy    {}: {}", summary.strategy, summary.reason)?;
    if let Some(unified) = summary.unified {
        writeln!(f, "unified     {}: {}", unified.memory, unified.reason)?;
        if unified.slabs > 0 {
            let bytes = Size(unified.slab_bytes);
            writeln!(f, "            {bytes} in {} slabs at the end", unified.slabs)?;
        }
    }
    if let Some(policy) = summary.policy {
        writeln!(f, "policy      {policy}, at most {} at a time", Size(figures.limit_bytes))?;
        writeln!(
            f,
            "registered  {} now, {} at the peak",
            Size(figures.registered_bytes),
            Size(figures.peak_registered_bytes)
        )?;
        writeln!(
            f,
            "            {} registered in {}, {} unregistered in {}",
            figures.registrations,
            Time(figures.register_ns),
            figures.unregistrations,
            Time(figures.unregister_ns)
        )?;
        writeln!(
            f,
            "            {} evicted, {} refused, {} page-locked by others",
            figures.evictions, figures.failures, figures.adoptions
        )?;
    }
    let hooks = |in_effect| {
        let hooks = summary.hooks.iter().filter(move |hook| hook.in_effect == in_effect);
        hooks.map(|hook| hook.name).collect::<Vec<_>>().join(", ")
    };
    for (head, names) in [("hooks       ", hooks(true)), ("not hooked  ", hooks(false))] {
        if !names.is_empty() {
            wrap(f, head, &names)?;
        }
    }
    match (summary.heap, summary.heap_reason) {
        (Some(heap), _) => writeln!(
            f,
            "heap        owned: {} big blocks, {} recycled whole, {} at the peak",
            heap.allocations,
            heap.recycled,
            Size(heap.peak as u64)
        ),
        (None, Some(reason)) => writeln!(f, "heap        not owned: {reason}"),
        (None, None) => Ok(()),
    }
}

fn write_sites(f: &mut fmt::Formatter<'_>, sites: &[Line]) -> fmt::Result {
    let rows: Vec<[String; 7]> = sites.iter().map(numbers).collect();
    let width = |column: usize| {
        rows.iter().map(|row| row[column].len()).chain([HEAD[column].len()]).max().unwrap_or(0)
    };
    let widths: [usize; 7] = core::array::from_fn(width);
    let used = widths.iter().map(|width| width + 2).sum::<usize>();
    let room = WIDTH.saturating_sub(used).max(PLACE_MIN);
    let write_row = |f: &mut fmt::Formatter<'_>, row: [&str; 7], place: &str| {
        for (cell, width) in row.into_iter().zip(widths) {
            write!(f, "{cell:>width$}  ")?;
        }
        writeln!(f, "{place}")
    };
    writeln!(f)?;
    write_row(f, HEAD, "where")?;
    for (site, row) in sites.iter().zip(&rows) {
        write_row(f, row.each_ref().map(String::as_str), &place(site, room))?;
        if !site.variables.is_empty() {
            writeln!(f, "{:used$}  {}", "", cut(&variables(site), room - 2))?;
        }
        if site.copies.bytes.shared() > 0 {
            writeln!(f, "{:used$}  shared: {}", "", Size(site.copies.bytes.shared()))?;
        }
    }
    Ok(())
}

fn numbers(site: &Line) -> [String; 7] {
    let bytes = site.copies.bytes;
    [
        site.calls.to_string(),
        site.entries.to_string(),
        Size(bytes.to()).to_string(),
        Size(bytes.from()).to_string(),
        Share(site.copies.pinned_share).to_string(),
        site.registrations.to_string(),
        Time(site.register_ns).to_string(),
    ]
}

/// `FILE:LINE FUNCTION` or `OBJECT+0xOFFSET FUNCTION` in at most `room`
/// characters; folders go first, then the function's end.
fn place(site: &Line, room: usize) -> String {
    let function = site.function.as_deref().unwrap_or_default();
    let whole = |file: &str| match site.line {
        Some(line) => format!("{file}:{line} {function}"),
        None => format!("{file} {function}"),
    };
    let file = site.file.as_deref().or(site.caller.as_deref()).unwrap_or("?");
    let mut text = whole(file);
    let mut rest = file;
    while let (true, Some((_, behind))) = (text.chars().count() > room, rest.split_once('/')) {
        rest = behind;
        text = whole(&format!(".../{rest}"));
    }
    if text.chars().count() > room && rest != file {
        text = whole(rest);
    }
    cut(text.trim_end(), room)
}

/// Each name once: an array and its pointer are two entries.
fn variables(site: &Line) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in site.variables.iter().map(|name| name.as_deref().unwrap_or("?")) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// At most `room` characters of it.
fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(room - 3).collect();
    format!("{kept}...")
}

/// A list, broken between its elements where it is too long for one line.
fn wrap(f: &mut fmt::Formatter<'_>, head: &str, list: &str) -> fmt::Result {
    let mut line = head.to_owned();
    for element in list.split_inclusive(' ') {
        if line.len() + element.trim_end().len() > WIDTH {
            writeln!(f, "{}", line.trim_end())?;
            line = " ".repeat(head.len());
        }
        line.push_str(element);
    }
    writeln!(f, "{line}")
}

#[cfg(test)]
mod tests {
    use super::super::Hook;
    use super::super::document::tests::example;
    use super::{WIDTH, place};

    #[test]
    fn text() {
        insta::assert_snapshot!(example().to_string());
    }

    #[test]
    fn nothing_was_called() {
        let mut document = example();
        document.sites.clear();
        document.summary = None;
        let text = document.to_string();
        assert!(text.ends_with("No call that maps or copies was made.\n"), "{text}");
    }

    #[test]
    fn no_line_is_too_wide() {
        let mut document = example();
        for site in &mut document.sites {
            site.calls *= 1_000_000;
            site.function = Some("nähe::".repeat(40));
            site.variables = vec![Some("länge".to_owned()), Some("x".repeat(300))];
        }
        if let Some(summary) = &mut document.summary {
            summary.hooks = vec![Hook { name: "remap_file_pages", in_effect: true }; 9];
        }
        for line in document.to_string().lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
    }

    #[test]
    fn folders_are_left_out_first() {
        let mut site = example().sites.remove(0);
        site.file = Some("/home/user/project/solver/kernels/smooth.c".to_owned());
        site.function = Some("relax".to_owned());
        assert_eq!(place(&site, 60), "/home/user/project/solver/kernels/smooth.c:26 relax");
        assert_eq!(place(&site, 40), ".../solver/kernels/smooth.c:26 relax");
        assert_eq!(place(&site, 22), ".../smooth.c:26 relax");
        assert_eq!(place(&site, 18), "smooth.c:26 relax");
        assert_eq!(place(&site, 14), "smooth.c:26...");
    }
}
