"""Complete imports: stored data, the same bytes for any number of workers, and no partial results."""

import io
import json
import lzma
import os
import re
import signal
import subprocess
import sys
import tarfile
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.making import image, line_of, random_sgf
from nobi.errors import NobiError
from nobi.records import importing
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection, select
from nobi.records.dataset import SPLITS, Dataset, check_split_alike
from nobi.records.importing import import_records
from nobi.records.settings import ImportSettings
from nobi.records.sgf_reader import parse_sgf


def lines(count, seed=0, sizes=(9, 13, 9, 19, 5)):
    rng = np.random.default_rng(seed)
    ranks = ["3k", "2d", "9p", "?"]
    return [
        random_sgf(
            rng,
            sizes[i % len(sizes)],
            12 + i % 7,
            BR=ranks[i % 4],
            WR=ranks[i % 3],
            DT=f"{1990 + i % 20}-05-01",
            KM="6.5",
        )
        for i in range(count)
    ]


def imported(tmp_path, *texts, name="data", **keywords):
    source = tmp_path / f"{name}.sgfl"
    source.write_bytes(b"\n".join(texts))
    import_records([source], tmp_path / name, ImportSettings(**keywords))
    return Dataset.open(tmp_path / name)


def as_games(collection):
    """Every game as a tuple of plain things."""
    return [
        (
            int(collection.size[i]),
            tuple(collection.moves[collection.start[i] : collection.start[i + 1]].tolist()),
            tuple(collection.setup[collection.setup_start[i] : collection.setup_start[i + 1]].tolist()),
            *(str(getattr(collection, name)[i]) for name in Collection._fields[5:]),
        )
        for i in range(len(collection.size))
    ]


def as_game(record):
    return (
        record.size,
        tuple(record.moves.tolist()),
        tuple(record.setup.tolist()),
        str(record.black_rank),
        str(record.white_rank),
        str(np.float32(record.komi)),
        str(record.handicap),
        str(record.result),
        record.date[:4] or "0",
    )


def all_bytes(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_games_are_unchanged_after_an_import(tmp_path):
    texts = lines(60)
    dataset = imported(tmp_path, *texts)
    parts = {split: as_games(dataset.collection(split)) for split in SPLITS}
    expected = [as_game(record) for text in texts for record in parse_sgf(text)]
    assert sorted(game for games in parts.values() for game in games) == sorted(expected)
    for split, games in parts.items():
        assert [game[0] for game in games] == sorted(game[0] for game in games)  # sorted by size …
        for size in {game[0] for game in games}:
            kept = [game for game in expected if game in games and game[0] == size]
            assert as_games(dataset.collection(split, size)) == kept  # … in the order of the source
    assert dataset.manifest["games"] == 60
    assert dataset.manifest["splits"]["train"]["games"] == len(parts["train"])
    dataset.verify()


MOVES = st.lists(st.none() | st.integers(0, 80), min_size=1, max_size=20, unique=True)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(MOVES, min_size=1, max_size=6), st.sampled_from(["", "3d", "7k"]), st.sampled_from(["0", "6.5"]))
def test_round_trips(tmp_path_factory, games, rank, komi):
    """Accepted games are unchanged; rejected ones are listed."""
    folder = tmp_path_factory.mktemp("trip")
    texts = [line_of(cells, 9, BR=rank, KM=komi) for cells in games]
    try:
        dataset = imported(folder, *texts)
    except NobiError as error:
        assert str(error).startswith(f"All {len(texts)} records" if len(texts) > 1 else "The only record")  # noqa: PT017
        return
    stored = [game for split in SPLITS for game in as_games(dataset.collection(split))]
    lost = {line["index"] for line in dataset.rejected()}
    kept = [as_game(next(parse_sgf(text))) for i, text in enumerate(texts, 1) if i not in lost]
    assert sorted(stored) == sorted(kept)
    assert len(stored) + len(lost) == len(texts)


def test_the_same_bytes_for_any_number_of_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "_WORTH_A_PROCESS", 0)
    texts = lines(300)
    texts[100:100] = [b"(;SZ[9];B[aa];W[aa])", texts[3], b"(;GM[2];B[aa])"]
    source = tmp_path / "games.sgfl"
    source.write_bytes(b"\n".join(texts))
    states = []
    for workers in (1, 2):
        import_records([source, source], tmp_path / f"out{workers}", workers=workers, progress=states.append)
    assert all_bytes(tmp_path / "out1") == all_bytes(tmp_path / "out2")
    assert states[-1].bytes_read == states[-1].bytes == 2 * source.stat().st_size
    assert states[-1].records == 606


