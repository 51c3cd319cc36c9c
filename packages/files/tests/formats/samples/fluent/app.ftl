# A license

## Menus

# The title of the window
title = Welcome to { -brand-name }
    .accesskey = W
    .tooltip = Open the { $name } menu
-brand-name = Pump Friends
-friends = The friends of pumps
    .gender = masculine

long =
    First line of a text. See <b>all { $name }</b>.

      Another paragraph { "{" }here{ "}" } is new.
again = Another paragraph { "{" }here{ "}" } is new.
files =
    There { $count ->
        [0] are no files
        [one] is { $count } file in { $folder }
       *[other] are { NUMBER($count) } files in { $folder }
    } today.
place = { NUMBER($n, type: "ordinal") ->
    [one] On the { $n }st place
   *[other] On the { $n }th place
}
whose = { $gender ->
    [male] { $n ->
        [one] His { $n } cat
       *[other] His { $n } cats
    }
   *[other]
        Some cats of theirs
}
same = { title }{ "" }
this is no message
last = The end
