"""Forecasts of tomorrow's weather."""
