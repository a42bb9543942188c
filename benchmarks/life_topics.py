"""What is spoken of in a scripted life (`life_script`): sentences with what they state.

A sentence is one string: the words, "|", then what they state, parted by ";". `a > r > b` is a relation, `a !> r > b`
a negated one, `+ x` a concept that is only mentioned. `{slot}` stands for the same words in the text and in what is
stated, `{a slot}` for them with "a" or "an". Slots are drawn anew for each sentence, except those that a fading topic
has bound when it began.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that stays true: a question, what an answer must say (one of each), and ways to say it."""

    question: str
    required: tuple[tuple[str, ...], ...]
    wordings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """What a speaker talks about: facts that come back, and events that befall once."""

    name: str
    speaker: str
    facts: tuple[Fact, ...]
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changing:
    """A fact that is corrected from time to time: `{value}` and `{old}` are filled in; the text never says `old`."""

    name: str
    speaker: str
    question: str
    values: tuple[str, ...]
    first: str
    change: str
    again: tuple[str, ...]


def _fact(question: str, required: str, *wordings: str) -> Fact:
    """`required`: alternatives parted by "/"."""
    return Fact(question, (tuple(required.split("/")),), wordings)


# Labels of one thing that resonance keeps apart when they are heard: what sleep may merge.
SAME = {
    "lessons": ("piano lessons", "piano classes"),
    "report": ("quarterly report", "report for the quarter"),
    "album": ("photo album", "photograph album"),
    "insurance": ("car insurance", "auto insurance"),
    "club": ("film club", "movie club"),
    "seedlings": ("tomato seedlings", "young tomato plants"),
    "engine": ("boat engine", "boat motor"),
    "rehearsal": ("choir rehearsal", "choir practice"),
    "holiday": ("summer holiday", "summer vacation"),
    "laptop": ("office laptop", "office notebook computer"),
    "fridge": ("fridge", "refrigerator"),
    "sofa": ("sofa", "couch"),
    "movil": ("móvil", "teléfono móvil"),
    "ordenador": ("ordenador portátil", "portátil"),
    "entrenamiento": ("entrenamiento de remo", "entreno de remo"),
}
# Labels of different things that look alike: what sleep must not merge.
APART = (
    ("morning shift", "night shift"), ("left oar", "right oar"), ("front sail", "main sail"),
    ("red wine", "white wine"), ("spring concert", "autumn concert"), ("turno de mañana", "turno de noche"),
)  # fmt: skip
# Mentioned together again and again without a word on how they belong together: what sleep may promote.
TOGETHER = (
    ("weekly market", "goat cheese", "We were at the {x}, and there was {y} on the table again."),
    ("heating", "draught", "The {x} was on all day; the {y} is back."),
    ("harbour café", "crossword", "An hour in the {x}, the {y}, nothing else."),
    ("thunderstorm", "candles", "Another {x} tonight, {y} everywhere."),
    ("tram strike", "long walk", "A {x} this morning and a {y}."),
    ("chamomile tea", "old photographs", "{x}, {y}: a quiet evening."),
)
CHAT = (
    "It has been raining all morning.", "I slept badly.", "What a day.", "Thanks, that helps.", "Ok, good.",
    "I am rather tired today.", "Never mind, it was nothing.", "You are right about that.", "Let me think about it.",
    "Good morning!", "Nothing new here.", "The sun is out at last.", "I need a break.", "That made me laugh.",
)  # fmt: skip
CHARLA = (
    "Hoy hace un día estupendo.", "Estoy agotado.", "Gracias, me ayuda mucho.", "Buenos días.", "No hay novedades.",
    "Qué frío hace.", "Ya veremos.", "Tienes razón.",
)  # fmt: skip
REPLIES = (
    "Good to know.", "I will keep that in mind.", "How was it?", "That sounds like a full day.", "Tell me more.",
    "I see. And what comes next?", "What did you think of {x}?", "Of {x} again!", "So that is how it was with "
    "{x}.",
    "I am glad you told me about {x}.",
)  # fmt: skip
RESPUESTAS = ("Tomo nota.", "¿Y qué tal fue?", "Cuéntame más de {x}.", "Qué bien lo de {x}.", "Entendido.")

