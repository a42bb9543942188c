"""The words of Spanish that the offline extractor reads sentences with."""

from __future__ import annotations

from oroi_graph.language.lexicons.lexicon import Lexicon
from oroi_graph.language.tokens import word_set

SPANISH = Lexicon(
    language="es",
    romance=True,
    me="yo",
    you=word_set("tú usted"),
    he=word_set("él ella"),
    named="se llama",
    lives="vive en",
    corrects=r"\b(?:en realidad|h[ae]n? cambiado|hemos cambiado|al final|ahora|corrección|quiero decir|quería decir|"
    r"mejor dicho|más bien|cambio de planes|me (?:he equivocado|equivoqué))\b",
    switches=r"\b(?:en-adelante|(?:de (?:ahora|hoy) )?en adelante|hoy en día|desde (?:hoy|ayer|est[ea] \w+)|"
    r"en su lugar|h[ae]n? cambiado de (?:idea|opinión))\b",
    determiners=word_set(
        "el la los las un una unos unas este esta estos estas ese esa esos esas aquel aquella aquellos aquellas "
        "algún alguna algunos algunas ningún ninguna cada todo toda todos todas otro otra otros otras mucho mucha "
        "muchos muchas poco poca pocos pocas varios varias ambos cualquier tanto tanta tantos tantas lo bastante "
        "más menos mismo misma mismos mismas qué dos tres cuatro cinco seis siete ocho nueve diez"
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
    mine={"tu": "mi", "tus": "mis", "vuestro": "mi", "vuestra": "mi", "vuestros": "mis", "vuestras": "mis"},
    his=word_set("su sus"),
    pronouns=word_set(
        "yo mí conmigo nosotros nosotras tú ti usted ustedes vosotros vosotras contigo él ella ellos ellas ello "
        "eso esto aquello alguien nadie algo nada uno me te se le les nos os lo la los las"
    )
    - word_set("la los las lo"),
    prepositions=word_set(
        "a al de del en con sin para por desde hasta sobre entre hacia según contra durante tras ante bajo como "
        "mediante excepto"
    ),
    contractions={"al": "a", "del": "de"},
    conjunctions=word_set("y e o u pero ni sino aunque pues luego entonces"),
    coordinating=word_set("y e o u"),
    subordinators=word_set("que quien quienes porque cuando donde mientras cuyo como-que cual cuales"),
    conditionals=word_set("si ojalá"),
    negations=word_set("no nunca jamás tampoco"),
    before_verb=word_set("en-adelante también ya ahora siempre aún todavía solo sólo"),
    adverbs=word_set(
        "también muy ya aún todavía siempre ahora aquí allí ahí allá hoy bien mal mejor peor así casi solo sólo "
        "en-adelante además después antes luego pronto tarde temprano quizá quizás tal vez apenas demasiado cerca "
        "lejos dentro fuera juntos juntas arriba abajo incluso entonces recientemente últimamente realmente"
    ),
    interjections=word_set(
        "corrección hola adiós sí vale gracias claro bueno oye ay oh ah jaja venga genial perfecto exacto perdón "
        "hay hubo perdona felicidades enhorabuena guau vaya hombre eh por-favor buenas buenos"
    ),
    evaluative=word_set(
        "bueno buena buenos buenas buen gran grande grandes genial increíble bonito bonita bonitos bonitas "
        "precioso preciosa feliz contento contenta triste orgulloso orgullosa mejor peor malo mala mal importante "
        "especial interesante divertido divertida cansado cansada ocupado ocupada nuevo nueva nuevos nuevas viejo "
        "vieja pequeño pequeña maravilloso maravillosa perfecto perfecta listo lista seguro segura difícil fácil "
        "duro dura raro rara diferente igual mismo misma emocionado emocionada nervioso nerviosa rico rica "
        "delicioso deliciosa fantástico fantástica estupendo estupenda primer primera primero último última "
        "próximo próxima pasado pasada enorme enormes horrible terrible terribles espectacular cómodo cómoda "
        "bello bella agradable tranquilo tranquila estresado estresada enfermo enferma solo sola cierto verdad "
        "caro cara barato barata harto harta"
    ),
    junk=word_set(
        "cosa cosas vez veces tiempo manera modo forma tipo poco rato momento día días noche mañana tarde parte "
        "algo nada gente persona caso lugar sitio hecho idea favor gracias verdad ganas suerte vida mundo semana "
        "mes año años semanas meses hora horas minutos cuenta lado realidad fin resto mitad razón punto"
    ),
    common=word_set("gente mamá papá ayer hoy mañana"),
    attributes=word_set(
        "nombre apellido cumpleaños edad teléfono móvil número correo email e-mail dirección profesión trabajo "
        "oficio altura peso sueldo nacionalidad contraseña pin apodo empresa"
    ),
    kinship=word_set(
        "hermano hermana hijo hija padre madre primo prima tío tía abuelo abuela novio novia amigo amiga jefe "
        "jefa marido mujer esposa esposo sobrino sobrina nieto nieta vecino vecina compañero compañera socio "
        "socia"
    ),
    of=word_set("de del"),
    links=("de", "del", "la", "las", "los", "y"),
    and_link=word_set("y la las los"),
    clitics=word_set("me te se nos os le les lo la los las"),
    clitics_object=word_set("lo la los las"),
    clitics_third=word_set("le les"),
    already="ya",
    auxiliaries={"part": word_set("haber"), "gerund": word_set("estar seguir llevar")},
    verb_links=word_set("a que de"),
)
