from .module import WeatherData

__all__ = ["WeatherData"]
