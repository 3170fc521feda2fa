"""Is it wanted? Scope, rules files, traps, fixed priorities."""
