"""One module a command of `esr`: its arguments, and what it does with them."""
