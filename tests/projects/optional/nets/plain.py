def activation(x):
    return x.tanh()
