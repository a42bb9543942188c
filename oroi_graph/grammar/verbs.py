"""Verb forms of English and Spanish: from a form to its lemma, tense and readable third person.

Relations are kept as said, but in the third person ("I live in" is kept as "lives in", "me mudé a" as
"se mudó a"), so that they read well whoever said them and equal facts carry equal words. The tables hold
common verbs only; `english_verb` and `spanish_verb` answer None for the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from oroi_graph.grammar.words import word_set

Tense = Literal["base", "s", "past", "part", "ing"]


@dataclass(frozen=True, slots=True)
class VerbForm:
    """`third`: the third person singular of the same tense. `person`: 1 to 3, 4 to 6 for plurals, 0 for none
    (participle, gerund, infinitive) or unknown."""

    lemma: str
    tense: str
    third: str
    person: int = 0


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
thrill view wander"""
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
seen|sell sold sold|send sent sent| set set set|shoot shot shot|show showed shown|sing sang sung|sit
sat sat|sleep slept slept|speak spoke spoken| spend spent spent|stand stood stood|steal stole
stolen|swim swam swum|take took taken|teach taught taught| tell told told|think thought
thought|throw threw thrown|understand understood understood|wake woke woken| wear wore worn|win won
won|write wrote written"""
_DOUBLING = word_set(
    "admit chat drop enroll get hit jog knit let plan quit run set ship shop sit ski skip spot stop swim "
    "cut put win "
    "begin forget hug"
)
NOUNS_TOO = word_set(
    "act scare ache aim book call camp care change chat check coach cook cycle dance dream dress drop end "
    "exercise "
    "experience face fear garden guess help hike hope host hug interview jump kick kiss land last launch "
    "like look "
    "love move name need offer order pack park pass phone photograph plan plant play post practice "
    "present print "
    "promise race release rent repair research rest return review roll score search share ski smile "
    "smoke sound spot "
    "stand start stay step stop store stress struggle study support surprise switch talk taste touch "
    "tour train travel "
    "treat turn use video visit volunteer vote wait walk wash waste watch water welcome wish wonder work "
    "worry drink "
    "drive fall fight run swim ride set cut show break cost deal draw feed feel find fly hit hold hurt "
    "lead lie read "
    "ring rise sleep win experience base contact project record rock rank team view log test beat mix "
    "cheer display shape spread trust fit aid bond pitch crush reward shake treasure"
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


# --- Spanish ---------------------------------------------------------------------------------------------

_REGULAR_ES = """\
abandonar acabar aceptar acompañar adoptar adorar ahorrar alquilar amar apuntar:se aprobar:ue aprender
asistir avisar ayudar bailar beber buscar caminar cambiar cantar casar:se celebrar cenar cocinar coger
coleccionar comer comprar comprender compartir conseguir:i contar:ue contratar correr cortar costar:ue
crear creer criar cuidar cumplir decidir dejar descubrir desear despedir:i dibujar diseñar disfrutar
divorciar:se doler:ue durar echar elegir:i empezar:ie encantar encontrar:ue enseñar entender:ie entrar
enviar escribir escuchar esperar estudiar explicar extrañar fabricar fallecer faltar fumar fundar ganar
gastar gustar hablar heredar importar interesar intentar invitar jubilar:se jugar:ue lavar leer limpiar
llamar llegar llevar llorar luchar mandar medir:i mejorar mencionar merendar:ie mirar mudar:se nadar
nacer:zc conocer:zc necesitar odiar ofrecer:zc olvidar organizar pagar parecer:zc participar pasar
pasear pedir:i pensar:ie perder:ie pesar pintar plantar practicar preferir:ie preguntar preparar
presentar prestar probar:ue publicar quedar quejar:se quemar recibir recoger recomendar:ie recordar:ue
regalar reparar repetir:i residir robar romper sacar seguir:i sentir:ie separar:se servir:i soñar:ue
subir sufrir terminar tocar tomar trabajar trasladar:se usar utilizar dirigir acordar:ue acostar:ue agradecer:zc
alegrar almorzar:ue aparecer:zc arreglar aumentar besar cerrar:ie charlar crecer:zc desayunar
despertar:ie discutir emigrar enamorar:se entrenar firmar funcionar graduar:se gritar invertir:ie ladrar
levantar:se llover:ue lograr merecer:zc montar mover:ue negar:ie ocurrir permitir pertenecer:zc
preocupar quitar regresar resolver:ue reunir salvar sentar:ie sonar:ue suspender tardar tirar votar
vender viajar visitar vivir volar:ue volver:ue"""
# infinitive: present (6) / preterite (6) / imperfect stem + kind / participle / gerund
_IRREGULAR_ES = """\
ser: soy eres es somos sois son/fui fuiste fue fuimos fuisteis fueron/era eras era éramos erais
  eran/sido/siendo
