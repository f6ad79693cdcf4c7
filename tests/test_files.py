"""Files and folders that are written."""

import pytest

from nobi.errors import NobiError
from nobi.storage import ready_folder, write_whole


def test_a_file_is_whole_or_not_there(tmp_path):
    target = tmp_path / "file"
    write_whole(target, b"first")
    write_whole(target, b"second")
    assert target.read_bytes() == b"second"
    with pytest.raises(TypeError):
        write_whole(target, "no bytes")
    assert target.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_cannot_be_written_to(tmp_path):
    assert ready_folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(NobiError, match="cannot be written to"):
        ready_folder(tmp_path / "file" / "below")
