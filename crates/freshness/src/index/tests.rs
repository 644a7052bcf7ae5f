mod cost;
mod draws;
mod hosts;
mod line;
mod model;
mod support;
