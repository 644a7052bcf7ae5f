//! Which blocks of a page are its own text.
//!
//! Pages that mark their content (`<main>`, `<article>`, a class such as `entry-content`) are believed if there is text
//! in it; within it only menus, footers and lists of links are left out. On other pages a block is judged by its words
//! and share of link text and those of its neighbours, after C. Kohlschütter, P. Fankhauser and W. Nejdl, *Boilerplate
//! detection using shallow text features* (2010), section 4; short blocks between two good ones are good, as in
//! J. Pomikálek's *jusText* (2011). A page that has text never comes out empty.

use super::html::{Block, Regions};

/// Words that a marked part must have to be believed.
const MIN_MAIN_WORDS: u32 = 5;
const MIN_ARTICLE_WORDS: u32 = 25;
/// Words of text that make lists of links around it not worth keeping.
const ENOUGH_WORDS: u32 = 100;

/// Roles that are never the page's own text.
const ASIDE: Regions = Regions::BOILERPLATE.with(Regions::BOILERPLATE_HINT).with(Regions::HIDDEN);

/// The main text and its number of words.
pub(super) fn choose(text: &str, blocks: &[Block]) -> (String, u32) {
    let kept = choose_blocks(text, blocks);
    let kept: Vec<&Block> = blocks.iter().zip(&kept).filter(|(_, keep)| **keep).map(|(block, _)| block).collect();
    let bytes: u32 = kept.iter().map(|block| block.bytes() + 1).sum();
    let mut main = String::with_capacity(bytes as usize);
    for block in &kept {
        if !main.is_empty() {
            main.push('\n');
        }
        main.push_str(block.text(text));
    }
    (main, kept.iter().map(|block| block.words).sum())
}

/// Which blocks are main text: the first of the ways to choose that finds enough.
fn choose_blocks(text: &str, blocks: &[Block]) -> Vec<bool> {
    let aside = if hints_mislead(blocks) { Regions::BOILERPLATE.with(Regions::HIDDEN) } else { ASIDE };
    if let Some(kept) = marked(blocks, aside) {
        return kept;
    }
    let mut kept = judged(text, blocks, aside);
    let found = words(blocks, &kept);
    let all: Vec<bool> = blocks.iter().map(|block| !block.regions.meets(aside)).collect();
    if found < ENOUGH_WORDS && found * 5 < words(blocks, &all) {
        kept = all;
    }
    if words(blocks, &kept) == 0 {
        kept = blocks.iter().map(|block| !block.regions.meets(Regions::HIDDEN)).collect();
    }
    if words(blocks, &kept) == 0 {
        kept.fill(true);
    }
    kept
}

fn words(blocks: &[Block], kept: &[bool]) -> u32 {
    blocks.iter().zip(kept).filter(|(_, keep)| **keep).map(|(block, _)| block.words).sum()
}

/// Words that are not the text of links.
fn own_words(block: &Block) -> u32 {
    let bytes = u64::from(block.bytes().max(1));
    (u64::from(block.words) * (bytes - u64::from(block.link_bytes).min(bytes)) / bytes) as u32
}

/// Whether classes and ids would remove most of what can be read, as when a wrapper around the page is named after its
/// menu.
fn hints_mislead(blocks: &[Block]) -> bool {
    let visible = blocks.iter().filter(|block| !block.regions.meets(Regions::BOILERPLATE.with(Regions::HIDDEN)));
    let (mut all, mut removed) = (0, 0);
    for block in visible {
        let own = own_words(block);
        all += own;
        if block.regions.meets(Regions::BOILERPLATE_HINT) {
            removed += own;
        }
    }
    all >= MIN_ARTICLE_WORDS && removed * 10 > all * 7
}

/// The blocks of the part that the page marks as its content, if it does and there is text in it.
fn marked(blocks: &[Block], aside: Regions) -> Option<Vec<bool>> {
    let inside = |regions: Regions| within(blocks, regions, aside);
    let main = inside(Regions::MAIN);
    let main_words = words(blocks, &main);
    if main_words >= MIN_MAIN_WORDS {
        let article = inside(Regions::MAIN.with(Regions::ARTICLE));
        let article_words = words(blocks, &article);
        let is_article = article_words >= MIN_ARTICLE_WORDS && article_words * 2 > main_words;
        return Some(if is_article { article } else { main });
    }
    let outside: u32 =
        blocks.iter().filter(|block| !block.regions.meets(aside)).map(own_words).fold(0, u32::saturating_add);
    for regions in [Regions::ARTICLE, Regions::CONTENT_HINT] {
        let kept = inside(regions);
        let found = words(blocks, &kept);
        if found >= MIN_ARTICLE_WORDS && found * 3 > outside {
            return Some(kept);
        }
    }
    None
}

