/** Patterns over folded text (small letters, no diacritics) by which a text shows whose words it gives, in both languages. */

/** What another person says, believes or is reported to say; the writer vouches for none of it. */
export const REPORTED_SPEECH =
  /\b(?:sa(?:ys?|id|ying)|tells?|told|states?|stated|announce[sd]?|claim(?:s|ed|ing)?|alleg(?:es|ed|edly|ing)|reportedly|supposedly|according to|denie[sd]|promised|wrote|writes|declare[sd]|insist(?:s|ed)?|argue[sd]?|maintain(?:s|ed)|suggest(?:s|ed)?|shout(?:s|ed|ing)?|chant(?:s|ed|ing)?|(?:spread|rumou?r)s? (?:that|says)|conspiracy theor\w+|(?<!\bi )(?<!\bwe )(?:still )?(?:believe[sd]?|think[s]?|thought)|a spus|au spus|spune(?:a|au)?|spun(?!e)|zic(?:e|ea|eau)?|a declarat|au declarat|a anuntat|au anuntat|sustin(?:e|ea|eau|ut)?|a sustinut|potrivit|conform|a afirmat|afirma|neaga|a promis|a scris|scri(?:e|a|au)|pretind(?:e|ea|eau)?|chipurile|cica|striga(?:u|t)?|(?:mai )?cred(?:e|ea|eau)?(?! ca sunt)|teori\w+ conspirati\w+|zvon\w*)\b/;

