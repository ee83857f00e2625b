//! x
pub mod cli;
pub mod explore;
pub mod hardware;
pub mod mapping;
pub mod operator;
pub mod ppa;
pub mod report;
pub mod schedule;
pub mod spec;
pub mod validate;
