"""FlexAttention, and every encoding, on a GPU: the groups flex and agreement of mathematics.py."""

import gc
import sys
import time
from functools import partial
from pathlib import Path

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

import posviz
from posviz import KeyValueCache, NoPosition, attend
from posviz.attention import attention

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
HEADS, HEAD_DIM, LENGTH, SHORT = 16, 64, 4096, 1024
WAYS = "ms: flex, ours, SDPA"
fused = torch.nn.functional.scaled_dot_product_attention


def fitting(length):
    """Return all encodings that FlexAttention can be given, arrays in float32."""
    randn = partial(torch.randn, device=DEVICE)
    x, width = randn(1, length, HEADS * HEAD_DIM), HEADS * HEAD_DIM
    places, slopes = torch.arange(length), torch.tensor(posviz.alibi_slopes(HEADS), device=DEVICE)
    grid = torch.stack([places // 64, places % 64, places % 7], dim=-1).to(DEVICE)
    falls = 2 * slopes.float(), 0.5 + slopes.float()
    weights = randn(32), randn(32), randn(32, HEADS) / 4, randn(HEADS)
    made_of_x = (
        posviz.FoX(randn(width, HEADS) / width, torch.full((HEADS,), 4.0, device=DEVICE)),
        posviz.Inkling(randn(width, 16 * HEADS) / width**0.5, randn(16, min(1024, length)) / 4),
    )
    fox, inkling = (made.for_input(x, places, None)[0] for made in made_of_x)
    return {
        "none": NoPosition(),
        "RoPE": posviz.Rotary(),
        "RoPE, half_split": posviz.Rotary(layout="half_split"),
        "RoPE, axial": posviz.AxialRotary(grid[:, :2]),
        "RoPE, mixed": posviz.MixedRotary(grid[:, :2], randn(2, HEAD_DIM // 2)),
        "M-RoPE": posviz.MRotary(grid, sections=(HEAD_DIM // 2 - 8, 4, 4)),
        "xPos": posviz.XPos(),
        "PoPE": posviz.PoPE(-randn(HEADS, HEAD_DIM).abs()),
        "ALiBi": posviz.Alibi(),
        "T5": posviz.T5(randn(32, HEADS), bidirectional=False),
        "Kerple, log": posviz.KerpleLog(*falls),
        "Kerple, power": posviz.KerplePower(*falls),
        "FIRE": posviz.FIRE(*weights),
        "Shaw, keys": posviz.Shaw(randn(33, HEAD_DIM)),
        "FoX": fox,
        "Inkling": inkling,
    }


KIN = ("RoPE, half_split", "RoPE, axial", "RoPE, mixed", "M-RoPE", "xPos")  # not timed


def _alone(length):
    blocks = create_block_mask(lambda b, h, i, j: i >= j, None, None, length, length, device=DEVICE)
    return {"flex": partial(torch.compile(flex_attention), block_mask=blocks)}


def ways(encoding, qkv, places, blocks, options=None):
    """Return FlexAttention, ours, and torch's function given a ready bias, as functions."""
    positions = {"q_positions": places, "k_positions": places}
    mask, compiled = posviz.causal_mask(places, places), torch.compile(flex_attention)

    def flexed(q, k, v):
        q, k = encoding.at_query_and_key(q, k, places)
        bias = posviz.score_mod(encoding, q, k, **positions)
        given = {"scale": encoding.scale(q.shape[-1]), "kernel_options": options}
        return compiled(q, k, v, score_mod=bias, block_mask=blocks, **given)

    q, k = encoding.at_query_and_key(*qkv[:2], places)
    found = {"flex": flexed, "ours": partial(attention, encoding=encoding, mask=mask, **positions)}
    if type(encoding).at_scores is NoPosition.at_scores:
        scale = encoding.scale(q.shape[-1])

        def ready(q, k, v):
            q, k = encoding.at_query_and_key(q, k, places)
            return fused(q, k, v, is_causal=True, scale=scale)
    else:
        with torch.no_grad():
            zeros = torch.zeros((), device=DEVICE).expand(1, *q.shape[1:3], q.shape[2])
            bias = encoding.at_scores(zeros, q.float(), k.float(), places, places)
            bias = bias.where(mask, -torch.inf).to(q.dtype)
        ready = partial(fused, attn_mask=bias, scale=encoding.scale(q.shape[-1]))
    return found | {"SDPA": ready}


def flex(times):
    """Print what FlexAttention, compiled, differs from ours by, and how long all take."""
    for dtype in (torch.float32, torch.bfloat16):
        print(f"""
Causal attention (1, {HEADS}, {LENGTH}, {HEAD_DIM}), {dtype}, FlexAttention compiled. Errors beside
float64, over the largest number there; ms; MiB at the peak, with backward.

| | y: flex, ours | gradients of q, k, v: flex; ours | {WAYS} | with backward | MiB |
|---|---|---|---|---|---|""")
        _rows(_row, LENGTH, dtype, times)
    print(f"""
Gradients of what is learned, {SHORT} tokens, float32; ms with backward, once.

| | flex, ours | ms: flex, ours |
|---|---|---|""")
    _rows(_learned_row, SHORT, torch.float32, times)


def _rows(row, length, dtype, times):
    qkv, pull, places, blocks = setting(length, dtype)
    alone = {"flex_attention alone": None} if row is _row else {}
    for name, encoding in (alone | fitting(length)).items():
        for options in (None, {"num_stages": 1}):  # torch's own choice may ask for too much
            torch.compiler.reset()
            named = f"{name}, {options}" if options else name
            try:
                made = encoding and ways(encoding, qkv, places, blocks, options)
                row(named, encoding, made or _alone(length), qkv, pull, times)
                break
            except Exception as error:
                print(f"| {named} | {_brief(error)} |")
                if "out of resource" not in str(error):
                    break
            finally:
                _clear()


def setting(length, dtype):
    """Return q, k and v, what the output is multiplied by, positions, and the causal blocks."""
    torch.manual_seed(0)
    *qkv, pull = torch.randn(4, 1, HEADS, length, HEAD_DIM, device=DEVICE).to(dtype).unbind()
    places = torch.arange(length, device=DEVICE)
    may = posviz.mask_mod(posviz.causal_mask, q_positions=places, k_positions=places)
    return qkv, pull, places, create_block_mask(may, None, None, length, length, device=DEVICE)


def _learned_row(name, encoding, run, qkv, pull, times):
    arrays = [x for x in vars(encoding).values() if torch.is_tensor(x) and x.is_floating_point()]
    if not arrays or name in KIN:
        return
    arrays = [x.requires_grad_() for x in arrays]
    wanted = _pulled(partial(run["ours"], implementation="eager"), qkv, pull, arrays, torch.float64)
    errors, taken = [], []
    for way in ("flex", "ours"):
        found = _pulled(run[way], qkv, pull, arrays)
        errors.append(
            _error(*(torch.cat([x.flatten() for x in many[4:]]) for many in (found, wanted)))
        )
        began = time.perf_counter()
        _pulled(run[way], qkv, pull, arrays)
        wait()
        taken.append(1e3 * (time.perf_counter() - began))
    print(f"| {name} | {_many(errors, '.0e')} | {_many(taken, '.3g')} |")


def _row(name, encoding, run, qkv, pull, times):
    errors, gradients, forward, whole, peaks = [], [], [], [], []
    if "ours" in run:
        eager = partial(run["ours"], implementation="eager")
        wanted = _pulled(eager, qkv, pull, [], torch.float64)
        for way in ("flex", "ours"):
            y, *found = map(_error, _pulled(run[way], qkv, pull, []), wanted)
            errors.append(y)
            gradients.append(_many(found, ".0e"))
        del wanted
    if name not in KIN:
        pulled = {way: partial(_pulled, call, qkv, pull, []) for way, call in run.items()}
        forward = times({way: partial(call, *qkv) for way, call in run.items()}).values()
        whole, peaks = times(pulled).values(), map(_peak, pulled.values())
    cells = [_many(errors, ".0e"), "; ".join(gradients), _many(forward, ".3g"), _many(whole, ".3g")]
    print(f"| {name} | {' | '.join(cells)} | {_many(peaks, '.0f')} |")


def _pulled(call, qkv, pull, arrays, dtype=None):
    """Return the output, and the gradients of q, k, v and arrays of its product with pull."""
    with torch.enable_grad():
        q, k, v = (x.detach().to(dtype or x.dtype).requires_grad_() for x in qkv)
        y = call(q, k, v)
        return y.detach(), *torch.autograd.grad(y, (q, k, v, *arrays), pull.to(y.dtype))


def _peak(call):
    if DEVICE != "cuda":
        return 0.0
    _clear()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    call()
    return (torch.cuda.max_memory_allocated() - before) / 2**20


def _error(found, wanted):
    return float((found.double() - wanted.double()).abs().max() / wanted.double().abs().max())


def _many(numbers, form):
    return ", ".join(format(number, form) for number in numbers) or "–"


def _brief(error):
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def wait():
    """Wait for what a GPU has still to do."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def _clear():
    if DEVICE == "cuda":
        gc.collect()
        torch.cuda.empty_cache()


# ---------------------------------------------------------------- every encoding


def agreement():
    """Print how far attention on the GPU is from the CPU's in float64, for every encoding.

    The encodings are those of the tests: 2 heads of 4 dimensions, and 4 of 64 where they allow it.
    """
    sys.path[:0] = [str(Path(__file__).parents[1])]
    from tests import every_encoding

    kinds = ("float64", "float32", "bfloat16", "module", "token by token", "padded", "compiled")
    print("\nattend beside float64 on the CPU: the largest error of outputs and gradients\n")
    print(f"| | {' | '.join(kinds)} |\n{'|---' * (1 + len(kinds))}|")
    for heads, head_dim in ((2, 4), (4, 64)):
        every_encoding.HEADS, every_encoding.HEAD_DIM = heads, head_dim
        every_encoding.D_MODEL = heads * head_dim
        for name in every_encoding.ENCODINGS:
            if head_dim == 64 and name in ("LongRoPE", "M-RoPE"):  # made for 4 dimensions
                continue
            cells = []
            for kind in kinds:
                if kind == "compiled" and head_dim != 4:
                    cells.append("")
                    continue
                try:
                    cells.append(f"{_apart(every_encoding, name, kind, heads):.0e}")
                except Exception as error:
                    cells.append(_brief(error))
            print(f"| {name}, {head_dim} | {' | '.join(cells)} |")


def _apart(every_encoding, name, kind, heads):
    width, length, random = every_encoding.D_MODEL, 12, every_encoding.random
    x, *weights = random(2, length, width), *(random(width, width, seed=s) / 2 for s in (1, 2, 3))
    weights = [w * (2 / width**0.5) for w in weights]

    def run(encoding, x, weights, positions, mask, cache=None):
        options = {"num_heads": heads, "encoding": encoding, "positions": positions, "mask": mask}
        return attend(x, *weights, cache=cache, **options)

    def gradients(dtype, device, call=run, wrapped=False):
        def tensor(array, follow=False):
            x = torch.tensor(array, device=device)
            return x.to(dtype).requires_grad_(follow) if x.is_floating_point() else x

        if wrapped:
            made = every_encoding.ENCODINGS[name](torch.tensor)
            encoding = posviz.EncodingModule(made).to(device)()
        else:
            encoding = every_encoding.ENCODINGS[name](tensor)
        tokens, ws = tensor(x, True), [tensor(w, True) for w in weights]
        places = torch.arange(length, device=device)
        mask = posviz.causal_mask(places, places)
        if kind == "padded":
            sizes = torch.tensor([length, length - 5], device=device)
            mask = mask & posviz.padding_mask(sizes, length)
        if kind == "token by token" and device == DEVICE:
            cache, parts = KeyValueCache(), []
            for at in range(length):
                row = places[at : at + 1]
                parts.append(call(encoding, tokens[:, at : at + 1], ws, row, None, cache))
            y = torch.cat(parts, dim=1)
        else:
            y = call(encoding, tokens, ws, places, mask)
        return y.detach(), *torch.autograd.grad(y.square().sum(), (tokens, *ws))

    wanted = gradients(torch.float64, "cpu")
    call = run
    if kind == "compiled":
        torch.compiler.reset()
        call = torch.compile(run, fullgraph=True)
    dtype = {"float32": torch.float32, "bfloat16": torch.bfloat16}.get(kind, torch.float64)
    found = gradients(dtype, DEVICE, call, kind == "module")
    return max(map(_error, (x.cpu() for x in found), wanted))
