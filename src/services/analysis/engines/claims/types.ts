import { isCall } from './calls.ts';
import type { ClaimText, CueName } from './cues.ts';

/** Claim types that rules can tell; `satire` needs the genre of the whole item and is never given to one sentence. */
export type ClaimType =
  | 'statistical'
  | 'event'
  | 'quotation'
  | 'causal'
  | 'comparison'
  | 'scientific_health'
  | 'legal_policy'
  | 'identity_role'
  | 'media_provenance'
  | 'historical'
  | 'existence_absence'
  | 'conspiracy'
  | 'prediction'
  | 'opinion'
  | 'personal_experience'
  | 'question_or_call';

type Cues = ReadonlyMap<CueName, number>;
type Rule = { type: ClaimType; test: (plain: string, cues: Cues) => boolean };

/** "Did you know that ..." asks nothing: it asserts what follows. */
const assertingQuestion = /^(?:did you know|do you know that|stiai ca|stiati ca|ati aflat ca)\b/;
const personal =
  /\b(?:i (?:felt|feel|felt|tried|took|drank|woke|remember|suffered|noticed)|my (?:mother|father|wife|husband|son|daughter|doctor|neighbou?r|friend)|m-am simtit|ma simt|am incercat|am simtit|am luat|mama mea|tatal meu|sotul meu|sotia mea|vecin\w* me\w+|prieten\w* me\w+)\b/;
const media =
  /\b(?:photo\w*|picture|image|video|footage|clip|recording|screenshot|fotografi\w*|poza|pozele|imagin\w+|videoclip\w*|filmare\w*|inregistrare\w*|captura)\b/;
const mediaVerb =
  /\b(?:shows?|showing|showed|taken|depicts?|proves?|recorded|filmed|fake|edited|arata|surprind\w*|dovedes\w*|demonstreaza|filmat\w*|inregistrat\w*|facuta|facute|fals\w*|trucat\w*)\b/;
const saying =
  /\b(?:said|says|told|stated|announced|claims?|claimed|according to|admitted|denied|promised|voted|wrote|declared|confirmed|revealed|a spus|a declarat|a anuntat|a sustinut|sustine|sustin|potrivit|a afirmat|a admis|a negat|a promis|a votat|a scris|a confirmat|a recunoscut|au declarat|au anuntat|au confirmat|au votat|a precizat|a transmis|a mentionat)\b/;
