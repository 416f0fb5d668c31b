"""Splitting command lines and response files into arguments, without a shell."""

from __future__ import annotations

_ESCAPED_IN_QUOTES = frozenset('"\\$`\n')


def split_posix(text: str) -> list[str]:
    """Splits by the POSIX shell's quoting rules (IEEE 1003.1, 2.2); expansions and operators are plain text.

    Raises:
        ValueError: A quotation that never ends.
    """
    arguments: list[str] = []
    word: list[str] | None = None
    position = 0
    while position < len(text):
        character = text[position]
        position += 1
        if character.isspace():
            if word is not None:
                arguments.append("".join(word))
                word = None
            continue
        word = [] if word is None else word
        if character == "'":
            end = text.find("'", position)
            if end < 0:
                raise ValueError("a single quotation mark is never closed")
            word.append(text[position:end])
            position = end + 1
        elif character == '"':
            position = _double_quoted(text, position, word)
        elif character == "\\" and position < len(text):
            if text[position] != "\n":
                word.append(text[position])
            position += 1
        else:
            word.append(character)
    if word is not None:
        arguments.append("".join(word))
    return arguments


def _double_quoted(text: str, position: int, word: list[str]) -> int:
    while position < len(text):
        character = text[position]
        if character == '"':
            return position + 1
        if character == "\\" and position + 1 < len(text) and text[position + 1] in _ESCAPED_IN_QUOTES:
            if text[position + 1] != "\n":
                word.append(text[position + 1])
            position += 2
        else:
            word.append(character)
            position += 1
    raise ValueError("a double quotation mark is never closed")


def split_windows(text: str) -> list[str]:
    """Splits by the rules of Windows' ``CommandLineToArgvW``: backslashes escape only before a quotation mark."""
    arguments: list[str] = []
    word: list[str] | None = None
    quoted = False
    position = 0
    while position < len(text):
        character = text[position]
        if character.isspace() and not quoted:
            if word is not None:
                arguments.append("".join(word))
                word = None
            position += 1
            continue
        word = [] if word is None else word
        if character == "\\":
            position = _backslashes(text, position, word)
        elif character == '"':
            if quoted and text.startswith('""', position):
                word.append('"')
                position += 1
            else:
                quoted = not quoted
            position += 1
        else:
            word.append(character)
            position += 1
    if word is not None:
        arguments.append("".join(word))
    return arguments


def _backslashes(text: str, position: int, word: list[str]) -> int:
    end = position
    while end < len(text) and text[end] == "\\":
        end += 1
    count = end - position
    if end == len(text) or text[end] != '"':
        word.append("\\" * count)
        return end
    word.append("\\" * (count // 2))
    if count % 2 == 0:
        return end
    word.append('"')
    return end + 1


def decode(data: bytes) -> str:
    """The text of a response file: UTF-16 where a byte order mark says so, else UTF-8.

    Raises:
        ValueError: Bytes that are neither.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    return data.decode("utf-8-sig")
