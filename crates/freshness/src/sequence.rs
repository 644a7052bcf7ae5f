//! sequence
