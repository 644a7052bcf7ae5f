//! The simulator against the formulas, and policies against each other.
#![cfg(test)]

mod baselines;
mod controllers;
mod formulas;
mod policies;
mod queue;
mod support;
mod web;
