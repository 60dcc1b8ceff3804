//! Both services against a server that plays them, and the jobs above them.

mod jobs;
mod lists;
mod server;
mod services;
