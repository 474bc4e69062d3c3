from nets import register
from nets.wide import Wide


@register("deep")
class Deep(Wide):
    power = 2
