"""Samples of PHP files of strings."""

from formats.sample_files import sample

SAMPLES = {
    "auth.php": sample("php/auth.php"),
    "common.php": sample("php/common.php"),
    "dos.php": "\ufeff<?php\r\nreturn array(\r\n\t'a' => 'École one', 'b' => 'École one'\r\n);\r\n",
}

HOSTILE = {
    "empty.php": "",
    "html.php": "<p>One two</p>",
    "unclosed.php": "<?php return ['a' => 'one two];",
    "comment.php": "<?php /* return ['a' => 'one two'];",
    "heredoc.php": "<?php return ['a' => <<<EOT\none two\n];",
    "heredocs.php": "<?php " + "<<<A\n" * 20_000,
    "brackets.php": "<?php return [" * 20_000,
    "closing.php": "<?php return ['a' => 'one two']]];",
    "binary.php": b"<?php return ['a' => '\xff\xfe'];",
    "code.php": "<?php function f($a) { return ['a' => 'one two']; } class B { const C = 'd'; }",
    "pieces.php": "<?php return ['one '" + " . 'two '" * 2_500 + "];",
    "backslashes.php": "<?php return ['a' => 'one " + "\\\\" * 20_000 + " two'];",
    "variables.php": '<?php return ["one ' + "{$a" * 2_000 + ' two $b"];',
    "nul.php": '<?php return ["one \\0 \\400 \\u{110000} \\u{d800} two"];',
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    text = "'k' => 'One <b>two</b> :n three.', 'l' => \"Four $n five\", ['m' => 'six' . 'seven'],\n"
    return "long.php", f"<?php return [{text * paragraphs}];"