TRIVIA = (
    ("I bought {a thing} at the {place} for {price}.",
     "I > bought > {thing} ; {thing} > was bought at > {place} ; {thing} > was bought for > {price}",
     "Where did I buy the {thing}?", "{place}"),
    ("{person} lent me {a thing}.", "{person} > lent me > {thing}", "Who lent me the {thing}?", "{person}"),
    ("I saw {a thing} lying in front of the {place}.", "I > saw > {thing} ; {thing} > was in front of > {place}",
     "Where did I see the {thing}?", "{place}"),
    ("{person} showed me {a thing} from {town}.", "{person} > showed me > {thing} ; {thing} > came from > {town}",
     "Who showed me the {thing}?", "{person}"),
    ("I forgot {a thing} in the {place}.", "I > forgot > {thing} ; {thing} > was forgotten in > {place}",
     "Where did I forget the {thing}?", "{place}"),
    ("There was {a thing} for {price} in the window of the {place}.",
     "{thing} > was in the window of > {place} ; {thing} > was offered for > {price}",
     "Where was the {thing} in the window?", "{place}"),
    ("At the {place} somebody sold {a thing} to {person}.", "{person} > bought > {thing} ; {thing} > was sold at > "
     "{place}", "Who bought the {thing} that was sold at the {place}?", "{person}"),
    ("I met {person} on the train to {town}.", "I > met > {person} ; {person} > was on the train to > {town}",
     "Where was {person} going by train?", "{town}"),
    ("{person} cooked {dish} for everybody at the {place}.", "{person} > cooked > {dish} ; {dish} > was served at > "
     "{place}", "What did {person} cook?", "{dish}"),
    ("Near {town} {a animal} crossed the road; {person} took a picture of it.",
     "{person} > photographed > {animal} ; {animal} > was seen near > {town}", "What did {person} photograph?",
     "{animal}"),
)  # fmt: skip
MENUDENCIAS = (
    ("He comprado una {cosa} en el {sitio} por {precio}.",
     "yo > compré > {cosa} ; {cosa} > comprada en > {sitio} ; {cosa} > comprada por > {precio}",
     "¿Dónde compré la {cosa}?", "{sitio}"),
    ("{person} me prestó una {cosa}.", "{person} > me prestó > {cosa}", "¿Quién me prestó la {cosa}?", "{person}"),
    ("Vi a {person} con una {cosa}.", "{person} > llevaba > {cosa}", "¿Qué llevaba {person}?", "{cosa}"),
)  # fmt: skip

