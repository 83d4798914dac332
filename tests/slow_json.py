"""A slow, obvious, strict JSON reader that knows where in the text every value stands.

It is the tests' own: nothing of acpbound and nothing of Python's ``json`` is used to find a value.
"""

import re

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_SHORT = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"
}  # fmt: skip


class NotJsonError(ValueError):
    """The text is no JSON."""


class Value:
    """A value with its place: ``value`` is a str, a dict or list of Values, or a number's text."""

    def __init__(self, value, start, end):
        self.value, self.start, self.end = value, start, end

    def get(self, key):
        """A member of an object, the last one of its name; None if there is none."""
        return self.value.get(key) if isinstance(self.value, dict) else None

    def items(self):
        return self.value if isinstance(self.value, list) else []

    def text(self):
        """A string's characters; None if it is no string."""
        return self.value if type(self.value) is str else None


class _Number(str):
    """What is neither string, object nor array; no ``str`` exactly, so no text."""


class _Reader:
    def __init__(self, source):
        self.source, self.at = source, 0

    def peek(self):
        return self.source[self.at : self.at + 1]

    def take(self, expected):
        if not self.source.startswith(expected, self.at):
            raise NotJsonError(f"{expected} expected at {self.at}")
        self.at += len(expected)

    def skip_space(self):
        while self.peek() and self.peek() in " \t\r\n":
            self.at += 1

    def read(self):
        self.skip_space()
        start, first = self.at, self.peek()
        if first == "{":
            value = dict(self.members("{", "}", self.read_member))
        elif first == "[":
            value = list(self.members("[", "]", self.read))
        elif first == '"':
            value = self.read_string()
        else:
            value = self.read_other()
        result = Value(value, start, self.at)
        self.skip_space()
        return result

    def members(self, opening, closing, read_one):
        self.take(opening)
        self.skip_space()
        found = []
        while self.peek() != closing or found:
            found.append(read_one())
            if self.peek() == closing:
                break
            self.take(",")
        self.take(closing)
        return found

    def read_member(self):
        self.skip_space()
        key = self.read_string()
        self.skip_space()
        self.take(":")
        return key, self.read()

    def read_other(self):
        for word in ("true", "false", "null"):
            if self.source.startswith(word, self.at):
                self.at += len(word)
                return _Number(word)
        match = _NUMBER.match(self.source, self.at)
        if not match:
            raise NotJsonError(f"no value at {self.at}")
        self.at = match.end()
        return _Number(match[0])

    def read_string(self):
        self.take('"')
        units = []
        while (character := self.peek()) != '"':
            if character < " ":  # the empty string at the end of the text, too
                raise NotJsonError(f"a control character in a string at {self.at}")
            self.at += 1
            units.append(self.read_escape() if character == "\\" else character)
        self.take('"')
        # A pair of escaped surrogates is one character; a lone one stays as it is.
        return re.sub(
            "[\ud800-\udbff][\udc00-\udfff]",
            lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"),
            "".join(units),
        )

    def read_escape(self):
        letter = self.peek()
        self.at += 1
        if letter in _SHORT and letter:
            return _SHORT[letter]
        digits = self.source[self.at : self.at + 4]
        if letter != "u" or not re.fullmatch("[0-9a-fA-F]{4}", digits):
            raise NotJsonError(f"no escape at {self.at}")
        self.at += 4
        return chr(int(digits, 16))


def read_json(source):
    """The Value of a whole text; raises NotJsonError."""
    reader = _Reader(source)
    value = reader.read()
    if reader.at != len(source):
        raise NotJsonError(f"more text at {reader.at}")
    return value
