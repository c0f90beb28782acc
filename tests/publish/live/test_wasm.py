"""A module that is cut, run beside the whole one by another program."""

import subprocess

import pytest
from deno import find_deno_bin

from posviz_tools.publish.live.wasm import cut

# Six functions without arguments that give a number: (called by address, body); 0 is imported.
CONSTANT = b"\x41\x05"  # 5
BODIES = [
    (False, b"\x41\x2a\x28\x02\x00\x10\x02\x6a"),  # 1: what lies at 42, and function 2
    (False, b"\x02\x40\x41\x00\x0e\x01\x00\x00\x0b\x10\x03"),  # 2: a jump by a table, then 3
    (False, CONSTANT),
    (True, CONSTANT),  # 4
    (True, CONSTANT),  # 5
    (False, b"\x10\x04"),  # 6: it calls 4, and nothing calls it
]
RUN = """
const bytes = new Uint8Array(await new Response(Deno.stdin.readable).arrayBuffer());
const { instance } = await WebAssembly.instantiate(bytes, { a: { b: () => 1 } });
const { first, table, memory } = instance.exports;
const tried = [first, table.get(1), table.get(2)].map((call) => {
  try { return call(); } catch (error) { return error.message; }
});
console.log(JSON.stringify([...tried, ...new Uint8Array(memory.buffer, 40, 8)]));
"""


def sized(data):
    return bytes([len(data)]) + data


def section(kind, *entries):
    return bytes([kind]) + sized(bytes([len(entries)]) + b"".join(entries))


def module():
    """A module whose table has functions 4 and 5, and whose memory has 1 to 8 from place 40 on."""
    name = (
        sized(b"first") + b"\x00\x01",
        sized(b"table") + b"\x01\x00",
        sized(b"memory") + b"\x02\x00",
    )
    bodies = [sized(b"\x00" + body + b"\x0b") for _, body in BODIES]
    addressed = bytes(n for n, (has_address, _) in enumerate(BODIES, 1) if has_address)
    return b"".join(
        (
            b"\0asm\1\0\0\0",
            b"\x00" + sized(sized(b"name") + b"for debuggers"),
            section(1, b"\x60\x00\x01\x7f"),
            section(2, sized(b"a") + sized(b"b") + b"\x00\x00"),
            section(3, *[b"\x00"] * len(BODIES)),
            section(4, b"\x70\x00\x03"),
            section(5, b"\x00\x01"),
            section(7, *name),
            section(9, b"\x00\x41\x01\x0b" + sized(addressed)),
            section(10, *bodies),
            section(11, b"\x00\x41\x28\x0b" + sized(bytes(range(1, 9)))),
        )
    )


@pytest.mark.slow("a process")
def test_a_cut_module_has_what_is_reached_and_traps_elsewhere():
    whole, made = module(), cut(module(), [range(5, 7)], [range(41), range(46, 100)])
    found = []
    for each in (whole, made):
        done = subprocess.run([find_deno_bin(), "eval", RUN], input=each, capture_output=True)
        found.append(done.stdout.decode())
    assert found[0] == "[100992008,5,5,1,2,3,4,5,6,7,8]\n", done.stderr
    assert found[1] == '[100992008,"unreachable",5,0,2,3,4,5,6,0,0]\n'
    assert b"debuggers" not in made


def test_an_instruction_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="0xff"):
        cut(module().replace(b"\x10\x03", b"\xff\x03"), [], [])
