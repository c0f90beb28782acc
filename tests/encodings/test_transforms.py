"""Every encoding goes through torch's transforms, and its numbers stay what they are."""

from collections import Counter

import numpy as np
import pytest
import torch
from torch._subclasses import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

import posviz
from posviz import arrays
from posviz.attention import KeyValueCache, attend
from posviz.encodings import checks, learned, relative
from posviz.encodings.doors import Encoding, doors
from posviz.encodings.rotary import Turning
from tests.every_encoding import D_MODEL, ENCODINGS, HEAD_DIM, HEADS, LOOKED_UP, random

W = [random(D_MODEL, D_MODEL, seed=seed) / 2 for seed in (1, 2, 3)]
X = random(2, 5, D_MODEL)
POSITIONS = torch.arange(5)
every_encoding = pytest.mark.parametrize("name", ENCODINGS)


def tensors(*arrays, **options):
    return [torch.tensor(array, **options) for array in arrays]


def encoded(name, **options):
    return ENCODINGS[name](lambda array: torch.tensor(array, **options))


def run(encoding, x, w, positions, cache=None):
    options = {"num_heads": HEADS, "encoding": encoding, "cache": cache}
    return attend(x, *w, positions=positions, **options)


# ---------------------------------------------------------------- the five transforms


class Model(torch.nn.Module):
    def __init__(self, encoding):
        super().__init__()
        self.encoding = encoding

    def forward(self, x, w, positions):
        return run(self.encoding, x, w, positions)


def through_compile(name):
    torch.compiler.reset()
    compiled = torch.compile(run, fullgraph=True, backend="eager")
    x, *w = tensors(X, *W)
    encoding = encoded(name)
    torch.testing.assert_close(
        compiled(encoding, x, w, POSITIONS), run(encoding, x, w, POSITIONS), atol=1e-12, rtol=0
    )


def through_export(name):
    model, (x, *w) = Model(encoded(name)), tensors(X, *W)
    length = torch.export.Dim("length")
    shapes = ({1: length}, [None] * len(w), {0: length})
    exported = torch.export.export(model, (x, w, POSITIONS), dynamic_shapes=shapes).module()
    [x], later = tensors(random(2, 7, D_MODEL)), torch.arange(7).flip(0) + 3  # no run, and longer
    torch.testing.assert_close(exported(x, w, later), model(x, w, later), atol=1e-12, rtol=0)


def through_vmap(name):
    """Arrays of the encoding are trained, or not."""
    each, (x, *w) = torch.stack([POSITIONS, POSITIONS + 2, POSITIONS.flip(0)]), tensors(X, *W)
    for is_trained in (False, True):
        encoding = ENCODINGS[name](
            lambda array: torch.tensor(
                array,
                requires_grad=is_trained and array.dtype.kind == "f",  # noqa: B023
            )
        )
        found = torch.vmap(lambda positions: run(encoding, x, w, positions))(each)  # noqa: B023
        expected = torch.stack([run(encoding, x, w, positions) for positions in each])
        torch.testing.assert_close(found, expected, atol=1e-12, rtol=0)


def through_meta(name):
    x, *w = tensors(X, *W, device="meta")
    found = run(encoded(name, device="meta"), x, w, POSITIONS.to("meta"))
    assert found.is_meta
    assert found.shape == x.shape


def through_fake(name):
    with FakeTensorMode():
        x, *w = tensors(X, *W)
        found = run(encoded(name), x, w, torch.arange(5))
    assert found.shape == x.shape


TRANSFORMS = {
    "`torch.compile`": through_compile,
    "`torch.export`": through_export,
    "`torch.vmap`": through_vmap,
    "meta": through_meta,
    "fake": through_fake,
}
CASES = [
    pytest.param(
        name,
        transform,
        marks=[pytest.mark.slow("seconds")] * (transform in ("`torch.compile`", "`torch.export`")),
        id=f"{name}-{transform.strip('`')}",
    )
    for name in ENCODINGS
    for transform in TRANSFORMS
]


@pytest.mark.parametrize(("name", "transform"), CASES)
def test_a_transform_changes_nothing(name, transform):
    TRANSFORMS[transform](name)


def test_the_readme_has_what_is_tested(request):
    readme = (request.config.rootpath / "tests" / "README.md").read_text("utf-8")
    head = "| | " + " | ".join(TRANSFORMS) + " |"
    assert head in readme
    for name in ENCODINGS:
        assert f"\n| {name} |{' yes |' * len(TRANSFORMS)}\n" in readme, name


