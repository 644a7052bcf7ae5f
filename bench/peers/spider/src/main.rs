//! `spider-peer URL CONNECTIONS [keep]`: follows every link of a site with the crate `spider`, and keeps nothing or all pages.

use spider::website::Website;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(connections)) = (arguments.next(), arguments.next().and_then(|number| number.parse().ok())) else {
        eprintln!("usage: spider-peer URL CONNECTIONS [keep]");
        std::process::exit(2);
    };
    let mut website = Website::new(&url);
    website.with_delay(0).with_concurrency_limit(Some(connections)).with_respect_robots_txt(true);
    match arguments.next().as_deref() {
        Some("keep") => website.scrape().await,
        _ => website.crawl().await,
    }
    println!("{}", website.get_all_links_visited().await.len());
}
