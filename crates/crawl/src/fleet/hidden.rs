//! Pages that are not shown because another one is shown instead.

use std::collections::BTreeSet;

use store::{PageId, State as Known};

use super::freshness_page;
use super::state::State;

/// Which pages stand behind which.
#[derive(Debug, Default)]
pub(super) struct Hidden(BTreeSet<(u32, u32)>);

impl Hidden {
    /// `page` is hidden by `shown`, and so is everything that it hid.
    pub(super) fn hide(&mut self, page: PageId, shown: PageId) {
        if page == shown {
            return;
        }
        self.0.insert((shown.0, page.0));
        self.move_all(page.0, shown.0);
    }

    /// `page` is no longer hidden by `shown`.
    pub(super) fn unhide(&mut self, page: PageId, shown: PageId) {
        self.0.remove(&(shown.0, page.0));
    }

    /// A page that is no longer shown hides nothing: the first page behind it takes its place, and is given.
    pub(super) fn step_forward(&mut self, page: PageId) -> Option<PageId> {
        let (_, next) = *self.0.range((page.0, 0)..=(page.0, u32::MAX)).next()?;
        self.0.remove(&(page.0, next));
        self.move_all(page.0, next);
        Some(PageId(next))
    }

    fn move_all(&mut self, from: u32, to: u32) {
        while let Some(entry) = self.0.range((from, 0)..=(from, u32::MAX)).next().copied() {
            self.0.remove(&entry);
            if entry.1 != to {
                self.0.insert((to, entry.1));
            }
        }
    }
}

impl State {
    /// A page is now in this state, hidden by `after` and before this by `before`. If it was shown and is no more, what it
    /// hid is visited: one of those pages will be shown.
    pub(super) fn take_place(&mut self, page: PageId, state: Known, (before, after): (Option<PageId>, Option<PageId>)) {
        self.decided.insert(page.0, state);
        if let Some(before) = before.filter(|_| before != after) {
            self.hidden.unhide(page, before);
        }
        match after {
            Some(shown) => self.hidden.hide(page, shown),
            None if state == Known::Fetched => {}
            None => self.bring_forward(page),
        }
    }

    fn bring_forward(&mut self, page: PageId) {
        let Some(next) = self.hidden.step_forward(page) else { return };
        if self.frontier.is_out(freshness_page(next)) {
            self.again.insert(next.0);
        } else {
            self.frontier.ask_for(freshness_page(next));
        }
    }

    /// Whether a page is shown, or may be once it has been visited.
    pub(super) fn is_shown_or_unknown(&self, page: PageId) -> bool {
        let decided = self.decided.get(&page.0).copied();
        let state = decided.or_else(|| self.known_of(page).map(|(_, _, values)| values.state));
        matches!(state, Some(Known::Known | Known::Fetched))
    }

    /// After a restart: pages behind one that is not shown step forward.
    pub(super) fn restore_hidden(&mut self, hidden: &[(PageId, PageId)], states: &[Known]) {
        // Twice, so that what is behind a hidden page is behind the one that hides it, whichever came first.
        for (page, shown) in hidden.iter().chain(hidden) {
            self.hidden.hide(*page, *shown);
        }
        for (_, shown) in hidden {
            let state = states.get(shown.0 as usize);
            if !matches!(state, Some(Known::Known | Known::Fetched | Known::Duplicate)) {
                self.bring_forward(*shown);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_steps_forward_and_hides_the_others() {
        let mut hidden = Hidden::default();
        for page in [3, 5, 7] {
            hidden.hide(PageId(page), PageId(1));
        }
        hidden.unhide(PageId(3), PageId(1));
        hidden.hide(PageId(1), PageId(2));
        assert_eq!(
            hidden.step_forward(PageId(1)),
            None,
            "what was behind a hidden page is behind the one that hides it"
        );
        assert_eq!(hidden.step_forward(PageId(2)), Some(PageId(1)));
        assert_eq!(hidden.step_forward(PageId(2)), None);
        assert_eq!(hidden.step_forward(PageId(1)), Some(PageId(5)));
        assert_eq!(hidden.step_forward(PageId(5)), Some(PageId(7)));
        assert_eq!(hidden.step_forward(PageId(7)), None);
    }

    #[test]
    fn two_pages_that_hide_each_other_end() {
        let mut hidden = Hidden::default();
        hidden.hide(PageId(1), PageId(2));
        hidden.hide(PageId(2), PageId(1));
        hidden.hide(PageId(1), PageId(1));
        assert_eq!(hidden.step_forward(PageId(1)), Some(PageId(2)));
        assert_eq!(hidden.step_forward(PageId(2)), None);
    }
}