CALLED_WITHIN = {
    "yarn": lambda x: posviz.Rotary(
        frequencies=posviz.yarn(HEAD_DIM, 3.0, original_max_seq_len=6)
    ).at_query(x, POSITIONS),
    "llama3": lambda x: posviz.Rotary(
        frequencies=posviz.llama3(HEAD_DIM, 3.0, original_max_seq_len=64)
    ).at_query(x, POSITIONS),
    "wavelengths": lambda x: posviz.wavelengths(x.abs()),
    "padding_mask": lambda x: posviz.padding_mask(x[0, 0, :, 0].abs().long(), 9),
}


@pytest.mark.slow("seconds")
@pytest.mark.parametrize("name", CALLED_WITHIN)
def test_functions_that_a_compiled_function_calls(name):
    torch.compiler.reset()
    compiled = torch.compile(CALLED_WITHIN[name], fullgraph=True, backend="eager")
    [x] = tensors(random(2, HEADS, 5, HEAD_DIM))
    torch.testing.assert_close(compiled(x), CALLED_WITHIN[name](x), atol=1e-12, rtol=0)


@pytest.mark.slow("seconds")
def test_compiled_arrays_of_numpy_follow_to_a_device():
    """Frequencies and positions, which torch.compile makes tensors on the CPU; as on CUDA."""
    torch.compiler.reset()
    compiled = torch.compile(run, fullgraph=True, backend="eager")
    x, *w = tensors(X, *W, device="meta")
    assert compiled(encoded("YaRN", device="meta"), x, w, range(5)).is_meta


# ---------------------------------------------------------------- far away, compiled

FAR = (0, 1000, 131_072, 10**7)


