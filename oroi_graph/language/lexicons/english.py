"""The words of English that the offline extractor reads sentences with."""

from __future__ import annotations

from oroi_graph.language.lexicons.lexicon import Lexicon
from oroi_graph.language.tokens import word_set

ENGLISH = Lexicon(
    language="en",
    romance=False,
    me="I",
    you=word_set("you"),
    he=word_set("he she"),
    named="is called",
    lives="lives in",
    corrects=r"\b(?:actually|ha(?:s|ve) changed|turns out|in the end|now|correction|i meant?|change of plans?|"
    r"scratch that|my mistake)\b",
    switches=r"\b(?:instead|nowadays|these days|ha(?:s|ve) changed (?:my|our|his|her|their) minds?|"
    r"(?:from|as of|starting) (?:today|tomorrow|(?:this|next) \w+)(?: on(?:wards?)?)?)\b",
    determiners=word_set(
        "a an the this that these those some any no each every all both another other such several few many much "
        "more most half own same enough either neither certain various two three four five six seven eight nine "
        "ten dozen"
    ),
    possessives={"my": "I", "our": "I", "your": "you", "his": "", "her": "", "their": "", "its": ""},
    mine={"your": "my"},
    his=word_set("his her"),
    pronouns=word_set(
        "i me myself mine we us ourselves ours you yourself yours he him himself she herself hers it itself they "
        "them themselves theirs someone somebody everyone everybody anyone nobody one something anything nothing "
        "everything there here"
    ),
    prepositions=word_set(
        "in on at to for with without from by about into onto of off over under between through during after "
        "before since until till throughout against among around near behind beside beyond across along inside "
        "outside toward towards upon as like than via per despite including except for"
    ),
    conjunctions=word_set("and or but nor so yet plus & then"),
    coordinating=word_set("and or plus &"),
    subordinators=word_set(
        "that which who whom whose because cause while when where although though unless whether why how what "
        "whenever wherever"
    ),
    conditionals=word_set("if unless whether"),
    modals=word_set("will would can could should may might must shall gonna wanna"),
    negations=word_set("not never no-longer hardly"),
    before_verb=word_set("also just still now really always recently"),
    adverbs=word_set(
        "also too very really so just even still already always often sometimes usually currently recently "
        "finally now then here there soon again ago away back maybe perhaps probably actually basically certainly "
        "definitely especially only quite rather almost pretty super totally truly later once twice together "
        "anymore instead badly sadly madly gladly nicely else well much more most less least yet ever nearly else "
        "out up down along forward anyway kinda sorta far long fast hard online everywhere somewhere anywhere "
        "abroad apart overall lately nowadays however both"
    ),
    interjections=word_set(
        "correction hey hi hello wow oh ah yeah yes yep yup nope no ok okay thanks thank please sure congrats "
        "congratulations cheers bye goodbye haha lol omg cool awesome nice great sorry welcome alright gosh ugh "
        "hmm well agreed absolutely exactly right aww aw woah whoa yay oof nah ha yum ooh anytime gotcha yea "
        "woohoo dang ttyl phew darn oops fyi anyways huh ya hah appreciated btw p.s ps"
    ),
    evaluative=word_set(
        "good great awesome amazing nice cool wonderful fantastic incredible lovely beautiful fun funny happy sad "
        "glad proud excited exciting cute sweet perfect best better bad worse worst big huge small little new old "
        "young real true sure ready able important special interesting inspiring powerful tough hard easy "
        "difficult crazy wild weird strange different similar same tired busy free fine okay ok lucky grateful "
        "thankful thrilled stoked pumped nervous scared afraid worried stressed relaxed relaxing calm calming "
        "peaceful helpful useful worth rewarding fulfilling stunning gorgeous impressive brave strong determined "
        "passionate creative talented delicious tasty yummy favorite favourite whole entire next last first "
        "second final early late long short high low close far full empty main extra enough complete positive "
        "negative unique simple nerve-wracking tiny major minor fresh clear quick slow fast heavy light deep "
        "right wrong challenging rough unreal unbelievable encouraging motivating refreshing surprising welcoming "
        "lots such pretty super hopeful meaningful precious healthy sick ill alone lonely terrible horrible awful "
        "angry upset mad devastated heartbroken only easier harder closer bigger smaller faster stronger happier "
        "longer later greater nicer cooler involved interested motivated focused optimistic fancy scary safe "
        "frustrating excited comfy cozy curious key obvious possible impossible necessary common popular famous "
        "expensive cheap quiet loud warm cold hot simpler graceful expressive unexpected romantic graceful honest "
        "clear entertaining exhausting overwhelming tempting outstanding terrific epic superb insane spectacular "
        "bummed bummer super-cool neat sweetest third second large naughty hectic oldest youngest funniest "
        "coolest biggest greatest latest favourite-ever"
    )
    - word_set("favorite favourite"),
    junk=word_set(
        "thing things lot lots bit kind kinds sort way ways time times stuff one ones something anything "
        "everything nothing someone everyone anyone day days night today tomorrow moment moments part parts fact "
        "idea ideas reason place places point case end side example couple bunch ton tons while chance word words "
        "guy guys people person man buddy bud pal dude bro hope luck sense shot deal pleasure forward rest step "
        "steps self mind hand thanks heart world life feeling feelings way kinda something yes no matter turn go "
        "goal goals journey joy experience experiences memory memories happiness inspiration passion passions "
        "support motivation difference level progress courage strength perseverance future past present reminder "
        "break news week weekend month year years weeks months minute minutes hour hours morning afternoon "
        "evening lately pic pics heads-up vibe vibes head eye eyes comfort peace blast love care look others key "
        "spot feel find check ya huh see need stay chill someday sometime worries encouragement relief top rock "
        "corner air impact stir mix process whole beginning plenty kudos shout-out shoutout perspective need take "
        "rid track thought thoughts stage series amount number variety yesterday form type types thing-or-two "
        "blessing challenge challenges self-care hang worry sign share talk chat try use help start work play"
    )
    - word_set("work love number"),
    common=word_set(
        "music art dance dancing nature love life work family painting winter summer spring autumn food books "
        "reading cooking time money people kids children friends dogs cats animals school home health sports "
        "games writing news weather coffee tea everything teamwork mom dad mum grandma grandpa tough staying "
        "sounds looks glad hope pottery garlic yoga sushi chess success guitar chicken movies pets safety "
        "setbacks obstacles allergies mentors doctors weddings cravings veggies bet see bring catch fetch mon tue "
        "tues wed thu thur thurs fri sat sun guess speaking lots totally good great way long yesterday today "
        "tomorrow last next"
    ),
    attributes=word_set(
        "name birthday age phone number email e-mail address job profession occupation employer nickname surname "
        "height weight salary nationality password pin hobby"
    ),
    kinship=word_set(
        "brother sister son daughter father mother dad mom mum cousin uncle aunt grandfather grandmother grandpa "
        "grandma husband wife partner boyfriend girlfriend fiancé fiancée fiance fiancee friend boss manager "
        "nephew niece grandson granddaughter neighbour neighbor colleague roommate flatmate brother-in-law "
        "sister-in-law mother-in-law father-in-law stepfather stepmother godfather godmother twin landlord "
        "landlady"
    ),
    of=word_set("of"),
    links=("of", "the", "de", "van", "von", "&"),
    and_link=word_set("the"),
)