def test_every_rejected_record_is_listed(tmp_path):
    good = lines(3)
    bad = {
        b"(;SZ[9];B[aa];W[b": "truncated",
        b"\x00\x01\x02\x03": "not-sgf",
        b"(;CA[UTF-8]SZ[9]PB[\xff\xff];B[aa])": "wrong-encoding",
        b"(;GM[4]SZ[15];B[hh])": "wrong-game",
        b"(;SZ[18];B[aa])": "filtered-size",
        b"(;SZ[99];B[aa])": "board-size",
        b"(;SZ[9];B[aa];W[bb];B[bb];W[cc])": "illegal-move",
        b"(;SZ[9];B[aa];W[xx])": "bad-point",
        b"(;SZ[9]AB[aa];B[bb];AW[cc];B[dd])": "set-up",
        b"(;SZ[9])": "no-moves",
        b"(;SZ[9];B[aa];!)": "malformed",
        good[0]: "duplicate",
    }
    dataset = imported(tmp_path, *good, *bad, sizes=(5, 9, 13, 19))
    rejected = dataset.rejected()
    assert [(line["index"], line["record"], line["kind"]) for line in rejected] == [
        (i, f"line {i}", kind) for i, kind in enumerate(bad.values(), 4)
    ]
    assert all(line["source"].endswith("data.sgfl") and line["reason"].endswith(".") for line in rejected)
    assert dataset.manifest["rejected"] == dict.fromkeys(sorted(bad.values()), 1)
    assert dataset.manifest["records"] == len(good) + len(bad)
    assert re.search("Move 3, black at B8", str(rejected))


@pytest.mark.parametrize(
    ("duplicates", "kept", "kinds"),
    [
        ("remove", 1, {"duplicate": 2, "symmetric-duplicate": 7}),
        ("remove-exact", 8, {"duplicate": 2}),
        ("keep", 10, {}),
    ],
)
def test_duplicates(tmp_path, duplicates, kept, kinds):
    cells = [1, 40, 12, 33, 60]
    texts = [line_of([image(cell, 9, s) for cell in cells], 9, setup=[image(5, 9, s)]) for s in range(8)]
    texts += [texts[0], texts[3].replace(b")", b";W[];B[])")]
    dataset = imported(tmp_path, *texts, duplicates=duplicates)
    assert dataset.manifest["games"] == kept
    assert dataset.manifest["rejected"] == kinds
    assert sum(dataset.manifest["splits"][split]["games"] > 0 for split in SPLITS) == 1  # all images in one split


def test_a_game_keeps_its_split(tmp_path):
    texts = lines(120)
    few = imported(tmp_path, *texts[::-2], name="few")
    many = imported(tmp_path, *texts, *lines(50, seed=9), name="many")
    for split in SPLITS:
        assert set(as_games(few.collection(split))) <= set(as_games(many.collection(split)))
    other = imported(tmp_path, *texts[::-2], name="other", seed=1)
    assert set(as_games(few.collection("test"))) != set(as_games(other.collection("test")))


def test_several_sources_and_several_games_in_a_file(tmp_path):
    a, b, c = lines(3)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "two.sgf").write_bytes(a + b"\n" + b)
    (tmp_path / "three.sgf").write_bytes(c)
    manifest = import_records([tmp_path / "one", tmp_path / "three.sgf"], tmp_path / "out")
    assert [(source["files"], source["records"]) for source in manifest["sources"]] == [(1, 2), (1, 1)]
    assert all(re.fullmatch("[0-9a-f]{64}", source["sha256"]) for source in manifest["sources"])
    assert manifest["games"] == 3


def test_collections_of_a_dataset(tmp_path):
    one = imported(tmp_path, *lines(40), name="one", shares=(1, 0, 0))
    whole = one.collection("train")
    assert one.sizes("train").keys() == {5, 9, 13, 19}
    nines = np.flatnonzero(whole.size == 9)
    assert as_games(select(whole, nines)) == as_games(one.collection("train", 9))
    assert as_games(select(whole, nines[::-1])) == as_games(select(whole, nines))[::-1]
    assert len(one.collection("test").size) == 0
    assert as_games(one.collection("train", 7)) == []


def test_datasets_that_were_split_differently_are_not_mixed(tmp_path):
    one = imported(tmp_path, *lines(20), name="one")
    alike = imported(tmp_path, *lines(20, seed=1), name="alike")
    check_split_alike([one, alike])
    for name, keywords in (("seed", {"seed": 1}), ("shares", {"shares": (50, 25, 25)})):
        other = imported(tmp_path, *lines(20), name=name, **keywords)
        with pytest.raises(NobiError, match="split by different seeds or shares"):
            check_split_alike([one, other])


