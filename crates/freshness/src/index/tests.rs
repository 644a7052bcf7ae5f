mod cost;
mod draws;
mod hosts;
mod model;
mod support;