def far_away(name, start):
    """An encoding and positions; where these index a table, its coordinates are far away."""
    if name not in LOOKED_UP or name == "learned":
        return encoded(name), POSITIONS + (start if name != "learned" else 0)
    coordinates = torch.stack([POSITIONS + start, POSITIONS // 2 + start], dim=-1)
    if name == "2-D, axial":
        return posviz.AxialRotary(coordinates), POSITIONS
    if name == "2-D, mixed":
        return posviz.MixedRotary(coordinates, *tensors(random(2, HEAD_DIM // 2))), POSITIONS
    thw = torch.cat([coordinates, coordinates[:, :1]], dim=-1)
    return posviz.MRotary(thw, sections=(1, 1, 0)), POSITIONS


@pytest.mark.slow("seconds")
@pytest.mark.sampled(default=4)
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@every_encoding
def test_compiled_is_eager_far_away_forward_and_backward(name, backend):
    """In float32 an angle at position 10⁷ would be off by a half; xPos itself overflows there."""
    torch.compiler.reset()
    compiled = torch.compile(run, fullgraph=True, backend=backend)
    for start in FAR[: 2 if name == "xPos" else None]:
        encoding, positions = far_away(name, start)
        (x, *w), found = tensors(X, *W, requires_grad=True), []
        for function in (compiled, run):
            output = function(encoding, x, w, positions)
            found.append((output.detach(), *torch.autograd.grad(output.square().sum(), (x, *w))))
        torch.testing.assert_close(*found, atol=1e-10, rtol=1e-8)


# ---------------------------------------------------------------- decoding, compiled


@pytest.mark.slow("seconds")
@pytest.mark.sampled(default=3)
@every_encoding
def test_decoding_is_one_graph_after_the_second_step(name):
    from torch._dynamo.testing import CompileCounter  # half a second, and quick runs do without

    torch.compiler.reset()
    counter, encoding, (x, *w) = CompileCounter(), encoded(name), tensors(X, *W)
    compiled = torch.compile(run, fullgraph=True, backend=counter)
    caches, graphs = (KeyValueCache(), KeyValueCache()), []
    for step in range(8):
        token, position = x[:, step % 5 : step % 5 + 1], torch.tensor([step])
        found = [
            function(encoding, token, w, position, cache)
            for function, cache in zip((compiled, run), caches, strict=True)
        ]
        torch.testing.assert_close(*found, atol=1e-12, rtol=0)
        graphs.append(counter.frame_count)
    assert graphs[-1] == graphs[2], graphs  # the first has no cache yet, the second has one length


# ---------------------------------------------------------------- no wait for a device


class Standin(TorchDispatchMode):
    """A GPU's stand-in: counts what makes a processor wait for a device."""

    WAITS = ("_local_scalar_dense", "is_nonzero", "equal", "nonzero", "_unique2", "masked_select")

    def __init__(self):
        super().__init__()
        self.waits = Counter()

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        name = function.name().split("::")[1].split(".")[0]
        if name in self.WAITS:
            self.waits[name] += 1
        return function(*arguments, **(options or {}))


def test_the_standin_counts():
    with Standin() as standin:
        bool(torch.ones(2).all())
        torch.ones(2).nonzero()
    assert standin.waits == {"_local_scalar_dense": 1, "nonzero": 1}


def test_what_lies_on_a_device_is_not_read(monkeypatch):
    x = torch.ones(2)
    assert arrays.is_readable(x)
    monkeypatch.setattr(torch.Tensor, "device", property(lambda x: torch.device("cuda", 0)))
    assert not arrays.is_readable(x)


@every_encoding
@pytest.mark.parametrize("length", [5, 1])
def test_no_device_is_waited_for(name, length, monkeypatch):
    """Not for a check, nor for a shorter way; the numbers are those of tensors that are read."""
    x, *w = tensors(X[:, :length], *W)
    encoding, positions = encoded(name), POSITIONS[:length] + 2
    expected = run(encoding, x, w, positions)
    for module in (arrays, checks, learned, relative):
        monkeypatch.setattr(module, "is_readable", lambda x: not arrays.is_torch(x))
    with Standin() as standin:
        found = run(encoding, x, w, positions)
    assert not standin.waits
    torch.testing.assert_close(found, expected, atol=1e-12, rtol=0)


def test_no_row_is_counted_from_the_end_where_none_is_checked(monkeypatch):
    monkeypatch.setattr(learned, "is_readable", lambda x: False)
    for index in (-1, 3):
        with pytest.raises(IndexError):
            posviz.learned(torch.ones(3, 2), torch.tensor([index]))


# ---------------------------------------------------------------- angles made once a step


TURNING = [name for name in ENCODINGS if isinstance(encoded(name), Turning)]


@pytest.mark.parametrize("name", TURNING)
def test_prepared_turns_as_it_did_and_computes_no_cosine_again(name, monkeypatch):
    q, k = tensors(random(2, HEADS, 5, HEAD_DIM), random(2, HEADS, 5, HEAD_DIM, seed=1))
    encoding, positions, count = encoded(name), torch.arange(5), Counter()
    expected = encoding.at_query_and_key(q, k, positions)
    prepared, cos = encoding.prepared(q, positions), torch.cos
    monkeypatch.setattr(torch, "cos", lambda x: (count.update(["cos"]), cos(x))[1])
    for found in (
        prepared.at_query_and_key(q, k, positions),
        (prepared.at_query(q, positions), prepared.at_key(k, positions)),
    ):
        torch.testing.assert_close(found, expected, atol=0, rtol=0)
    assert not count["cos"]
    assert doors(prepared) == doors(encoding)


def test_prepared_in_inference_mode_where_no_tensor_tells_its_version():
    with torch.inference_mode():
        q, positions = torch.ones(1, 2, 3, 4), torch.arange(3)
        found = posviz.Rotary().prepared(q, positions).at_query(q, positions)
    assert torch.equal(found, posviz.Rotary().at_query(q, [0, 1, 2]))


@pytest.mark.parametrize("name", TURNING)
def test_prepared_is_right_wherever_it_is_asked(name):
    """Other positions, the same ones written to, another dtype, another batch, NumPy."""
    encoding, positions = encoded(name), torch.arange(5)
    q = torch.tensor(random(2, HEADS, 5, HEAD_DIM))
    prepared = encoding.prepared(q, positions)
    batch = torch.stack([positions, positions + 1])
    for x, places in ((q, positions + 2), (q.float(), positions), (q[:1], positions), (q, batch)):
        assert torch.equal(prepared.at_query(x, places), encoding.at_query(x, places))
    positions += 3
    assert torch.equal(prepared.at_key(q, positions), encoding.at_key(q, positions))
    other = ENCODINGS[name](np.asarray)
    numbers = other.prepared(q.numpy(), range(5)).at_query(q.numpy(), range(5))
    np.testing.assert_array_equal(numbers, other.at_query(q.numpy(), range(5)))


def test_attend_takes_what_is_prepared():
    x, *w = tensors(X, *W)
    rope, positions = posviz.Rotary(), torch.arange(5)
    prepared = rope.prepared(x.reshape(2, HEADS, 5, HEAD_DIM), positions)
    assert isinstance(prepared, Encoding)
    expected = run(rope, x, w, positions)
    torch.testing.assert_close(run(prepared, x, w, positions), expected, atol=0, rtol=0)
