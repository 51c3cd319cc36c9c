"""Function words by ISO 639 code, in lower case: articles, pronouns, prepositions, conjunctions,
auxiliaries, particles and the commonest adverbs. A repetition of such a word is not a term."""

from __future__ import annotations

from docmt.text.pronoun_lists import TARGET_PRONOUNS

_ENGLISH = (
    "a an the some any no every each either neither both all such other another same own few many "
    "more most much less least several enough half and or but nor so yet for if unless although "
    "though because since while whereas whether as than that when whenever where wherever how why "
    "what whatever whoever whichever then thus hence therefore however moreover otherwise about "
    "above across after against along among around at away back before behind below beneath beside "
    "besides between beyond by despite down during except from in inside into like near of off on "
    "onto out outside over past per round through throughout to toward towards under until till "
    "up upon via with within without am is are was were be been being do does did done doing have "
    "has had having can could may might must shall should will would ought need let get got gets "
    "getting make makes made not n't 's 're 've 'll 'd 'm ’s ’re ’ve ’ll ’d ’m n’t ca wo sha also "
    "too very just only even still already again ever never always often sometimes soon now here "
    "there once twice perhaps maybe quite rather almost well far yes oh ok o this these those "
    "someone anyone everyone something anything everything nothing nobody none one two three four "
    "five six seven eight nine ten first second third indeed instead together apart"
)
_GERMAN = (
    "ein eine einen einem einer eines kein keine keinen keinem keiner keines jeder jede jeden "
    "jedem jedes alle allen aller alles beide beiden einige einigen einiger mehrere viele vielen "
    "viel wenig wenige mehr meist andere anderen anderer anderes anderem solche solchen solcher "
    "solches solch welche welchen welcher welches welchem und oder aber denn sondern doch sowie "
    "weder noch dass daß ob wenn als weil da damit obwohl während bevor nachdem bis seit sobald "
    "indem falls wie wo woher wohin wann warum wieso was wer wen wem wessen also daher deshalb "
    "deswegen trotzdem dennoch jedoch außerdem sonst so auch nur schon noch immer nie niemals oft "
    "manchmal bald jetzt nun hier dort dann einmal wieder sehr ganz gar etwa fast ziemlich "
    "vielleicht wohl ja nein nicht nichts etwas jemand niemand an am auf aus bei beim durch für "
    "gegen hinter in im ins mit nach neben ohne über um unter von vom vor zu zum zur zwischen "
    "wegen trotz statt gegenüber innerhalb außerhalb entlang bin bist ist sind seid war warst "
    "waren wart sei seien wäre wären gewesen sein habe hast hat haben habt hatte hatten hätte "
    "hätten gehabt werde wirst wird werden werdet wurde wurden würde würden worden geworden kann "
    "kannst können könnt konnte konnten könnte könnten muss musst müssen müsst musste mussten "
    "müsste müssten soll sollst sollen sollt sollte sollten will willst wollen wollt wollte "
    "wollten darf darfst dürfen dürft durfte durften dürfte mag magst mögen mochte möchte möchten "
    "lass lassen lässt ließ tun tut tat dabei dafür dagegen daher dahin danach daran darauf daraus "
    "darin darüber darum darunter davon davor dazu hin her herab heraus hinein ab auf weg los eins "
    "zwei drei vier fünf sechs sieben acht neun zehn erste ersten erster zweite zweiten dritte"
)
_FRENCH = (
    "un une des du de d' d’ au aux à le la les l' l’ et ou mais ni car donc or si comme que "
    "qu' qu’ quand lorsque puisque parce pendant depuis avant après avec sans pour par dans en sur "
    "sous vers chez entre contre jusque dès afin selon malgré où comment pourquoi quoi quel quelle "
    "quels quelles tout toute tous toutes autre autres même mêmes tel telle tels telles aucun "
    "aucune chaque plusieurs quelque quelques peu plus moins très trop assez bien aussi encore "
    "déjà toujours jamais souvent ici là alors ainsi puis ne n' n’ pas non oui est suis es sommes "
    "êtes sont été être était étaient sera seront serait soit ai as a avons avez ont avait avaient "
    "eu avoir aura auront fait faire fais font peut peux peuvent pouvoir pouvait doit dois doivent "
    "devoir va vais vont aller deux trois quatre cinq six sept huit neuf dix premier première"
)
_RUSSIAN = (
    "и а но или либо да же ли бы не ни что чтобы как когда если то потому так также тоже хотя пока "
    "где куда откуда почему зачем сколько какой какая какое какие чей в во на с со к ко от до из "
    "изо у о об обо за под над при про для без через между перед по после среди против ради кроме "
    "вокруг около есть был была было были быть буду будет будем будете будут может могут можно "
    "надо нужно нельзя весь вся всё все всего всему всем всех всеми каждый каждая другой другая "
    "другие такой такая такое такие сам сама само сами самый уже ещё еще только даже лишь очень "
    "более менее там тут здесь теперь сейчас тогда потом всегда никогда вот вон нет один одна одно "
    "одни два две три четыре пять первый первая"
)
_CHINESE = (
    "的 了 着 过 地 得 和 与 及 或 但 但是 而 而且 因为 所以 如果 虽然 可是 不过 就 都 也 还 "
    "又 再 很 太 更 最 非常 已经 正在 将 会 能 可以 可能 应该 必须 要 想 在 从 到 向 对 对于 "
    "关于 为 为了 由 被 把 给 跟 比 按 按照 根据 通过 以 以及 并 并且 是 有 没有 没 不 不是 "
    "一 一个 一些 一种 两 三 个 每 各 某 另 其他 什么 怎么 怎样 为什么 哪 哪里 谁 这样 那样 "
    "这里 那里 现在 然后 时 时候 之后 之前 吗 呢 吧 啊 上 下 里 中 来 去 等"
)

FUNCTION_WORDS = {
    code: frozenset({*text.split(), *TARGET_PRONOUNS[code]})
    for code, text in (
        ("en", _ENGLISH),
        ("de", _GERMAN),
        ("fr", _FRENCH),
        ("ru", _RUSSIAN),
        ("zh", _CHINESE),
    )
}
"""The function words of a language."""
