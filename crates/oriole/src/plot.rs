//! Pictures: our own few lines of SVG.

mod axis;
pub(crate) mod chart;
pub(crate) mod plan;
mod svg;
