"""Samples of PHP files of strings."""

SAMPLES = {
    "auth.php": r"""<?php
// A comment with a 'string'
declare(strict_types=1);

return [
    'failed' => 'These credentials don\'t match, :name.',   # another
    "throttle" => "You have \"%d\" tries, {$name}, or $user[id], \u{e9}t\x61.",
    'nested' => ['one' => 'First thing', 'two' => array('Second thing', 'Third thing')],
    'apples' => '{0} There are none|[1,19] There are some|[20,*] There are many',
    'joined' => 'One part, ' . 'another part, '
        . $value . ' and the end.',
    'call' => sprintf('Not this %s', 'x'),
    'choice' => $a ? 'Not this' : 'Nor this',
    'icon' => 'logo.png', 'count' => 12,
    'text' => <<<EOT
        A long <b>text</b> of $name.
        EOT,
    'raw' => <<<'END'
Raw words here
END
];
""",
    "common.php": r"""<html><?php
if (!defined('IN_PHPBB')) { exit('Not this'); }
$lang = array_merge($lang, array(
    'TITLE' => 'The title', 'MANY' => array(1 => 'One post', 2 => '%d posts here'),
));
$_['heading'] = 'The heading';
$lang['a']['b'] = "Some text";
define('CONSTANT', 'A constant text');
const OTHER = 'Another text';
?></html>""",
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
    "variables.php": '<?php return ["one ' + "{$a" * 5_000 + ' two $b"];',
    "nul.php": '<?php return ["one \\0 \\400 \\u{110000} \\u{d800} two"];',
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    text = "'k' => 'One <b>two</b> :n three.', 'l' => \"Four $n five\", ['m' => 'six' . 'seven'],\n"
    return "long.php", f"<?php return [{text * paragraphs}];"
