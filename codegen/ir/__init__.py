"""The script to be written, with every decision made: the contract between the analysis and the templates."""