RECURRING = (
    Topic(
        "work", "Ana",
        (
            _fact("Who is my boss?", "Marta Iglesias", "My boss is Marta Iglesias. | my boss > is > Marta Iglesias",
                  "Marta Iglesias is still the boss I had last year. | my boss > is > Marta Iglesias",
                  "As my boss, Marta Iglesias decides. | my boss > is > Marta Iglesias"),
            _fact("Who runs the map archive?", "Joseba Uriarte",
                  "Joseba Uriarte runs the map archive. | Joseba Uriarte > runs > map archive",
                  "The map archive is in the hands of Joseba Uriarte. | Joseba Uriarte > is in charge of > map "
                  "archive",
                  "Joseba Uriarte is in charge of the map archive. | Joseba Uriarte > is in charge of > map archive"),
            _fact("Which room is the map archive in?", "basement/cellar",
                  "The map archive is down in the basement. | map archive > is in > basement",
                  "It is cold in the basement, where the map archive is. | map archive > is in > basement"),
            _fact("What does Idoia do with the old maps?", "restores/repairs/mends",
                  "Idoia restores the old maps. | Idoia > restores > old maps",
                  "Idoia repairs old maps with paste. | Idoia > repairs > old maps",
                  "Idoia mends the old maps. | Idoia > mends > old maps"),
        ),
        (
            "Marta Iglesias sent me to {town} with {a thing}. | Marta Iglesias > sent me to > {town} ; + {thing}",
            "The map archive was given {a thing} by {person}. | {person} > gave > {thing} ; map archive > received > "
            "{thing}",
            "Joseba Uriarte scanned a plan of {town}. | Joseba Uriarte > scanned > plan of {town}",
            "The {report} is due; {person} from {town} asked for it. | {person} > asked for > {report} ; {person} > "
            "is "
            "from > {town}",
            "My {laptop} is slow, and Idoia gave me {a thing} to cheer me up. | my {laptop} > is > slow ; Idoia > "
            "gave "
            "me > {thing}",
            "Idoia had the morning shift and {person} the night shift. | Idoia > had > morning shift ; {person} > "
            "had > "
            "night shift",
        ),
    ),
    Topic(
        "family", "Ana",
        (
            _fact("What is my daughter called?", "Nora", "My daughter is called Nora. | my daughter > is called > "
            "Nora",
                  "Nora, my daughter, sends her love. | my daughter > is called > Nora"),
            _fact("What does my mother grow?", "orchids", "My mother grows orchids. | my mother > grows > orchids",
                  "Orchids are what my mother grows. | my mother > grows > orchids",
                  "My mother raises orchids on the window sill. | my mother > raises > orchids"),
            _fact("What instrument does Nora play?", "piano", "Nora plays the piano. | Nora > plays > piano",
                  "Nora is learning the piano. | Nora > is learning > piano"),
            _fact("Where does Aunt Begonia live?", "Laredo", "Aunt Begonia lives in Laredo. | Aunt Begonia > lives "
            "in > "
                  "Laredo", "We visited Laredo, where Aunt Begonia lives. | Aunt Begonia > lives in > Laredo"),
        ),
        (
            "Nora had her {lessons} with {person}. | Nora > had > {lessons} ; {person} > teaches > {lessons}",
            "Aunt Begonia sent us {a thing}. | Aunt Begonia > sent > {thing}",
            "We put a picture of {town} into the {album}. | {album} > holds a picture of > {town}",
            "My mother cooked {dish} for Nora. | my mother > cooked > {dish} ; + Nora",
            "Nora drew {a animal} at school. | Nora > drew > {animal}",
            "For the {holiday} we may go to {town}, with {person}. | {holiday} > may be in > {town} ; + {person}",
            "The {sofa} has a stain, Nora spilt soup when {person} called. | {sofa} > has > stain ; {person} > "
            "called > "
            "Nora",
        ),
    ),
    Topic(
        "choir", "Ana",
        (
            _fact("Who conducts the choir?", "Ludmila Vasquez",
                  "Ludmila Vasquez conducts the choir. | Ludmila Vasquez > conducts > choir",
                  "The choir is led by Ludmila Vasquez. | Ludmila Vasquez > leads > choir",
                  "Ludmila Vasquez leads our choir. | Ludmila Vasquez > leads > choir"),
            _fact("Which voice do I sing?", "alto", "I sing alto in the choir. | I > sing > alto ; + choir",
                  "As an alto I stand at the back. | I > sing > alto"),
            _fact("Where does the choir rehearse?", "deconsecrated church",
                  "The choir rehearses in a deconsecrated church. | choir > rehearses in > deconsecrated church",
                  "We sang in the deconsecrated church, where the choir rehearses. | choir > rehearses in > "
                  "deconsecrated church"),
        ),
        (
            "At the {rehearsal} {person} sang flat. | {person} > sang flat at > {rehearsal}",
            "Ludmila Vasquez wants us to sing a song from {town} at the spring concert. | Ludmila Vasquez > chose > "
            "song "
            "from {town} ; spring concert > includes > song from {town}",
            "{person} plays first at the autumn concert, with {a thing} as a prop. | {person} > plays at > autumn "
            "concert ; autumn concert > uses > {thing}",
            "After the {rehearsal} we had red wine, {person} had white wine. | {person} > drank > white wine ; I > "
            "drank > red wine ; + {rehearsal}",
            "{person} joined the choir from {town}. | {person} > joined > choir ; {person} > is from > {town}",
        ),
    ),
    Topic(
        "boat", "Ana",
        (
            _fact("What is my boat called?", "Merlin Bay", "My boat is called Merlin Bay. | my boat > is called > "
            "Merlin "
                  "Bay", "The Merlin Bay is the boat I am restoring. | my boat > is called > Merlin Bay"),
            _fact("Who helps me with the boat?", "Eneko", "Eneko helps me with the Merlin Bay. | Eneko > helps me "
            "with > "
                  "Merlin Bay", "Without Eneko the Merlin Bay would rot. | Eneko > works on > Merlin Bay",
                  "Eneko works on the Merlin Bay with me. | Eneko > works on > Merlin Bay"),
            _fact("What wood is the hull of the Merlin Bay made of?", "larch",
                  "The hull of the Merlin Bay is made of larch. | hull of Merlin Bay > is made of > larch",
                  "Larch is a good wood for the hull of the Merlin Bay. | hull of Merlin Bay > is made of > larch"),
        ),
        (
            "Eneko cleaned the {engine} with {a thing}. | Eneko > cleaned > {engine} ; {engine} > was cleaned with > "
            "{thing}",
            "The left oar broke and the right oar is gone; {person} has new ones. | {person} > has > new oars ; "
            "left oar "
            "> is > broken ; right oar > is > lost",
            "{person} sewed the front sail while Eneko mended the main sail. | {person} > sewed > front sail ; "
            "Eneko > "
            "mended > main sail",
            "For the Merlin Bay I ordered {a thing} from {town}. | I > ordered > {thing} ; {thing} > comes from > "
            "{town} "
            "; {thing} > is for > Merlin Bay",
            "The {insurance} does not cover {a thing} on the trailer, says {person}. | {insurance} !> covers > "
            "{thing} ; "
            "+ {person}",
        ),
    ),
    Topic(
        "home", "Ana",
        (
            _fact("What breed is my dog?", "spaniel", "My dog is a spaniel. | my dog > is > spaniel",
                  "A spaniel like my dog needs to run. | my dog > is > spaniel"),
            _fact("What is my neighbour upstairs called?", "Humberto", "The neighbour upstairs is called Humberto. | "
                  "neighbour upstairs > is called > Humberto", "Humberto, the neighbour upstairs, was loud again. | "
                  "neighbour upstairs > is called > Humberto"),
            _fact("What does Humberto build?", "model railways", "Humberto builds model railways. | Humberto > "
            "builds > "
                  "model railways", "Humberto makes model railways at night. | Humberto > makes > model railways"),
        ),
        (
            "My dog buried {a thing}. | my dog > buried > {thing}",
            "Humberto repaired {a thing} for {person}. | Humberto > repaired > {thing} ; {person} > owns > {thing}",
            "The {fridge} hums; {person} will look at it. | {fridge} > is > loud ; {person} > will check > {fridge}",
            "The {seedlings} stand beside {a thing}. | {seedlings} > stand beside > {thing}",
            "At the {club} we saw a story about {a animal} in {town}. | {club} > showed > story about {a animal} ; "
            "story "
            "about a {animal} > is set in > {town}",
            "My dog chased {a animal}, and {person} laughed. | my dog > chased > {animal} ; + {person}",
        ),
    ),
    Topic(
        "hospital", "Luis",
        (
            _fact("¿En qué planta trabajo?", "tercera planta", "Trabajo en la tercera planta. | yo > trabajo en la "
            "planta "
                  "> tercera planta", "La tercera planta es donde trabajo. | yo > trabajo en la planta > tercera "
                  "planta"),
            _fact("¿Quién es la jefa de enfermería?", "Remedios Alba",
                  "La jefa de enfermería es Remedios Alba. | jefa de enfermería > es > Remedios Alba",
                  "Remedios Alba sigue de jefa de enfermería. | jefa de enfermería > es > Remedios Alba"),
        ),
        (
            "Remedios Alba me cambió el turno de mañana por el turno de noche con {person}. | Remedios Alba > "
            "cambió > "
            "turno de mañana ; {person} > hace > turno de noche",
            "Un paciente de {town} nos regaló una {cosa}. | paciente de {town} > regaló > {cosa}",
            "Se ha roto el {ordenador} de {person}. | {person} > tiene > {ordenador} ; {ordenador} > está > roto",
            "{person} dejó una {cosa} en la tercera planta. | {person} > dejó > {cosa} ; {cosa} > está en > tercera "
            "planta",
        ),
    ),
    Topic(
        "remo", "Luis",
        (
            _fact("¿Cómo se llama mi trainera?", "Gaviota", "Mi trainera se llama Gaviota. | mi trainera > se llama > "
                  "Gaviota", "La Gaviota es mi trainera de siempre. | mi trainera > se llama > Gaviota"),
            _fact("¿Quién entrena al equipo de remo?", "Koldo Arana", "Koldo Arana entrena al equipo de remo. | Koldo "
                  "Arana > entrena > equipo de remo", "El equipo de remo lo lleva Koldo Arana. | Koldo Arana > "
                  "lleva > "
                  "equipo de remo"),
        ),
        (
            "En el {entrenamiento} estuvo {person} de {town}. | {person} > estuvo en > {entrenamiento} ; {person} > "
            "es "
            "de > {town}",
            "Koldo Arana nos llevó a {town} a remar. | Koldo Arana > nos llevó a > {town}",
            "Perdí el {movil} en la Gaviota y lo encontró {person}. | {person} > encontró > {movil} ; + Gaviota",
            "Para la Gaviota compramos una {cosa} en el {sitio}. | Gaviota > necesita > {cosa} ; {cosa} > comprada "
            "en > "
            "{sitio}",
        ),
    ),
)  # fmt: skip

