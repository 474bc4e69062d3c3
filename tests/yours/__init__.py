"""Tests of the promise that a script is its user's: edits, checks, snapshots."""
