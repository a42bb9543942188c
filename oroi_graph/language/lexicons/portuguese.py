"""The words of Portuguese (Brazil and Portugal) that the offline extractor reads sentences with."""

from __future__ import annotations

from oroi_graph.language.lexicons.lexicon import Lexicon
from oroi_graph.language.tokens import word_set

PORTUGUESE = Lexicon(
    language="pt",
    romance=True,
    me="eu",
    you=word_set("tu você"),
    he=word_set("ele ela"),
    named="se chama",
    lives="mora em",
    corrects=r"\b(?:na verdade|mudou|mudaram|no fim|na realidade|agora|correção|correcção|quero dizer|queria dizer|"
    r"ou melhor|aliás|afinal|mudança de planos|me enganei)\b",
    switches=r"\b(?:em-diante|d(?:aqui|e agora|e hoje) em diante|hoje em dia|desde (?:hoje|ontem|est[ea] \w+)|"
    r"em vez disso|mud(?:ei|ou|aram|ámos) de (?:ideia|ideias|opinião))\b",
    determiners=word_set(
        "o a os as um uma uns umas este esta estes estas esse essa esses essas aquele aquela aqueles aquelas "
        "algum alguma alguns algumas nenhum nenhuma cada todo toda todos todas outro outra outros outras muito "
        "muita muitos muitas pouco pouca poucos poucas vários várias ambos qualquer tanto tanta tantos tantas "
        "bastante mais menos mesmo mesma mesmos mesmas que qual quais dois duas três quatro cinco seis sete oito "
        "nove dez"
    )
    - word_set("que qual quais"),
    possessives={
        "meu": "eu",
        "minha": "eu",
        "meus": "eu",
        "minhas": "eu",
        "nosso": "eu",
        "nossa": "eu",
        "nossos": "eu",
        "nossas": "eu",
        "teu": "você",
        "tua": "você",
        "teus": "você",
        "tuas": "você",
        # in Brazil "seu" is yours as often as his: nobody's that could be named
        "seu": "",
        "sua": "",
        "seus": "",
        "suas": "",
    },
    mine={
        "teu": "meu",
        "tua": "minha",
        "teus": "meus",
        "tuas": "minhas",
        "seu": "meu",
        "sua": "minha",
        "seus": "meus",
        "suas": "minhas",
    },
    his=frozenset(),
    pronouns=word_set(
        "eu mim comigo nós connosco conosco tu ti contigo você vocês ele ela eles elas isso isto aquilo alguém "
        "ninguém algo nada tudo me te se lhe lhes vos dele dela deles delas"
    ),
    prepositions=word_set(
        "a ao aos à às de do da dos das dum duma num numa no na nos nas em com sem para pra pro por pelo pela "
        "pelos pelas desde até sobre entre contra durante após ante sob como exceto conforme segundo neste nesta "
        "nestes nestas nesse nessa nesses nessas naquele naquela deste desta destes destas desse dessa desses "
        "dessas daquele daquela"
    ),
    contractions={
        "ao": "a",
        "aos": "a",
        "à": "a",
        "às": "a",
        "do": "de",
        "da": "de",
        "dos": "de",
        "das": "de",
        "dum": "de",
        "duma": "de",
        "deste": "de",
        "desta": "de",
        "desse": "de",
        "dessa": "de",
        "no": "em",
        "na": "em",
        "nos": "em",
        "nas": "em",
        "num": "em",
        "numa": "em",
        "neste": "em",
        "nesta": "em",
        "nesse": "em",
        "nessa": "em",
        "pelo": "por",
        "pela": "por",
        "pelos": "por",
        "pelas": "por",
        "pra": "para",
        "pro": "para",
    },
    conjunctions=word_set("e ou mas nem porém contudo embora pois então logo senão"),
    coordinating=word_set("e ou"),
    subordinators=word_set("que quem porque quando onde enquanto cujo cuja cujos cujas qual quais"),
    conditionals=word_set("se caso oxalá tomara"),
    negations=word_set("não nunca jamais tampouco"),
    before_verb=word_set("em-diante também já agora sempre ainda só apenas hoje"),
    adverbs=word_set(
        "também muito já ainda sempre agora aqui ali lá aí cá hoje bem mal melhor pior assim quase só apenas além "
        "em-diante depois antes logo cedo tarde talvez demais perto longe dentro fora juntos juntas acima abaixo "
        "inclusive recentemente ultimamente realmente atualmente actualmente então finalmente mais menos bastante"
    ),
    interjections=word_set(
        "correção oi olá tchau adeus sim tá obrigado obrigada claro bom boa ei opa ah oh ai nossa kkk haha legal "
        "ótimo perfeito exato exatamente desculpa desculpe parabéns uau puxa eita beleza valeu bem por-favor boas "
        "pois aliás fixe porreiro"
    )
    - word_set("nossa bem pois"),
    evaluative=word_set(
        "bom boa bons boas grande grandes ótimo ótima incrível lindo linda lindos lindas bonito bonita bonitos "
        "bonitas feliz felizes contente triste orgulhoso orgulhosa melhor pior mau má ruim importante especial "
        "interessante divertido divertida cansado cansada ocupado ocupada novo nova novos novas velho velha "
        "pequeno pequena pequenos pequenas maravilhoso maravilhosa perfeito perfeita pronto pronta seguro segura "
        "difícil fácil duro dura estranho estranha diferente igual mesmo mesma animado animada nervoso nervosa "
        "rico delicioso deliciosa fantástico fantástica primeiro primeira último última próximo próxima passado "
        "passada doente sozinho sozinha certo certa verdade enorme enormes horrível terrível espetacular "
        "confortável agradável tranquilo tranquila caro cara barato barata legal gostoso gostosa preocupado "
        "preocupada chateado chateada"
    ),
    junk=word_set(
        "coisa coisas vez vezes tempo maneira modo forma tipo pouco bocado momento dia dias noite manhã tarde "
        "parte algo nada gente pessoa pessoas caso lugar sítio fato facto ideia favor verdade vontade sorte vida "
        "mundo semana mês ano anos semanas meses hora horas minutos conta lado realidade fim resto metade razão "
        "ponto saudade saudades"
    ),
    common=word_set("gente mamãe papai mamã papá ontem hoje amanhã estou tô"),
    attributes=word_set(
        "nome sobrenome apelido aniversário idade telefone telemóvel celular número e-mail email correio endereço "
        "morada profissão trabalho emprego altura peso salário nacionalidade senha palavra-passe pin empresa"
    ),
    kinship=word_set(
        "irmão irmã filho filha pai mãe primo prima tio tia avô avó namorado namorada amigo amiga chefe marido "
        "mulher esposa esposo sobrinho sobrinha neto neta vizinho vizinha colega sócio sócia noivo noiva cunhado "
        "cunhada sogro sogra padrasto madrasta"
    ),
    of=word_set("de do da dos das"),
    links=("de", "do", "da", "dos", "das", "e"),
    and_link=word_set("e"),
    clitics=word_set("me te se nos vos lhe lhes o a os as"),
    clitics_object=word_set("o a os as"),
    clitics_third=word_set("lhe lhes"),
    already="já",
    auxiliaries={"part": word_set("ter haver"), "gerund": word_set("estar continuar ficar seguir")},
    verb_links=word_set("a de que"),
)