def test_a_damaged_file_in_a_tar_does_not_affect_the_others(tmp_path):
    a, b, c = (line.strip() for line in lines(3))
    packed = lzma.compress(b + b"\n")
    with tarfile.open(tmp_path / "games.tar", "w") as archive:
        for name, content in (("a.sgf", a), ("b.sgfl.xz", packed[: len(packed) // 2]), ("c.sgf", c)):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    manifest = import_records([tmp_path / "games.tar"], tmp_path / "out")
    assert manifest["games"] == 2
    [error] = Dataset.open(tmp_path / "out").rejected()
    assert error["record"].startswith("b.sgfl.xz")


def test_arrays_are_mapped_and_read_only(tmp_path):
    games = imported(tmp_path, *lines(10), shares=(1, 0, 0)).collection("train")
    assert isinstance(games.moves.base, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        games.moves[0] = 1
    assert games.moves.dtype == np.uint16
    assert ((games.moves & PASS_CODE) <= PASS_CODE).all()
    assert (games.moves & WHITE_BIT).any()


# --- existing data are kept, and no partial results are written ----------------------------------------------------


def test_an_existing_dataset_is_not_overwritten(tmp_path):
    imported(tmp_path, *lines(5))
    before = all_bytes(tmp_path / "data")
    source = tmp_path / "new.sgfl"
    source.write_bytes(lines(1, seed=4)[0])
    with pytest.raises(NobiError, match="exists; --force replaces it"):
        import_records([source], tmp_path / "data")
    assert all_bytes(tmp_path / "data") == before
    import_records([source], tmp_path / "data", force=True)
    assert Dataset.open(tmp_path / "data").manifest["games"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "data.sgfl", "new.sgfl"]


def test_a_folder_that_is_not_a_dataset_is_never_replaced(tmp_path):
    source = tmp_path / "new.sgfl"
    source.write_bytes(lines(1)[0])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    for name in ("mine", "new.sgfl"):
        with pytest.raises(NobiError, match="is not a dataset"):
            import_records([source], tmp_path / name, force=True)
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    (tmp_path / "empty").mkdir()
    import_records([source], tmp_path / "empty")
    assert Dataset.open(tmp_path / "empty").manifest["games"] == 1


def test_a_failed_import_leaves_no_folders(tmp_path):
    (tmp_path / "broken.sgf").write_text("(;GM[1]SZ[9]")
    (tmp_path / "kept").mkdir()
    for out in ("new/deeper/data", "kept/new/data", "new/" + 300 * "a"):
        with pytest.raises(NobiError):
            import_records([tmp_path / "broken.sgf"], tmp_path / out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.sgf", "kept"]
    assert not list((tmp_path / "kept").iterdir())


def test_a_failed_replacement_keeps_the_old_dataset(tmp_path):
    imported(tmp_path, *lines(5))
    before = all_bytes(tmp_path / "data")
    (tmp_path / "bad.sgfl").write_bytes(b"(;GM[4];B[aa])\n(;GM[4];B[aa])\nhello")
    with pytest.raises(NobiError, match=r"All 3 records were rejected \(wrong-game 2, not-sgf 1\)"):
        import_records([tmp_path / "bad.sgfl"], tmp_path / "data", force=True)

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_records([tmp_path / "data.sgfl"], tmp_path / "data", force=True, progress=interrupt)
    assert all_bytes(tmp_path / "data") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.sgfl", "data", "data.sgfl"]


PROGRAM = """
import sys
from pathlib import Path
from nobi.records import importing
importing._WORTH_A_PROCESS = 0
def tell(state):
    print(state.records, flush=True)
if __name__ == "__main__":
    importing.import_records([Path(sys.argv[1])] * 200, Path(sys.argv[2]), workers=2, force=True, progress=tell)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_an_import_that_is_killed(tmp_path, how):
    (tmp_path / "program.py").write_text(PROGRAM)
    folder = tmp_path / "place"
    folder.mkdir()
    source = tmp_path / "games.sgfl"
    source.write_bytes(b"\n".join(lines(300)))
    import_records([source], folder / "data")
    before = all_bytes(folder / "data")
    command = [sys.executable, str(tmp_path / "program.py"), str(source), str(folder / "data")]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, text=True
    )
    assert process.stdout.readline().strip()
    assert any(path.name.startswith(".data.unfinished") for path in folder.iterdir())
    if how == signal.SIGINT:
        os.killpg(process.pid, how)  # as a terminal does
        assert process.stderr.read().count("Traceback") == 1  # the workers print nothing
    else:
        process.send_signal(how)
    assert process.wait() != 0
    assert all_bytes(folder / "data") == before
    deadline = time.monotonic() + 20
    while _members(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _members(process.pid)  # the workers have ended, too
    if how == signal.SIGINT:
        assert [path.name for path in folder.iterdir()] == ["data"]
    import_records([source], folder / "data", force=True)  # removes the remains
    assert [path.name for path in folder.iterdir()] == ["data"]
    assert all_bytes(folder / "data") == before


def _members(session):
    """The live processes of a session."""
    found = []
    for entry in os.listdir("/proc"):  # noqa: PTH208
        if entry.isdigit():
            try:
                if os.getsid(int(entry)) == session and "Z" not in _state(entry):
                    found.append(entry)
            except OSError:
                pass
    return found


def _state(process):
    with open(f"/proc/{process}/stat") as stat:  # noqa: PTH123
        return stat.read().rpartition(")")[2].split()[0]


def test_of_two_simultaneous_imports_the_first_wins(tmp_path):
    (tmp_path / "a.sgfl").write_bytes(b"\n".join(lines(300)))
    within = []

    def again(_):
        if not within:
            within.append(import_records([tmp_path / "a.sgfl"], tmp_path / "data"))

    with pytest.raises(NobiError, match="not empty"):
        import_records([tmp_path / "a.sgfl"], tmp_path / "data", progress=again)
    assert Dataset.open(tmp_path / "data").manifest == within[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sgfl", "data"]


# --- datasets that cannot be read ---------------------------------------------------------------------------------


def _edit(**changes):
    def change(folder):
        path = folder / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_edit(version=2), "has format version 2, and this program reads version 1"),
        (_edit(format="cake"), "is not a dataset"),
        (_edit(files={}), "damaged: manifest.json does not list its files"),
        (lambda folder: (folder / "manifest.json").unlink(), "is not a dataset: it has no manifest.json"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "damaged: manifest.json cannot be read"),
        (lambda folder: (folder / "train" / "moves.npy").unlink(), "damaged: train/moves.npy is missing"),
        (lambda folder: (folder / "train" / "moves.npy").write_bytes(b"x"), "damaged: train/moves.npy has 1 bytes"),
        (lambda folder: _flip(folder / "train" / "moves.npy", 0), "damaged: train/moves.npy cannot be read"),
        (lambda folder: _flip(folder / "train" / "start.npy", 128), "damaged: the arrays of train are inconsistent"),
        (lambda folder: _flip(folder / "train" / "size.npy", 128), "damaged: the arrays of train are inconsistent"),
    ],
)
def test_datasets_that_cannot_be_read(tmp_path, change, message):
    dataset = imported(tmp_path, *lines(5), shares=(1, 0, 0))
    change(dataset.path)
    with pytest.raises(NobiError, match=re.escape(message)):
        Dataset.open(dataset.path).collection("train")


def _flip(path, at):
    content = bytearray(path.read_bytes())
    content[at] ^= 0xFF
    path.write_bytes(content)


def test_a_change_that_only_the_hash_detects(tmp_path):
    dataset = imported(tmp_path, *lines(5), shares=(1, 0, 0))
    _flip(dataset.path / "train" / "moves.npy", -1)
    with pytest.raises(NobiError, match=r"damaged: train/moves\.npy has been changed"):
        Dataset.open(dataset.path).verify()


def test_other_things_that_cannot_be_opened(tmp_path):
    with pytest.raises(NobiError, match="There is no dataset"):
        Dataset.open(tmp_path / "nowhere")
    with pytest.raises(NobiError, match="no split 'exam'; choose one of train"):
        imported(tmp_path, *lines(2)).collection("exam")
    (tmp_path / "file").write_text("")
    with pytest.raises(NobiError, match="cannot be written"):
        import_records([tmp_path / "data.sgfl"], tmp_path / "file" / "below")


def test_every_file_name_can_be_reported(tmp_path):
    """Names from other systems may not be UTF-8; with several files the message names the file."""
    folder = tmp_path / "M\udcfcller"
    folder.mkdir()
    game = b"(;SZ[9];B[ee];W[ef])"
    (folder / "a\udcfc.sgf").write_bytes(game)
    (folder / "b.sgf").write_bytes(game)
    (folder / "c\udcfc.sgf").write_bytes(game[:-1])
    (tmp_path / "alone.sgf").write_bytes(game)
    with tarfile.open(tmp_path / "records.tar", "w", format=tarfile.GNU_FORMAT) as archive:
        archive.add(folder / "c\udcfc.sgf", "d\udcfc.sgf")
    import_records([folder, tmp_path / "alone.sgf", tmp_path / "records.tar"], tmp_path / "data")
    dataset = Dataset.open(tmp_path / "data")
    assert [line["record"] for line in dataset.rejected()] == ["b.sgf", "c\\xfc.sgf", "", "d\\xfc.sgf"]
    reasons = [line["reason"].replace(f"{tmp_path}/", "") for line in dataset.rejected()]
    assert reasons[0] == reasons[2] == "It is the same game as a\\xfc.sgf of M\\xfcller."
    (tmp_path / "alone.sgf").write_bytes(game[:-2])
    with pytest.raises(NobiError, match=r"alone.sgf, was rejected .*: It ends in the middle"):
        import_records([tmp_path / "alone.sgf"], tmp_path / "other")
