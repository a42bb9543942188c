"""The verbs of Portuguese (Brazil and Portugal) that the offline extractor knows."""

from __future__ import annotations

from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.romance import Conjugation

_REGULAR_PT = """\
abandonar abraçar abrir acabar aceitar achar acompanhar aconselhar acordar acreditar adicionar admirar adorar adotar
adoptar agendar agradecer ajudar alugar almoçar amar andar anotar apaixonar apagar aparecer aposentar apreciar aprender
apresentar aprovar arranjar arrumar assinar assistir aumentar avisar baixar beber beijar brincar buscar
cancelar cansar cantar casar celebrar chamar chegar chorar cobrar cobrir:u colecionar colocar começar comemorar comer
comparar compartilhar completar comprar compreender concordar concorrer conhecer consertar conseguir:i
consultar contar contratar conversar convidar copiar correr corrigir cortar costumar costurar cozinhar
crescer criar cuidar cumprir curtir custar dançar decidir deixar demorar depender desejar desenhar desenvolver
desistir despedir:i detestar dever descobrir:u dirigir discutir divertir:i dividir divorciar dormir:u durar
economizar elogiar emagrecer embarcar emigrar emprestar encontrar encomendar engravidar ensaiar ensinar entender
entrar entregar entrevistar enviar errar escolher escrever escutar esperar esquecer estacionar estudar evitar
existir experimentar explicar falar falecer falhar faltar fechar festejar ficar filmar frequentar fumar funcionar
fundar ganhar gastar gostar gravar gritar guardar guiar habitar herdar imaginar imigrar importar informar
instalar interessar investir:i jantar jogar juntar lançar largar lavar lembrar levantar levar ligar limpar
liderar lutar machucar mandar marcar melhorar mencionar mentir:i mergulhar morar morder mostrar mudar nadar namorar
nascer necessitar negociar noivar notar observar ocorrer oferecer olhar organizar pagar parar parecer partilhar
participar partir passar passear:ei pegar pensar perceber perguntar pertencer pesar pescar morrer pintar planear:ei
planejar plantar postar poupar praticar precisar preferir:i preocupar preparar procurar programar proibir
prometer provar publicar puxar quebrar queimar receber reclamar recomendar reconhecer recusar reformar regressar
relaxar remar reparar repetir:i reservar residir resolver respeitar responder restaurar reunir roubar seguir:i
sentir:i separar servir:i significar sobreviver sofrer sonhar subir suspender surfar temer
tentar terminar tirar tocar tomar torcer trabalhar tratar treinar trocar unir usar utilizar valorizar vender
viajar virar visitar viver voar voltar votar
administrar afirmar alimentar amamentar analisar anunciar apoiar assar atender aterrissar atravessar bordar
calcular carregar caçar cobrar colaborar colher combinar competir:i comunicar confiar confirmar consultar
convencer coordenar correr cultivar curar dedicar defender depender desaparecer descansar devolver
dispensar duvidar editar ensaiar esconder escalar especializar esperar esquiar examinar exportar expressar
fabricar formar fotografar gerenciar gerir:i governar hospedar ilustrar imprimir inaugurar inspirar inventar
investigar lecionar medicar meditar misturar montar movimentar negar nevar chover operar opinar
ordenhar participar patinar permitir pilotar plantar presidir proteger realizar recolher recusar
regar registrar rejeitar renovar representar requerer reservar retirar rodar saltar sacar salvar secar
simular soltar suportar tecer temperar tingir transferir:i tratar unir velejar
veranear:ei vigiar zelar"""
# infinitive: present (6) / preterite (6) / imperfect (6) / participle / gerund
_IRREGULAR_PT = """\
ser: sou és é somos sois são/fui foste foi fomos fostes foram/era eras era éramos éreis eram/sido/sendo
estar: estou|tou estás está|tá estamos estais estão|tão/estive estiveste esteve estivemos estivestes
  estiveram//estado/estando
ter: tenho tens tem temos tendes têm/tive tiveste teve tivemos tivestes tiveram/tinha tinhas tinha tínhamos
  tínheis tinham/tido/tendo
haver: hei hás há havemos haveis hão/houve houveste houve houvemos houvestes houveram//havido/havendo
ir: vou vais vai vamos ides vão/fui foste foi fomos fostes foram/ia ias ia íamos íeis iam/ido/indo
fazer: faço fazes faz fazemos fazeis fazem/fiz fizeste fez fizemos fizestes fizeram//feito/fazendo
dizer: digo dizes diz dizemos dizeis dizem/disse disseste disse dissemos dissestes disseram//dito/dizendo
trazer: trago trazes traz trazemos trazeis trazem/trouxe trouxeste trouxe trouxemos trouxestes
  trouxeram//trazido/trazendo
poder: posso podes pode podemos podeis podem/pude pudeste pôde|pode pudemos pudestes puderam//podido/podendo
querer: quero queres quer queremos quereis querem/quis quiseste quis quisemos quisestes
  quiseram//querido/querendo
saber: sei sabes sabe sabemos sabeis sabem/soube soubeste soube soubemos soubestes souberam//sabido/sabendo
vir: venho vens vem vimos vindes vêm/vim vieste veio viemos viestes vieram/vinha vinhas vinha vínhamos
  vínheis vinham/vindo/vindo
pôr: ponho pões põe pomos pondes põem/pus puseste pôs pusemos pusestes puseram/punha punhas punha púnhamos
  púnheis punham/posto/pondo
dar: dou dás dá damos dais dão/dei deste deu demos destes deram//dado/dando
ver: vejo vês vê vemos vedes veem|vêem/vi viste viu vimos vistes viram//visto/vendo
ler: leio lês lê lemos ledes leem|lêem/li leste leu lemos lestes leram//lido/lendo
crer: creio crês crê cremos credes creem/cri creste creu cremos crestes creram//crido/crendo
sair: saio sais sai saímos saís saem/saí saíste saiu saímos saístes saíram/saía saías saía saíamos saíeis
  saíam/saído/saindo
cair: caio cais cai caímos caís caem/caí caíste caiu caímos caístes caíram/caía caías caía caíamos caíeis
  caíam/caído/caindo
perder: perco perdes perde perdemos perdeis perdem///perdido/perdendo
pedir: peço pedes pede pedimos pedis pedem///pedido/pedindo
medir: meço medes mede medimos medis medem///medido/medindo
ouvir: ouço|oiço ouves ouve ouvimos ouvis ouvem///ouvido/ouvindo
valer: valho vales vale valemos valeis valem///valido/valendo
caber: caibo cabes cabe cabemos cabeis cabem/coube coubeste coube coubemos coubestes couberam//cabido/cabendo
odiar: odeio odeias odeia odiamos odiais odeiam///odiado/odiando
construir: construo constróis constrói construímos construís constroem/construí construíste construiu
  construímos construístes construíram/construía construías construía construíamos construíeis
  construíam/construído/construindo
possuir: possuo possuis possui possuímos possuís possuem/possuí possuíste possuiu possuímos possuístes
  possuíram/possuía possuías possuía possuíamos possuíeis possuíam/possuído/possuindo
conduzir: conduzo conduzes conduz conduzimos conduzis conduzem///conduzido/conduzindo
produzir: produzo produzes produz produzimos produzis produzem///produzido/produzindo
traduzir: traduzo traduzes traduz traduzimos traduzis traduzem///traduzido/traduzindo
manter: mantenho manténs mantém mantemos mantendes mantêm/mantive mantiveste manteve mantivemos mantivestes
  mantiveram//mantido/mantendo
obter: obtenho obténs obtém obtemos obtendes obtêm/obtive obtiveste obteve obtivemos obtivestes
  obtiveram//obtido/obtendo
substituir: substituo substituis substitui substituímos substituís substituem/substituí substituíste substituiu
  substituímos substituístes substituíram//substituído/substituindo
sorrir: sorrio sorris sorri sorrimos sorris sorriem///sorrido/sorrindo"""
_ENDINGS_PT = {
    "ar": (
        "o as a amos ais am",
        "ei aste ou amos|ámos astes aram",
        "ava avas ava ávamos áveis avam",
        "ado",
        "ando",
    ),
    "er": ("o es e emos eis em", "i este eu emos estes eram", "ia ias ia íamos íeis iam", "ido", "endo"),
    "ir": ("o es e imos is em", "i iste iu imos istes iram", "ia ias ia íamos íeis iam", "ido", "indo"),
}
_PARTICIPLES_PT = {
    "abrir": "aberto",
    "descobrir": "descoberto",
    "escrever": "escrito",
    "ganhar": "ganho",
    "gastar": "gasto",
    "pagar": "pago",
}
# finite forms that are far more often something else
_NOT_VERBS_PT = word_set(
    "abraço abraços ajuda ajudas almoço ama amo beijo beijos cama canto cantos casa casas caso choro cobra cobras "
    "começo como compra compras conserto conta contas conto contos conversa conversas corte cortes cozinha cria "
    "crias cura custo custos dança danças desenho desenhos desta deste destes dever dito encontro encontros "
    "entrada entre era eras escuta esta este estudo estudos falta faltas feito figura filma gasto gastos gosto "
    "gostos guia guias ido jantar jogo jogos junta junto juntos ligo lima marca marcas mostra nada noiva noivas "
    "nota notas oferta olho olhos pago para parte partes passo passos pesa pesca planta plantas posto presente "
    "presentes programa programas prova provas reforma reformas regresso reserva reservas saída sobre sonho "
    "sonhos tinta tira toque torce trabalho trabalhos treino treinos troca trocas tão uso usos vendas via vias "
    "vir visita visitas vista vistas visto volta voltas"
)


