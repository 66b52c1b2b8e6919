//! The manual as pages for a browser, which need no server and no script.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use crate::tree::Tree;

/// The list of all pages, which each page has beside its text.
const CONTENTS: &str = "SUMMARY";

/// The page that is shown first.
const FIRST: &str = "introduction";

const MARKDOWN: &str = "md";

/// The endings of the names of other files that pages show.
const PICTURES: [&str; 2] = ["png", "svg"];

/// The page around a text, with `{title}`, `{contents}` and `{text}`.
const FRAME: &str = include_str!("manual/page.html");

/// Adds the pages of the Markdown files in the folder `docs` to `tree`, in the folder `path`.
pub fn add(tree: &mut Tree, path: &str, docs: &Path) -> Result<()> {
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(docs).with_context(|| docs.display().to_string())? {
        let file = entry?.path();
        let name = file.file_stem().context("a name")?.to_string_lossy().into_owned();
        let ending = file.extension().unwrap_or_default().to_string_lossy().into_owned();
        if ending == MARKDOWN {
            pages.insert(name, fs::read_to_string(&file)?);
        } else if PICTURES.contains(&&*ending) {
            tree.add(format!("{path}/{name}.{ending}"), fs::read(&file)?);
        }
    }
    let contents = html_of(&pages.remove(CONTENTS).context("expected a list of the pages")?).1;
    for (name, text) in &pages {
        let (title, text) = html_of(text);
        let page = FRAME.replace("{title}", &title).replace("{contents}", &contents);
        let page = page.replace("{text}", &text);
        if name == FIRST {
            tree.add(format!("{path}/index.html"), page.clone());
        }
        tree.add(format!("{path}/{name}.html"), page);
    }
    Ok(())
}

/// Returns the title of a page, and its text in HTML.
fn html_of(markdown: &str) -> (String, String) {
    let mut events: Vec<Event<'_>> = Parser::new_ext(markdown, Options::ENABLE_TABLES).collect();
    let mut names: Vec<String> = Vec::new();
    let mut first = None;
    for at in 0..events.len() {
        if !matches!(events[at], Event::Start(Tag::Heading { .. })) {
            continue;
        }
        let inner = events[at..].iter().take_while(|event| !is_end_of_heading(event));
        let title: String = inner.filter_map(text_of).collect();
        let name = slug(&title);
        let before = names.iter().filter(|other| **other == name).count();
        let unique = if before == 0 { name.clone() } else { format!("{name}-{before}") };
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[at] {
            *id = Some(unique.into());
        }
        names.push(name);
        first = first.or(Some(title));
    }
    let mut text = String::new();
    html::push_html(&mut text, events.into_iter().map(with_page_link));
    (first.unwrap_or_default(), text)
}

fn is_end_of_heading(event: &Event<'_>) -> bool {
    matches!(event, Event::End(TagEnd::Heading(_)))
}

/// Returns the text of an event that has one.
fn text_of<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        _ => None,
    }
}

/// Returns the name of a heading in links, as GitHub and mdBook make it.
fn slug(title: &str) -> String {
    let title = title.to_lowercase();
    let is_kept = |letter: &char| letter.is_alphanumeric() || " -_".contains(*letter);
    title.chars().filter(is_kept).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// Lets links to Markdown files lead to pages.
fn with_page_link(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: page_link(dest_url), title, id })
        }
        event => event,
    }
}

fn page_link(url: CowStr<'_>) -> CowStr<'_> {
    if url.contains("://") || url.starts_with('#') {
        return url;
    }
    let (file, place) = url.split_once('#').map_or((&*url, ""), |(file, place)| (file, place));
    let Some(name) = file.strip_suffix(".md") else { return url };
    let place = if place.is_empty() { String::new() } else { format!("#{place}") };
    format!("{name}.html{place}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_names_and_links_lead_to_pages() {
        let text = "# A `page`\n[b](b.md#c-d), [c](#a-page), [d](http://x.org/y.md)\n\n## C, d\n\n## C, d\n";
        let expected = "<h1 id=\"a-page\">A <code>page</code></h1>\n\
                        <p><a href=\"b.html#c-d\">b</a>, <a href=\"#a-page\">c</a>, \
                        <a href=\"http://x.org/y.md\">d</a></p>\n\
                        <h2 id=\"c-d\">C, d</h2>\n<h2 id=\"c-d-1\">C, d</h2>\n";
        assert_eq!(html_of(text), ("A page".to_owned(), expected.to_owned()));
    }
}
