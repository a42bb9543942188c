"""Verb forms of English: common verbs, from a form to its lemma, tense and readable third person."""

from __future__ import annotations

import re
from functools import cache

from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.verb_form import VerbForm

_REGULAR_EN = """\
accept ache act add admire admit adopt advise afford agree aim allow announce apologize appear apply
appreciate arrange arrive ask assist attend avoid bake base believe belong book borrow bother breathe
call camp cancel care carry celebrate change chat check choose clean climb close coach collect compete
complete compose connect consider contact continue cook create cry cycle dance deal decide declare
decorate deliver deserve design destroy develop die discover discuss divorce donate download dream dress
drop earn encourage end enjoy enroll enter escape exercise expand expect experience explain explore
express face fail fear finish fix follow foster found gain garden graduate guess handle happen hate help
hike hire hope host hug identify imagine implement improve include inherit inspire install intend
interview introduce invest invite join jog juggle jump kick kiss knit land last laugh launch learn lend
like listen live load look love lower manage marry mention miss mix move name need notice offer open
order organize own pack paint park participate pass perform phone photograph pick plan plant play post
practice practise prefer prepare present print produce promise promote propose publish purchase push
quit race raise reach realize receive recommend recover reduce reflect refuse register rehearse relate
relax release relocate remain remember remind remodel renovate rent repair replace reply rescue research
reside rest retire return review roast roll save schedule score scream search seem separate serve settle
share shop show sign skate ski smile smoke sound spot stand start stay step stop store stress struggle
study succeed suffer suggest suit support surprise survive switch talk taste taught thank touch tour
train transfer transition travel treat try turn upload use video visit volunteer vote wait walk want
warn wash waste watch water weigh welcome win wish wonder work worry aid allow amaze bond bounce
brighten capture chase clear conquer create crush dare dig embrace empower fit flourish grab inspire
interact involve juggle kill listen matter motivate navigate pamper plug pour prove refresh reward rely
rock scare shake shape spread stick strive strengthen thrive tackle tend trust unwind wrap log soak test
submit pitch flop treasure brainstorm struggle sort stretch sweat repeat remove refuse rank promote
chill cheer brag beat adjust analyze bless mix pursue push sacrifice snap sponsor stay suffer team
thrill view wander maintain manufacture operate own oversee repair restore sail sketch sponsor subscribe
supervise train translate tutor volunteer weave assemble attract audit ban bark bloom breed broadcast budget
burn collide combine command commute compare complain conduct confirm contain convert convince copy correct
curate dedicate defend demand depend describe detect direct distribute drag edit elect emigrate employ enable
endorse engineer ensure establish estimate evaluate exhibit export favor favour feature film finance forward
fry gather glue govern greet grill hand handle harvest heal heat hesitate hunt illustrate import impress
influence inform injure inspect intern invent investigate iron kayak knock label lecture license lift link
list lock market measure melt mend mind monitor mount narrate obtain occupy oppose organise originate paddle
park peel persuade phone pilot point praise pray preach predict preserve press prevent process program
protect prune publish pump purchase quote rate rear rebuild record recycle reduce refer relocate rely
renew request require resign resolve respond restore reveal row ruin rule sample scan sculpt seal secure
seek select serve sew shave shift ship sign sip skateboard skip slip smell sneeze sort split sponsor squeeze
stack staff stitch strike subscribe suggest surf surround swap sweep tailor tape tease telephone terminate
tie time tip track trade trap trim tune type unite update upgrade urge vacation value vanish vary weld
whistle widow wipe witness wrap yell adjoin border inhabit lodge dwell contribute devote sleepwalk
assume bathe calm confess construct cough cover cure delay delete deny dine disappear discourage dislike
dispatch distract divide endure enforce engage entertain evolve examine exceed excel exclude expire fade
furnish gamble graze haunt ignore immigrate impose indicate insist insult insure integrate interpret
interrupt isolate justify lick locate modify mop mourn mow multiply obey observe offend outlive overlook owe
perch plead plough poison portray possess postpone pretend proceed prohibit pronounce punish react reassure
rebel recall recite recognise recognize recruit reign reject rejoin relieve remark reorganise reorganize
repaint report represent reproduce reschedule resemble reserve resist restrict resume reunite reverse revise
revive rob rotate rub satisfy scold scrub simplify smash sneak snore solve spoil sprout stare steer stir
stumble substitute sue suspect sustain swallow tempt threaten tidy tighten tolerate toss tow transform
transport twist vacuum wag widen worship"""
_IRREGULAR_EN = """\
be was been|bear bore born|become became become|begin began begun|bite bit bitten|break broke
broken| bring brought brought|build built built|buy bought bought|catch caught caught|choose chose
chosen|come came come| cost cost cost|cut cut cut|deal dealt dealt|do did done|draw drew drawn|drink
drank drunk|drive drove driven| eat ate eaten|fall fell fallen|feed fed fed|feel felt felt|fight
fought fought|find found found|fly flew flown| forget forgot forgotten|forgive forgave
forgiven|freeze froze frozen|get got gotten|give gave given|go went gone| grow grew grown|hang hung
hung|have had had|hear heard heard|hide hid hidden|hit hit hit|hold held held| hurt hurt hurt|keep
kept kept|know knew known|lead led led|leave left left|lend lent lent|let let let|lie lay lain| lose
lost lost|make made made|mean meant meant|meet met met|pay paid paid|put put put|quit quit quit|read
read read| ride rode ridden|ring rang rung|rise rose risen|run ran run|say said said|see saw
seen|sell sold sold|shut shut shut|shake shook shaken|dig dug dug|sink sank sunk|shrink shrank shrunk|stick
stuck stuck|strike struck struck|swing swung swung|hit hit hit|bend bent bent|bind bound bound|blow blew
blown|burst burst burst|shine shone shone|slide slid slid|spin spun spun|split split split|weave wove
woven|sew sewed sewn|send sent sent| set set set|shoot shot shot|show showed shown|sing sang sung|sit
sat sat|sleep slept slept|speak spoke spoken| spend spent spent|stand stood stood|steal stole
stolen|swim swam swum|take took taken|teach taught taught| tell told told|think thought
thought|throw threw thrown|understand understood understood|wake woke woken| wear wore worn|win won
won|write wrote written"""
_DOUBLING = word_set(
    "admit chat drop enroll get hit jog knit let plan quit run set ship shop sit ski skip spot stop swim cut put "
    "win ban refer transfer prefer occur commit submit scan sip slip swap tip trap trim wrap grab drag tap flop "
    "plug rob nod pat mop permit equip rub zip step begin forget hug"
)
NOUNS_TOO = word_set(
    "act scare ache aim book call camp care change chat check coach cook cycle dance dream dress drop end "
    "exercise experience face fear garden guess help hike hope host hug interview jump kick kiss land last launch "
    "like look love move name need offer order pack park pass phone photograph plan plant play post practice "
    "present print promise race release rent repair research rest return review roll score search share ski smile "
    "smoke sound spot stand start stay step stop store stress struggle study support surprise switch talk taste "
    "touch tour train travel treat turn use video visit volunteer vote wait walk wash waste watch water welcome "
    "wish wonder work worry drink drive fall fight run swim ride set cut show break cost deal draw feed feel find "
    "fly hit hold hurt lead lie read ring rise sleep win experience base contact project record rock rank team "
    "view log test beat mix cheer display shape spread trust fit aid bond pitch crush reward shake treasure "
    "cover cure delay mop report reserve suspect transport twist vacuum"
)


