"""Files and folders are written atomically; files of tensors have the same bytes for the same content."""

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

from nobi.errors import NobiError
from nobi.storage import atomic_folder, atomic_write, make_writable_folder, save_tensors


def test_a_file_is_complete_or_absent(tmp_path):
    target = tmp_path / "file"
    atomic_write(target, b"first")
    atomic_write(target, b"second")
    assert target.read_bytes() == b"second"
    with pytest.raises(TypeError):
        atomic_write(target, "no bytes")
    assert target.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["none/file", "folder"])
def test_a_file_that_cannot_be_written(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(NobiError, match=f"{name}' cannot be written"):
        atomic_write(tmp_path / name, b"")
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]


def test_a_folder_that_cannot_be_written_to(tmp_path):
    assert make_writable_folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(NobiError, match="cannot be written to"):
        make_writable_folder(tmp_path / "file" / "below")


def write_folder(path, text, *, replace, error=None):
    with atomic_folder(path, replace=replace) as folder:
        (folder / "file").write_text(text)
        if error:
            raise error


def test_a_folder_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "above" / "folder"
    write_folder(path, "first", replace=False)
    with pytest.raises(NobiError, match="cannot be written"):
        write_folder(path, "second", replace=False)
    assert (path / "file").read_text() == "first"
    write_folder(path, "third", replace=True)
    assert (path / "file").read_text() == "third"
    assert list(path.parent.iterdir()) == [path]


def test_an_exception_keeps_the_old_folder(tmp_path):
    path = tmp_path / "folder"
    write_folder(path, "first", replace=True)
    with pytest.raises(KeyError):
        write_folder(path, "second", replace=True, error=KeyError)
    assert (path / "file").read_text() == "first"
    with pytest.raises(KeyError):
        write_folder(tmp_path / "new" / "folder", "second", replace=False, error=KeyError)
    assert list(tmp_path.iterdir()) == [path]


def test_a_replacement_that_was_killed_between_its_renames(tmp_path):
    path = tmp_path / "folder"
    write_folder(path, "first", replace=True)
    path.rename(tmp_path / ".folder.replaced")
    (tmp_path / ".folder.unfinished-x").mkdir()
    with pytest.raises(NobiError, match="cannot be written"):
        write_folder(path, "second", replace=False)
    assert (path / "file").read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_the_same_content_is_the_same_bytes(tmp_path):
    tensors = {"b": np.arange(6, dtype=np.float32).reshape(2, 3), "a": np.array([1.5, np.nan])}
    texts = {name: f'{name} 方 "quoted"' for name in "hgfedcba"}
    contents = set()
    for i in range(20):  # the library alone would write the texts in a varying order
        order = np.random.default_rng(i).permutation(list(texts))
        save_tensors(tmp_path / "file", tensors, {str(name): texts[name] for name in order})
        contents.add((tmp_path / "file").read_bytes())
    assert len(contents) == 1
    [content] = contents
    assert int.from_bytes(content[:8], "little") % 8 == 0
    found = load_file(tmp_path / "file")
    assert found.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert found[name].dtype == tensor.dtype
        np.testing.assert_array_equal(found[name], tensor)
    with safe_open(tmp_path / "file", "numpy") as file:
        assert file.metadata() == texts
