//! What must hold when the world is unkind: slow hooks, many processes, no disk, hooks that misbehave.

mod never_silently_off;
mod project_hooks;
mod two_programs;
mod the_agents_time;
mod order;
mod many_processes;
mod cached_answers;
mod two_routes;
mod who_calls;
mod unusable_state;
mod bad_hooks;
mod failing_guards;
mod unknown_tools;
#[cfg(target_os = "linux")]
mod no_remains;
#[cfg(target_os = "linux")]
mod in_background;
mod tampered_trail;
mod servers;
mod installation;
mod one_document;
mod python_hooks;
