"""The kinds of arrays, the devices and the memory guard."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from posviz import arrays

NAMES = ["NumPy", "torch CPU", "CUDA", "MPS"]


def test_namespace_belongs_to_the_kind():
    assert "numpy" in arrays.namespace(np.ones(2), np.ones(3)).__name__
    assert "torch" in arrays.namespace(torch.ones(2)).__name__


@pytest.mark.parametrize("others", [(torch.ones(1),), ([1.0],), ("a",), (None,)])
def test_namespace_refuses_mixtures_and_what_is_no_array(others):
    with pytest.raises(TypeError, match="NumPy array"):
        arrays.namespace(np.ones(1), *others)


@pytest.mark.slow("a process")
def test_torch_is_not_imported_by_the_mathematics_nor_by_listing_devices():
    code = (
        "import sys, numpy as np, posviz.attention as a\n"
        "from posviz.arrays import devices, to_device\n"
        "from posviz.encodings import alibi, deberta, doors, learned, rotary, rotary2d, shaw\n"
        "from posviz.encodings import sinusoidal, stretching, t5, transformer_xl, xpos\n"
        "x = np.ones((1, 2, 3, 4))\n"
        "p = np.arange(3)\n"
        "for encoding in (alibi.Alibi(), rotary.Rotary(), xpos.XPos(), t5.T5(np.ones((32, 2))),\n"
        "    shaw.Shaw(np.ones((3, 4)), np.ones((3, 4)))):\n"
        "    a.attention(x, x, x, encoding=encoding, q_positions=p, k_positions=p)\n"
        "sinusoidal.sinusoidal(p, 4)\n"
        "print(*devices(), to_device(x, 'NumPy').shape, 'torch' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "NumPy torch CPU CUDA MPS (1, 2, 3, 4) False"


@pytest.mark.parametrize("values", ["a", ["a"], [None], [1j], [True], np.ones(2, dtype=object)])
def test_numbers_are_real(values):
    with pytest.raises(TypeError, match=r"^speed must be real numbers"):
        arrays.as_numbers(values, "speed")


@pytest.mark.parametrize("values", [[np.nan], [1, np.inf], torch.tensor([-np.inf]), [[1, 2], [3]]])
def test_numbers_are_finite_and_rectangular(values):
    with pytest.raises(ValueError, match=r"^speed must be"):
        arrays.as_numbers(values, "speed")


@pytest.mark.parametrize("values", [[1.0], np.ones(2), torch.ones(2), [True], ["a"]])
def test_integers_are_integers(values):
    assert arrays.as_integers(np.array([255], np.uint8), "rows").dtype == np.int64
    with pytest.raises(TypeError, match="rows must be"):
        arrays.as_integers(values, "rows")


@pytest.mark.parametrize("kind", [np.array, torch.tensor, list])
def test_integers_may_be_larger_than_thirty_two_bits(kind):
    far = range(2**40, 2**40 + 2)
    assert arrays.as_integers(kind(far), "rows").tolist() == [*far]
    assert arrays.as_integers(far, "rows").tolist() == [*far]


def test_float64_keeps_the_kind_and_the_gradient():
    assert arrays.as_float64(range(3), "x").dtype == np.float64
    x = torch.ones(3, requires_grad=True)
    exact = arrays.as_float64(x, "x")
    exact.sum().backward()
    assert exact.dtype == torch.float64
    assert x.grad.tolist() == [1, 1, 1]


@pytest.mark.parametrize("xp", [np, torch])
def test_halves_are_widened_and_others_are_not_copied(xp):
    x, half = xp.ones(2, dtype=xp.float64), xp.ones(2, dtype=xp.float16)
    wide, from_half = arrays.widened(x, half)
    assert wide is x
    assert (from_half.dtype, from_half.tolist()) == (xp.float32, [1, 1])


@pytest.mark.parametrize("dtype", [np.longdouble, ">f8"])
def test_wider_numbers_stay_wide(dtype):
    x = np.ones(2, dtype=dtype)
    assert arrays.widened(x)[0] is x


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_complex_numbers_lie_side_by_side(kind):
    x = kind([[1 + 2j, 3 - 4j], [5j, 6]])
    assert arrays.side_by_side(x).tolist() == [[1, 2, 3, -4], [0, 5, 6, 0]]
    assert arrays.side_by_side(x.T).tolist() == [[1, 2, 0, 5], [3, -4, 6, 0]]


def test_torch_follows_what_it_needs_gradients_of():
    x, parameter = torch.ones(2), torch.ones(2, requires_grad=True)
    assert not arrays.is_followed(np.ones(2))
    assert not arrays.is_followed(x)
    assert arrays.is_followed(x, parameter)
    assert arrays.is_followed(x + parameter)
    with torch.no_grad():
        assert not arrays.is_followed(x, parameter)


def test_torch_follows_what_it_maps_over():
    x, followed = torch.ones(2), []
    torch.vmap(lambda y: (followed.append(arrays.is_followed(x, y)), y)[1])(x)
    assert followed == [True]


def test_a_parameter_is_read_and_a_mere_shape_is_not():
    assert arrays.is_readable(torch.nn.Parameter(torch.ones(2)))
    assert not arrays.is_readable(torch.ones(2, device="meta"))


def test_what_is_kept_for_later_can_be_differentiated():
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        kept = arrays.beside(x, np.arange, 2, dtype=torch.float64)
    [gradient] = torch.autograd.grad((x * kept).sum(), x)
    assert gradient.tolist() == [0, 1]


@pytest.mark.slow("seconds")
def test_torch_follows_what_it_compiles():
    def ask(x):
        return x + arrays.is_followed(x) + 2 * arrays.is_compiling() + 4 * arrays.is_readable(x)

    assert ask(torch.zeros(1)).item() == 4
    assert torch.compile(ask, fullgraph=True, backend="eager")(torch.zeros(1)).item() == 3


def test_numbers_follow_a_tensor_but_a_tensor_never_follows():
    x = torch.ones(2)
    moved = arrays.like(np.arange(2), x, "positions", torch.float16)
    assert (moved.dtype, moved.tolist()) == (torch.float16, [0, 1])
    with pytest.raises(TypeError, match=r"^positions must be a NumPy array"):
        arrays.like(x, np.ones(2), "positions")
    with pytest.raises(ValueError, match=r"^positions must be on device cpu, got meta"):
        arrays.like(torch.ones(2, device="meta"), x, "positions")


@pytest.mark.parametrize(
    ("q", "k", "error", "message"),
    [
        (np.ones(2), torch.ones(2), TypeError, "q, k: NumPy arrays and torch tensors"),
        (np.ones(2), np.ones(2, np.float32), TypeError, "q: float64, k: float32"),
        (np.ones(2), np.ones(2, int), TypeError, "k must be floating-point, got dtype int64"),
        (torch.ones(2), torch.ones(2, device="meta"), ValueError, "q: cpu, k: meta"),
        (np.ones(2), [1.0, 2.0], TypeError, "q, k: expected a NumPy array .* got list"),
    ],
)
def test_arrays_that_work_together_are_alike(q, k, error, message):
    with pytest.raises(error, match=message):
        arrays.require_alike(q=q, k=k)


@pytest.fixture
def before_torch_is_loaded(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.setattr(arrays.metadata, "version", lambda name: "2.13.0")


def test_devices_say_yes_or_why_not(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert list(arrays.devices()) == NAMES
    assert [arrays.devices()[name] for name in NAMES[:3]] == ["", "", ""]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert arrays.devices()["CUDA"] == "torch finds no CUDA device"


def test_devices_without_torch(monkeypatch):
    monkeypatch.setattr(arrays.util, "find_spec", lambda name: None)
    assert arrays.devices() == {"NumPy": "", **dict.fromkeys(NAMES[1:], "torch is not installed")}
    with pytest.raises(ValueError, match="device torch CPU cannot be used: torch is not installed"):
        arrays.to_device([1.0], "torch CPU")


@pytest.mark.parametrize(
    ("build", "driver", "reason"),
    [("2.13.0+cpu", True, "CPU build"), ("2.13.0", False, "no GPU driver"), ("2.13.0", True, "")],
)
@pytest.mark.usefixtures("before_torch_is_loaded")
def test_cuda_is_judged_by_its_traces_before_torch_is_loaded(monkeypatch, build, driver, reason):
    monkeypatch.setattr(arrays.metadata, "version", lambda name: build)
    monkeypatch.setattr(arrays.Path, "exists", lambda path: driver)
    found = arrays.devices()["CUDA"]
    assert reason in found
    assert bool(reason) == bool(found)


@pytest.mark.parametrize(("machine", "free"), [("arm64", True), ("x86_64", False)])
@pytest.mark.usefixtures("before_torch_is_loaded")
def test_mps_needs_apple_silicon(monkeypatch, machine, free):
    monkeypatch.setattr(arrays.platform, "system", lambda: "Darwin")
    monkeypatch.setattr(arrays.platform, "machine", lambda: machine)
    assert (arrays.devices()["MPS"] == "") is free


def test_mps_that_torch_does_not_find(monkeypatch):
    monkeypatch.setattr(arrays.platform, "system", lambda: "Darwin")
    monkeypatch.setattr(arrays.platform, "machine", lambda: "arm64")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(ValueError, match="device MPS cannot be used: torch finds no MPS device"):
        arrays.to_device([1.0], "MPS")


def test_a_device_that_is_not_there_or_not_known_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="device CUDA cannot be used: torch finds no CUDA device"):
        arrays.to_device([1.0], "CUDA")
    with pytest.raises(ValueError, match=r"device must be one of NumPy, .*, MPS, got 'TPU'"):
        arrays.to_device([1.0], "TPU")


@pytest.mark.parametrize("x", [np.arange(6.0).reshape(2, 3)[:, ::-1], [[1, 2]], np.float32(3)])
def test_there_and_back(x):
    there = arrays.to_device(x, "torch CPU")
    assert isinstance(there, torch.Tensor)
    back = arrays.to_device(there, "NumPy")
    assert back.dtype == np.asarray(x).dtype
    np.testing.assert_array_equal(back, x)


def test_moving_leaves_the_source_alone():
    x = np.zeros(3)
    arrays.to_device(x, "torch CPU")[0] = 1
    assert x.tolist() == [0, 0, 0]


def test_to_numpy_of_what_numpy_lacks():
    assert arrays.to_numpy(torch.ones(2, requires_grad=True)).tolist() == [1, 1]
    assert arrays.to_numpy(torch.ones(2, dtype=torch.bfloat16)).dtype == np.float32
    turned = torch.tensor([1 + 2j]).conj()  # torch only notes it
    assert arrays.to_numpy(turned).tolist() == [1 - 2j]
    assert arrays.to_numpy(turned.imag).tolist() == [-2]


def float32_patterns():
    """Finite float32 numbers of every size, from all bit patterns, and the halfway cases."""
    some = np.arange(0, 2**32, 9973, dtype=np.uint64).astype(np.uint32)
    halfway = np.arange(0x8000, 2**32, 0x10000, dtype=np.uint64).astype(np.uint32)
    values = np.concatenate([some, halfway]).view(np.float32)
    return values[np.isfinite(values)]


@pytest.mark.parametrize("name", arrays.DTYPE_NAMES)
def test_rounding_to_a_dtype_is_that_of_torch(name):
    values = float32_patterns()
    expected = torch.from_numpy(values).to(getattr(torch, name)).double().numpy()
    np.testing.assert_array_equal(arrays.to_dtype(values, name), expected)


def test_bfloat16_rounds_halves_to_even():
    rounded = [256, 260, 29_952, 29_952, 2.0**-126]
    given = [257, 259, 30_000, 30_005, 2.0**-126]
    assert arrays.to_dtype(given, "bfloat16").tolist() == rounded


def test_only_four_dtypes_are_known():
    with pytest.raises(ValueError, match=r"one of float64, .*bfloat16, got 'float8'"):
        arrays.to_dtype(1.0, "float8")


def test_memory_is_asked_for_before_it_is_taken(monkeypatch):
    monkeypatch.setattr(arrays, "_free_memory", lambda x: 2**30)
    arrays.check_memory("length", (2**27,), itemsize=8)
    message = r"^length: an array of 134,217,729 × 2 numbers takes 2\.0 GiB, and 1\.0 GiB are free"
    with pytest.raises(ValueError, match=message):
        arrays.check_memory("length", (2**27 + 1, 2), itemsize=8)
    with pytest.raises(ValueError, match="takes 3"):
        arrays.check_memory("length", (2**27,), copies=3)


def test_no_machine_has_an_exbibyte():
    with pytest.raises(ValueError, match="length"):
        arrays.check_memory("length", (2**60,))
    with pytest.raises(ValueError, match="length"):
        arrays.check_memory("length", (2**60,), x=torch.ones(1))
    arrays.check_memory("length", (2**60,), x=torch.ones(1, device="meta"))  # a shape takes none


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({"meminfo": "MemTotal: 9 kB\nMemAvailable: 4096 kB\n"}, 2**22),
        ({"meminfo": "MemAvailable: 4096 kB", "memory.max": "max", "memory.stat": ""}, 2**22),
        ({"memory.max": "3000", "memory.stat": "anon 1000\nfile 500"}, 2000),
        ({}, 2**33),
    ],
)
def test_free_memory_is_what_machine_and_container_leave(monkeypatch, files, free):
    def read_text(path):
        if path.name not in files:
            raise FileNotFoundError(path)
        return files[path.name]

    monkeypatch.setattr(arrays.Path, "read_text", read_text)
    assert arrays._free_memory(None) == free


def test_a_limit_of_the_process_counts(monkeypatch):
    import resource  # not on Windows

    monkeypatch.setattr(arrays.Path, "read_text", lambda path: "256 7 5 1 0 3 0")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: {resource.RLIMIT_AS: (2**30, -1)}[kind])
    assert arrays._free_memory(None) == 2**30 - 256 * resource.getpagesize()
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (-1, -1))
    assert arrays._free_in_process() == sys.maxsize
