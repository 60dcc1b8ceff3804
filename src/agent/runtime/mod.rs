//! The runtime: the pure [`turn`] machine, the [`driver`] that does its I/O, and the [`run_manager`] that keeps runs.

pub mod driver;
pub mod duplicates;
pub mod effects;
pub mod executor;
pub mod gate;
pub mod ledger;
pub mod memory_bridge;
pub mod partition;
pub mod prepare;
pub mod recorder;
pub mod reopen;
pub mod round;
pub mod run_manager;
pub mod turn;
