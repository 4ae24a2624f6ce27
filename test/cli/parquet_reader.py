"""Reads Parquet files of plain, uncompressed, required doubles, from the format's description alone (parquet.thrift, Thrift's compact protocol)."""
import struct
import zlib


class Thrift:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def integer(self):
        value = self.varint()
        return value >> 1 if value % 2 == 0 else -(value >> 1) - 1

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            return self.integer()
        if kind == 8:
            n = self.varint()
            self.at += n
            return self.data[self.at - n:self.at]
        if kind == 9:
            head = self.byte()
            n = head >> 4 if head < 0xF0 else self.varint()
            return [self.value(head & 15) for _ in range(n)]
        if kind == 12:
            return self.struct()
        raise ValueError(f"type {kind}")

    def struct(self):
        fields, number = {}, 0
        while (head := self.byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self.integer()
            assert number not in fields
            fields[number] = self.value(head & 15)
        return fields


def read_chunk(data, chunk, n_rows, name):
    meta = chunk[3]
    assert (meta[1], meta[4], meta[5], meta[3]) == (5, 0, n_rows, [name]), meta
    assert 0 in meta[2] and meta[6] == meta[7]
    thrift = Thrift(data, meta[9])
    head = thrift.struct()
    page = data[thrift.at:thrift.at + head[3]]
    assert thrift.at + head[3] - meta[9] == meta[7]
    assert (head[1], head[2], head[5][1], head[5][2]) == (0, head[3], n_rows, 0), head
    assert head[4] % 2**32 == zlib.crc32(page)
    return meta[9], struct.unpack(f"<{n_rows}d", page), meta[7]


def read(data):
    """Names, columns, units by name, numbers of rows of the groups."""
    assert data[:4] == data[-4:] == b"PAR1"
    size = struct.unpack("<I", data[-8:-4])[0]
    thrift = Thrift(data, len(data) - 8 - size)
    meta = thrift.struct()
    assert thrift.at == len(data) - 8
    root, *leaves = meta[2]
    assert root[5] == len(leaves) and all(leaf[1] == 5 and leaf[3] == 0 for leaf in leaves)
    names = [leaf[4] for leaf in leaves]
    columns, at = [[] for _ in names], 4
    for group in meta[4]:
        sizes = 0
        for name, column, chunk in zip(names, columns, group[1], strict=True):
            offset, values, n_bytes = read_chunk(data, chunk, group[3], name)
            assert offset == at  # nothing lies between the columns
            column.extend(values)
            at += n_bytes
            sizes += n_bytes
        assert sizes == group[2]
    assert at == len(data) - 8 - size and all(len(c) == meta[3] for c in columns)
    units = {pair[1].decode(): pair[2].decode() for pair in meta[5]}
    return [n.decode() for n in names], columns, units, [g[3] for g in meta[4]]