# Topics that fill some weeks and never come back. Bound are `{who}`, `{where}`, `{room}`, `{subject}`, `{object}` and
# `{colour}`.
FADING = (
    Topic(
        "trip", "Ana",
        (
            _fact("Where do we stay in {where}?", "{object} hotel", "In {where} we stay at the {object} hotel. | "
            "{object} "
                  "hotel > is in > {where} ; I > stay at > {object} hotel", "The {object} hotel is booked for "
                  "{where}. | "
                  "{object} hotel > is in > {where}"),
            _fact("Who travels with me to {where}?", "{who}", "{who} travels with me to {where}. | {who} > travels "
            "to > "
                  "{where}", "To {where} I go with {who}. | {who} > travels to > {where}"),
        ),
        (
            "For the trip to {where} I need {a thing}. | trip to {where} > requires > {thing}",
            "{who} wants to see the {place} of {where}. | {who} > wants to see > {place} of {where}",
            "The train to {where} leaves at {time}. | train to {where} > leaves at > {time}",
            "{who} read that {where} has good {dish}. | {where} > is known for > {dish} ; + {who}",
        ),
    ),
    Topic(
        "course", "Ana",
        (
            _fact("Who teaches the {subject} course?", "{who}", "{who} teaches the {subject} course. | {who} > "
            "teaches > "
                  "{subject} course", "The {subject} course is given by {who}. | {who} > gives > {subject} course"),
            _fact("Where is the {subject} course held?", "{where}", "The {subject} course is held in {where}. | "
            "{subject} "
                  "course > is held in > {where}", "I go to {where} for the {subject} course. | {subject} course > is "
                  "held in > {where}"),
        ),
        (
            "In the {subject} course we needed {a thing}. | {subject} course > required > {thing}",
            "{person} sits beside me in the {subject} course. | {person} > attends > {subject} course",
            "{who} praised my {subject} homework. | {who} > praised > {subject} homework",
            "The {subject} course ended at {time} today. | {subject} course > ended at > {time}",
        ),
    ),
    Topic(
        "works", "Ana",
        (
            _fact("Who renovates the {room}?", "{who}", "{who} renovates the {room}. | {who} > renovates > {room}",
                  "The {room} is being redone by {who}. | {who} > redoes > {room}"),
            _fact("What colour will the {room} be?", "{colour}", "The {room} will be {colour}. | {room} > will be "
            "painted "
                  "> {colour}", "I chose {colour} paint for the {room}. | {room} > will be painted > {colour}"),
        ),
        (
            "{who} found {a thing} behind the wall of the {room}. | {who} > found > {thing} ; {thing} > was behind "
            "the "
            "wall of > {room}",
            "The tiles for the {room} come from {town}. | tiles for the {room} > come from > {town}",
            "{who} comes at {time} for the {room}. | {who} > comes at > {time} ; + {room}",
            "There is dust from the {room} on {a thing}. | {room} > covered with dust > {thing}",
        ),
    ),
    Topic(
        "wedding", "Ana",
        (
            _fact("Where does {who} get married?", "{where}", "{who} gets married in {where}. | {who} > gets "
            "married in > "
                  "{where}", "The wedding of {who} is in {where}. | {who} > gets married in > {where}"),
            _fact("What do I wear to the wedding of {who}?", "{object} dress", "I wear the {object} dress to the "
            "wedding "
                  "of {who}. | I > wear > {object} dress ; {object} dress > is for > wedding of {who}",
                  "The {object} dress is for the wedding of {who}. | {object} dress > is for > wedding of {who}"),
        ),
        (
            "{who} wants {a thing} as a present. | {who} > wants as a present > {thing}",
            "{person} is invited by {who}, too. | {who} > invited > {person}",
            "At the wedding of {who} there will be {dish}. | wedding of {who} > serves > {dish}",
            "{person} will drive me to {where}. | {person} > drives me to > {where}",
        ),
    ),
    Topic(
        "regata", "Luis",
        (
            _fact("¿Quién patronea la regata de {where}?", "{who}", "{who} patronea la regata de {where}. | {who} > "
                  "patronea > regata de {where}", "La regata de {where} la patronea {who}. | {who} > patronea > "
                  "regata "
                  "de {where}"),
        ),
        (
            "Para la regata de {where} necesitamos una {cosa}. | regata de {where} > necesita > {cosa}",
            "{person} también rema en la regata de {where}. | {person} > rema en > regata de {where}",
            "{who} nos invitó a cenar en {where}. | {who} > nos invitó a > {where}",
        ),
    ),
)  # fmt: skip

