import importlib


def instantiate_from_config(config, **kwargs):
    if not isinstance(config, dict) and "target" not in config:
        raise KeyError("Expected key `target` to instantiate.")
    target = get_obj_from_str(config["target"])
    return target(**config.get("params", dict()), **kwargs)


def get_obj_from_str(string, reload=False, invalidate_cache=True):
    module, cls = string.rsplit(".", 1)
    if invalidate_cache:
        importlib.invalidate_caches()
    if reload:
        module_imp = importlib.import_module(module)
        importlib.reload(module_imp)
    return getattr(importlib.import_module(module, package=None), cls)