/// The text inside a marked part: without what is aside, and without lists of links unless there is little else.
fn within(blocks: &[Block], regions: Regions, aside: Regions) -> Vec<bool> {
    let inside = |block: &Block| block.regions.covers(regions) && !block.regions.meets(aside);
    let mut kept: Vec<bool> =
        blocks.iter().map(|block| inside(block) && (block.heading > 0 || !is_links(block))).collect();
    let all: Vec<bool> = blocks.iter().map(inside).collect();
    let content: u32 = blocks
        .iter()
        .zip(&kept)
        .filter(|(block, keep)| **keep && block.heading == 0)
        .map(|(block, _)| block.words)
        .sum();
    if content < ENOUGH_WORDS && content * 5 < words(blocks, &all) {
        return all;
    }
    drop_empty_headings(blocks, &mut kept);
    kept
}

/// Whether more than three quarters of a block are the text of links.
fn is_links(block: &Block) -> bool {
    u64::from(block.link_bytes) * 4 > u64::from(block.bytes()) * 3
}

/// Share of link text above a third.
fn is_link_dense(block: &Block) -> bool {
    u64::from(block.link_bytes) * 3 > u64::from(block.bytes())
}

/// The blocks of an unmarked page, each judged with its neighbours.
fn judged(text: &str, blocks: &[Block], aside: Regions) -> Vec<bool> {
    let places: Vec<usize> = (0..blocks.len()).filter(|place| !blocks[*place].regions.meets(aside)).collect();
    let mut kept = vec![false; blocks.len()];
    for (order, place) in places.iter().enumerate() {
        let block = &blocks[*place];
        let previous = order.checked_sub(1).and_then(|order| places.get(order)).map(|place| &blocks[*place]);
        let next = places.get(order + 1).map(|place| &blocks[*place]);
        kept[*place] = block.heading > 0 || is_content(previous, block, next);
    }
    drop_closing_lines(text, blocks, &mut kept);
    fill_gaps(blocks, &places, &mut kept);
    drop_empty_headings(blocks, &mut kept);
    kept
}

/// The decision tree of Kohlschütter et al. on words and link density.
fn is_content(previous: Option<&Block>, block: &Block, next: Option<&Block>) -> bool {
    let words = |block: Option<&Block>| block.map_or(0, |block| block.words);
    if is_link_dense(block) {
        return false;
    }
    let after_links = previous.is_some_and(|block| u64::from(block.link_bytes) * 9 > u64::from(block.bytes()) * 5);
    if after_links {
        return block.words > 40 || words(next) > 17;
    }
    block.words > 16 || words(next) > 15 || words(previous) > 4 && block.words > 4
}

/// Short blocks between two good ones are good, unless they are links.
fn fill_gaps(blocks: &[Block], places: &[usize], kept: &mut [bool]) {
    let is_text = |place: &usize| kept[*place] && blocks[*place].heading == 0;
    let (first, last) = (places.iter().position(is_text), places.iter().rposition(is_text));
    let (Some(first), Some(last)) = (first, last) else { return };
    for place in &places[first..=last] {
        kept[*place] |= !is_link_dense(&blocks[*place]);
    }
}

/// The last blocks of a page are often its legal notice, with a date that changes.
fn drop_closing_lines(text: &str, blocks: &[Block], kept: &mut [bool]) {
    for place in (0..blocks.len()).rev().filter(|place| blocks[*place].heading == 0).take(4) {
        let start = super::cut(blocks[place].text(text), 400).to_lowercase();
        let is_notice = blocks[place].words < 60
            && [
                "©",
                "copyright",
                "all rights reserved",
                "page generated",
                "last modified",
                "last updated",
                "powered by",
            ]
            .iter()
            .any(|notice| start.contains(notice));
        if is_notice {
            kept[place] = false;
        }
    }
}

/// Headings that lost the text below them say nothing; a first-level heading is the title.
fn drop_empty_headings(blocks: &[Block], kept: &mut [bool]) {
    // Whether there is text between here and the next heading of at most that level.
    let mut has_text = [false; 7];
    for place in (0..blocks.len()).rev().filter(|place| kept[*place]).collect::<Vec<_>>() {
        let level = usize::from(blocks[place].heading.min(6));
        if level == 0 {
            has_text = [true; 7];
            continue;
        }
        kept[place] = has_text[level] || level == 1;
        has_text[level..].fill(false);
    }
}