/** The writer speaks for himself, whatever the verb. */
export const WRITERS_OWN_VOICE =
  /\b(?:(?:not|just) saying|i'm (?:not|just) saying|nu (?:spun|zic|sustin)|i (?:say|tell you|claim|insist|maintain|declare|(?:really |truly |firmly )?(?:believe|think))|let me tell you|if you ask me|va spun|iti spun|spun eu|zic eu|eu (?:spun|zic|cred)|(?:^|, )cred ca|sunt de parere)\b/;

/** Verbs of saying by which the writer vouches himself: what "nobody tells you" is the writer's own claim. */
export const ENDORSING_VERBS: readonly RegExp[] = [
  /\b(?:nobody|no one|they|the media|doctors|governments?|the government|schools?|nimeni|presa|medicii|guvernul|televiziunile)(?: \w+){0,2}? (?:never |won't |don't |doesn't |will not |do not |does not |will never |nu )?(?:(?:va|vor|iti|ti|ne|le|o sa|o sa va|vrea sa|vor sa|want to|dares? to|dare|have to|wants? you to|indrazneste sa) )*(?:tells?|say|says|admits?|mentions?|know|spune|spun|zice|zic|recunoaste|recunosc|aminteste|stiti|stii|afle|aflati)(?: you| us| people| voua| noua)?[\s,:]*(?:that|ca)?[\s,:]*$/,
  /^(?:what|ce) (?:they|nobody|no one|the (?:media|news|government)|doctors|nu|nimeni nu)\b[^.]{0,60}\b(?:is|este|e)[\s,:]*(?:that|ca)?[\s,:]*$/,
];

/** Words before a claim after which the writer asserts it. */
export const ASSERTION_OPENINGS: readonly RegExp[] = [
  // Nothing, or an interjection.
  /^(?:(?:so|and|well|yes|look|listen|wow|omg|hey|people|folks|friends|honestly|frankly|obviously|clearly|actually|in fact|wake up|(?:dear |dragi )?(?:friends|brothers|sisters|parents|prieteni|parinti|frati|fratilor|romani)|deci|pai|si|da|asadar|uite|ascultati|oameni buni|sincer|evident|clar|treziti-va|de fapt)[\s,!.:;-]*)*$/,
  // "Not saying it's true, but", "I'm no doctor, but": what stands behind "but" is what the writer says.
  /\b(?:but|yet|however|dar|insa|ci|totusi)[\s,:]*$/,
  /\b(?:truth|fact|thing|point|problem|secret|reality|bottom line|adevarul|fapt|realitatea|problema|ideea|secretul)(?: is| remains| e| este| ramane| pe care [^.]{0,60} e(?:ste)?)(?: simple| this| simplu| asta)?[\s,:]*(?:that|ca)?[\s,:]*$/,
  /(?<!\b(?:not|nu) )\b(?:(?:everyone|everybody|we|i|you|anyone|any child|they|toata lumea|toti|oricine|noi|voi)(?: already| all| deja| cu totii)* (?:knows?|realise|stie|stim|stiti|stiu)|stim|stiti|stiu)(?: cu totii| deja| bine)*[\s,:]*(?:that|ca)?[\s,:]*$/,
  /^(?:(?:i am|i'm|we are|we're) (?:(?:absolutely|totally|quite|fully) )?(?:convinced|sure|certain|positive|telling you)|i (?:(?:really|truly|firmly|honestly) )?(?:believe|think|know|say|swear|tell you)|we (?:know|believe)|sunt (?:absolut |foarte |ferm )?(?:convins|convinsa|sigur|sigura)|(?:eu )?(?:cred|stiu|spun|jur|zic)|va spun eu|suntem (?:convinsi|siguri)|stim)[\s,:]*(?:that|ca)?[\s,:]*$/,
  /(?<!\bnu )\b(?:it is|it's|este|e) (?:now )?(?:clear|obvious|proven|proved|a fact|(?<!not )true|known|no secret|well known|official|clar|evident|dovedit|un fapt|adevarat|limpede|oficial|cunoscut)[\s,:]*(?:that|ca)[\s,:]*$/,
  /\b(?:believe me|trust me|remember|don't forget|never forget|make no mistake|wake up|face it|mark my words|did you know|do you know|do you realise|have you heard|credeti-ma|amintiti-va|nu uitati|nu va inselati|treziti-va|stiati|stiai|ati stiut|ai stiut|ati aflat|ai aflat)[\s,:!]*(?:that|ca)?[\s,:]*$/,
  /^(?:i|we) (?:have|had) (?:always |long )?known[\s,:]*(?:that|ca)?[\s,:]*$/,
  /^(?:eu |noi )?(?:stiu|stim) (?:de mult|dintotdeauna|de ani de zile)[\s,:]*ca[\s,:]*$/,
  // Proof, discovery and admission take what follows for true.
  /\b(?:proved|proves?|proven|shows?|showed|shown|confirm(?:s|ed)?|reveal(?:s|ed)?|admit(?:s|ted)?|discover(?:s|ed)?|found|demonstrates?|demonstrated|dovedit|dovedesc|dovedeste|dovedit-o|aratat|arata|confirmat|confirma|dezvaluit|dezvaluie|recunoscut|recunoaste|descoperit|demonstrat|demonstreaza)(?: it| this| once and for all| at last| asta| in sfarsit)*[\s,:]*(?:that|ca)?[\s,:]*$/,
  /^(?:breaking|urgent|truth|the truth|fact|proof|proven|confirmed|alert|attention|warning|important|ultima ora|adevar|adevarul|dovada|dovedit|confirmat|atentie|avertisment|fapt)[\s!]*[:!-]+\s*$/,
];

/** Words that take a claim back where they stand behind it in its sentence. */
export const RETRACTION =
  /\b(?:not|no|never|isn't|doesn't|don't|aren't|didn't|false|falsely|wrong|myths?|hoax\w*|lies?|untrue|nonsense|rubbish|absurd|debunked|disproved|refuted|allegedly|nu|fals\w*|gresit\w*|mit(?:ul|uri|urile)?|minciun\w+|prostii|absurd\w*|demontat\w*|infirmat\w*|chipurile)\b/;

/** A label before a claim that attributes it to others, or names it as false. */
export const ATTRIBUTING_LABEL =
  /^(?:the )?(?:claim|claims|rumou?r|myth|mit|mitul|false|fake|fiction|hoax|lie|statement|quote|question|hypothesis|conspiracy theory|afirmatia|afirmatie|sustinerea|zvon|zvonul|fals|farsa|minciuna|fictiune|declaratia|citat|intrebare|ipoteza)(?: \w+){0,3}\s*(?:#?\d+)?\s*[:–—-]/;

/** A clause that asks or supposes. */
export const SUPPOSITION =
  /^(?:if|whether|unless|suppose|imagine|what if|daca|de-ar fi|sa presupunem|imaginati-va|ce-ar fi daca)\b/;

/** A condition with what follows from it: the writer vouches for both together, and asks nothing. */
export const CONDITIONAL = /^(?:if|unless|daca)\b[^?]*(?:,|\bthen\b|\batunci\b)\s*\w[^?]*$/;

/** A sentence with the form of a question, whatever it ends in. */
export const INTERROGATIVE =
  /^(?:(?:so|and|but|well|deci|si|dar|pai)[\s,]+)?(?:do|does|did|is|are|was|were|can|could|will|would|should|has|have|had|who|what|when|where|why|how|which|whether|isn't|aren't|doesn't|oare|cine|ce|cand|unde|de ce|cum|care|cat|este|e|sunt|era|erau|a|au|s-a|s-au|ar|poate|pot)\b/;

/** What follows a question that is meant as one: an answer, or the look for it. */
export const ANSWER =
  /\b(?:no|not|never|false|myth\w*|fact|facts|study|studies|research\w*|experts?|scientists?|doctors? say|we asked|we looked|we checked|answer|evidence|here(?:'s| is) what|nu|fals\w*|mit(?:uri)?|studi\w+|cercet\w+|expert\w*|specialist\w*|am intrebat|am verificat|verific\w+|raspuns\w*|dovezi|iata|ce spun|afla\w*)\b/;

/** A sentence that takes back the one before it; a word that a hyphen ties to the next ("nu-i", "no-one") denies nothing. */
export const DENIAL: readonly RegExp[] = [
  /^(?:no|nope|not (?:so|true)|false|wrong|untrue|nonsense|rubbish|verdict|our verdict|rating|ruling|conclusion|myth|nu|ba nu|fals|gresit|neadevarat|minciuna|mit|concluzia?|evaluare)\b(?!-\w)(?=\s*[.,:;!–—-]|$)(?!.{0,40}\b(?:jok\w+|kidding|doubt|serious\w*|glum\w+|indoial\w+)\b)/,
  /^(?:this|that|it|the (?:claim|statement|idea|sentence|post|rumou?r|theory)|they|these|none of (?:this|it))\b.{0,40}\b(?:is|are|was|were|has been|have been)\b.{0,40}\b(?:false|untrue|wrong|myths?|hoax|debunked|disproved|refuted|misleading|baseless|unfounded|not true)\b/,
  /^(?:this|that|it|they|these) (?:do|does|did|is|are|was|were)(?: not|n't)(?: true| so| the case)?[.,;:!]/,
  /^(?:aceasta|asta|afirmatia|ideea|teoria|zvonul|postarea|propozitia)?\s*(?:este|e|sunt|a fost|au fost)\b.{0,30}\b(?:fals\w*|gresit\w*|neadevarat\w*|mit|minciun\w+|infirmat\w*|demontat\w*|nefondat\w*|inselato\w+)\b/,
  /^nu (?:este|e|sunt|conti\w+|provoaca|exista)\b[^.]{0,20}(?:adevarat\w*)?\s*[.,;:!]/,
  /^(?:that is|that's|this is|so|asa|asta)\b.{0,20}\b(?:i used to (?:believe|think)|i (?:once )?(?:believed|thought)|credeam|am crezut)\b/,
  /\b(?:no (?:link|evidence|proof|connection)|nicio (?:legatura|dovada))\b.{0,60}\b(?:found|exists?|shows?|gasit\w*|exista)\b|\bfound no (?:link|evidence|proof|connection)\b|\bnu (?:s-a|s-au|au) gasit (?:nicio (?:legatura|dovada)|vreo legatura)/,
];

/** Sentences before a claim that make it an example, and those that announce falsehoods. */
export const EXERCISE_INTRODUCTION =
  /\b(?:true or false|exercise|homework|worksheet|quiz|mark each|decide whether|which of (?:these|the following)|correct the sentences?|adevarat sau fals|exercitiu\w*|tema pentru|fisa de lucru|notati fiecare|stabiliti daca|care dintre|corectati propozitiile)\b/;
export const FALSEHOOD_INTRODUCTION =
  /(?<!\b(?:no|not a|isn't a|never a|call it a|nu e un|nu este un|nici un) )\b(?:myths?|misconceptions?|false claims?|hoaxes|debunk\w*|fact.?check\w*|old wives' tales?|mituri\w*|idei gresite|afirmatii false|stiri false|dezinformar\w+|demont\w+)\b/;
