"""Generated scripts against Lightning: the same data, the same seeds, the same bits.

    pytest tests/parity                              # all of it
    pytest tests/parity -k "lbfgs and not resume"    # runs the models that were chosen, and no others
    pytest -n auto --dist loadgroup                  # with xdist the runs are shared: they stay on one worker

A model is a file in `models`, its settings the spec beside it; see `cases`.
"""
