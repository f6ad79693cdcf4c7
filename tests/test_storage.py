"""Files and folders that are written."""

import pytest

from nobi.errors import NobiError
from nobi.storage import atomic_write, make_writable_folder


def test_a_file_is_whole_or_not_there(tmp_path):
    target = tmp_path / "file"
    atomic_write(target, b"first")
    atomic_write(target, b"second")
    assert target.read_bytes() == b"second"
    with pytest.raises(TypeError):
        atomic_write(target, "no bytes")
    assert target.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_cannot_be_written_to(tmp_path):
    assert make_writable_folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(NobiError, match="cannot be written to"):
        make_writable_folder(tmp_path / "file" / "below")
