//! oriole
