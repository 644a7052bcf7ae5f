//! Changes around the text do not change the text.

use super::*;

/// Replacements that a site makes from one visit to the next without touching what it says.
const NOISE: [(&str, &str, &str); 16] = [
    ("docs", "Last updated on Nov 03, 2026 (10:11 UTC)", "Last updated on Nov 04, 2026 (09:00 UTC)"),
    ("docs", "<li class=\"right\"><a href=\"threads.html\">next</a> |</li>", ""),
    (
        "docs",
        "<h3>Table of Contents</h3>",
        "<h3>Contents</h3><p>A new tip of the day in the side bar, with many words.</p>",
    ),
    ("docs", "var menu = ", "var csrf = 'f00'; var menu = "),
    ("blog", "Generated in 0.231 seconds.", "Generated in 1.007 seconds."),
    ("blog", "csrf=8f2a", "csrf=1b77"),
    ("blog", "Why shade trees matter more than you think they do", "Ten other posts that you may like to read as well"),
    ("blog", "Anna on <a href=\"/p/3\">Soil</a>", "Bert on <a href=\"/p/4\">Rain</a>"),
    ("blog", "We use cookies to make this site work", "This site uses cookies, as all sites do, to work"),
    ("news", "12:03:44 by node 7", "18:55:01 by node 2"),
    ("news", "Lose weight with this one weird trick", "Ten stars who look quite different today, see number seven"),
    ("news", "buy our coffee maker today", "buy our new tea kettle now"),
    ("news", "Flood barriers to be raised by spring", "Council to vote on parking charges"),
    ("wiki", "am 3. Mai um 12:00 Uhr", "am 4. Mai um 17:21 Uhr"),
    ("forum", "Users online: 17 guests", "Users online: 29 guests"),
    ("forum", "value=\"d1f0\"", "value=\"77aa\""),
];

#[test]
fn noise_does_not_change_the_main_text() {
    for (name, old, new) in NOISE {
        let before = page(name);
        let after = before.replacen(old, new, 1);
        assert_ne!(before, after, "{name}: {old} is on the page");
        assert_eq!(html(&after).text, html(before).text, "{name}: {old}");
    }
}

#[test]
fn a_changed_sentence_changes_the_main_text() {
    for (name, old, new) in [
        ("docs", "especially useful", "rarely useful"),
        ("blog", "two</b> or three", "four</b> or five"),
        ("news", "four million", "five million"),
        ("wiki", "10. Jahrhundert", "11. Jahrhundert"),
        ("forum", "That was it, thanks!", "That was not it."),
    ] {
        let after = page(name).replacen(old, new, 1);
        assert_ne!(html(&after).text, html(page(name)).text, "{name}: {old}");
    }
}

#[test]
fn markup_that_shows_nothing_changes_nothing() {
    for (name, page, _) in PAGES {
        let commented = page.replacen("<p>", "<!-- build 7 --><p data-v-1b2c id=x7>", 3);
        assert_eq!(html(&commented).text, html(page).text, "{name}");
    }
}
