"""Language codes in the order in which multilingual models number them, for tokenizers whose files
leave the languages out (codes with white space between them), and codes that contradict files."""

from __future__ import annotations

import re

from docmt.errors import InputError

MBART_25 = """
ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV
my_MM ne_NP nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN
"""

MBART_50_ADDS = """
af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH mk_MK ml_IN mn_MN mr_IN pl_PL ps_AF pt_XX
sv_SE sw_KE ta_IN te_IN th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES sl_SI
"""

M2M_100 = """
af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he
hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl
no ns oc or pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi
yo zh zu
"""

M2M_WMT21 = "en ha is ja cs ru zh de"


def check_not_contradicted(side: str, given: str | None, named: str | None) -> None:
    """Check that a language is not another than the one that the files of a model of two languages
    name. A name of three letters may be that of a language family that includes it.

    Args:
        side: `source` or `target`.
        given: the code that the user gave.
        named: the code in the files.

    Raises:
        InputError: it is another.
    """
    if given is None or named is None:
        return
    wanted, known = (re.split("[-_]", code)[0].lower() for code in (given, named))
    if wanted != known and len(known) == 2:
        raise InputError(
            f"the {side} language is {given!r}, but the model's files name {named!r}",
            cure=f"Leave --{side}-language out, or import a model of {given!r}",
        )
