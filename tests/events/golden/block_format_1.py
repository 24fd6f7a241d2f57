"""Writes the golden block of format 1 from docs/log_format.md, with nothing of the program: struct and hashlib alone.

Its output stands in block_format_1.hex. Format 1 never changes; another format gets files of its own.
"""
import hashlib
import struct

LOG_ID = bytes(range(16))
BOOT_ID = b"3b0d3a52-94b6-4bd2-a4ee-2b5b2f0d8c11"
DIGEST = bytes(range(100, 116))
PREVIOUS = bytes(range(200, 232))
FIRST = 41
ENTRIES = [  # at, principal, input, bulk, events
    (1_800_000_000_000_001, b"loopback", b"\x0a\x03one", False, b"\x12\x01e"),
    (1_800_000_000_000_002, b"spiffe://pool.example/test/worker/w-1", b"\x0a\x06report", True, b""),
    (1_800_000_000_000_002, b"controller", b"", False, b"\x12\x02ff"),
    (1_800_000_000_000_009, b"", b"", True, b"\x12\x03ggg"),
]


def sha(data):
    return hashlib.sha256(data).digest()


def text(data):
    return struct.pack("<I", len(data)) + data


def main():
    header = (struct.pack("<I", 1) + LOG_ID + struct.pack("<QIqI", FIRST, len(ENTRIES), 123_456_789, 7) + DIGEST
              + text(BOOT_ID))
    entries, bulk, hashes = b"", b"", b""
    for index, (at, principal, body, is_bulk, events) in enumerate(ENTRIES):
        entry_hash = sha(struct.pack("<Qq", FIRST + index, at) + text(principal) + sha(body) + sha(events))
        entries += struct.pack("<Bq", is_bulk, at) + text(principal) + struct.pack("<I", len(body))
        entries += sha(body) if is_bulk else body
        entries += text(events) + entry_hash[:4]
        bulk += body if is_bulk else b""
        hashes += entry_hash
    bulk = struct.pack("<I", sum(1 for entry in ENTRIES if entry[3])) + bulk
    block = header + PREVIOUS + struct.pack("<II", len(bulk), len(entries)) + entries + sha(PREVIOUS + header + hashes)
    for name, value in (("block", block), ("bulk", bulk)):
        print(name)
        digits = value.hex()
        for start in range(0, len(digits), 64):
            print(digits[start:start + 64])


main()
