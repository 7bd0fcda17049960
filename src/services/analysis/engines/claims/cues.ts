import { CHARACTER_KINDS, characterKind, isUpperCase } from '../../../../text/characters.ts';
import { fold } from '../../../../text/folding.ts';

/** A sentence in the forms that the rules read; `plain` is folded without diacritics, so its words are ASCII. */
export interface ClaimText {
  original: string;
  plain: string;
  cues: ReadonlyMap<CueName, number>;
}

/** Prepares a sentence for the cues, types and models. */
export function claimText(original: string): ClaimText {
  const plain = fold(original, 'strip').text;
  return { original, plain, cues: cuesOf(original, plain) };
}

/** Word stems (English and Romanian without diacritics) whose presence speaks for or against a checkable claim. */
const patterns = {
  percent: /%|\b(?:percent|per cent|percentage|la suta|procent)/,
  money: /[$€£]|\b(?:dollars?|euros?|pounds?|lei|ron|usd|eur|dolari|cents?|bani)\b/,
  magnitude:
    /\b(?:thousands?|millions?|billions?|trillions?|dozens?|mii|mie|milioan\w*|miliard\w*|sute|zeci)\b/,
  share:
    /\b(?:half|third|quarter|twice|doubl\w+|tripl\w+|majority|minority|jumatate|treime|sfert|dubl\w+|tripl\w+|majoritat\w+|unul din)\b/,
  change:
    /\b(?:increas|decreas|ros[e]\b|rise[ns]?\b|rising|fell\b|fall(?:s|en|ing)\b|grew\b|grow|declin|drop|cut\b|cuts\b|rais|reduc|cresc|crest|scad|scaz|redus|marit|majora|diminua)/,
  rate: /\b(?:rate|average|record|statistic|survey|poll|census|index|deficit|debt|gdp|inflation|unemploy|budget|rata|medi[ae]\b|statistic|sondaj|recensamant|deficit|datori|pib|inflati|somaj|buget)/,
  date: /\b(?:january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|yesterday|today|ianuarie|februarie|martie|aprilie|iunie|iulie|august|septembrie|octombrie|noiembrie|decembrie|luni|marti|miercuri|joi|vineri|sambata|duminica|ieri|astazi|azi|in anul|year ago|years ago|last (?:year|month|week)|anul trecut|luna trecuta|acum \w+ ani)\b/,
  attribution:
    /\b(?:said|says|told|stated|announced|claim(?:s|ed)|reported|according to|admitted|denied|promised|voted|signed|wrote|declared|confirmed|revealed|a spus|a declarat|a anuntat|a sustinut|sustine|potrivit|conform|a afirmat|afirma|a admis|a negat|a promis|a votat|a semnat|a scris|a confirmat|a recunoscut|au declarat|au anuntat|au confirmat|au votat|precizeaza|a precizat|a transmis)\b/,
  evidence:
    /\b(?:study|studies|research|scientist|experts?|report|data|document|evidence|proof|proven|audit|investigation|court|studi[iu]|cercet|savant|expert|raport|date(?:le)?\b|document|dovad|dovezi|dovedit|ancheta|instanta|tribunal)/,
  institution:
    /\b(?:government|president|congress|senate|parliament|minister|ministry|mayor|governor|senator|police|army|hospital|university|company|companies|european|nato|republican|democrat|party|white house|supreme court|guvern|presedin|parlament|senat|minist|primar|prefect|politi|armat|spital|universit|compani|firm[ae]|comisia|partid|psd|pnl|usr|aur|deputat|consili|institut|uniun|jandarm|agenti)/,
  cause:
    /\b(?:caus|because of|led to|leads to|due to|result(?:s|ed) in|prevents?|triggers?|responsible for|provoca|cauza|din cauza|a dus la|duce la|datorita|determin|previne|in urma)/,
  comparison:
    /\b(?:more than|less than|fewer|higher|lower|largest|biggest|highest|lowest|worst|best|most|least|first|only|than any|mai mult|mai putin|mai mare|mai mic|cel mai|cea mai|cei mai|cele mai|decat|primul|prima|singur)/,
  universal:
    /\b(?:all|every|never|always|none|no one|nobody|everyone|everybody|nothing|toti|toate|niciodata|mereu|intotdeauna|nimeni|nimic|niciun|nicio|orice)\b/,
  health:
    /\b(?:vaccin|virus|covid|cancer|disease|medicin|drugs?\b|doctor|patient|cure|climate|temperature|carbon|boal|medic|medicament|pacient|vindec|tratament|clima|sanata|health)/,
  law: /\b(?:law|bill|act|tax|amendment|constitution|treaty|policy|legislation|regulation|ban|lege|legea|legi|tax[aei]|impozit|constitut|tratat|ordonant|hotarar|regulament|decret|interzi|amend)/,
  crime:
    /\b(?:kill|murder|arrest|attack|war|bomb|terror|troops|weapon|shot|died|dead|deaths|crime|ucis|omor|arest|atac|razboi|bomb|teror|trup|arm[ae]\b|impusc|murit|mort|decese|decedat|accident|incendiu)/,
  work: /\b(?:jobs?|workers?|schools?|students?|families|americans|people|citizens|immigrants?|locuri de munca|angajati|scoli|elevi|familii|romani|oameni|cetateni|imigrant|pensi|salari)/,
  past: /\b(?:was|were|had|did|has been|have been|been|became|went|took|made|gave|got|passed|built|created|lost|won|spent|a fost|au fost|a avut|au avut|am avut)\b|\b\w{3,}ed\b|\b(?:a|au|s-a|s-au)\s+\w+(?:at|ut|it|is|us|as|rs|es)\b/,
  future: /\b(?:will|going to|gonna|shall|'ll|would|va fi|vor fi|vom|o sa|urmeaza sa|ar fi|ar putea)\b/,
  obligation:
    /\b(?:should|must|need to|have to|ought|has to|trebuie|ar trebui|este nevoie|e nevoie|e timpul|sa fim|sa avem|let's|let us|haideti|hai sa)\b/,
  belief:
    /\b(?:i think|i believe|i feel|i hope|i guess|in my opinion|in my view|perhaps|maybe|probably|it seems|i'm sure|i am sure|i know|cred ca|parerea mea|consider ca|sper|poate ca|probabil|mi se pare|se pare ca|imi place|sunt sigur|simt ca|stiu ca)\b/,
  judgement:
    /\b(?:good|bad|great|terrible|horrible|wonderful|beautiful|awful|shameful|disgrac|disaster|ridicul|stupid|important|wrong|right thing|proud|sad|happy|amazing|incredible|best way|bun[aei]?\b|rau|rea\b|groaznic|minunat|frumo[as]|rusin|dezastr|ridicol|prost|important|gresit|mandr|trist|fericit|incredibil|jalnic|penibil|absurd|scandalos|inadmisibil|nedrept|lamentabil|superb|oribil|nobil)/,
  firstPerson: /\b(?:i|i'm|i've|i'll|i'd|my|me|mine|eu|mie|imi|mi|mea|meu|m-am|mi-a|mi-am|am\s+\w+(?:t|s))\b/,
  weGroup: /\b(?:we|we're|we've|we'll|our|us|noi|noastr\w+|nostru|ne-am|suntem|avem)\b/,
  secondPerson: /\b(?:you|your|you're|tu|tau|ta|voi|vostru|voastra|dumneavoastra|dvs)\b/,
  pleasantry:
    /\b(?:thank|thanks|good evening|good morning|welcome|please|applause|laughter|sorry|okay|well,|yes,|no,|multumesc|multumim|buna seara|buna ziua|bun venit|va rog|aplauze|scuze|bine,|da,|nu,)/,
  negation: /\b(?:not|no|never|don't|doesn't|didn't|isn't|wasn't|aren't|can't|won't|nu|n-a|n-au|fara)\b/,
  beginsLoose: /^(?:but|and|so|now|well|because|or|dar|si|deci|iar|pai|asa ca|acum|pentru ca)\b/,
  demonstrative:
    /^(?:that|this|it|these|those|he|she|they|asta|acesta|aceasta|acestea|acestia|el|ea|ei|ele|e|este)\b/,
} as const;

/** Name of a cue; the models know the cues by these names. */
export type CueName = keyof typeof patterns | (typeof measured)[number];

const measured = [
  'numbers',
  'years',
  'names',
  'question',
  'exclamation',
  'quoted',
  'words',
  'short',
  'shouting',
] as const;
const named = Object.entries(patterns) as [keyof typeof patterns, RegExp][];

/** Most counts that a cue gives: a fourth number in a sentence adds nothing. */
const MOST_COUNTED = 3;
/** A sentence of fewer words seldom makes a claim that stands alone. */
const SHORT_WORDS = 6;

/** Cues of a sentence that read alike in both languages: 1 for a pattern found, or a damped count. */
function cuesOf(original: string, plain: string): Map<CueName, number> {
  const cues = new Map<CueName, number>();
  for (const [name, pattern] of named) {
    if (pattern.test(plain)) cues.set(name, 1);
  }
  const words = plain.match(/\S+/g)?.length ?? 0;
  const counts: Record<(typeof measured)[number], number> = {
    numbers: damped(plain.match(/\d+(?:[.,]\d+)*/g)?.length ?? 0),
    years: /\b(?:1[5-9]\d\d|20\d\d)\b/.test(plain) ? 1 : 0,
    names: damped(countNames(original)),
    question: /\?["')\s]*$/.test(plain) ? 1 : 0,
    exclamation: plain.includes('!') ? 1 : 0,
    quoted: /"[^"]{3,}"/.test(plain) ? 1 : 0,
    words: Math.log1p(words) / 4,
    short: words < SHORT_WORDS ? 1 : 0,
    shouting: /\p{Lu}{4,}[\s!]+\p{Lu}{4,}/u.test(original) ? 1 : 0,
  };
  for (const name of measured) if (counts[name] > 0) cues.set(name, counts[name]);
  return cues;
}

function damped(count: number): number {
  return Math.min(count, MOST_COUNTED) / MOST_COUNTED;
}

/** Capitalised words that do not begin the sentence, the English "I" left out. */
function countNames(text: string): number {
  let count = 0;
  for (let index = 1; index < text.length; index++) {
    if (!isUpperCase(text.charCodeAt(index)) || text[index - 1] !== ' ') continue;
    const after = characterKind(text.charCodeAt(index + 1));
    const before = text[index - 2] ?? '.';
    if (after === CHARACTER_KINDS.letter && !'.!?:"“„'.includes(before)) count++;
  }
  return count;
}
