<html><?php
if (!defined('IN_PHPBB')) { exit('Not this'); }
$lang = array_merge($lang, array(
    'TITLE' => 'The title', 'MANY' => array(1 => 'One post', 2 => '%d posts here'),
));
$_['heading'] = 'The heading';
$lang['a']['b'] = "Some text";
define('CONSTANT', 'A constant text');
const OTHER = 'Another text';
?></html>