const hiddenPlan =
  /\b(?:conspira\w+|complot\w*|cover-?up|covered up|deep state|stat\w* paralel|false flag|plandemi\w+|staged|inscen\w+|orchestrat\w+|orchestrat|puppet\w*|marionet\w*|new world order|noua ordine mondiala|globalis\w+|illuminati|masoni\w*|chemtrail\w*|microchip\w*|microcip\w*|depopulat\w*|depopular\w*|mind control|hoax|they don't want you|nu vor sa (?:stiti|stii|aflati|afli)|ni se ascunde|ne ascund|(?:being|is|are|kept) hid(?:den|ing)|in secret|secretly|pe ascuns|oculta|big pharma|soros\w*|test the population|testa populatia|control (?:the )?(?:population|masses)|controla populatia|elite?l?e? (?:mondial|global)\w*)/;
/** A finding of the past speaks of what was found, whatever tense stands in it; a forecast stays one. */
const pastFinding =
  /\b(?:found|finds|showed|shows|shown|revealed|concluded|discovered|determined|established|measured|confirmed|a (?:gasit|constatat|aratat|dezvaluit|concluzionat|descoperit|stabilit|masurat|confirmat)|au (?:gasit|constatat|aratat|dezvaluit|concluzionat|descoperit|stabilit|masurat|confirmat)|s-a (?:constatat|descoperit|dovedit|stabilit))\b/;
const forecast =
  /\b(?:predict\w*|forecast\w*|project(?:s|ed|ion|ions)|expect\w*|estimat\w* that|prognoz\w*|estim\w+ ca|prevad\w*|prevede\w*|se asteapta|asteptat\w*|prezi[sc]\w*)\b/;
/** "Will" that is a noun, and "going to" of the past. */
const noFuture =
  /\b(?:free|his|her|their|our|my|your|last|political|good|ill|the|own|at) will\b|\bwill (?:of|smith)\b|\b(?:was|were) going to\b|\bcand va fi cazul\b/g;
const future =
  /\b(?:will|going to|won't|(?:next|coming) (?:year|month|week|decade)|by 20[2-9]\d|va (?!rog|rug|spun|dau|astept|multumesc|invit)\w+[aei]\b|vor \w+[aei]\b|o sa|urmeaza sa|la anul|anul viitor|luna viitoare|saptamana viitoare|pana in 20[2-9]\d)\b|\b(?:va|vor|se va|se vor)\s+(?:se\s+)?\w+/;
const science =
  /\b(?:vaccin\w*|virus\w*|covid\w*|cancer\w*|disease\w*|cures?|cured|medicine|drug|drugs|vitamin\w*|diabet\w*|flu|gripa|gripei|bacteri\w*|antibiotic\w*|autis\w*|infertil\w*|climate|global warming|5g|radiation|radiati\w*|dna|adn|boli|boala|bolile|vindeca\w*|tratea[zt]\w*|medicament\w*|remedi\w*|incalzir\w* globala|schimbar\w* climatic\w*|imunitat\w*|immun\w*|toxic\w*|studi\w* (?:arata|publicat)|study (?:found|shows|suggests)|scientists?|cercetatori\w*)\b/;
const law =
  /\b(?:law|laws|bill|act|amendment|constitution\w*|treaty|regulation|decree|directive|contract|budget|tax|taxes|fee|fees|fine|fines|ban|bans|banned|legal|illegal|court ruled|lege|legea|legii|legile|ordonant\w*|hotarar\w*|constituti\w*|tratat\w*|regulament\w*|decret\w*|directiv\w*|contractul|bugetul|taxa|taxe|taxele|impozit\w*|amend[aei]\w*|interzi\w*|ilegal\w*|curtea constitutionala|obligatori\w*)\b/;
const ranking =
  /\b(?:(?:more|less|fewer|higher|lower|bigger|better|worse|larger|smaller|cheaper|faster|older) \w*\s?than|than any|(?:most|least|worst|best|largest|biggest|highest|lowest|first|only|poorest|richest|oldest) (?:\w+ ){0,6}(?:in the|in \w+|of all|of the|ever|on earth)|compared (?:to|with)|as \w+ as|(?:cel|cea|cei|cele) mai (?:\w+ ){1,8}(?:din|dintre|de pe|in)|mai \w+ (?:\w+ ){0,4}(?:decat|ca in|fata de)|pe primul loc|pe locul|comparativ cu|spre deosebire de)\b/;
const absence =
  /^(?:no|none of|nothing|niciun|nicio|nimic)\b|\b(?:there (?:is|are|was|were) (?:no|never|not|a|an)\b|(?:does|do|did) not exist|doesn't exist|never (?:existed|been|was|happened)|no evidence|no proof|exists?|nu exista|exista|nu s-a gasit|nu a fost (?:publicat|gasit)|nu are niciun|niciun \w+ nu|nicio \w+ nu|n-a existat|lipseste)\b/;
const cause =
  /\b(?:caus(?:e|es|ed|ing)|because of|led to|leads? to|due to|result(?:s|ed) in|prevent(?:s|ed)|trigger(?:s|ed)|as a result of|thanks to|provoc\w+|a provocat|cauz\w+|din cauza|din pricina|a dus la|duce la|duc la|datorita|a determinat|previn\w*|in urma|a generat|genereaza)\b/;
const role =
  /\b(?:is|was|are|were|este|e|a fost|sunt) (?:the |a |an |un |o )?(?:\w+ )?(?:president|minister|director|mayor|ceo|owner|founder|leader|member|agent|spy|son|daughter|wife|husband|brother|sister|citizen|doctor|professor|former|presedintel\w*|ministr\w*|directorul?|primarul?|proprietar\w*|fondator\w*|lider\w*|membr\w*|agent\w*|spion\w*|fiul|fiica|sotia|sotul|fratele|sora|cetatean\w*|medic|profesor\w*|fost\w*)\b|\b(?:owns?|owned|was born|graduated|married|works for|employed by|detine|detinut|s-a nascut|a absolvit|lucreaza (?:la|pentru)|angajat\w* (?:la|de)|casatorit\w*)\b/;

/** A past year from which records count as settled: more than fifteen years before the taxonomy was written (2026). */
const settledYear = /\b(?:1[0-9]\d\d|200\d|2010)\b/;
const quantity =
  /\b\d{1,3}(?:[.,]\d{3})+\b|\d+(?:[.,]\d+)?\s*(?:%|percent|per cent|la suta|million|billion|thousand|milioane|miliarde|mii|de mii)/;

/** Rules in order: the first that fits names the type, so the narrow ones stand before the broad ones. */
const rules: readonly Rule[] = [
  {
    type: 'question_or_call',
    test: (plain, cues) => (cues.has('question') && !assertingQuestion.test(plain)) || isCall(plain),
  },
  { type: 'media_provenance', test: (plain) => media.test(plain) && mediaVerb.test(plain) },
  { type: 'conspiracy', test: (plain) => hiddenPlan.test(plain) },
  {
    type: 'quotation',
    test: (plain, cues) => saying.test(plain) && !quantity.test(plain) && !cues.has('firstPerson'),
  },
  { type: 'personal_experience', test: (plain, cues) => personal.test(plain) && !cues.has('percent') },
  { type: 'opinion', test: (_plain, cues) => isOpinion(cues) },
  { type: 'prediction', test: (plain) => isPrediction(plain) },
  { type: 'statistical', test: (plain, cues) => isStatistic(plain, cues) },
  { type: 'scientific_health', test: (plain) => science.test(plain) },
  { type: 'historical', test: (plain, cues) => settledYear.test(plain) && (cues.get('numbers') ?? 0) < 0.5 },
  { type: 'comparison', test: (plain) => ranking.test(plain) },
  { type: 'existence_absence', test: (plain) => absence.test(plain) },
  { type: 'legal_policy', test: (plain) => law.test(plain) },
  { type: 'causal', test: (plain) => cause.test(plain) },
  { type: 'identity_role', test: (plain) => role.test(plain) },
];

/** The type of a sentence, by rules over English and Romanian wording; `event` when no other rule fits. */
export function typeOf(text: ClaimText): ClaimType {
  return rules.find((rule) => rule.test(text.plain, text.cues))?.type ?? 'event';
}

/** A year to come, without a verb of the future, is only a date: "finalised the plan in 2015 ... by 2030". */
const dateToCome = /\bby 20[2-9]\d\b|\bpana in 20[2-9]\d\b/g;
const pastYear = /\b(?:in|since|din|in anul) (?:19\d\d|20[01]\d)\b/;

/** A finite verb of the past; a participle behind an article, a preposition or "to be" is none. */
const pastVerb =
  /(?<!\b(?:the|a|an|is|are|be|been|being|of|by|its|their|our|his|her|as|with|for|in|and|or|will|more|most) )\b(?:was|were|had|did|took|gave|made|chose|sent|sold|bought|met|began|lost|won|\w{3,}ed)\b|\b(?:a|au|s-a|s-au|am|ati) (?:\w+ )?\w+(?:at|ut|it|is|us|as|rs|es|ns|pt)\b/;
const futureVerb = /\b(?:will|won't|is going to|are going to|va|vor|o sa)\b/;
/** What opens a clause that depends on another one. */
const subordinate =
  /\b(?:that|which|who|whose|where|when|if|after|before|since|to|care|ce|cand|unde|daca|dupa|ca|sa)\b/;
/** A time to come, which a past act may be about: "approved the budget for next year". */
const timeToCome =
  /\b(?:(?:next|coming) (?:year|month|week|decade)(?:'s)?|la anul|anul viitor|luna viitoare|saptamana viitoare)\b/g;

/** Whether the main verb is one of the past, and what is to come only stands in what depends on it. */
function isPastAct(plain: string): boolean {
  const past = pastVerb.exec(plain);
  if (past === null || forecast.test(plain) || subordinate.test(plain.slice(0, past.index))) return false;
  const behind = plain.slice(past.index + past[0].length);
  const future = futureVerb.exec(behind);
  return future === null
    ? !/\b(?:urmeaza sa|going to)\b/.test(behind.replace(timeToCome, ' '))
    : isDependent(behind.slice(0, future.index));
}

/** Whether the words between a verb of the past and one of the future make the second depend on the first. */
const isDependent = (between: string) =>
  subordinate.test(between) && !/\b(?:and|but|si|iar|dar)(?: \w+){0,2} $/.test(between);

function isPrediction(plain: string): boolean {
  if (pastFinding.test(plain) && !forecast.test(plain)) return false;
  if (isPastAct(plain)) return false;
  const remaining = plain.replace(noFuture, ' ');
  return future.test(pastYear.test(remaining) ? remaining.replace(dateToCome, ' ') : remaining);
}

/** Judging or believing words, and nothing beside them that could be looked up. */
function isOpinion(cues: Cues): boolean {
  const judged = cues.has('judgement') || cues.has('belief') || cues.has('obligation');
  const checkable = ['numbers', 'percent', 'date', 'comparison', 'attribution', 'evidence', 'cause'] as const;
  return (
    judged &&
    !cues.has('pleasantry') &&
    !checkable.some((cue) => cues.has(cue)) &&
    (cues.get('names') ?? 0) < 1
  );
}

function isStatistic(plain: string, cues: Cues): boolean {
  if (quantity.test(plain)) return true;
  const counted = cues.has('numbers') || cues.has('share');
  const measured =
    cues.has('percent') ||
    cues.has('money') ||
    cues.has('magnitude') ||
    cues.has('change') ||
    cues.has('rate');
  return counted && measured && !/^\D*(?:1[0-9]\d\d|20\d\d)\D*$/.test(plain);
}
