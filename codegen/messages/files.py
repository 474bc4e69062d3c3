"""Files of the user's that cannot be read, and scripts that cannot be written."""

from __future__ import annotations

from dataclasses import replace

from ..diagnostics import Diagnostic, Span
from .making import of_file, placeless, there


def unreadable(path: str, reason: str) -> Diagnostic:
    return of_file(path, f"The file cannot be read: {reason}.")


def undecodable(path: str, reason: str) -> Diagnostic:
    return of_file(path, f"The file is no Python source that can be decoded: {reason}. Save it as UTF-8.")


def too_deep(path: str) -> Diagnostic:
    return of_file(path, "The code is nested too deeply to be parsed. Split its deepest expression up.")


def syntax_error(span: Span, line: str, reason: str) -> Diagnostic:
    return there(
        (span, line),
        f"Python cannot read this: {reason}. Mend it, or run ddpgen with a later Python, if it is written for one.",
    )


def unreadable_black_settings(path: str, reason: str) -> Diagnostic:
    message = (
        f"Black's settings cannot be read here: {reason}. The script is formatted with black's defaults: "
        "mend the file to have it formatted as your own code."
    )
    return replace(of_file(path, message), severity="warning")


def broken_script(problem: str) -> Diagnostic:
    message = (
        f"The script would be broken: {problem}. That is a defect of ddpgen's, not of your code: please report it. "
        "Nothing was written."
    )
    return placeless(message)


def not_overwritten(path: str, why: str) -> Diagnostic:
    return placeless(f"{path} {why}. Move it away, choose another file with -o, or add --force.")


def overwrites_source(path: str) -> Diagnostic:
    return placeless(f"{path} is what the script is made from. Choose another file with -o.")


def not_writable(path: str, reason: str) -> Diagnostic:
    return placeless(f"{path} cannot be written: {reason}.")


def already_there(path: str) -> Diagnostic:
    return placeless(f"{path} is there already. Write to another, or remove it first.")
