"""One module a verb: parse, check, call the engine once, hand the result to a renderer."""
