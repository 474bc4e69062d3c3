def build(names):
    names["Message"] = type("Message", (), {})


build(globals())
