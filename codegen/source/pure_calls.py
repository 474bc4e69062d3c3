"""Functions that give a value and do nothing else."""

PURE_CALLS = frozenset("""
    bool bytes dict float frozenset int len list max min range set sorted str sum tuple zip
    collections.defaultdict collections.namedtuple collections.OrderedDict functools.partial logging.getLogger
    operator.attrgetter operator.itemgetter os.getenv os.environ.get os.path.abspath os.path.dirname os.path.join
    pathlib.Path re.compile torch.device typing.NamedTuple typing.NewType typing.TypeVar
    """.split())
