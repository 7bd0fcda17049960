import { type FoldedSentence, isQuoted, passageOf, type RulePassage } from './passages.ts';

/** Fragments that a generation session leaves in a text. */
export interface Residue extends RulePassage {
  code: 'assistant_boilerplate' | 'prompt_leak' | 'unfilled_placeholder' | 'tool_markup_residue';
  /** How sure the fragment is what it looks like, 0 to 1. */
  confidence: number;
}

/** Fragments count only where a sentence begins and outside quotation marks: articles about assistants quote them. */
const boilerplate: readonly RegExp[] = [
  /^as an? (?:ai|artificial intelligence|large)(?: language)? model(?: \w+){0,4}?,? (?:i|my)\b/,
  /^as an ai(?: assistant)?, i\b/,
  /^i(?:'m| am) (?:just )?an? (?:ai|large) (?:language model|assistant)\b/,
  /^i(?:'m| am) (?:very |really )?sorry,? but (?:as an ai|i (?:can't|cannot|am unable to|'m unable to|am not able to) (?:assist|help|fulfil|fulfill|comply|provide|generate|write|complete))\b/,
  /^i (?:can't|cannot) (?:fulfil|fulfill|comply with|complete|assist with) (?:this|that|your) request\b/,
  /^(?:please note that )?as of my (?:last |most recent )?(?:knowledge )?(?:update|cut-?off)\b/,
  /^my (?:knowledge|training data) (?:cut-?off|only goes|extends)\b/,
  /^(?:certainly|sure|of course|absolutely)[!,.]? (?:here(?:'s| is| are)|below is) (?:the|an?|your) (?:[\w-]+ ){0,5}?(?:article|version|text|essay|post|summary|translation|draft|paragraph|rewrite|headline|outline)s?\b/,
  /^here(?:'s| is) (?:the|a|an|your) (?:rewritten|revised|improved|paraphrased|polished|updated|edited|reworded|humanized|expanded|shortened|translated|\d+[- ]word)\b/,
  /^(?:would you like me to|let me know if you(?:'d| would) like(?: me to)?|if you(?:'d| would) like,? i can) (?:\w+ ){0,3}?(?:adjust\w*|chang\w*|revis\w*|expand\w*|rewrite|rephrase|shorten|make it|continue|translate)\b/,
  /^(?:ca|in calitate de) (?:un )?(?:model (?:mare )?de limbaj|model de inteligenta artificiala|asistent (?:ai|virtual)|inteligenta artificiala),? .{0,20}?\b(?:nu|pot|am|sunt|eu)\b/,
  /^(?:imi pare rau,? dar|ne pare rau,? dar|din pacate,?) nu (?:va |te |pot |iti )+(?:ajut\w*|indeplini|genera|oferi|furniza|asista|scrie)\b/,
  /^(?:sigur|desigur|bineinteles|cu siguranta)[!,.]? (?:iata|mai jos (?:este|aveti|ai)) (?:\w+ ){0,3}?(?:articol|text|versiun|variant|eseu|rezumat|traducer)\w*/,
  /^iata (?:articolul|textul|versiunea|o versiune|varianta|o varianta|traducerea) (?:\w+ )?(?:rescris|reformulat|imbunatatit|revizuit|corectat|actualizat|tradus)\w*/,
  /^(?:doriti|doresti|vrei|vreti) sa (?:continui|adaug|detaliez|modific|ajustez|fac|il rescriu|o rescriu)\b/,
  /^(?:la data|pana la) ultim\w+ mele actualizari\b|^cunostintele mele (?:se opresc|sunt limitate)\b/,
];

const prompts: readonly RegExp[] = [
  /^(?:please )?(?:write|generate|create) (?:me )?an? (?:\d+[- ]word|seo[- ]optimi[sz]ed|engaging|persuasive) (?:\w+ ){0,2}?(?:article|blog post|essay|news story|story|post)\b/,
  /^(?:please )?(?:rewrite|paraphrase|reword|summari[sz]e|humanize) the (?:following|above|below) (?:article|text|paragraph|passage|content)\b/,
  /^(?:act as|you are) an? (?:expert|professional|experienced|seo|senior) (?:\w+ ){0,3}?(?:writer|journalist|copywriter|editor|specialist)\b/,
  /^(?:te rog )?(?:scrie|genereaza|creeaza) (?:-?mi )?un (?:articol|eseu|text) (?:\w+ ){0,3}?de (?:aproximativ )?\d+ (?:de )?cuvinte\b/,
  /^(?:te rog )?(?:rescrie|reformuleaza|parafrazeaza|rezuma) (?:urmatorul (?:text|articol)|textul (?:de mai (?:sus|jos)|urmator))\b/,
  /^(?:actioneaza|comporta-te) ca un (?:\w+ ){0,3}?(?:jurnalist|expert|redactor|copywriter|editor)\b/,
];

/** Placeholders in brackets, as templates leave them: an order to fill in, or a bare field name in title case. */
const placeholders = [
  /\[(?:insert|enter|add|fill in|your|include|introduce[țt]i|introdu|insera[țt]i|ad[ăa]uga[țt]i|adaug[ăa]|completa[țt]i|completeaz[ăa])\s[^\]\n]{1,60}\]/giu,
  /\[(?:Name|Your Name|Date|Company Name|City|Location|Recipient|Author Name|Source|Nume|Numele|Data|Orașul|Numele [\p{L} ]{3,30})\]/gu,
  /\{\{\s*[a-z_]{3,30}\s*\}\}/gi,
] as const;

/** Citation tokens and markup of writing tools; they have no meaning outside them. */
const markup = [
  /:?contentReference\[oaicite:\d{1,3}\](?:\{index=\d{1,3}\})?/g,
  /\boaicite\b/g,
  /\uE200[^\uE201\n]{0,80}\uE201/g,
  /\b(?:cite)?turn\d{1,2}(?:search|view|news|image|file|fetch)\d{1,2}\b/g,
  /【\d{1,3}[†:][^】\n]{0,60}】/g,
  /\[cite(?:_start|_end|:\s?\d[\d, ]{0,20})\]/g,
  /[?&]utm_source=(?:chatgpt\.com|openai|copilot\.com|perplexity)/g,
  /<\/?(?:antArtifact|antThinking|grok:render|think)\b[^>\n]{0,80}>/g,
] as const;

/** Sentences at either end of a text where an instruction can have been left. */
const PROMPT_SENTENCES = 2;
const CONFIDENCE = { boilerplate: 0.95, prompt: 0.8, placeholder: 0.75, markup: 0.9 } as const;
/** Most fragments of one kind that are shown: more of them are no further evidence. */
const MOST_OF_A_KIND = 5;
/** Characters of an opening such as "Of course!". */
const LONGEST_OPENING = 16;

/** Assistant phrases, prompts, placeholders and tool markup, in the order of the text within each kind. */
export function findResidue(text: string, sentences: readonly FoldedSentence[]): Residue[] {
  return [
    ...phrases(sentences, boilerplate, 'assistant_boilerplate', CONFIDENCE.boilerplate),
    ...phrases(sentences.filter(atEnd), prompts, 'prompt_leak', CONFIDENCE.prompt),
    ...tokens(text, placeholders, 'unfilled_placeholder', CONFIDENCE.placeholder),
    ...tokens(text, markup, 'tool_markup_residue', CONFIDENCE.markup),
  ];
}

function atEnd(sentence: FoldedSentence): boolean {
  return Math.min(sentence.index, sentence.fromEnd) < PROMPT_SENTENCES;
}

function phrases(
  sentences: readonly FoldedSentence[],
  patterns: readonly RegExp[],
  code: Residue['code'],
  confidence: number,
): Residue[] {
  const residues: Residue[] = [];
  for (let index = 0; index < sentences.length; index++) {
    const sentence = sentences[index];
    const bare = sentence?.folded.text.search(/[^\s*_#>-]/) ?? -1;
    if (!sentence || bare < 0 || sentence.quoted || isQuoted(sentence, bare)) continue;
    const own = sentence.folded.text.slice(bare);
    const rest = `${own}${continuation(sentence, sentences[index + 1])}`;
    const match = patterns.map((pattern) => pattern.exec(rest)).find((hit) => hit !== null);
    if (!match) continue;
    residues.push({ ...passageOf(sentence, bare, match[0].length), code, confidence });
    if (match[0].length > own.length) index++;
  }
  return residues.slice(0, MOST_OF_A_KIND);
}

/** An opening word with its exclamation mark is a sentence of its own; the phrase goes on in the next one. */
function continuation(sentence: FoldedSentence, next: FoldedSentence | undefined): string {
  return sentence.text.length <= LONGEST_OPENING && next ? ` ${next.folded.text}` : '';
}

function tokens(
  text: string,
  patterns: readonly RegExp[],
  code: Residue['code'],
  confidence: number,
): Residue[] {
  const residues = patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      code,
      confidence,
    })),
  );
  residues.sort((one, two) => one.start - two.start || two.end - one.end);
  // A token inside a longer one that is already listed is the same find.
  const apart = residues.filter((passage, index) => passage.end > (residues[index - 1]?.end ?? -1));
  return apart.slice(0, MOST_OF_A_KIND);
}
