"""A text as C++ string literals. A compiler must accept literals of 64 KiB only, so longer ones are written in pieces,
cut between lines where it can be."""

piece_limit = 16000


def pieces(text):
    piece = ""
    for line in text.splitlines(keepends=True):
        if piece and len(piece) + len(line) > piece_limit:
            yield piece
            piece = ""
        piece += line
    yield piece


def raw_literal(text):
    assert ')parley"' not in text
    return "\n".join(f'R"parley({piece})parley"' for piece in pieces(text))
