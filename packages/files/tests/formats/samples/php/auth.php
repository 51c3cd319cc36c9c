<?php
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
