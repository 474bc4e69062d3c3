"""Functions that give a value and do nothing else, and those that draw random numbers."""

import re

PURE_CALLS = frozenset("""
    bool bytes dict float frozenset int len list max min range set sorted str sum tuple zip
    collections.defaultdict collections.namedtuple collections.OrderedDict functools.partial logging.getLogger
    operator.attrgetter operator.itemgetter os.getenv os.environ.get os.path.abspath os.path.dirname os.path.join
    pathlib.Path re.compile torch.device typing.NamedTuple typing.NewType typing.TypeVar
    """.split())

VALUES = PURE_CALLS | frozenset("""
    abs all any callable chr classmethod complex dir divmod enumerate filter format getattr hasattr hash id
    isinstance issubclass iter logging.Formatter logging.LoggerAdapter map next object ord pow property repr
    reversed round slice staticmethod super type omegaconf.OmegaConf.create omegaconf.OmegaConf.load
    omegaconf.OmegaConf.merge os.cpu_count os.environ.copy os.getcwd os.getpid socket.gethostname sys.getsizeof
    torch.arange torch.cuda.device_count torch.cuda.is_available torch.eye torch.full torch.linspace torch.ones
    torch.tensor torch.zeros numpy.arange numpy.array numpy.eye numpy.linspace numpy.ones numpy.zeros yaml.safe_load
    """.split())
"""The same, and others whose values do not depend on what is imported."""

OF_VALUES = tuple("""
    abc. argparse. base64. collections. copy. dataclasses. datetime. decimal. enum. fractions. functools. glob. hashlib.
    inspect. itertools. json. math. operator. os.path. pathlib. platform. re. string. textwrap. time. types. typing.
    typing_extensions. uuid. torchvision.transforms.
    """.split())
"""Modules that have no others."""


RANDOM = re.compile(
    r"(random|numpy\.random|torch\.(cuda\.)?(rand\w*|manual_seed\w*|nn\.init)|[\w.]+\.seed_everything)(\.|$)"
)
"""What draws random numbers, or seeds."""


def gives_a_value(dotted: str) -> bool:
    """Whether calling what has this name, a library's or a builtin, does no more than to make a value."""
    return dotted in VALUES or dotted.startswith(OF_VALUES)
