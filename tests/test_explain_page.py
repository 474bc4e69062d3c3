"""The page of `ddpgen explain --html`, in a real browser without a screen.

Chromium is Debian's, or whatever DDPGEN_BROWSER says; without one these tests are skipped, with a warning.
"""

from __future__ import annotations

import os
import re
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ddpgen.explain import explain, write_page

playwright = pytest.importorskip(
    "playwright.sync_api", reason="the page is not tested: playwright is missing"
)

EXAMPLES = Path(__file__).parents[1] / "generated_examples"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    given = os.environ.get("DDPGEN_BROWSER")
    found = given or next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        missing = (
            "NOT TESTED: the page of `ddpgen explain`. Install chromium, or name one with DDPGEN_BROWSER."
        )
        warnings.warn(missing, stacklevel=1)
        pytest.skip(missing)
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for name in ("digits", "cli_moons"):
        write_page(explain(EXAMPLES / name / "train_ddp.py"), folder / f"{name}.html")
    return folder


class Page:
    """The page as a reader has it."""

    def __init__(self, browser: Any, file: Path, scheme: str = "light") -> None:
        self.context = browser.new_context(
            color_scheme=scheme, reduced_motion="reduce", viewport={"width": 1280, "height": 800}
        )
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def line(self, side: str, text: str) -> Any:
        """The first line with that text, in the script or in the file that is shown."""
        panel = ".script" if side == "script" else "[role=tabpanel]:not([hidden])"
        return self.page.locator(f"{panel} .line", has_text=text).first

    def click(self, side: str, text: str) -> None:
        self.line(side, text).click()

    def chosen(self, side: str) -> list[str]:
        panel = ".script" if side == "script" else "[role=tabpanel]:not([hidden])"
        return [text.strip() for text in self.page.locator(f"{panel} .line.chosen").all_inner_texts()]

    @property
    def reason(self) -> str:
        return str(self.page.locator("#reason").inner_text())

    @property
    def file(self) -> str:
        return str(self.page.locator("[role=tab][aria-selected=true]").inner_text())

    def colour(self, side: str, text: str) -> str:
        return str(self.line(side, text).evaluate("line => getComputedStyle(line).borderLeftColor"))

    def is_in_sight(self, side: str, text: str) -> bool:
        return bool(
            self.line(side, text).evaluate(
                "line => { const box = line.getBoundingClientRect();"
                " const pane = line.closest('.text').getBoundingClientRect();"
                " return box.top >= pane.top && box.bottom <= pane.bottom; }"
            )
        )


@pytest.fixture
def digits(browser: Any, pages: Path) -> Iterator[Page]:
    page = Page(browser, pages / "digits.html")
    yield page
    assert not page.complaints
    assert page.requests == [(pages / "digits.html").as_uri()]
    page.context.close()


def test_a_click_on_the_script_shows_the_users_half_and_the_reason(digits: Page) -> None:
    assert "Nothing is chosen" in digits.reason
    digits.click("script", "clip_grad_norm_(")
    assert digits.chosen("script")[0] == "if (limit := config.gradient_clip_val) > 0:"
    assert any("gradient_clip_val=1.0" in line for line in digits.chosen("files"))
    assert "gradient_clip_val of the Trainer says so." in digits.reason
    assert digits.is_in_sight("files", "gradient_clip_val=1.0")
    assert digits.is_in_sight("script", "clip_grad_norm_(")


def test_a_click_on_a_file_shows_what_became_of_it(digits: Page) -> None:
    digits.click("files", "loss = F.cross_entropy")
    assert "def training_step(self, batch, batch_idx):" in digits.chosen("script")
    # and the step that it asked for
    assert "loss = step(batch, batch_idx) / window" in digits.chosen("script")
    assert digits.is_in_sight("script", "loss = F.cross_entropy")
    assert "DigitsClassifier.training_step" in digits.reason
    exact = digits.page.locator(".script .line.exact").all_inner_texts()
    assert [line.strip() for line in exact] == ["loss = F.cross_entropy(self(x), y)"]


def test_linked_parts_have_one_colour_and_others_have_others(digits: Page) -> None:
    step = digits.colour("files", "def training_step")
    assert step == digits.colour("script", "def training_step") == digits.colour("script", "loss.backward()")
    optimizers = digits.colour("files", "def configure_optimizers")
    assert (
        optimizers
        == digits.colour("script", "optimizer.step()")
        == digits.colour("script", "scheduler.step()")
    )
    assert step != optimizers
    # what nothing of the user's asks for has none
    assert digits.colour("script", "def ranks_from_env") not in (step, optimizers)


def test_what_the_spec_says_is_shown_in_its_tab(digits: Page) -> None:
    assert digits.file == "model.py"
    digits.click("script", "with single_auto_sync(")
    assert digits.file == "ddp.yaml"
    assert digits.chosen("files") == ["sync: single_auto_sync"]
    digits.page.get_by_role("tab", name="model.py").click()
    assert digits.file == "model.py"


def test_the_places_of_a_reason_lead_there(digits: Page) -> None:
    digits.click("script", "clip_grad_norm_(")
    digits.page.locator("#reason button.place").last.click()
    assert digits.is_in_sight("files", "trainer = L.Trainer(")


def test_keys_go_from_part_to_part_and_let_go(digits: Page) -> None:
    digits.page.locator(".script").focus()
    digits.page.keyboard.press("ArrowDown")
    first = digits.chosen("script")
    digits.page.keyboard.press("ArrowDown")
    assert first
    assert digits.chosen("script") not in ([], first)
    digits.page.keyboard.press("ArrowUp")
    assert digits.chosen("script") == first
    digits.page.keyboard.press("Escape")
    assert digits.chosen("script") == []
    assert "Nothing is chosen" in digits.reason


def test_an_address_names_a_line(digits: Page) -> None:
    digits.click("script", "scheduler.step()")
    line = digits.line("script", "scheduler.step()").get_attribute("data-line")
    assert digits.page.url.endswith(f"#L{line}")
    digits.page.keyboard.press("Escape")
    digits.page.evaluate(f"location.hash = 'L{line}'")
    digits.page.wait_for_selector(".script .line.chosen")
    assert digits.chosen("script") == ["scheduler.step()"]
    digits.page.reload()
    digits.page.wait_for_load_state()
    digits.requests.pop()
    assert digits.chosen("script") == ["scheduler.step()"]


def test_light_and_dark(browser: Any, pages: Path) -> None:
    """Ink and ground are far from each other in both."""
    for scheme in ("light", "dark"):
        page = Page(browser, pages / "digits.html", scheme)
        ground, ink = (
            page.page.evaluate(f"getComputedStyle(document.body).{name}")
            for name in ("backgroundColor", "color")
        )
        light, dark = _brightness(ground), _brightness(ink)
        assert (light > dark) == (scheme == "light")
        assert abs(light - dark) > 150
        page.context.close()


def _brightness(colour: str) -> float:
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour)[:3]]
    return sum(numbers) / 3


def test_a_project_of_several_files_has_a_tab_for_each(browser: Any, pages: Path) -> None:
    page = Page(browser, pages / "cli_moons.html")
    tabs = page.page.get_by_role("tab").all_inner_texts()
    assert tabs == ["main.py", "moons/data.py", "moons/model.py", "moons/warm_up.py", "ddp.yaml"]
    page.click("script", "class Moons")
    assert page.file == "moons/data.py"
    page.click("script", "def training_step")
    assert page.file == "moons/model.py"
    assert "def training_step(self, batch: list[Tensor]) -> Tensor:" in page.chosen("files") or page.chosen(
        "files"
    )
    assert not page.complaints
    page.context.close()
