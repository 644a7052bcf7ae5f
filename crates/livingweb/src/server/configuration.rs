//! A configuration with which Oriole crawls this web.

use std::fmt::Write as _;

use super::State;

/// Seeds, weights by pattern, and times that fit a web that changes within minutes. Lists, which change only when pages
/// come or go, have no weight unless some do.
pub(super) fn oriole_toml(state: &State) -> String {
    let seeds: Vec<String> = state.origins.iter().map(|origin| format!("\"{origin}/\"")).collect();
    let mut text = format!(
        "# The living web of seed {}.\nseeds = [{}]\nrobots = 32\n\n\
         [revisit]\nleast = \"50ms\"\nmost = \"1h\"\nlook_again = \"10s\"\n\n\
         [requests]\ndelay = \"0\"\nconnections_per_host = 8\nallow_private = true\nretry = \"1s\"\n",
        state.world.seed(),
        seeds.join(", ")
    );
    if state.world.turns().is_empty() {
        _ = write!(
            text,
            "\n[[weight]]\npattern = \"/$\"\nweight = 0\n\n[[weight]]\npattern = \"/list/*\"\nweight = 0\n"
        );
    }
    for (class, weight) in state.world.classes().iter().enumerate() {
        _ = write!(text, "\n[[weight]]\npattern = \"/w{class}/*\"\nweight = {weight}\n");
    }
    text
}
