"""When validation is due, where code puts a function in the place of the one of Lightning's that says so."""
