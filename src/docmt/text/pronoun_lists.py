"""Pronouns by ISO 639 code, in lower case.

Of a source language, personal, possessive and reflexive pronouns; of a target language also the
demonstrative, relative and indefinite pronouns that translate them.
"""

from __future__ import annotations

_ENGLISH = (
    "i me my mine myself you your yours yourself yourselves he him his himself she her hers "
    "herself it its itself we us our ours ourselves they them their theirs themselves"
)
_GERMAN = (
    "ich mich mir mein meine meinen meinem meiner meines du dich dir dein deine deinen deinem "
    "deiner deines er ihn ihm sein seine seinen seinem seiner seines sie ihr ihnen ihre ihren "
    "ihrem ihrer ihres es wir uns unser unsere unseren unserem unserer unseres euch euer eure "
    "euren eurem eurer eures sich"
)
_FRENCH = (
    "je j' j’ me m' m’ moi mon ma mes mien mienne miens miennes tu te t' t’ toi ton ta tes tien "
    "tienne tiens tiennes il elle lui se s' s’ soi son sa ses sien sienne siens siennes nous notre "
    "nos nôtre nôtres vous votre vos vôtre vôtres ils elles eux leur leurs"
)
_CHINESE = (
    "我 你 您 妳 他 她 它 牠 祂 咱 俺 我们 咱们 你们 妳们 他们 她们 它们 "
    "我們 咱們 你們 妳們 他們 她們 它們 自己"
)
_RUSSIAN = (
    "я меня мне мной мною ты тебя тебе тобой тобою он его ему им нём нем него нему ним она её ее "
    "ей ею неё нее ней нею оно мы нас нам нами вы вас вам вами они их ими них ними себя себе собой "
    "мой моя моё мое мои моего моему моим моём моем моей мою моих моими твой твоя твоё твое твои "
    "твоего твоему твоим твоём твоем твоей твою твоих твоими наш наша наше наши нашего нашему "
    "нашим нашем нашей нашу наших нашими ваш ваша ваше ваши вашего вашему вашим вашем вашей вашу "
    "ваших вашими свой своя своё свое свои своего своему своим своём своем своей свою своих своими"
)

_ENGLISH_OTHERS = "this that these those one one's who whom whose which"
_GERMAN_OTHERS = (
    "man das dies dieser diese diesen diesem dieses der die den dem denen dessen deren jener jene "
    "jenen jenem jenes derjenige diejenige diejenigen dasjenige selbst"
)
_FRENCH_OTHERS = (
    "on le la les l' l’ ce c' c’ ça cela ceci celui celle ceux celles y en qui que qu' qu’ dont "
    "lequel laquelle lesquels lesquelles"
)
_RUSSIAN_OTHERS = (
    "это этот эта эти этого этому этим этом этой эту этих этими то тот та те того тому тем том той "
    "ту тех теми кто который которая которое которые"
)
_CHINESE_OTHERS = "这 那 这个 那个 这些 那些 這 這個 那個 這些 其 之 本人 大家"

SOURCE_PRONOUNS = {
    "en": tuple(_ENGLISH.split()),
    "de": tuple(_GERMAN.split()),
    "fr": tuple(_FRENCH.split()),
    "ru": tuple(_RUSSIAN.split()),
    "zh": tuple(_CHINESE.split()),
}
"""The pronouns of a source language that APT scores."""

TARGET_PRONOUNS = {
    "en": (*SOURCE_PRONOUNS["en"], *_ENGLISH_OTHERS.split()),
    "de": (*SOURCE_PRONOUNS["de"], *_GERMAN_OTHERS.split()),
    "fr": (*SOURCE_PRONOUNS["fr"], *_FRENCH_OTHERS.split()),
    "ru": (*SOURCE_PRONOUNS["ru"], *_RUSSIAN_OTHERS.split()),
    "zh": (*SOURCE_PRONOUNS["zh"], *_CHINESE_OTHERS.split()),
}
"""The pronouns of a target language that APT tells apart."""
