//! What must hold when the world is unkind: slow hooks, many processes, no disk, hooks that misbehave.

mod never_silently_off;
mod project_hooks;
mod trust_coverage;
mod context_files;
mod doors;
#[cfg(target_os = "linux")]
mod managed;
mod two_programs;
mod the_agents_time;
mod order;
mod many_processes;
mod cached_answers;
mod two_routes;
mod who_calls;
mod whose_entry_answers;
mod unusable_state;
mod bad_hooks;
mod broken_hook_files;
mod changed_guards;
mod changed_settings;
mod failures_of_every_kind;
mod forged_events;
mod forged_grants;
mod home;
mod hostile_clone;
mod failing_guards;
mod unknown_tools;
#[cfg(target_os = "linux")]
mod no_remains;
#[cfg(target_os = "linux")]
mod many_runs;
#[cfg(target_os = "linux")]
mod foreign_files;
mod imported_hooks;
mod in_background;
mod injections;
#[cfg(target_os = "linux")]
mod approvals;
mod tampered_trail;
mod evidence;
mod evidence_of_texts;
mod explained_texts;
mod servers;
mod special_files;
#[cfg(target_os = "linux")]
mod surroundings;
mod installation;
mod one_document;
mod claude_scripts;
mod python_hooks;
mod untouched_values;
