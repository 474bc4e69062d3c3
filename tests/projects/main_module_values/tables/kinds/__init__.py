KIND = "linear"
