"""The verbs of Spanish that the offline extractor knows."""

from __future__ import annotations

from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.romance import Conjugation

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
levantar:se llover:ue lograr merecer:zc montar mover:ue negar:ie ocurrir permitir
preocupar quitar regresar resolver:ue salvar sentar:ie sonar:ue suspender tardar tirar votar
vender viajar visitar vivir volar:ue volver:ue
abrir abrazar aconsejar administrar admirar afeitar:se agregar aguantar alcanzar alimentar alojar amueblar
analizar anunciar apagar aparcar apoyar apreciar arrancar atender:ie atravesar:ie aterrizar autorizar bañar
barrer bordar bucear calentar:ie cargar castigar cazar colaborar colgar:ue combinar competir:i
comunicar concertar:ie confiar confirmar consultar contestar convencer cooperar coordinar coser criticar
cubrir cultivar curar debatir dedicar defender:ie demostrar:ue depender desaparecer:zc desarrollar descansar
desmontar detestar devolver:ue digitar dirigir dudar ejercer elaborar encargar encender:ie enfadar:se
enfermar ensayar entregar entrevistar escalar esconder esculpir especializar esquiar estacionar estrenar
evitar examinar existir exportar facturar fichar filmar formar fotografiar frecuentar fregar:ie
gestionar gobernar:ie grabar guardar guiar habitar hornear ilustrar imaginar imprimir inaugurar informar
ingresar instalar inventar investigar liderar limitar maquillar marcar matricular medir:i meditar mezclar
molestar mostrar:ue nevar:ie notar ocupar operar opinar ordenar ordeñar padecer:zc parar patinar
pegar pescar pilotar planchar planear poblar:ue podar posar poseer preocupar presidir programar
prohibir prometer proteger publicar reaccionar realizar rechazar recorrer redactar reformar
regar:ie registrar remar renovar:ue repartir representar reservar respetar responder restaurar
retirar rodar:ue saltar saludar secar significar soler:ue solicitar soportar sorprender
sospechar suceder sumar superar surfear temer tejer toser tratar trotar unir
valorar veranear vigilar volcar:ue zarpar"""
# infinitive: present (6) / preterite (6) / imperfect stem + kind / participle / gerund
_IRREGULAR_ES = """\
ser: soy eres es somos sois son/fui fuiste fue fuimos fuisteis fueron/era eras era éramos erais
  eran/sido/siendo
estar: estoy estás está estamos estáis están/estuve estuviste estuvo estuvimos estuvisteis
  estuvieron//estado/estando
tener: tengo tienes tiene tenemos tenéis tienen/tuve tuviste tuvo tuvimos tuvisteis
  tuvieron//tenido/teniendo
ir: voy vas va vamos vais van/fui fuiste fue fuimos fuisteis fueron/iba ibas iba íbamos ibais iban/ido/yendo
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
reunir: reúno reúnes reúne reunimos reunís reúnen///reunido/reuniendo
obtener: obtengo obtienes obtiene obtenemos obtenéis obtienen/obtuve obtuviste obtuvo obtuvimos obtuvisteis
  obtuvieron//obtenido/obteniendo
mantener: mantengo mantienes mantiene mantenemos mantenéis mantienen/mantuve mantuviste mantuvo mantuvimos
  mantuvisteis mantuvieron//mantenido/manteniendo
pertenecer: pertenezco perteneces pertenece pertenecemos pertenecéis pertenecen///pertenecido/perteneciendo
construir: construyo construyes construye construimos construís construyen/construí construiste construyó
  construimos construisteis construyeron//construido/construyendo
sustituir: sustituyo sustituyes sustituye sustituimos sustituís sustituyen/sustituí sustituiste sustituyó
  sustituimos sustituisteis sustituyeron//sustituido/sustituyendo
producir: produzco produces produce producimos producís producen/produje produjiste produjo produjimos
  produjisteis produjeron//producido/produciendo
traducir: traduzco traduces traduce traducimos traducís traducen/traduje tradujiste tradujo tradujimos
  tradujisteis tradujeron//traducido/traduciendo
exponer: expongo expones expone exponemos exponéis exponen/expuse expusiste expuso expusimos expusisteis
  expusieron//expuesto/exponiendo
criar: crío crías cría criamos criáis crían///criado/criando
esquiar: esquío esquías esquía esquiamos esquiáis esquían///esquiado/esquiando
guiar: guío guías guía guiamos guiáis guían///guiado/guiando
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
_PARTICIPLES_ES = {
    "escribir": "escrito",
    "romper": "roto",
    "volver": "vuelto",
    "descubrir": "descubierto",
    "abrir": "abierto",
    "cubrir": "cubierto",
    "devolver": "devuelto",
    "resolver": "resuelto",
    "imprimir": "impreso",
    "freír": "frito",
}
# finite forms that are far more often something else
_NOT_VERBS_ES = word_set(
    "para nada cuenta como parte sobre entre casa cuento pesa pesas ama cría crías era eras pinta plan corte cena "
    "cenas visita visitas ayuda ayudas falta faltas compra compras trabajo trabajos cambio regalo regalos juego "
    "juegos sueño sueños camino baile toma marcha lucha gana ganas busca cura uso paso pasos dibujo dibujos corto "
    "corta presente presentes espera canto cantos encuentro gasto gastos estudio estudios nota "
    "firma firmas cierre acuerdo acuerdos sienta gradúa diseño diseños mando viaje viajes "
    "prueba pruebas guía guías marca marcas programa programas forma formas planta plantas baña regla carga "
    "cargas cultivo reforma reformas reserva reservas cubierta guardas marco marcos cargo cargos retiro retiros "
    "trato tratos secas secos seca seco unos une ensayo ensayos reforma para paras parra pega plancha "
    "planchas rodaje salto saltos saluda saludo saludos traje forma sonrisa respuesta moto suma cocina cocinas"
)


def _spell(stem: str, ending: str, kind: str) -> str:
    """Before e: busqué, pagué, empecé; before o: cojo, sigo; between vowels: leyó, leído."""
    if kind == "ar" and ending[0] in "eé":
        for old, new in (("c", "qu"), ("g", "gu"), ("z", "c")):
            if stem.endswith(old):
                return stem[:-1] + new + ending
    if kind != "ar" and ending[0] == "o":
        if stem.endswith("gu"):
            return stem[:-1] + ending
        if stem.endswith("g"):
            return f"{stem[:-1]}j{ending}"
    if kind != "ar" and stem[-1] in "aeo":
        if ending[:2] in ("ió", "ie"):
            return f"{stem}y{ending[1:]}"
        if ending == "ido":
            return f"{stem}ído"
    return stem + ending


SPANISH_VERBS = Conjugation(
    regular=_REGULAR_ES,
    irregular=_IRREGULAR_ES,
    endings=_ENDINGS_ES,
    future="é ás á emos éis án",
    participles=_PARTICIPLES_ES,
    changes={"ie": ("e", "ie"), "ue": ("o", "ue"), "i": ("e", "i"), "zc": ("c", "zc")},
    weak=frozenset({"i", "ie:ir"}),
    first_only=frozenset({"zc"}),
    kinds={"oír": "ir"},
    lasting=word_set("vivir trabajar residir estudiar hablar practicar coleccionar entrenar"),
    wins="ir",
    spell=_spell,
    nouns=_NOT_VERBS_ES,
)
