//! What must hold when the world is unkind: slow hooks, many processes, no disk, hooks that misbehave.

mod never_silently_off;
mod two_programs;
mod the_agents_time;
mod order;
mod many_processes;
mod unusable_state;
mod bad_hooks;
mod installation;
mod one_document;
mod python_hooks;
