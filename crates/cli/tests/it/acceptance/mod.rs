//! Promises under adverse conditions: slow hooks, many processes, no disk, failing hooks.

mod silent_failures;
mod project_hooks;
mod trust_coverage;
mod context_files;
mod hostile_inputs;
#[cfg(target_os = "linux")]
mod managed_hooks;
mod hook_programs;
mod agent_timeout;
mod rewrite_order;
mod concurrent_processes;
mod cached_answers;
mod duplicate_deliveries;
mod sender_resolution;
mod duplicate_entries;
mod unusable_state;
mod bad_hooks;
mod broken_hook_files;
mod changed_guards;
mod changed_settings;
mod hook_failures;
mod forged_events;
mod forged_grants;
mod home_repository;
mod hostile_clone;
mod failing_guards;
mod unknown_tools;
#[cfg(target_os = "linux")]
mod leftover_processes;
#[cfg(target_os = "linux")]
mod repeated_runs;
#[cfg(target_os = "linux")]
mod foreign_files;
mod imported_hooks;
mod background_hooks;
mod injections;
#[cfg(target_os = "linux")]
mod approvals;
mod tampered_trail;
mod explain_and_replay;
mod injection_evidence;
mod explained_injections;
mod servers;
mod special_files;
#[cfg(target_os = "linux")]
mod environment_failures;
mod installation;
mod single_document;
mod claude_scripts;
mod python_hooks;
mod unchanged_values;
