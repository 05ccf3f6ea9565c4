"""The terminal front end of `strc repl`: editing, history, completion, colours.

It knows nothing of the language; the core, `strc repl --json --events`, is asked for all of that.
"""