def _english_s(base: str) -> str:
    if re.search(r"(?:s|x|z|ch|sh|o)$", base):
        return f"{base}es"
    return f"{base[:-1]}ies" if re.search(r"[^aeiou]y$", base) else f"{base}s"


def _english_ed(base: str) -> str:
    if base.endswith("e"):
        return f"{base}d"
    if re.search(r"[^aeiou]y$", base):
        return f"{base[:-1]}ied"
    return f"{base}{base[-1]}ed" if base in _DOUBLING else f"{base}ed"


def _english_ing(base: str) -> str:
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    if base.endswith("e") and not base.endswith(("ee", "be")):
        return f"{base[:-1]}ing"
    return f"{base}{base[-1]}ing" if base in _DOUBLING else f"{base}ing"


@cache
def _english() -> dict[str, VerbForm]:
    """Form → reading. Where two verbs share a form, the past of an irregular one wins ("left", "found")."""
    table: dict[str, VerbForm] = {}
    for base in _REGULAR_EN.split():
        _enter_english(table, base, _english_ed(base), _english_ed(base))
    for entry in _IRREGULAR_EN.split("|"):
        base, past, part = entry.split()
        _enter_english(table, base, past, part)
    table["has"] = VerbForm("have", "s", "has")
    table["does"] = VerbForm("do", "s", "does")
    for form in ("is", "am", "are", "'m", "'re"):
        table[form] = VerbForm("be", "s", "is")
    table["were"] = VerbForm("be", "past", "was")
    return table


def _enter_english(table: dict[str, VerbForm], base: str, past: str, part: str) -> None:
    third = {"have": "has", "be": "is"}.get(base, _english_s(base))
    table[_english_s(base)] = VerbForm(base, "s", third)
    table[_english_ing(base)] = VerbForm(base, "ing", f"is {_english_ing(base)}")
    table[base] = VerbForm(base, "base", base if base == past else third)
    if part != base:
        table[part] = VerbForm(base, "part", past)
    if past != base:
        table[past] = VerbForm(base, "past", past)


def english_verb(word: str) -> VerbForm | None:
    """The reading of an English verb form (lower case), None if unknown."""
    return _english().get(word)


@cache
def _english_past() -> dict[str, str]:
    pasts = {form.lemma: word for word, form in _english().items() if form.tense == "past" and word != "were"}
    return {**pasts, "be": "was"}


def english_past(base: str) -> str:
    """The simple past of a base form ("buy" → "bought")."""
    return _english_past().get(base, base if (f := english_verb(base)) and f.third == base else _english_ed(base))