CHANGING = (
    Changing("home", "Ana", "Where do I live?", ("Bilbao", "Valencia", "Zaragoza", "Oviedo", "Malaga", "Murcia"),
             "I live in {value}. | I > live in > {value}", "We have moved: I live in {value} now. | I > live in > "
             "{value} << {old}", ("I have lived in {value} for a while. | I > live in > {value}",
                                  "I like it that I live in {value}. | I > live in > {value}")),
    Changing("gym", "Ana", "Which gym do I go to?", ("Titan Gym", "Olimpo Gym", "Urban Fit", "Corpore", "Zenit Sport"),
             "I go to the gym {value}. | I > train at > {value}", "I changed gyms, I train at {value} now. | I > "
             "train "
             "at > {value} << {old}", ("I train at {value} twice a week. | I > train at > {value}",)),
    Changing("car", "Ana", "What car do I drive?", ("Seat Ibiza", "Toyota Yaris", "Renault Clio", "Skoda Fabia",
                                                    "Ford Fiesta"),
             "I drive a {value}. | I > drive > {value}", "The old car is sold, I drive a {value} now. | I > drive > "
             "{value} << {old}", ("I drive a {value}, as you know. | I > drive > {value}",)),
    Changing("hairdresser", "Ana", "Who is my hairdresser?", ("Loli Prado", "Saioa Vela", "Petra Gil", "Nuria Campo"),
             "My hairdresser is {value}. | my hairdresser > is > {value}", "My hairdresser retired; {value} is my "
             "hairdresser now. | my hairdresser > is > {value} << {old}",
             ("{value} is my hairdresser, she talks a lot. | my hairdresser > is > {value}",)),
    Changing("bank", "Ana", "Which bank am I with?", ("Banco Cantil", "Caja Arga", "Triodos", "Kutxa", "Abanca"),
             "I am with the bank {value}. | I > bank with > {value}", "I closed the account, my bank is {value} "
             "now. | "
             "I > bank with > {value} << {old}", ("My money is with {value}. | I > bank with > {value}",)),
    Changing("doctor", "Ana", "Who is my family doctor?", ("Doctor Mujika", "Doctor Salas", "Doctor Prat",
                                                           "Doctor Elustondo"),
             "My family doctor is {value}. | my family doctor > is > {value}", "I have a new family doctor, "
             "{value}. | "
             "my family doctor > is > {value} << {old}",
             ("{value}, my family doctor, has time for people. | my family doctor > is > {value}",)),
    Changing("cafe", "Ana", "What is my favourite café?", ("Café Luna", "Café Iruna", "Café Oriente", "Café "
    "Comercial"),
             "My favourite café is {value}. | my favourite café > is > {value}", "My favourite café is another one "
             "now: "
             "{value}. | my favourite café > is > {value} << {old}",
             ("I read in {value}, my favourite café. | my favourite café > is > {value}",)),
    Changing("casero", "Luis", "¿Quién es mi casero?", ("Eusebio Marin", "Paquita Otero", "Anselmo Rey"),
             "Mi casero es {value}. | mi casero > es > {value}", "Ahora mi casero es {value}. | mi casero > es > "
             "{value} "
             "<< {old}", ("{value}, mi casero, ha llamado. | mi casero > es > {value}",)),
    Changing("casa", "Luis", "¿Dónde vivo?", ("Getxo", "Santurtzi", "Durango", "Gernika", "Bermeo"),
             "Vivo en {value}. | yo > vivo en > {value}", "Me he mudado: ahora vivo en {value}. | yo > vivo en > "
             "{value} "
             "<< {old}", ("Sigo a gusto: vivo en {value}. | yo > vivo en > {value}",)),
    Changing("dentista", "Luis", "¿Quién es mi dentista?", ("Doctor Elorza", "Doctora Muro", "Doctor Pons"),
             "Mi dentista es {value}. | mi dentista > es > {value}", "He cambiado de dentista: ahora es {value}. | mi "
             "dentista > es > {value} << {old}", ("Tengo cita con {value}, mi dentista. | mi dentista > es > "
             "{value}",)),
)  # fmt: skip

