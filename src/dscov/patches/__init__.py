"""The forms that one plan can take, each proved by reading it again."""
