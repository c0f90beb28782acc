"""Asks transformers' own code which layers rotate, and by what: a run without numbers, on meta."""

import contextlib
import copy
import inspect
import json
import re
import sys

import torch
from huggingface_hub.errors import StrictDataclassError
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForMaskedLM, PreTrainedModel
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

REFUSALS = (AttributeError, ImportError, KeyError, RuntimeError, StopIteration, TypeError)
REFUSALS += (ValueError, StrictDataclassError)
AFTER_ATTENTION = [
    *("mlp", "feed_forward", "block_sparse_moe", "moe"),
    *("ffn", "mlp_moe", "experts", "shared_mlp"),
]


class Refused(Exception):
    """Transformers makes no model of a file."""


class AsItIs(torch.nn.Module):
    """In the place of what follows attention, and is not asked."""

    def __init__(self, pair):
        super().__init__()
        self.pair = pair

    def forward(self, x, *_, **__):
        return (x, x) if self.pair else x


def asked(file):
    """For each layer None, or its frequencies and attention factor, as far as the code runs.

    And the configuration. Raises Refused.
    """
    given = {name: value for name, value in file.items() if name != "model_type"}
    with refusing():
        config = CONFIG_MAPPING[file["model_type"]](**copy.deepcopy(given))
        return traced(config), config


@contextlib.contextmanager
def refusing():
    """What transformers raises of a file is raised as Refused."""
    try:
        yield
    except REFUSALS as error:
        raise Refused(repr(error)) from error


def traced(config):
    with torch.device("meta"):
        model = class_of(config)._from_config(config).eval()
    number = next(n for n in map(config.to_dict().get, COUNTS) if n)
    lists = [m for m in model.modules() if isinstance(m, torch.nn.ModuleList)]
    layers = next(each for each in lists if len(each) == number)
    run = RotationTrace(model, layers)
    try:
        with torch.no_grad():
            model(input_ids=torch.zeros(1, 4, dtype=torch.long, device="meta"))
    except (AttributeError, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        run.stopped = error
        run.rotated = run.rotated[: run.layer]  # the layer that failed may not have rotated yet
    finally:
        run.restore()
    return run


COUNTS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_num_hidden_layers")


def class_of(config):
    """The class of a configuration's model."""
    for auto in (AutoModel, AutoModelForCausalLM, AutoModelForMaskedLM):
        if type(config) in auto._model_mapping:
            found = auto._model_mapping[type(config)]
            return found[0] if isinstance(found, tuple | list) else found
    name = type(config).__module__.replace("configuration_", "modeling_")
    __import__(name)
    classes = inspect.getmembers(sys.modules[name], inspect.isclass)
    return next(
        c
        for n, c in classes
        if issubclass(c, PreTrainedModel)
        and c.config_class is type(config)
        and n.endswith("Model")
        and "PreTrained" not in n
    )


class RotationTrace:
    """What is rotated in each layer: the arguments of the functions that rotate are looked at."""

    def __init__(self, model, layers):
        self.layer, self.rotated, self.stopped = 0, [None] * len(layers), None
        self.tables, self.kept, self.saved = {}, [], []
        for number, layer in enumerate(layers):
            layer.register_forward_pre_hook(
                lambda *_, number=number: setattr(self, "layer", number)
            )
            source = inspect.getsource(type(layer))
            for name in AFTER_ATTENTION:
                if isinstance(getattr(layer, name, None), torch.nn.Module):
                    pair = re.search(rf"\w+, \w+ = self\.{name}\(", source)
                    setattr(layer, name, AsItIs(bool(pair)))
        for each in list(model.modules()):
            if any("inv_freq" in name for name, _ in each.named_buffers(recurse=False)):
                each.register_forward_hook(self.table_made, with_kwargs=True)
        names = {type(m).__module__ for m in model.modules()}
        for module in (sys.modules[n] for n in names if n.startswith("transformers.models")):
            for name in dir(module):
                if re.match(r"_?apply_\w*(rotary|rope)", name):
                    self.replace(module, name, self.rotating(getattr(module, name)))
                elif re.match(r"create_\w*mask", name):
                    self.replace(module, name, lambda *_, **__: None)

    def replace(self, module, name, other):
        self.saved.append((module, name, getattr(module, name)))
        setattr(module, name, other)

    def restore(self):
        for module, name, function in self.saved:
            setattr(module, name, function)

    def table_made(self, module, args, kwargs, made):
        kind = kwargs.get("layer_type") or next((a for a in args if isinstance(a, str)), None)
        self.kept.append(made)  # so that no other tensor gets its id
        for tensor in made if isinstance(made, tuple | list) else (made,):
            self.tables[id(tensor)] = module, kind

    def rotating(self, function):
        def rotate(*args, **kwargs):
            found = [self.tables[id(a)] for a in (*args, *kwargs.values()) if id(a) in self.tables]
            if self.rotated[self.layer] is None:
                self.rotated[self.layer] = found[0] if found else (None, None)
            return function(*args, **kwargs)

        return rotate


def numbers_of(table, config):
    """Frequencies and attention factor of a rotary module, computed anew off meta; or None."""
    module, kind = table
    if module is None:
        return None
    with refusing():
        real = type(module)(getattr(module, "config", config))
    prefix = f"{kind}_" if kind else ""
    inv_freq = getattr(real, f"{prefix}inv_freq", None)
    if inv_freq is None:
        inv_freq = real.inv_freq
    factor = getattr(real, f"{prefix}attention_scaling", getattr(real, "attention_scaling", 1.0))
    return inv_freq.numpy(), float(factor)


def default_of(model_type):
    """A type's default configuration as a file has it; None if it is no model of texts."""
    try:
        config = CONFIG_MAPPING[model_type]()
    except (ValueError, StrictDataclassError):  # it has no defaults
        return None
    if config.get_text_config(decoder=True) is not config or not hasattr(config, "vocab_size"):
        return None
    return json.loads(config.to_json_string(use_diff=False))
