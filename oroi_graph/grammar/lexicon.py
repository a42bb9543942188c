"""Closed classes and small open ones that the offline extractor reads sentences with, English and Spanish."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from oroi_graph.grammar.words import word_set
from oroi_graph.language import FIRST_PERSON, SECOND_PERSON


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lexicon:
    """Lower-case words by what they do in a clause."""

    determiners: frozenset[str]
    possessives: dict[str, str]  # "my" → owner "I"; third persons own nothing we can name: ""
    pronouns: frozenset[str]
    prepositions: frozenset[str]
    conjunctions: frozenset[str]
    subordinators: frozenset[str]
    conditionals: frozenset[str]
    modals: frozenset[str]
    negations: frozenset[str]
    adverbs: frozenset[str]
    interjections: frozenset[str]
    evaluative: frozenset[str]  # adjectives of praise and mood: neither kept in labels nor worth a concept
    junk: frozenset[str]  # nouns that name nothing
    common: frozenset[str]  # nouns that often begin a sentence and are no names
    attributes: frozenset[str]  # nouns with one value: "my name is", "my birthday is"
    of: frozenset[str]

    @property
    def grammatical(self) -> frozenset[str]:
        """Words of grammar: no noun phrase holds one."""
        return _grammatical(self)


@cache
def _grammatical(lexicon: Lexicon) -> frozenset[str]:
    return (
        lexicon.determiners
        | frozenset(lexicon.possessives)
        | lexicon.pronouns
        | lexicon.prepositions
        | lexicon.conjunctions
        | lexicon.subordinators
        | lexicon.conditionals
        | lexicon.modals
        | lexicon.negations
    )


_PEOPLE = FIRST_PERSON | SECOND_PERSON

ENGLISH = Lexicon(
    determiners=word_set(
        "a an the this that these those some any no each every all both another other such several few "
        "many much "
        "more most half own same enough either neither certain various two three four five six seven "
        "eight nine ten dozen"
    ),
    possessives={"my": "I", "our": "I", "your": "you", "his": "", "her": "", "their": "", "its": ""},
    pronouns=(_PEOPLE & word_set("i me myself mine we us ourselves ours you yourself yours"))
    | word_set(
        "he him himself she herself hers it itself they them themselves theirs someone somebody everyone "
        "everybody "
        "anyone nobody one something anything nothing everything there here"
    ),
    prepositions=word_set(
        "in on at to for with without from by about into onto of off over under between through during "
        "after before "
        "since until till throughout against among around near behind beside beyond across along inside "
        "outside toward towards "
        "upon as like than via per despite including except for"
    ),
    conjunctions=word_set("and or but nor so yet plus & then"),
    subordinators=word_set(
        "that which who whom whose because cause while when where although though unless whether why how "
        "what whenever wherever"
    ),
    conditionals=word_set("if unless whether"),
    modals=word_set("will would can could should may might must shall gonna wanna"),
    negations=word_set("not never no-longer hardly"),
    adverbs=word_set(
        "also too very really so just even still already always often sometimes usually currently "
        "recently finally now "
        "then here there soon again ago away back maybe perhaps probably actually basically certainly "
        "definitely "
        "especially only quite rather almost pretty super totally truly later once twice together "
        "anymore instead "
        "else well much more most less least yet ever nearly else out up down along forward anyway kinda "
        "sorta "
        "far long fast hard online everywhere somewhere anywhere abroad apart overall lately nowadays "
        "however both"
    ),
    interjections=word_set(
        "correction hey hi hello wow oh ah yeah yes yep yup nope no ok okay thanks thank please sure "
        "congrats "
        "congratulations "
        "cheers bye goodbye haha lol omg cool awesome nice great sorry welcome alright gosh ugh hmm well "
        "agreed "
        "absolutely exactly right aww aw woah whoa yay oof nah ha yum ooh anytime gotcha yea woohoo dang "
        "ttyl phew darn oops fyi anyways huh ya hah appreciated btw p.s ps"
    ),
    evaluative=word_set(
        "good great awesome amazing nice cool wonderful fantastic incredible lovely beautiful fun funny "
        "happy sad glad "
        "proud excited exciting cute sweet perfect best better bad worse worst big huge small little new "
        "old young "
        "real true sure ready able important special interesting inspiring powerful tough hard easy "
        "difficult crazy "
        "wild weird strange different similar same tired busy free fine okay ok lucky grateful thankful "
        "thrilled "
        "stoked pumped nervous scared afraid worried stressed relaxed relaxing calm calming peaceful "
        "helpful useful "
        "worth rewarding fulfilling stunning gorgeous impressive brave strong determined passionate "
        "creative talented "
        "delicious tasty yummy favorite favourite whole entire next last first second final early late "
        "long short high "
        "low close far full empty main extra enough complete positive negative unique simple "
        "nerve-wracking tiny major "
        "minor fresh clear quick slow fast heavy light deep right wrong challenging rough unreal "
        "unbelievable "
        "encouraging motivating refreshing surprising welcoming lots such pretty super hopeful "
        "meaningful precious "
        "healthy sick ill alone lonely angry upset mad devastated heartbroken only easier harder closer "
        "bigger smaller faster stronger happier longer later greater nicer cooler involved interested "
        "motivated focused optimistic fancy scary safe frustrating excited comfy cozy curious key "
        "obvious possible impossible necessary common popular famous expensive cheap quiet loud warm "
        "cold hot simpler graceful expressive unexpected romantic graceful honest clear entertaining "
        "exhausting overwhelming tempting outstanding terrific epic superb insane spectacular bummed "
        "bummer super-cool neat sweetest third second large naughty hectic oldest youngest funniest "
        "coolest biggest greatest latest favourite-ever"
    )
    - word_set("favorite favourite"),
    junk=word_set(
        "thing things lot lots bit kind kinds sort way ways time times stuff one ones something anything "
        "everything "
        "nothing someone everyone anyone day days night today tomorrow moment moments part parts fact "
        "idea ideas reason "
        "place places point case end side example couple bunch ton tons while chance word words guy guys "
        "people person "
        "man buddy bud pal dude bro hope luck sense shot deal pleasure forward rest step steps self mind "
        "hand thanks "
        "heart world life feeling feelings way kinda something yes no course matter turn go goal goals "
        "journey joy "
        "experience experiences memory memories happiness inspiration passion passions support "
        "motivation difference "
        "level progress courage strength perseverance future past present reminder break news week "
        "weekend month "
        "year years weeks months minute minutes hour hours morning afternoon evening lately pic pics "
        "heads-up vibe vibes "
        "head eye eyes comfort peace blast love care look others key spot feel find check ya huh see "
        "need stay chill someday sometime worries encouragement relief top rock corner air impact stir "
        "mix process whole beginning plenty kudos shout-out shoutout perspective need take rid track "
        "thought thoughts stage series amount number variety yesterday form type types thing-or-two "
        "blessing challenge challenges self-care hang worry sign share talk chat try use help start work "
        "play"
    )
    - word_set("work love number"),
    common=word_set(
        "music art dance dancing nature love life work family painting winter summer spring autumn food "
        "books reading "
        "cooking time money people kids children friends dogs cats animals school home health sports "
        "games writing "
        "news weather coffee tea everything teamwork mom dad mum grandma grandpa tough staying sounds "
        "looks glad hope "
        "pottery garlic yoga sushi chess success guitar chicken movies pets safety setbacks obstacles "
        "allergies mentors doctors weddings cravings veggies bet see bring catch fetch mon tue tues wed "
        "thu thur thurs fri sat sun guess speaking lots totally good great way long yesterday today "
        "tomorrow last next"
    ),
    attributes=word_set(
        "name birthday age phone number email e-mail address job profession occupation employer nickname "
        "surname height "
        "weight salary nationality password pin hobby"
    ),
    of=word_set("of"),
)

SPANISH = Lexicon(
    determiners=word_set(
        "el la los las un una unos unas este esta estos estas ese esa esos esas aquel aquella aquellos "
        "aquellas algún "
        "alguna algunos algunas ningún ninguna cada todo toda todos todas otro otra otros otras mucho "
        "mucha muchos "
        "muchas poco poca pocos pocas varios varias ambos cualquier tanto tanta tantos tantas lo "
        "bastante más menos "
        "mismo misma mismos mismas qué dos tres cuatro cinco seis siete ocho nueve diez"
    ),
    possessives={
        "mi": "yo",
        "mis": "yo",
        "nuestro": "yo",
        "nuestra": "yo",
        "nuestros": "yo",
        "nuestras": "yo",
        "tu": "tú",
        "tus": "tú",
        "vuestro": "tú",
        "vuestra": "tú",
        "vuestros": "tú",
        "vuestras": "tú",
        "su": "",
        "sus": "",
    },
    pronouns=(_PEOPLE & word_set("yo mí conmigo nosotros nosotras tú ti usted ustedes vosotros vosotras contigo"))
    | word_set(
        "él ella ellos ellas ello eso esto aquello alguien nadie algo nada uno me te se le les nos os lo la los las"
    )
    - word_set("la los las lo"),
    prepositions=word_set(
        "a al de del en con sin para por desde hasta sobre entre hacia según contra durante tras ante "
        "bajo como mediante excepto"
    ),
    conjunctions=word_set("y e o u pero ni sino aunque pues luego entonces"),
    subordinators=word_set("que quien quienes porque cuando donde mientras cuyo como-que cual cuales"),
    conditionals=word_set("si ojalá"),
    modals=frozenset(),
    negations=word_set("no nunca jamás tampoco"),
    adverbs=word_set(
        "también muy ya aún todavía siempre ahora aquí allí ahí allá hoy bien mal mejor peor así casi "
        "solo sólo además "
        "después antes luego pronto tarde temprano quizá quizás tal vez apenas demasiado cerca lejos "
        "dentro fuera juntos "
        "juntas arriba abajo incluso entonces recientemente últimamente realmente"
    ),
    interjections=word_set(
        "corrección hola adiós sí vale gracias claro bueno oye ay oh ah jaja venga genial perfecto "
        "exacto perdón "
        "perdona felicidades "
        "enhorabuena guau vaya hombre eh por-favor buenas buenos"
    ),
    evaluative=word_set(
        "bueno buena buenos buenas buen gran grande grandes genial increíble bonito bonita bonitos "
        "bonitas precioso "
        "preciosa feliz contento contenta triste orgulloso orgullosa mejor peor malo mala mal importante "
        "especial "
        "interesante divertido divertida cansado cansada ocupado ocupada nuevo nueva nuevos nuevas viejo "
        "vieja "
        "pequeño pequeña maravilloso maravillosa perfecto perfecta listo lista seguro segura difícil "
        "fácil duro dura "
        "raro rara diferente igual mismo misma emocionado emocionada nervioso nerviosa rico rica "
        "delicioso deliciosa "
        "fantástico fantástica estupendo estupenda primer primera primero último última próximo próxima "
        "pasado pasada "
        "enfermo enferma solo sola cierto verdad caro cara barato barata harto harta"
    ),
    junk=word_set(
        "cosa cosas vez veces tiempo manera modo forma tipo poco rato momento día días noche mañana "
        "tarde parte algo "
        "nada gente persona caso lugar sitio hecho idea favor gracias verdad ganas suerte vida mundo "
        "semana mes año años "
        "semanas meses hora horas minutos cuenta lado realidad fin resto mitad razón punto"
    ),
    common=word_set("gente mamá papá ayer hoy mañana"),
    attributes=word_set(
        "nombre apellido cumpleaños edad teléfono móvil número correo email e-mail dirección profesión "
        "trabajo oficio "
        "altura peso sueldo nacionalidad contraseña pin apodo empresa"
    ),
    of=word_set("de del"),
)
LEXICONS = {"en": ENGLISH, "es": SPANISH}

# gerunds that name an activity people talk about; those of other verbs are only grammar
ACTIVITIES = word_set(
    "acting baking boating bowling boxing camping climbing coaching composing cooking crafting cycling "
    "dancing decorating "
    "drawing driving fishing gaming gardening hiking jogging juggling kayaking knitting meditating "
    "mentoring painting "
    "parenting photographing programming reading recording riding rehearsing running sailing sculpting "
    "shopping singing "
    "skating skiing snowboarding surfing swimming teaching training traveling travelling tutoring "
    "volunteering walking writing"
)
# what ends a label's claim to be a noun: adjectives by their ending
ADJECTIVE_ENDINGS = ("ful", "ous", "ive", "able", "ible", "less", "ish", "ical")
NOUN_ENDINGS = (
    "tion",
    "sion",
    "ness",
    "ity",
    "ment",
    "ance",
    "ence",
    "ship",
    "ism",
    "ing",
    "ency",
    "ancy",
    "ful",
    "ous",
    "ive",
    "able",
    "ible",
    "less",
    "ly",
    "ed",
    "hood",
    "ics",
    "ogy",
)  # fmt: skip
KINSHIP_ES = word_set(
    "hermano hermana hijo hija padre madre primo prima tío tía abuelo abuela novio novia amigo amiga "
    "jefe jefa marido "
    "mujer esposa esposo sobrino sobrina nieto nieta vecino vecina compañero compañera socio socia"
)
EXPERIENCE_ES = word_set("gustar encantar interesar apasionar doler preocupar fascinar importar")
# (pattern, charge): what marks a turn as one that nobody forgets
CHARGES = (
    (r"\b(?:died|passed away|murió|falleció|ha muerto|ha fallecido|funeral|cancer|cáncer)\b", 0.8),
    (r"\b(?:devastated|heartbroken|destrozad[oa]|hundid[oa])\b", 0.7),
    (r"\b(?:getting married|got married|got engaged|proposed to me|me caso|nos casamos|me he casado)\b", 0.7),
    (r"\b(?:pregnant|embarazada|had a baby|gave birth|nació mi|ha nacido|miscarriage|aborto)\b", 0.7),
    (
        r"\b(?:lost (?:my|our|his|her) (?:job|house|home)|perdí (?:mi|el) (?:trabajo|empleo)|me han? "
        r"despedido)\b",
        0.6,
    ),
    (r"\b(?:divorce|divorcio|car accident|accidente|hospital|terrified|aterrad[oa]|i hate|odio)\b", 0.4),
    (r"\b(?:so happy|so proud|thrilled|over the moon|muy feliz|tan feliz|love of my life)\b", 0.3),
)
CONFIRMATIONS = (
    r"^(?:(?:yes|yeah|yep|yup|exactly|right|correct|indeed|absolutely|sure|of course|that'?s "
    r"(?:right|it|correct|true)|"
    r"true|you'?re right|sí|exacto|exactamente|eso es|claro|correcto|así es|efectivamente|cierto|tal "
    r"cual)\b)"
)
