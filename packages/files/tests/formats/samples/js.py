"""Samples of JavaScript and TypeScript modules of strings."""

from formats.sample_files import sample

SAMPLES = {
    "en.js": sample("js/en.js"),
    "en.ts": sample("js/en.ts"),
    "locale.mjs": "export default defineI18nLocale(async (locale) => {\r\n"
    "  return { welcome: 'Welcome, École', again: 'Welcome, École' }\r\n})\r\n",
    "en.cjs": "\ufeffmodule.exports = { a: 'One two' };\nexports.b = { c: ['Three four'] };",
    "en.json5": "// x\n{ title: 'It\\'s one', \"b\": \"Two\\\n three\", list: ['four five',], }\n",
}

HOSTILE = {
    "empty.js": "",
    "unclosed.js": "export default { a: 'one two }",
    "line.js": "export default { a: 'one\ntwo' }",
    "template.js": "export default { a: `one ${two } }",
    "templates.js": "export default { a: " + "`${" * 20_000,
    "backticks.js": "export default [" + "`one ${x}`, " * 600 + "]",
    "brackets.js": "export default " + "[{a:" * 20_000,
    "closing.js": "export default { a: 'one two' }}}",
    "comment.js": "/* export default { a: 'one two' }",
    "code.js": "function f() { return { a: 'one two' } }\nconst g = () => { h('three four') }",
    "pieces.js": "export default ['one '" + " + 'two '" * 2_500 + "]",
    "binary.js": b"export default { a: '\xff\xfe' }",
    "nul.js": "export default { a: 'one \\0 \\u{110000} \\ud83d two', b: 'x y' }",
    "slashes.js": "export default { a: " + "/" * 20_000 + "\n'one two' }",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    text = "k: 'One <b>two</b> {n} three.', l: `Four ${n} five`, m: ['six ' + 'seven'],\n"
    return "long.ts", f"export default {{{text * paragraphs}}}"