estar: estoy estás está estamos estáis están/estuve estuviste estuvo estuvimos estuvisteis
  estuvieron//estado/estando
tener: tengo tienes tiene tenemos tenéis tienen/tuve tuviste tuvo tuvimos tuvisteis
  tuvieron//tenido/teniendo
ir: voy vas va vamos vais van//iba ibas iba íbamos ibais iban/ido/yendo
haber: he has ha hemos habéis han/hube hubiste hubo hubimos hubisteis hubieron//habido/habiendo
hacer: hago haces hace hacemos hacéis hacen/hice hiciste hizo hicimos hicisteis
  hicieron//hecho/haciendo
decir: digo dices dice decimos decís dicen/dije dijiste dijo dijimos dijisteis
  dijeron//dicho/diciendo
poder: puedo puedes puede podemos podéis pueden/pude pudiste pudo pudimos pudisteis
  pudieron//podido/pudiendo
querer: quiero quieres quiere queremos queréis quieren/quise quisiste quiso quisimos quisisteis
  quisieron//querido/queriendo
saber: sé sabes sabe sabemos sabéis saben/supe supiste supo supimos supisteis
  supieron//sabido/sabiendo
venir: vengo vienes viene venimos venís vienen/vine viniste vino vinimos vinisteis
  vinieron//venido/viniendo
poner: pongo pones pone ponemos ponéis ponen/puse pusiste puso pusimos pusisteis
  pusieron//puesto/poniendo
dar: doy das da damos dais dan/di diste dio dimos disteis dieron//dado/dando
ver: veo ves ve vemos veis ven/vi viste vio vimos visteis vieron/veía veías veía veíamos veíais
  veían/visto/viendo
salir: salgo sales sale salimos salís salen///salido/saliendo
traer: traigo traes trae traemos traéis traen/traje trajiste trajo trajimos trajisteis
  trajeron//traído/trayendo
conducir: conduzco conduces conduce conducimos conducís conducen/conduje condujiste condujo
  condujimos condujisteis condujeron//conducido/conduciendo
morir: muero mueres muere morimos morís mueren/morí moriste murió morimos moristeis
  murieron//muerto/muriendo
dormir: duermo duermes duerme dormimos dormís duermen/dormí dormiste durmió dormimos dormisteis
  durmieron//dormido/durmiendo
oír: oigo oyes oye oímos oís oyen/oí oíste oyó oímos oísteis oyeron//oído/oyendo"""
_ENDINGS_ES = {
    "ar": (
        "o as a amos áis an",
        "é aste ó amos asteis aron",
        "aba abas aba ábamos abais aban",
        "ado",
        "ando",
    ),
    "er": ("o es e emos éis en", "í iste ió imos isteis ieron", "ía ías ía íamos íais ían", "ido", "iendo"),
    "ir": ("o es e imos ís en", "í iste ió imos isteis ieron", "ía ías ía íamos íais ían", "ido", "iendo"),
}
_FUTURE_ES = "é ás á emos éis án"
_PARTICIPLES_ES = {"escribir": "escrito", "romper": "roto", "volver": "vuelto", "descubrir": "descubierto"}
# finite forms that are far more often something else
_NOT_VERBS_ES = word_set(
    "para nada cuenta como parte sobre entre casa cuento pesa pesas ama cría crías era eras pinta plan "
    "corte cena cenas "
    "visita visitas ayuda ayudas falta faltas compra compras trabajo trabajos cambio regalo regalos "
    "juego juegos "
    "sueño sueños camino baile toma marcha lucha gana ganas busca cura uso paso pasos dibujo dibujos "
    "corto corta "
    "presente presentes practica repara espera canto cantos encuentro gasto gastos estudio estudios "
    "nota firma firmas cierre crece acuerdo acuerdos cierra sienta suena gradúa diseño diseños mando "
    "viaje viajes prueba pruebas"
)


def _stem_change(stem: str, change: str) -> str:
    """The stem as it sounds under stress: pens → piens, cost → cuest, ped → pid."""
    old = {"ie": "e", "ue": "o", "i": "e"}.get(change)
    if old is None:
        return stem
    at = max(stem.rfind(old), stem.rfind("u") if change == "ue" and "o" not in stem else -1)
    return stem if at < 0 else f"{stem[:at]}{change}{stem[at + 1 :]}"


