//! Recorded changes of real pages.
