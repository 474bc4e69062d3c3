from torch import distributions


class Narrow(distributions.Normal):
    pass


@distributions.register_kl(Narrow, Narrow)
def _distance(p, q):
    return (p.loc - q.loc).abs() * 3
