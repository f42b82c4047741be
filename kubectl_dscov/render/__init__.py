"""How results look: one module a form."""
