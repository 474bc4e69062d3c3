"""Others, of a package within."""

print("a package that becomes part of the script is not run again")
