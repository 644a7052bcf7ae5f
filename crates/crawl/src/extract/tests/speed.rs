//! How long a page takes.

use std::time::Instant;

use super::*;

/// A page of 19 KB with 100 links, about as the generated site of the benchmarks has them.
fn generated() -> String {
    let menu: String = (0..30)
        .map(|i| {
            format!(
                "<li class=\"menu-item item-{i}\"><a href=\"/section/{i}/index.html\">Section number {i}</a></li>\n"
            )
        })
        .collect();
    let parts: String = (0..27)
        .map(|i| {
            format!(
                "<h2 id=s{i}>Part {i}</h2><p class=\"text\">Coffee is grown in more than seventy countries, and the way in \
                 which the <b>beans</b> are dried &amp; sorted after the harvest decides much of what is later tasted in the \
                 cup. On the hills above the town most <a href=\"/page/{}.html\">families still use raised beds</a>, where \
                 the cherries lie for two or three weeks and are turned by <a href=\"/page/{}.html?x=1&amp;y=2\">hand several \
                 times</a> a day; nobody knows who began it.</p><ul><li>one thing that matters</li><li>another \
                 <i>thing</i></li></ul>\n",
                i * 7,
                i * 11
            )
        })
        .collect();
    let related: String = (0..16)
        .map(|i| format!("<div class=\"widget w-{i}\"><a href=\"/related/{i}.html\">Related page {i}</a></div>"))
        .collect();
    format!(
        "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Generated page</title><link rel=stylesheet \
         href=/s.css><script>var a=1;</script></head><body><header class=site-header><nav class='main-nav menu'><ul>{menu}</ul>\
         </nav></header><main><article><h1>The title</h1>{parts}</article></main><aside class=sidebar>{related}</aside>\
         <footer><p>Copyright</p></footer></body></html>"
    )
}

#[test]
fn the_generated_page_is_read_as_meant() {
    let page = generated();
    assert!((18_000..20_000).contains(&page.len()), "{}", page.len());
    let found = html(&page);
    assert_eq!((found.links.len(), found.headings.len()), (100, 28));
    assert!(found.text.starts_with("The title\nPart 0\nCoffee is grown") && !found.text.contains("Section number"));
}

#[test]
#[ignore = "measurement: cargo test --release -p crawl nineteen_kilobytes -- --ignored --nocapture"]
fn nineteen_kilobytes() {
    let page = generated();
    let fastest = |run: &dyn Fn() -> u32| {
        let time = |_| {
            let start = Instant::now();
            assert!(run() > 0);
            start.elapsed()
        };
        (0..5_000).map(time).min().unwrap_or_default()
    };
    println!("{} bytes, fastest of 5,000: {:?}", page.len(), fastest(&|| html(&page).words));
    let text = html(&page).text;
    println!("fingerprint of its text: {:?}", fastest(&|| crate::fingerprint::Fingerprint::of(&text).words));
}