def _spell(stem: str, ending: str, kind: str) -> str:
    """Spelling before e: busqué, pagué, empecé; before o: cojo, sigo; between vowels: leyó."""
    if kind == "ar" and ending[0] in "eé":
        for old, new in (("c", "qu"), ("g", "gu"), ("z", "c")):
            if stem.endswith(old):
                return stem[:-1] + new + ending
    if kind != "ar" and ending[0] == "o":
        if stem.endswith("gu"):
            return stem[:-1] + ending
        if stem.endswith("g"):
            return f"{stem[:-1]}j{ending}"
    if kind != "ar" and stem[-1] in "aeo" and ending[:2] in ("ió", "ie"):
        return f"{stem}y{ending[1:]}"
    return stem + ending


@cache
def _spanish() -> dict[str, VerbForm]:
    table: dict[str, VerbForm] = {}
    for entry in _REGULAR_ES.split():
        infinitive, _, change = entry.partition(":")
        _enter_regular(table, infinitive, change)
    for line in _IRREGULAR_ES.replace("\n  ", " ").split("\n"):
        infinitive, _, forms = line.partition(": ")
        present, past, imperfect, part, gerund = forms.split("/")
        kind = {"oír": "ir"}.get(infinitive, infinitive[-2:])
        stem = infinitive[:-2]
        endings = _ENDINGS_ES[kind]
        _enter_tense(table, infinitive, "present", present.split())
        if infinitive != "ir":  # its past is that of ser, and so is its third person
            _enter_tense(table, infinitive, "past", past.split() or [stem + e for e in endings[1].split()])
        _enter_tense(table, infinitive, "imperfect", imperfect.split() or [stem + e for e in endings[2].split()])
        _enter_bare(table, infinitive, part, gerund)
    _enter_tense(table, "ir", "past", ["fui", "fuiste", "fue", "fuimos", "fuisteis", "fueron"])
    return table


def _enter_regular(table: dict[str, VerbForm], infinitive: str, change: str) -> None:
    kind, stem = infinitive[-2:], infinitive[:-2]
    present, past, imperfect, part, gerund = _ENDINGS_ES[kind]
    strong = _stem_change(stem, change)
    weak = [stem] * 6
    if change == "i" or (change == "ie" and kind == "ir"):
        third = _stem_change(stem, "i")
        weak[2] = weak[5] = third
    stems = [strong, strong, strong, stem, stem, strong]
    if change == "zc":
        stems = [f"{stem[:-1]}zc", *[stem] * 5]
    forms = [_spell(s, e, kind) for s, e in zip(stems, present.split(), strict=True)]
    _enter_tense(table, infinitive, "present", forms)
    _enter_tense(table, infinitive, "past", [_spell(s, e, kind) for s, e in zip(weak, past.split(), strict=True)])
    _enter_tense(table, infinitive, "imperfect", [stem + e for e in imperfect.split()])
    _enter_tense(table, infinitive, "future", [infinitive + e for e in _FUTURE_ES.split()])
    vowel = stem[-1] in "aeo" and kind != "ar"
    part = _PARTICIPLES_ES.get(infinitive, stem + ("ído" if vowel else part))
    _enter_bare(table, infinitive, part, _spell(weak[2], gerund, kind))


def _enter_tense(table: dict[str, VerbForm], infinitive: str, tense: str, forms: list[str]) -> None:
    for person, form in enumerate(forms, 1):
        known = table.get(form)
        # "hablamos" is present and past: the past is what people mean when they tell something
        if known is None or tense == "past" or known.lemma != infinitive:
            table[form] = VerbForm(infinitive, tense, forms[2], person)


def _enter_bare(table: dict[str, VerbForm], infinitive: str, part: str, gerund: str) -> None:
    table.setdefault(part, VerbForm(infinitive, "part", part))
    table.setdefault(gerund, VerbForm(infinitive, "gerund", gerund))
    table.setdefault(infinitive, VerbForm(infinitive, "infinitive", infinitive))


def spanish_verb(word: str) -> VerbForm | None:
    """The reading of a Spanish verb form (lower case), None if unknown. Forms that are mostly nouns or
    prepositions ("para", "cuenta", "trabajo") are read as verbs only by `spanish_verb_at_start`."""
    return None if word in _NOT_VERBS_ES else _spanish().get(word)


def spanish_verb_at_start(word: str) -> VerbForm | None:
    """As `spanish_verb`, for a word where a clause's verb is expected ("Trabajo en Correos")."""
    return _spanish().get(word)
