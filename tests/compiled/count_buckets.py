"""How many graphs a step becomes that is compiled before DistributedDataParallel wraps it."""

import torch
import torch.distributed as dist
from ddpgen.strategies.data_parallel.wrap import TrainingStep
from ddpgen.strategies.loop.compiled import compile_step
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(*(nn.Linear(600, 600) for _ in range(6)))

    def training_step(self, x):
        return self.layers(x).sum()


if __name__ == "__main__":
    graphs = []

    def noted(graph, _):
        graphs.append(graph)
        return graph.forward

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    model = Net()
    compile_step(model, backend=noted)
    step = DistributedDataParallel(TrainingStep(model), bucket_cap_mb=2)
    step(torch.randn(2, 600)).backward()
    dist.destroy_process_group()
    print(len(graphs))
