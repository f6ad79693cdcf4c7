"""Failed comparisons inside the shared helpers are explained as fully as those inside the tests."""

import pytest

pytest.register_assert_rewrite("helpers")
