"""The views Learn, Explore and Look inside in a real browser."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.browser import choose_size, click_point, place_of, stones, wait_for_words
from helpers.processes import wait_until
from nobi import games, web
from nobi.models.model import load_model
from nobi.web.evaluation import evaluate_by_model
from nobi.web.review import begin_review, carry_out

pytestmark = pytest.mark.browser

LONG = 240_000
"""Milliseconds to wait for actions that may compile first."""

GAME = (
    b"(;GM[1]FF[4]SZ[5]RU[atari-go]PB[Ada]PW[<script>alert(1)</script>]"
    b";B[cc];W[cb];B[dd];W[bc];B[aa];W[dc];B[ae];W[cd])"
)


def upload(page, content, name="game.sgf"):
    page.locator("input[type=file]").first.set_input_files(
        {"name": name, "mimeType": "application/x-go-sgf", "buffer": content}
    )


def points_of_curve(page):
    return int(page.locator(".plot").first.get_attribute("data-count"))


def test_a_run_is_started_stopped_resumed_saved_and_played(visit, runs_folder):
    page = visit("/learn", ready=".learn")
    page.wait_for_selector("text=No run yet")
    choose_size(page, 5, "board of the run", board=False)
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("text=atari-go-5x5-mdlstm-1")
    page.wait_for_function("() => Number(document.querySelector('.plot').dataset.count) >= 2", timeout=LONG)
    before = points_of_curve(page)
    page.reload()  # the run continues meanwhile
    page.wait_for_function(
        "before => Number((document.querySelector('.plot') || {dataset: {}}).dataset.count) > before",
        arg=before,
        timeout=LONG,
    )
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Resume").wait_for(timeout=LONG)
    done = len((runs_folder / "atari-go-5x5-mdlstm-1" / "metrics.jsonl").read_text().splitlines())
    page.get_by_role("button", name="Resume").click()
    page.wait_for_function(
        "done => Number(document.querySelector('.plot').dataset.count) > done", arg=done, timeout=LONG
    )
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Resume").wait_for(timeout=LONG)
    # the champion plays on its own board and on a large one
    for board, size in ((0, 5), (1, 19)):
        page.wait_for_function(
            "([board, size]) => { const e = document.querySelectorAll('.nb')[board];"
            " return Number(e.dataset.size) === size && /[bw]/.test(e.dataset.stones); }",
            arg=[board, size],
            timeout=LONG,
        )
    page.get_by_role("button", name="Save as a model").click()
    page.get_by_role("dialog").get_by_role("textbox", name="name").fill("../evil")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    page.wait_for_selector("text=A name has up to 40 letters")
    page.get_by_role("dialog").get_by_role("textbox", name="name").fill("mine-1")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    page.wait_for_selector("text=Saved. It is listed under Models")
    page.get_by_role("button", name="Play against it").click()
    page.wait_for_selector('.nb[data-size="5"]')
    assert "atari-go-5x5-mdlstm-1" in page.locator(".players").inner_text()
    click_point(page, "C3")
    wait_for_words(page, r"Your move \(Black\)|wins")
    page.get_by_role("link", name="Models").click()
    page.wait_for_selector("text=trained here and saved")


def test_a_run_of_the_command_line_appears_and_grows(visit, runs_folder):
    page = visit("/learn", ready=".learn")
    command = [sys.executable, "-m", "nobi", "evolve", str(runs_folder / "by-hand"), "--sizes", "5", "--games", "20"]
    command += ["--net", "mdlstm:hidden=3", "--method", "es", "--generations", "20", "--threads", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        row = page.locator(".run", has_text="by-hand")
        row.wait_for(timeout=LONG)
        row.click()
        page.wait_for_selector(".run.on:has-text('by-hand')")
        page.wait_for_function("() => Number(document.querySelector('.plot').dataset.count) === 20", timeout=LONG)
        page.wait_for_selector("text=generation 20 of 20 · finished")
    finally:
        process.wait(LONG / 1000)


def test_a_game_is_reviewed(visit):
    page = visit("/explore", ready=".list-link")
    for content, sentence in (
        (b"<script>alert(1)</script>", "This file is not an SGF game"),
        (b"", "This file is not an SGF game"),
        (b"(" * 50_000, "This file is not an SGF game"),
        (b"(;SZ[9])", "There is no move to review"),
        (b"(;C[" + b"x" * 2_000_000 + b"])", "Choose an SGF file of up to 1 MB"),
    ):
        upload(page, content)
        page.wait_for_selector(f"text={sentence}")
        page.wait_for_selector(f"text={sentence}", state="detached")
    upload(page, GAME)
    page.wait_for_selector("text=Ada against <script>alert(1)</script>, Atari-Go 5×5")
    assert page.locator(".blunder:visible").count() == 0  # nothing is computed without a request
    page.get_by_label("reviewer").click()
    page.get_by_role("option", name="Search without a network").click()
    page.get_by_role("button", name="Review", exact=True).click()
    page.get_by_role("button", name="Save with comments").wait_for(timeout=LONG)
    session, review = begin_review(GAME, "")
    carry_out(session, review, None, 200)
    ours = [f"{one.number} {one.move}" for one in review.blunders()]
    assert page.locator(".blunder-move").all_inner_texts() == ours
    losses = [text.replace("−", "-") for text in page.locator(".blunder .loss").all_inner_texts()]
    assert losses == [f"{-one.loss:.1f}" for one in review.blunders()]
    worst = review.blunders()[0]
    page.locator(".blunder").first.click()
    wait_for_words(page, f"Move {worst.number}: {worst.colour} plays {worst.move}")
    assert page.locator(".nb-loss text").text_content() == f"−{worst.loss:.1f}"
    assert page.locator(".nb-tried").count() == 1
    assert page.locator(".nb-best").count() == 1
    both = 100 * review.agreement()
    assert f"{both:.0f} %" in page.locator(".review .fact").last.inner_text()
    box = page.locator(".graph svg").bounding_box()
    page.mouse.click(box["x"] + 1, box["y"] + 20)
    wait_for_words(page, "Move 1: ")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save with comments").click()
    assert b"would play" in download.value.path().read_bytes()


def test_the_visitors_own_game_is_reviewed(visit):
    page = visit()
    click_point(page, "E5")
    wait_for_words(page, r"Your move \(Black\)")
    page.get_by_role("link", name="Explore").click()
    page.get_by_role("button", name="Take my game").click()
    wait_for_words(page, "Move 1 of 2, Black")
    assert page.locator(".nb-tried").count() == 1


def test_the_results_of_a_study(visit):
    page = visit("/explore", ready=".list-link")
    page.get_by_role("button", name="Table I: does a random network").click()
    page.wait_for_selector("text=What the paper says")
    heads = page.locator(".grid th").all_inner_texts()
    assert "paper" in heads
    assert "ours [95 %]" in heads
    page.get_by_role("button", name="Figure 8: the CIAO plot").click()
    page.wait_for_function(
        "() => { const i = document.querySelector('img.figure'); return i && i.naturalWidth > 100; }"
    )
    page.get_by_role("button", name="Figure 9: games of champions").click()
    page.wait_for_function("() => [...document.querySelectorAll('.nb')].some(e => /[bw]/.test(e.dataset.stones))")


def test_a_click_on_a_network_and_on_a_pair_of_champions(visit):
    page = visit("/explore", ready=".list-link")
    page.get_by_role("button", name="One network, two boards").click()
    page.get_by_role("button", name="Draw networks").click()
    page.wait_for_selector(".plot-point", timeout=LONG)
    assert page.locator(".plot-point").count() == 80
    page.locator(".plot-point").nth(5).click(force=True)
    page.wait_for_selector(".plot-point.on")
    page.wait_for_function("() => [...document.querySelectorAll('.nb')].every(e => /[bw]/.test(e.dataset.stones))")
    page.get_by_role("button", name="Look inside").click()
    page.wait_for_selector('.nb[data-overlay="policy"]', timeout=LONG)
    assert "93 weights · changed on the other board: 0" in page.locator(".strip-box").inner_text()
    page.get_by_role("link", name="Explore").click()
    page.get_by_role("button", name="Champions against champions").click()
    page.get_by_role("button", name="Start a coevolution").click()
    page.wait_for_selector(".plot image", timeout=LONG)
    assert page.locator(".plot:visible").get_attribute("data-count") == "1600"
    box = page.locator(".plot image").bounding_box()
    page.mouse.click(box["x"] + 0.51 * box["width"], box["y"] + 0.26 * box["height"])
    page.wait_for_selector(".plot-cell.on")
    page.wait_for_selector("text=Generation 59 against generation 42")
    page.wait_for_function("() => [...document.querySelectorAll('.nb')].every(e => /[bw]/.test(e.dataset.stones))")


@pytest.mark.parametrize("size", [7, 19])
def test_the_percentages_are_those_of_the_network(visit, model_file, size):
    page = visit("/inside")
    page.get_by_label("network").first.click()  # other tests save models, and the newest comes first
    page.locator(".q-menu .q-item", has_text=model_file.stem).first.click()
    page.wait_for_selector('.nb[data-overlay="policy"]')
    choose_size(page, size, "size of the second board")
    page.wait_for_selector(f'.nb[data-size="{size}"][data-overlay="policy"]')
    board = page.locator(".nb").nth(1)
    marks = board.get_attribute("data-stones")
    game = games.variant("atari-go", size).new()
    placed = [(p, 1 if mark == "b" else 2) for p, mark in zip(game.points(), marks, strict=True) if mark != "."]
    game.set_up(placed, 1)
    shares = sorted(evaluate_by_model(load_model(model_file), game).shares, reverse=True)
    expected = [f"{round(100 * share)}" for share in shares[:12] if share >= 0.01]

    def shown():
        return sorted(board.locator(".nb-policy text").all_text_contents(), key=int, reverse=True)

    wait_until(lambda: shown() == expected)  # the evaluation for the new size arrives after the board
    assert shown() == expected
    ring, best = (
        board.locator(".nb-best"),
        max(board.locator(".nb-policy text").all(), key=lambda e: int(e.text_content())),
    )
    assert ring.get_attribute("cx") == best.get_attribute("x")


def test_hovering_marks_the_same_point_on_the_other_board(visit):
    page = visit("/inside")
    page.wait_for_selector('.nb[data-size="19"][data-overlay="policy"]')
    page.mouse.move(*place_of(page, "B6"))
    page.wait_for_selector(".nb-twin-ring")
    words = page.locator(".inside-tip").inner_text()
    assert "B6 on 7×7: " in words
    assert "H12 on 19×19: " in words
    page.get_by_text("Sweeps", exact=True).click()
    page.wait_for_selector('.nb[data-size="7"][data-overlay="sweep"]')
    page.get_by_role("button", name="Pause").click()
    page.locator(".thumb").nth(4).click()
    page.mouse.move(*place_of(page, "C4"))
    page.mouse.move(*place_of(page, "D4"))
    page.wait_for_selector(".nb-field")
    assert page.locator(".nb-arrow").count() == 2
    assert page.locator(".inside-tip .gate").count() == 5
    assert page.locator(".thumb").count() == 8 * 3


def test_the_models_are_filtered(visit):
    page = visit("/models")
    every = page.locator(".cards > .card:visible").count()
    page.get_by_role("group", name="game").get_by_text("Atari-Go", exact=True).click()
    page.wait_for_function(
        "every => [...document.querySelectorAll('.cards > .card')].filter(e => e.offsetParent).length < every",
        arg=every,
    )
    assert all("Atari-Go" in text for text in page.locator(".cards > .card:visible").all_inner_texts())


@pytest.mark.parametrize("path", ["/learn", "/explore"])
def test_the_new_views_on_a_phone(visit, path):
    page = visit(
        path,
        ready=".list-link, .learn",
        viewport={"width": 390, "height": 844},
        color_scheme="dark",
        has_touch=True,
        is_mobile=True,
    )
    page.wait_for_function("() => document.documentElement.scrollWidth === 390")
    small = page.evaluate(
        """() => [...document.querySelectorAll('button, .bar a.tab')].filter(e => e.offsetParent)
        .filter(e => e.getBoundingClientRect().height < 44).map(e => e.textContent)"""
    )
    assert small == []


def test_a_file_of_results_cannot_be_fetched_by_path(visit, server):
    page = visit()
    for path in ("/figures/../pyproject.toml", "/figures/%2e%2e/secret", "/figures/none.svg", "/figures/"):
        answer = page.request.get(server + path)
        assert "build-system" not in answer.text()
        assert "<svg" not in answer.text()
    assert "<svg" in page.request.get(f"{server}/figures/s08-fig8.svg").text()


def test_a_new_tab_has_its_own_game_and_can_restore_the_last(visit):
    page = visit()
    click_point(page, "E5")
    wait_for_words(page, r"Your move \(Black\)")
    before = stones(page)
    page.wait_for_timeout(1500)  # the game is kept once a second
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(".nb svg rect")
    assert set(stones(other)) == {"."}
    other.get_by_role("button", name="Back to Atari-Go 9×9").click()
    other.wait_for_function("before => document.querySelector('.nb').dataset.stones === before", arg=before)


def test_ko_is_refused_and_gomoku_ends(visit):
    page = visit()
    record = b"(;GM[1]SZ[5]KM[0.5];B[bb];W[cb];B[ac];W[dc];B[bd];W[cd];B[cc];W[bc])"
    upload(page, record)
    page.wait_for_selector('.nb[data-size="5"]')
    page.get_by_label("Last").click()
    page.wait_for_function("() => document.querySelector('.nb').dataset.stones[11] === 'w'")
    before = stones(page)
    click_point(page, "C3")
    page.wait_for_selector("text=C3 cannot be played: it recaptures a ko at once.")
    assert stones(page) == before
    record = b"(;GM[4]SZ[9]RU[gomoku];B[aa];W[ai];B[ba];W[bi];B[ca];W[ci];B[da];W[di])"
    upload(page, record)
    page.wait_for_selector('.nb[data-size="9"]')
    page.get_by_label("Last").click()
    page.wait_for_function("() => document.querySelector('.nb').dataset.stones[3] === 'b'")
    click_point(page, "E9")
    wait_for_words(page, "Black wins: five in a row")


def test_reduced_motion_does_not_animate(visit):
    page = visit(reduced_motion="reduce")
    click_point(page, "E5")
    page.wait_for_selector(".nb-stone")
    assert page.evaluate("getComputedStyle(document.querySelector('.nb-stone')).animationName") == "none"


@pytest.mark.parametrize("scale", [1, 1.5, 3])
def test_lines_lie_on_whole_pixels_and_names_are_clear_of_stones(browser, scale):
    text = (Path(web.__file__).parent / "board.js").read_text(encoding="utf-8").partition("export default")[0]
    context = browser.new_context(device_scale_factor=scale)
    page = context.new_page()
    found = page.evaluate(
        """source => {
        const geometry = new Function(source + "; return geometry;")(), out = [];
        for (const width of [343, 420, 640, 760]) for (let n = 5; n <= 25; n++) {
          const g = geometry(width, n, true), d = devicePixelRatio, cell = g.px * d;
          const line = Math.round(g.line * cell);
          out.push({width, n, cell, start: g.margin * cell - line / 2, far: g.margin - (0.56 + 1.16 * g.font),
            clear: 0.56 + 0.66 * g.font - 0.36 * g.font - 0.478, named: g.named, span: g.span * cell - width * d});
        }
        return out; }""",
        text,
    )
    context.close()
    assert len(found) == 84
    for one in found:
        assert abs(one["cell"] - round(one["cell"])) < 1e-6, one
        assert abs(one["start"] - round(one["start"])) < 1e-6, one
        assert abs(one["span"]) < 1e-6, one
        if one["named"]:
            assert one["clear"] > 0, one
            assert one["far"] > -1e-6, one


def test_page_terminal_and_json_agree(tmp_path):
    """The page and `nobi review --json` share one review."""
    path = tmp_path / "game.sgf"
    path.write_bytes(GAME)
    command = [sys.executable, "-m", "nobi", "review", str(path), "--json", "--playouts", "50"]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    session, review = begin_review(GAME, "")
    carry_out(session, review, None, 50)
    assert found["blunders"] == json.loads(json.dumps(review.document()["blunders"]))


def test_a_click_on_the_list_of_moves_shows_the_position(visit):
    page = visit()
    click_point(page, "E5")
    wait_for_words(page, r"Your move \(Black\)")
    after = stones(page)
    page.locator(".moves a").nth(0).click()
    wait_for_words(page, "After move 1 of 2")
    assert sum(stone != "." for stone in stones(page)) == 1
    page.locator(".moves a").nth(1).press("Enter")
    page.wait_for_function("after => document.querySelector('.nb').dataset.stones === after", arg=after)
    assert page.locator(".moves a.now").inner_text().startswith("2")
