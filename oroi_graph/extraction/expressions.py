"""Expressions that are recognised as a whole: strong emotion, assent."""

from __future__ import annotations

# (pattern, charge): what marks a turn as one that nobody forgets
CHARGES = (
    (
        r"\b(?:died|passed away|murió|falleció|ha muerto|ha fallecido|morreu|faleceu|funeral|cancer|cáncer|câncer|"
        r"cancro)\b",
        0.8,
    ),
    (r"\b(?:devastated|heartbroken|destrozad[oa]|arrasad[oa]|hundid[oa])\b", 0.7),
    (
        r"\b(?:getting married|got married|got engaged|proposed to me|me caso|nos casamos|me he casado|"
        r"(?:vou|vamos) casar|me casei|casei-me|casámos)\b",
        0.7,
    ),
    (
        r"\b(?:pregnant|embarazada|grávida|had a baby|gave birth|nació mi|ha nacido|nasceu (?:o meu|a minha|meu|minha)|"
        r"miscarriage|aborto)\b",
        0.7,
    ),
    (
        r"\b(?:lost (?:my|our|his|her) (?:job|house|home)|perdí (?:mi|el) (?:trabajo|empleo)|me han? despedido|"
        r"perdi (?:o|meu|o meu) (?:trabalho|emprego)|fui (?:despedid|demitid)[oa])\b",
        0.6,
    ),
    (
        r"\b(?:divorce|divorcio|divórcio|car accident|accidente|acidente|hospital|terrified|aterrad[oa]|"
        r"aterrorizad[oa]|i hate|odio|odeio)\b",
        0.4,
    ),
    (
        r"\b(?:so happy|so proud|thrilled|over the moon|muy feliz|tan feliz|muito feliz|tão feliz|love of my life)\b",
        0.3,
    ),
)
CONFIRMATIONS = (
    r"^(?:(?:yes|yeah|yep|yup|exactly|right|correct|indeed|absolutely|sure|of course|true|"
    r"that'?s (?:right|it|correct|true)|you'?re right|"
    r"sí|exacto|exactamente|eso es|claro|correcto|así es|efectivamente|cierto|tal cual|"
    r"sim|exato|exatamente|isso mesmo|isso|com certeza|correto|é verdade)\b)"
)
