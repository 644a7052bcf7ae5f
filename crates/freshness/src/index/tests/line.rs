//! Lines and their heaps against lists that are searched.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::index::late::Late;
use crate::index::line::Line;
use crate::index::page::{Page, Time};

const PAGES: u32 = 60;

/// A page goes to one of two lines, or leaves. Some times are the same, and most are out of order.
#[derive(Clone, Debug)]
enum Step {
    Put {
        page: u32,
        line: usize,
        last: f64,
    },
    /// Back to where it was, or to the other line, with the same time.
    Again {
        page: u32,
        line: usize,
    },
    Leave {
        page: u32,
    },
    TakeFirst {
        line: usize,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let page = 0..PAGES;
    let last = prop_oneof![1 => Just(f64::NEG_INFINITY), 20 => (0..40i32).prop_map(f64::from)];
    let step = prop_oneof![
        6 => (page.clone(), 0..2usize, last).prop_map(|(page, line, last)| Step::Put { page, line, last }),
        3 => (page.clone(), 0..2usize).prop_map(|(page, line)| Step::Again { page, line }),
        2 => page.prop_map(|page| Step::Leave { page }),
        2 => (0..2usize).prop_map(|line| Step::TakeFirst { line }),
    ];
    prop::collection::vec(step, 1..600)
}

struct Scene {
    pages: Vec<Page>,
    lines: [Line; 2],
    /// The line that each page is in.
    model: Vec<Option<usize>>,
}

impl Scene {
    fn new() -> Self {
        let pages = vec![Page::ABSENT; PAGES as usize];
        Self { pages, lines: [Line::EMPTY, Line::EMPTY], model: vec![None; PAGES as usize] }
    }

    fn leave(&mut self, page: u32) {
        if let Some(line) = self.model[page as usize].take() {
            self.lines[line].unlink(&mut self.pages, page);
        }
    }

    fn put(&mut self, page: u32, line: usize, last: f64) {
        self.leave(page);
        self.pages[page as usize].last = last;
        self.lines[line].push(&mut self.pages, page);
        self.model[page as usize] = Some(line);
    }

    fn apply(&mut self, step: &Step) {
        match *step {
            Step::Put { page, line, last } => self.put(page, line, last),
            Step::Again { page, line } => self.put(page, line, self.pages[page as usize].last),
            Step::Leave { page } => self.leave(page),
            Step::TakeFirst { line } => {
                if let Some(page) = self.lines[line].first(&self.pages) {
                    self.leave(page);
                }
            }
        }
    }

    fn compare(&self, line: usize) -> Result<(), TestCaseError> {
        let members: Vec<u32> = (0..PAGES).filter(|page| self.model[*page as usize] == Some(line)).collect();
        let last = |page: u32| self.pages[page as usize].last;
        let first = self.lines[line].first(&self.pages);
        prop_assert!(first.is_none_or(|page| members.contains(&page)), "{:?} is not in the line", first);
        let oldest = members.iter().map(|page| last(*page)).min_by(f64::total_cmp);
        prop_assert_eq!(first.map(last), oldest);
        prop_assert_eq!(self.lines[line].is_empty(), members.is_empty());
        let only = self.lines[line].only();
        prop_assert!(only.is_none_or(|page| members == [page]), "{:?} is not alone", only);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_first_page_of_a_line_has_the_oldest_access(steps in steps()) {
        let mut scene = Scene::new();
        for step in &steps {
            scene.apply(step);
            scene.compare(0)?;
            scene.compare(1)?;
        }
        for line in 0..2 {
            while !scene.lines[line].is_empty() {
                scene.apply(&Step::TakeFirst { line });
                scene.compare(line)?;
            }
        }
    }

    /// It also takes no more memory than it needs, up to a factor, however pages come and go.
    #[test]
    fn a_heap_agrees_with_an_ordered_set(steps in prop::collection::vec((0..PAGES, 0..20i32, 0..3u8), 1..600)) {
        let mut pages = vec![Page::ABSENT; PAGES as usize];
        let (mut late, mut set) = (Late::default(), BTreeSet::new());
        for (page, last, leaves) in steps {
            if set.remove(&(Time(pages[page as usize].last), page)) {
                late.remove(&mut pages, page);
            }
            if leaves > 0 {
                pages[page as usize].last = f64::from(last);
                set.insert((Time(f64::from(last)), page));
                late.push(&mut pages, page);
            }
            prop_assert_eq!(late.first().map(|(last, page)| (Time(last), page)), set.first().copied());
            prop_assert_eq!(late.is_empty(), set.is_empty());
            prop_assert!(late.capacity() <= 4 * set.len() + 4, "{} for {}", late.capacity(), set.len());
        }
    }
}
