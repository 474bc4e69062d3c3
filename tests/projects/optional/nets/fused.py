import no_such_kernels


def activation(x):
    return no_such_kernels.relu(x)