def _spell(stem: str, ending: str, kind: str) -> str:
    """Before e: fiquei, paguei, comecei; before o: conheço, dirijo, sigo."""
    if kind == "ar" and ending[0] in "eé":
        for old, new in (("c", "qu"), ("g", "gu"), ("ç", "c")):
            if stem.endswith(old):
                return stem[:-1] + new + ending
    if kind != "ar" and ending[0] == "o":
        if stem.endswith("gu"):
            return stem[:-1] + ending
        for old, new in (("c", "ç"), ("g", "j")):
            if stem.endswith(old):
                return stem[:-1] + new + ending
    return stem + ending


PORTUGUESE_VERBS = Conjugation(
    regular=_REGULAR_PT,
    irregular=_IRREGULAR_PT,
    endings=_ENDINGS_PT,
    future="ei ás á emos eis ão",
    participles=_PARTICIPLES_PT,
    changes={"i": ("e", "i"), "u": ("o", "u"), "ei": ("e", "ei")},
    first_only=frozenset({"i", "u"}),
    kinds={"pôr": "er"},
    lasting=word_set("viver morar trabalhar residir estudar falar gostar praticar colecionar treinar"),
    wins="ir",
    spell=_spell,
    nouns=_NOT_VERBS_PT | word_set("consulta consultas entrevista entrevistas senha cuidado cuidados"),
)
