"""The words of a scripted life (`life_script`): real ones, so that real embeddings have something to tell apart.

Each list is one noun phrase after another, without articles; English nouns are countable and singular.
"""

from __future__ import annotations


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


QUALITIES = _phrases(
    "striped, wooden, ceramic, second-hand, folding, copper, velvet, enamelled, checked, wicker, rusty, antique, "
    "inflatable, embroidered, leather, glass, plastic, silver, purple, orange, turquoise, chipped, painted, tiny, "
    "enormous, handmade, imported, cracked, glittering, cardboard, bamboo, tin, marble, linen, woollen, silk, rubber, "
    "brass, portable, battery-powered, waterproof, transparent, mustard-coloured, spotted, tartan, engraved, crooked, "
    "musical, magnetic, old-fashioned, limited-edition, broken, heavy, quilted, oval, square, triangular, lopsided"
)
THINGS = _phrases(
    "umbrella, teapot, lantern, suitcase, notebook, ladder, doormat, bookend, corkscrew, flute, kite, mirror, "
    "hammock, "
    "birdcage, candlestick, scarf, wallet, alarm clock, jigsaw puzzle, postcard, fountain pen, watering can, thermos, "
    "chessboard, tambourine, lampshade, cushion, picture frame, jewellery box, salt shaker, rolling pin, colander, "
    "penknife, compass, telescope, harmonica, typewriter, raincoat, bathrobe, apron, beret, glove, brooch, bracelet, "
    "necklace, keyring, magnifying glass, paperweight, stapler, calendar, globe, map, atlas, poster, tapestry, rug, "
    "curtain, tablecloth, napkin ring, fruit bowl, cake stand, jug, decanter, ashtray, vase, plant pot, trowel, rake, "
    "wheelbarrow, birdhouse, garden gnome, deckchair, parasol, picnic basket, cool box, tent, sleeping bag, rucksack, "
    "walking stick, headlamp, whistle, snorkel, surfboard, paddle, fishing rod, skateboard, scooter, bicycle bell, "
    "pump, helmet, doll's house, teddy bear, puppet, spinning top, marble run, train set, drum, xylophone, music "
    "stand, "
    "metronome, easel, paintbrush, sketchbook, stencil, sewing kit, thimble, yarn ball, spool, knitting needle, "
    "toolbox, screwdriver, spirit level, paint roller, bucket, broom, dustpan, clothes horse, ironing board, laundry "
    "basket, soap dish, toothbrush holder, bath mat, shower curtain, hairbrush, perfume bottle, razor, nail file, "
    "kettle, toaster, waffle iron, coffee grinder, cheese grater, garlic press, chopping board, frying pan, casserole "
    "dish, egg timer, oven glove, bread bin, spice rack, wine rack, tea tray, biscuit tin, lunch box, hip flask, "
    "letter opener, envelope, sealing stamp, bookmark, comic, cookery book, guidebook, dictionary, sheet of stickers, "
    "phone case, charger, loudspeaker, microphone, radio, record player, projector, tripod, camera strap, lens cap, "
    "doorbell, padlock, mailbox, coat hook, shoe rack, footstool, bar stool, rocking chair, bedside table, bunk bed, "
    "bookcase, filing cabinet, desk lamp, wall clock, barometer, thermometer, weathervane, sundial, wind chime, "
    "aquarium, dog lead, cat flap, bird feeder, hamster wheel, saddle, horseshoe, snow globe, nutcracker, advent "
    "wreath"
)
PLACES = _phrases(
    "kiosk, flea market, hardware shop, airport, museum shop, petrol station, garden centre, charity shop, bakery, "
    "chemist's, ferry terminal, railway station, antiques fair, supermarket, stationery shop, bookshop, toy shop, "
    "department store, farmers' market, school fair, harbour, campsite, town hall, library, post office, swimming "
    "pool, "
    "football ground, chapel, hairdresser's, launderette, car park, bus stop, lighthouse, zoo, botanical garden, "
    "planetarium, theatre foyer, concert hall, hotel lobby, bicycle workshop, fish market, tea room, night market, "
    "auction house, outlet store, vineyard, ski resort, climbing wall, ice rink, bowling alley"
)
FIRST = _phrases(
    "Irene, Marcos, Leire, Tomas, Beatriz, Andoni, Celia, Ruben, Elisa, Gonzalo, Miriam, Hector, Amaia, Pascual, "
    "Ingrid, Olaf, Nadia, Yusuf, Clement, Brigitte, Dmitri, Svetlana, Kenji, Haruka, Rajesh, Priya, Omar, Layla, "
    "Fergus, Siobhan, Bronwyn, Gareth, Matteo, Chiara, Joaquim, Filipa, Lars, Astrid, Zoltan, Ilona, Kwame, Abena, "
    "Thandi, Sipho, Mercedes, Ignacio, Rosalia, Fermin, Dolores, Emilio, Ximena, Facundo, Catalina, Bruno, Vera, "
    "Humphrey, Winifred, Cedric, Gwendolyn, Barnaby, Philippa, Rupert, Harriet, Desmond, Agatha, Leopold, Ottilie"
)
LAST = _phrases(
    "Salcedo, Robles, Etxebarria, Quintana, Valverde, Arizmendi, Cifuentes, Lozano, Peralta, Urrutia, Bergstrom, "
    "Haugen, Lindqvist, Petrov, Kowalczyk, Novotny, Takahashi, Yamamoto, Banerjee, Chatterjee, Haddad, Mansour, "
    "Gallagher, Macleod, Pritchard, Llewellyn, Bianchi, Moretti, Carvalho, Figueiredo, Nagy, Szabo, Mensah, Owusu, "
    "Dlamini, Villanueva, Montero, Saavedra, Cardenas, Zambrano, Whitlock, Pemberton, Ashworth, Thistlewood, "
    "Featherstone, Blackwood, Hargreaves, Cuthbert, Rosenthal, Weissmann, Delacroix, Beaumont, Fontaine, Lefebvre"
)
TOWNS = _phrases(
    "Ghent, Coimbra, Trieste, Ljubljana, Bergen, Galway, Salamanca, Ravenna, Gdansk, Uppsala, Heidelberg, Avignon, "
    "Plovdiv, Tartu, Aarhus, Innsbruck, Sintra, Cadiz, Girona, Perugia, Bruges, Dresden, Krakow, Inverness, "
    "Limerick, Colmar, Nantes, Basel, Lucerne, Tromso, Turku, Riga, Kaunas, Olomouc, Szeged, Sibiu, Ohrid, Kotor, "
    "Chania, Valletta, Palermo, Cagliari, Lecce, Evora, Funchal, Cuenca, Ronda, Soria"
)
DISHES = _phrases(
    "mushroom risotto, lentil stew, pumpkin soup, fish curry, apple crumble, leek quiche, roast chicken, rhubarb "
    "tart, "
    "beetroot salad, prawn paella, chestnut cake, carrot soup, spinach lasagne, plum dumplings, chickpea salad, duck "
    "ragout, onion tart, banana bread, pea risotto, stuffed peppers, cheese souffle, bean chilli, potato pancakes, "
    "lemon sorbet, aubergine gratin, garlic bread, squid noodles, cherry clafoutis, barley broth, rabbit pie"
)
ANIMALS = _phrases(
    "heron, hedgehog, fox, squirrel, kingfisher, otter, owl, bat, lizard, toad, seagull, stork, wild boar, deer, "
    "magpie, woodpecker, salamander, dragonfly, falcon, badger, seal, dolphin, peacock, donkey, goose, beaver"
)
SUBJECTS = _phrases(
    "Portuguese, bookbinding, beekeeping, first aid, calligraphy, welding, stained glass, screen printing, sign "
    "language, astronomy, juggling, fencing, origami, tango, wine tasting, upholstery, woodcarving, improvised "
    "theatre, bread baking, mushroom picking"
)
COLOURS = _phrases(
    "ivory, ochre, emerald, lilac, terracotta, navy blue, salmon pink, olive green, charcoal, lemon yellow, "
    "aubergine, "
    "sky blue, coral, burgundy, mint green, sand, crimson, teal"
)
ROOMS = _phrases(
    "bathroom, kitchen, attic, basement, balcony, guest room, garage, laundry room, hallway, pantry, conservatory, "
    "study, terrace, stairwell, nursery, roof, cloakroom, utility room, sun room, wine cellar"
)
COSAS = _phrases(
    "taza, lámpara, manta, mochila, linterna, sartén, cesta, bandeja, pulsera, gorra, bufanda, maceta, silla, mesa, "
    "cafetera, batidora, escalera, maleta, guitarra de juguete, cometa, brújula, navaja, cuchara, jarra, botella, "
    "caja, alfombra, cortina, estantería, percha, hamaca, sombrilla, tienda de campaña, radio, impresora, bombilla, "
    "flauta, armónica, pecera, jaula, regadera, carretilla, pala, sierra, llave inglesa, cinta métrica, escoba, "
    "plancha"
)
CUALIDADES = _phrases(
    "de madera, de cristal, de cerámica, de lana, de cuero, de mimbre, de cobre, de hojalata, de mármol, de plástico, "
    "de bambú, de terciopelo, azul, verde, gris, marrón, enorme, portátil, plegable, de segunda mano, de color "
    "naranja, "
    "de cuadros, de rayas, de viaje, de colección, impermeable, musical, de Navidad, de los años setenta, de hierro"
)
SITIOS = _phrases(
    "mercadillo, ferretería, aeropuerto, gasolinera, papelería, librería, juguetería, polideportivo, ayuntamiento, "
    "estanco, panadería, farmacia, feria, estación de tren, rastro, vivero, taller, frutería, museo, puerto, zapatería"
)
