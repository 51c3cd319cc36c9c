"""Samples of InDesign's exchange format."""

from __future__ import annotations

from functools import partial

from formats.office_packages import archive

SPACE = "http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MIMETYPE = "application/vnd.adobe.indesign-idml-package"


def run(content: str, style: str = "[No character style]", properties: str = "") -> str:
    """A run of characters."""
    name = f"CharacterStyle/$ID/{style}"
    return (
        f'<CharacterStyleRange AppliedCharacterStyle="{name}">{properties}{content}'
        "</CharacterStyleRange>\n"
    )


def words(text: str) -> str:
    """The characters of a run."""
    return f"<Content>{text}</Content>"


def paragraphs(content: str, style: str = "Body") -> str:
    """Paragraphs of a style."""
    name = f"ParagraphStyle/{style}"
    return (
        f'<ParagraphStyleRange AppliedParagraphStyle="{name}">\n{content}</ParagraphStyleRange>\n'
    )


def idml(*stories: str, mimetype: str = MIMETYPE) -> bytes:
    """A package of stories."""
    names = [f"Stories/Story_u{number}.xml" for number in range(len(stories))]
    references = "".join(f'<idPkg:Story src="{name}"/>' for name in names)
    parts = {
        "mimetype": mimetype,
        "designmap.xml": f'{HEAD}<?aid style="50" type="document"?>\n'
        f'<Document xmlns:idPkg="{SPACE}" Self="d">{references}</Document>',
    }
    for name, story in zip(names, stories, strict=True):
        parts[name] = (
            f'{HEAD}<idPkg:Story xmlns:idPkg="{SPACE}" DOMVersion="15.1">\n'
            f'<Story Self="u1">{story}</Story>\n</idPkg:Story>'
        )
    return archive(parts)


def brochure() -> bytes:
    """Two stories with a footnote, a table, a link, tags and special characters."""
    font = '<Properties><AppliedFont type="string">Minion</AppliedFont></Properties>\n'
    note = f"<Footnote>{paragraphs(run(words('<?ACE 4?>') + words(' One note.')))}</Footnote>"
    cell = f"<Cell Self='c'>{paragraphs(run(words('The pump')))}</Cell>"
    link = f"<HyperlinkTextSource Self='h'>{run(words('the page'), 'Link')}</HyperlinkTextSource>"
    first = paragraphs(run(words("The pump") + "<Br/>"), "Title") + paragraphs(
        run(words("Press the ") + "\n", properties=font)
        + run(words("red"), "Bold")
        + run(words(" button") + note + words(" now."), properties=font)
        + run("<Br/>" + words("Then &amp; there\u2028wait. See "))
        + link
        + run(words(".") + "<Br/>" + words("One\tTwo things") + "<Br/><Br/>")
        + run("<Table Self='t'>" + cell + "</Table>")
    )  # fmt: skip
    tagged = paragraphs(
        f"<XMLElement Self='x'><XMLAttribute Self='a'/>{run(words('A tag'))}"
        f"{run(words(' around.') + '<Br/>' + words('More of it.'))}</XMLElement>"
        + run(f"<XMLElement Self='y'>{words('Within')}</XMLElement>" + words(" a run. Page "))
        + run(words("<?ACE 18?>") + "<TextVariableInstance Self='v' ResultText='5'/>")
        + run(words(" of five."))
    )
    return idml(first, tagged)


SAMPLES = {"brochure.idml": brochure}

HOSTILE = {
    "empty.idml": partial(idml, ""),
    "other.idml": partial(idml, mimetype="application/zip"),
    "deep.idml": partial(idml, "<XMLElement>" * 300),
    "text.idml": "One two",
}


def long_file(number: int) -> tuple[str, bytes]:
    """A file of so many paragraphs."""
    one = run(words("One ")) + run(words("two"), "Bold") + run(words(". Three.") + "<Br/>")
    return "long.idml", idml(paragraphs(one * number))