# Said in the first days, taken up again now and then until a certain day, then never again.
EARLY = (
    _fact("Who is my dentist?", "Iriarte", "My dentist is Doctor Iriarte. | my dentist > is > Doctor Iriarte",
          "I saw Doctor Iriarte, my dentist. | my dentist > is > Doctor Iriarte"),
    _fact("What is Nora allergic to?", "hazelnuts", "Nora is allergic to hazelnuts. | Nora > is allergic to > "
    "hazelnuts",
          "No hazelnuts for Nora, she is allergic. | Nora > is allergic to > hazelnuts"),
    _fact("Where is my grandmother's house?", "Comillas", "My grandmother's house is in Comillas. | my grandmother's "
          "house > is in > Comillas", "In Comillas stands my grandmother's house. | my grandmother's house > is in > "
          "Comillas"),
    _fact("Which language did I study?", "Hungarian", "I studied Hungarian at university. | I > studied > Hungarian ; "
          "+ university", "My Hungarian is rusty, though I studied it. | I > studied > Hungarian"),
    _fact("What was my first dog called?", "Txispa", "My first dog was called Txispa. | my first dog > was called > "
          "Txispa", "Txispa, my first dog, hated cats. | my first dog > was called > Txispa"),
    _fact("Who was my favourite teacher?", "Mister Galarza", "My favourite teacher was Mister Galarza. | my favourite "
          "teacher > was > Mister Galarza", "I dreamt of Mister Galarza, my favourite teacher. | my favourite "
          "teacher > "
          "was > Mister Galarza"),
    _fact("What did my grandfather make?", "barrels", "My grandfather made barrels. | my grandfather > made > barrels",
          "Barrels, that was what my grandfather made. | my grandfather > made > barrels"),
    _fact("Where did I spend my childhood summers?", "Zarautz", "I spent my childhood summers in Zarautz. | childhood "
          "summers > were spent in > Zarautz", "Zarautz smells of my childhood summers. | childhood summers > were "
          "spent in > Zarautz"),
    _fact("Who holds the spare key of my flat?", "Casilda", "Casilda holds the spare key of my flat. | Casilda > "
    "holds > "
          "spare key", "The spare key is with Casilda. | Casilda > has > spare key"),
    _fact("What am I afraid of?", "spiders", "I am afraid of spiders. | I > am afraid of > spiders",
          "Spiders frighten me, still. | I > am afraid of > spiders"),
    _fact("Which bone did I break at school?", "collarbone", "I broke my collarbone at school. | I > broke > "
    "collarbone "
          "; + school", "The collarbone that I broke hurts when it rains. | I > broke > collarbone"),
    _fact("Who introduced me to sailing?", "Captain Orue", "Captain Orue introduced me to sailing. | Captain Orue > "
          "introduced me to > sailing", "I owe sailing to Captain Orue. | Captain Orue > introduced me to > sailing"),
    _fact("What does my brother Xabier restore?", "church organs", "My brother Xabier restores church organs. | "
    "Xabier > "
          "restores > church organs ; my brother > is > Xabier", "Xabier repairs church organs. | Xabier > repairs > "
          "church organs"),
    _fact("Where did I meet Casilda?", "pottery class", "I met Casilda in a pottery class. | I > met > Casilda ; "
    "Casilda "
          "> was in > pottery class", "The pottery class where Casilda was no longer exists. | Casilda > was in > "
          "pottery class"),
    _fact("What is my house plant called?", "Rasputin", "My house plant is called Rasputin. | my house plant > is "
    "called "
          "> Rasputin", "I watered Rasputin, my house plant. | my house plant > is called > Rasputin"),
    _fact("Which river runs behind the cottage?", "Asua", "The river Asua runs behind the cottage. | Asua > runs "
    "behind "
          "> cottage", "Behind the cottage the Asua was high. | Asua > runs behind > cottage"),
    _fact("Who built the cottage?", "Great-uncle Prudencio", "Great-uncle Prudencio built the cottage. | Great-uncle "
          "Prudencio > built > cottage", "The cottage was built by Great-uncle Prudencio. | Great-uncle Prudencio > "
          "built > cottage"),
    _fact("What do I take in my coffee?", "cinnamon", "I take cinnamon in my coffee. | I > take > cinnamon ; "
    "cinnamon > "
          "goes into > coffee", "Coffee without cinnamon is nothing to me. | cinnamon > goes into > coffee"),
    _fact("What does Casilda collect?", "thimbles", "Casilda collects thimbles. | Casilda > collects > thimbles",
          "Another of the thimbles that Casilda collects. | Casilda > collects > thimbles"),
    _fact("Which film makes me cry?", "Cinema Paradiso", "Cinema Paradiso makes me cry. | Cinema Paradiso > makes "
    "cry > "
          "I", "I cried again over Cinema Paradiso. | Cinema Paradiso > makes cry > I"),
)  # fmt: skip
