//! Pictures: our own few lines of SVG.

mod axis;
pub(crate) mod plan;
mod svg;
