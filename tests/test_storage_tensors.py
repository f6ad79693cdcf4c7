"""Files of tensors: the same content is the same bytes, and the library reads them back."""

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file

from nobi.storage import save_tensors


def test_the_same_content_is_the_same_bytes(tmp_path):
    tensors = {"b": np.arange(6, dtype=np.float32).reshape(2, 3), "a": np.array([1.5, np.nan])}
    texts = {name: f'{name} 方 "quoted"' for name in "hgfedcba"}
    contents = set()
    for i in range(20):  # the library alone would write the texts in another order almost every time
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
