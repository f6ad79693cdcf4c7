"""Records from folders, files and archives."""

import hashlib
import io
import lzma
import tarfile
import zipfile

import pytest

from nobi.errors import NobiError
from nobi.records import sources
from nobi.records.sources import Source, find_sources

A, B, C = b"(;SZ[9];B[aa])", b"(;SZ[9];B[bb])", b"(;SZ[9];B[cc])"
LINES = A + b"\n\n" + B + b"\n" + C  # the last line lacks its end


def tar_bytes(members, mode):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def zip_bytes(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


MEMBERS = {"z/one.sgf": A, "readme.txt": b"no", "two.SGF": B, "rest.sgfl": LINES, "more.sgfl.xz": lzma.compress(LINES)}
INSIDE = [
    ("z/one.sgf", A),
    ("two.SGF", B),
    *[
        (f"{name} line {number}", text)
        for name in ("rest.sgfl", "more.sgfl.xz")
        for number, text in ((1, A), (3, B), (4, C))
    ],
]


def read(source):
    return [(raw.name, raw.error.kind if raw.error else raw.content.strip()) for raw in source.records()]


@pytest.mark.parametrize(
    ("name", "content", "records"),
    [
        ("one.sgf", A, [("", A)]),
        ("ONE.SGF", A, [("", A)]),
        ("many.sgfl", LINES, [("line 1", A), ("line 3", B), ("line 4", C)]),
        ("many.sgfl.xz", lzma.compress(LINES), [("line 1", A), ("line 3", B), ("line 4", C)]),
        ("many.zip", zip_bytes(MEMBERS), INSIDE),
        *[
            (f"many.{kind}", tar_bytes(MEMBERS, mode), INSIDE)
            for kind, mode in (
                ("tar", "w"),
                ("tar.gz", "w:gz"),
                ("tgz", "w:gz"),
                ("tar.bz2", "w:bz2"),
                ("tar.xz", "w:xz"),
            )
        ],
    ],
)
def test_files(tmp_path, name, content, records):
    path = tmp_path / name
    path.write_bytes(content)
    source = Source(path)
    assert read(source) == records
    assert source.sha256 == hashlib.sha256(content).hexdigest()
    assert source.bytes == source.bytes_read == len(content)


def test_folders(tmp_path):
    for name, content in {
        "b/two.sgf": B,
        "a/one.sgf": A,
        "a/deep/er/x.zip": zip_bytes({"m.sgf": C}),
        "a/notes.txt": b"",
        ".hidden/x.sgf": A,
        "a/.hidden.sgf": A,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    source = Source(tmp_path)
    assert read(source) == [("a/deep/er/x.zip/m.sgf", C), ("a/one.sgf", A), ("b/two.sgf", B)]
    before = source.sha256
    again = Source(tmp_path)
    read(again)
    assert again.sha256 == before
    (tmp_path / "b" / "two.sgf").rename(tmp_path / "b" / "three.sgf")
    renamed = Source(tmp_path)
    read(renamed)
    assert renamed.sha256 != before


@pytest.mark.parametrize(
    ("name", "content", "good"),
    [
        ("x.zip", b"PK nonsense", 0),
        ("x.zip", zip_bytes(MEMBERS)[:-30], 0),
        ("x.tar.gz", tar_bytes(MEMBERS, "w:gz")[:-40], None),
        ("x.tar.xz", b"nonsense", 0),
        ("x.tar", b"", 0),
        ("x.sgfl.xz", lzma.compress(LINES)[:-20], None),
        ("x.sgfl.xz", b"nonsense", 0),
        ("x.sgfl.xz", b"", 0),
    ],
)
def test_damaged_files(tmp_path, name, content, good):
    (tmp_path / name).write_bytes(content)
    (tmp_path / "y.sgf").write_bytes(C)
    found = read(Source(tmp_path))
    assert found[-1] == ("y.sgf", C)  # the rest is read
    kinds = [content for _, content in found[:-1]]
    if content:
        assert kinds[-1] == "damaged-file"
    if good is not None:
        assert len(kinds) - 1 <= good


def test_a_damaged_member_leaves_the_others(tmp_path):
    content = bytearray(zip_bytes({"a.sgf": A * 20, "b.sgf": B}))
    at = content.index(b"a.sgf") + len("a.sgf")
    content[at + 4] ^= 0xFF
    (tmp_path / "x.zip").write_bytes(content)
    assert read(Source(tmp_path / "x.zip")) == [("a.sgf", "damaged-file"), ("b.sgf", B)]


def test_a_decompression_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MOST_BYTES", 1000)
    bomb = b"(" * 5000
    (tmp_path / "a.zip").write_bytes(zip_bytes({"a.sgf": bomb, "b.sgf": B}))
    (tmp_path / "b.sgf").write_bytes(bomb)
    (tmp_path / "c.sgfl").write_bytes(A + b"\n" + bomb + b"\n" + C)
    assert read(Source(tmp_path)) == [
        ("a.zip/a.sgf", "too-large"),
        ("a.zip/b.sgf", B),
        ("b.sgf", "too-large"),
        ("c.sgfl line 1", A),
        ("c.sgfl line 2", "too-large"),
        ("c.sgfl line 3", C),
    ]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda _: None, "There is no file or folder"),
        (lambda path: path.mkdir(), "There are no records"),
        (lambda path: path.write_text("x"), "not a supported kind of file"),
    ],
)
def test_paths_that_do_not_exist(tmp_path, make, message):
    path = tmp_path / "thing"
    make(path)
    with pytest.raises(NobiError, match=message):
        find_sources([path])


def test_no_paths():
    with pytest.raises(NobiError, match="at least one"):
        find_sources([])
