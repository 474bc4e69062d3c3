"""What of the modules a script needs: from statement to statement, by what their names stand for."""
