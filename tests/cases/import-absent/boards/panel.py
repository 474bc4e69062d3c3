def show(model):
    print(model)
