"""What `fix` does once its flags are read: edits of the user's files, and patches of live objects."""
