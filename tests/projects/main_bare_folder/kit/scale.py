def factor():
    return 0.5
