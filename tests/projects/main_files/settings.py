import json


def read_settings(path):
    with open(path) as file:
        settings = json.load(file)
    return settings
