"""Which relation a question's words ask for: "Who is my employer?" asks where somebody works.

Statements and questions name one relation in different words; these are the common ones of the canonical classes, as
stems are not enough ("job" and "works as" share none).
"""

from __future__ import annotations

from oroi_graph.language.words import word_set

ASKED: dict[str, frozenset[str]] = {
    "works as": word_set(
        "job profession occupation trade career living gana vida profesión oficio trabajo empleo dedica profissão"
        " emprego ocupação"
    ),
    "works at": word_set(
        "employer employs employed company firm works salary wages payroll staff hired empresa empleador compañía"
        " sueldo nómina salario plantilla contratado contratada empleado empleada trabaja empregador salário"
    ),
    "lives in": word_set(
        "home house live lives living reside resides town city neighbourhood casa vive vives vivo vivimos resido ciudad"
        " pueblo hogar domicilio vivienda mora moro cidade residência residir"
    ),
    "price": word_set(
        "price cost costs charge charges pay paid worth expensive precio cuesta costó vale cobra pagué preço custa"
        " custou"
    ),
    "birthday": word_set("birthday born cumpleaños nació nací aniversário nasceu"),
    "is called": word_set("name named called nombre llama llamaba nome chama"),
    "drives": word_set("car drive drives driving coche carro auto conduce conduzco dirige carro"),
    "speaks": word_set(
        "language languages speak speaks spoken tongue translate fluent idioma idiomas lengua habla hablan traducir"
        " defiende língua fala traduzir"
    ),
    "plays": word_set(
        "instrument music musician play plays player sport instrumento música músico toca toco deporte juega esporte"
    ),
    "is allergic to": word_set(
        "allergy allergic allergies serve avoid alergia alérgico alérgica alergias tolera servir"
    ),
    "studies": word_set(
        "student studies study studying degree major subject learn learns learning estudia estudio estudiando carrera"
        " estudiante aprende aprender aprendiendo aprendo estuda curso aprendendo"
    ),
    "studies at": word_set("school university college escuela colegio universidad instituto escola universidade"),
    "is married to": word_set("husband wife spouse married marido mujer esposa esposo casado casada marido"),
    "has": word_set("own owns keep keeps pet tiene tengo mascota posee tem tenho"),
    "likes": word_set("favourite favorite like likes enjoy enjoys love gusta gustan prefiere encanta gosta adora"),
    "dislikes": word_set("dislike dislikes hate hates stand avoid odia detesta soporta evita odeia detesta"),
}
