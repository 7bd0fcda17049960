/** Patterns over folded text (small letters, no diacritics) that tell orders and steps from statements. */

/** Beginnings that call upon the reader, whatever follows. */
const CALL =
  /^(?:please\b|let's|let us|share\b|subscribe|vote\b|join\b|sign\b|call\b|click|wake up|stop\b|read more|remember\b|distribui|semnati|dati mai departe|da mai departe|treziti|haideti|hai sa|votati|sunati|va rog|va rugam|cititi|trimite|abonati)/;

/** Orders of a seller or a lure; the words behind the verb show that it is none of the nouns "order", "deposit" or "pay". */
const ORDER =
  /^(?:order|buy|deposit|pay|send|register|apply|invest|download|install|visit|enter|reply|contact|book|try|get|claim|transfer|choose|pick)\s+(?:(?:the|a|an|your|yours|it|this|these|some|now|today|here|online|only|up to|to|at|with|for|us)\b|\d|[$€£])/;
const ROMANIAN_ORDER =
  /^(?:(?:comandati|achitati|cumparati|depuneti|transferati|introduceti|completati|apasati|accesati|descarcati|instalati|contactati|inscrieti-va|inregistrati-va|rezervati)\b|(?:platiti|comanda|cumpara|plateste|achita|depune|intra|inscrie-te) (?:aici|acum|azi|astazi|taxa|suma|factura|online|cu cardul|\d))/;

/** Steps of a recipe: a verb of the kitchen at the beginning, and what it is done with. */
const STEP =
  /^(?:(?:then|next|finally|apoi|dupa aceea|la final),? )?(?:bake|add|mix|stir|pour|heat|boil|preheat|chop|slice|serve|simmer|whisk|knead|season|drain|fry|roast|melt|cover|place|leave|let|put|cook|cool|(?:se )?(?:coace|coc|adauga|amesteca|toarna|fierbe|fierb|prajeste|prajesc|taie|toaca|pune|pun|lasa|serveste|servesc|unge|ung|framanta|bate|bat|presara|incorporeaza|rade|orneaza|strecoara|caleste|calesc|gateste|intinde|scoate)|(?:coaceti|adaugati|amestecati|turnati|fierbeti|prajiti|taiati|tocati|puneti|lasati|serviti|ungeti|framantati|bateti|presarati|incorporati|radeti|preincalziti|gatiti))\b/;
const KITCHEN =
  /\b(?:degrees|oven|minutes|pan|bowl|dough|sugar|flour|eggs?|butter|oil|salt|pepper|milk|cream|onions?|garlic|(?:tea|table)spoons?|grams|sauce|stock|grade|minute|cuptor\w*|tigai\w*|tava|tavii|aluat\w*|zahar\w*|faina|ou|oua|ouale|untul|unt|ulei\w*|sare|sarea|piper\w*|lapte\w*|smantana|ceapa|usturoi\w*|cratit\w*|oala|compoziti\w*|lingur\w*|foc (?:mic|mediu|mare)|grame|crema|blat\w*|carnea|legumele|frigider)\b/;

/** A clause of fact behind the order, or a promise of health: then it states something. */
const STATED =
  /[,;:-]\s*(?:it|they|this|that|these|he|she|we|which|who)\b|\b(?:because|since|is|are|was|were|has|have|had|will|rose|fell|cures?|cured|kills?|heals?|treats?|causes?|contains?|prevents?|destroys?|removes?|este|e|sunt|era|a fost|au fost|are|au|vindeca|trateaza|ucide|omoara|cauzeaza|provoaca|contine|previne|elimina|pentru ca|fiindca|deoarece|care)\b/;
const HEALTH =
  /\b(?:vaccin\w*|virus\w*|covid\w*|cancer\w*|disease\w*|flu|grip[aei]\w*|diabet\w*|boli|boala|bolile|tumor\w*|imunitat\w*|immun\w*)\b/;
/** What a call of the first kind has to be followed by to state something: a subject of its own with a verb. */
const REASON =
  /[,;:-]\s*(?:it|they|this|these|he|she)\s+(?:is|are|was|were|has|have|kills?|causes?|contains?|poisons?|destroys?|makes?|\w+s)\b|[,;:-]\s*(?:omoara|ucide|ucid|provoaca|cauzeaza|contine|contin|otraveste|distruge|distrug)\b/;

/** Whether a sentence only calls upon its reader to do something. */
export function isCall(plain: string): boolean {
  if (CALL.test(plain) || /^opriti\b/.test(plain)) return !REASON.test(plain);
  if (STATED.test(plain) || HEALTH.test(plain)) return false;
  return ORDER.test(plain) || ROMANIAN_ORDER.test(plain) || (STEP.test(plain) && KITCHEN.test(plain));
}
