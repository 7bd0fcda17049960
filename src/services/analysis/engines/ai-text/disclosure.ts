import { type FoldedSentence, isQuoted, passageOf, type RulePassage } from './passages.ts';

/** A statement in the text about how it was made; `explicit` says that a machine wrote it, else that it helped. */
export interface Disclosure extends RulePassage {
  code: 'explicit_disclosure_statement' | 'assisted_disclosure_statement' | 'publisher_ai_label';
  explicit: boolean;
}

const SYSTEM =
  '(?:chat ?gpt|gpt-?[345]\\w*|openai|google gemini|microsoft copilot|claude|gemini|copilot|deepseek|perplexity|grok|mistral|' +
  '(?:generative |generativ[ae] )?(?:a\\.?i\\.?|ia)(?:[- ](?:model|tool|system|assistant|program|chatbot|writer|software|language model)s?)?|' +
  '(?:generative )?artificial intelligence|(?:large )?language models?|chatbots?|' +
  'inteligent\\w+ artificial\\w+(?: generativ\\w+)?|model\\w* (?:mari? )?de limb\\w+|un (?:asistent|robot) (?:virtual|conversational|ai|ia))';
/** Names that are also people's, and two-letter forms that are also Romanian verbs, count only as they are written for systems. */
const doubtful = /^(?:claude|gemini|grok|mistral|perplexity|copilot|ai|ia)$/;

const SELF_ENGLISH =
  '(?:(?:parts?|portions?|sections?|some|most|all|the (?:text|content|body)) of )?(?:this|these|the (?:above|following|preceding|present)) ' +
  '(?:\\w+ ){0,2}?(?:articles?|text|posts?|stor(?:y|ies)|content|page|piece|report|summary|essay|translation|newsletter|document|message|email|press release|letter|script|analysis|column|caption)';
const SELF_ROMANIAN =
  '(?:(?:parti|fragmente|o parte|unele parti) (?:din|ale) )?(?:acest|aceasta|acestui|acestei|prezentul|prezenta) ' +
  '(?:\\w+ ){0,2}?(?:articol\\w*|text\\w*|material\\w*|postar\\w*|stir\\w*|continut\\w*|raport\\w*|rezumat\\w*|traducer\\w*|document\\w*|mesaj\\w*|comunicat\\w*|analiza|eseu\\w*)';
const DEFINITE =
  '(?:(?:the )?(?:article|text|post|story|content|summary)|articolul|textul|materialul|stirea|continutul|postarea|rezumatul)';
const MADE =
  '(?:written|generated|created|produced|authored|composed|drafted|scris|generat|creat|produs|redactat|compus|realizat|elaborat)[aei]?';
const HELPED =
  '(?:edited|assisted|proofread|improved|translated|polished|reviewed|prepared|corectat|editat|tradus|imbunatatit|revizuit|asistat|verificat|pregatit)[aei]?';
const BE = '(?:(?:was|were|is|are|has been|have been|a fost|au fost|este|e|sunt|fost) )?(?:\\w+ ){0,2}?';
const WHOLLY =
  '(?:(?!by |with |de |cu )\\w+ ){0,2}?(?:by|using|with|through|via|de|cu|prin|folosind|utilizand|de catre)';
const AIDED =
  '(?:\\w+ ){0,2}?(?:with|cu) (?:the )?(?:some )?(?:help|aid|assistance|support|ajutorul|sprijinul|asistenta)(?: of| from)?';
const BETWEEN =
  ' (?:(?:the|an?|un|o|help|aid|assistance|of|ajutorul|sprijinul|intermediul|catre|instrumente\\w*|unui|unei|modelului|tools?) ){0,4}?';
const LEAD =
  "^[\\s*_(\\[>-]*(?:(?:editor's |author's |publisher's )?(?:note|disclaimer|disclosure|transparency|nota|mentiune|precizare|declaratie|avertisment|important)(?: \\w+){0,2}\\s*[:.-]\\s*|please note that |we (?:note|disclose) that |nota bene:? |va informam ca )?";

interface Rule {
  code: Disclosure['code'];
  pattern: RegExp;
  /** The sentence must be a short line of its own, or stand at either end of the text. */
  only?: 'label' | 'ends';
}

const rules: readonly Rule[] = [
  // "written with the help of" is assistance; "generated with the help of" is generation all the same.
  rule(
    'assisted_disclosure_statement',
    `${LEAD}(?:${SELF_ENGLISH}|${SELF_ROMANIAN}) ${BE}(?:written|authored|drafted|prepared|researched|scris|redactat)[aei]? ${AIDED} (?:an? |unui |unei )?${SYSTEM}`,
  ),
  rule(
    'explicit_disclosure_statement',
    `${LEAD}(?:${SELF_ENGLISH}|${SELF_ROMANIAN}) ${BE}${MADE} ${WHOLLY}${BETWEEN}${SYSTEM}`,
  ),
  rule(
    'explicit_disclosure_statement',
    `${LEAD}(?:${SELF_ENGLISH}|${SELF_ROMANIAN}) (?:is|are|was|este|e|a fost) (?:\\w+ ){0,1}?(?:ai|a\\.i\\.)[- ](?:generated|written|created|produced)()`,
  ),
  rule(
    'explicit_disclosure_statement',
    `${LEAD}${DEFINITE} ${BE}${MADE} ${WHOLLY}${BETWEEN}${SYSTEM}`,
    'ends',
  ),
  rule(
    'assisted_disclosure_statement',
    `${LEAD}(?:${SELF_ENGLISH}|${SELF_ROMANIAN}) ${BE}${HELPED} ${WHOLLY}${BETWEEN}${SYSTEM}`,
  ),
  rule(
    'assisted_disclosure_statement',
    `${LEAD}${DEFINITE} ${BE}${HELPED} ${WHOLLY}${BETWEEN}${SYSTEM}`,
    'ends',
  ),
  rule(
    'assisted_disclosure_statement',
    `${LEAD}(?:i|we|the author|the editors?|(?:am|s-a|s-au)) (?:\\w+ )?(?:used|folosit|utilizat) (?:\\w+ ){0,2}?${SYSTEM} .{0,40}?(?:to|pentru|la) (?:help |a |ajut\\w* )?(?:\\w+ ){0,2}?(?:writ\\w+|draft\\w*|edit\\w*|creat\\w+|generat\\w+|translat\\w+|proofread\\w*|scrie\\w*|redacta\\w*|crea\\w*|genera\\w*|traduc\\w*|corecta\\w*) (?:\\w+ ){0,2}?(?:this|acest|aceasta|acestui|acestei)`,
  ),
  rule(
    'explicit_disclosure_statement',
    `^[\\s*_(\\[>-]*(?:(?:article|text|story|post|content|articol|material|stire|continut|postare) )?${MADE} (?:\\w+ )?(?:by|using|with|via|de|cu|prin|folosind)${BETWEEN}${SYSTEM}[\\s.*_)\\]!]*$`,
    'label',
  ),
  rule(
    'explicit_disclosure_statement',
    '^[\\s*_(\\[>-]*(?:note: |nota: )?(?:this is )?(?:an? )?(?:ai|a\\.i\\.)[- ](?:generated|written)(?: (?:article|text|story|post|content|message))?()[\\s.*_)\\]!]*$',
    'label',
  ),
  rule(
    'explicit_disclosure_statement',
    `^[\\s*_(\\[>-]*(?:by|author|byline|written by|autor|scris de|redactat de)\\s*:\\s*${SYSTEM}[\\s.*_)\\]]*$`,
    'label',
  ),
  rule(
    'publisher_ai_label',
    `^[\\s*_(\\[>-]*(?:(?:ai|a\\.i\\.)[- ]generated|(?:rezumat|sumar|traducere|summary|translation) ${MADE} (?:\\w+ )?(?:by|using|with|de|cu|prin)${BETWEEN}${SYSTEM}|(?:summary|translation) (?:by|made by) ${SYSTEM})(?: (?:summary|translation|overview|key points))?()[\\s.*_)\\]]*$`,
    'label',
  ),
];

function rule(code: Rule['code'], source: string, only?: Rule['only']): Rule {
  const pattern = new RegExp(source.replace(`${SYSTEM}`, `(?<system>${SYSTEM})`).concat('(?![\\w])'));
  return only ? { code, pattern, only } : { code, pattern };
}

const negation =
  /\b(?:not|no|never|without|neither|nor|isn't|wasn't|weren't|aren't|nu|n-a|nici|niciun|nicio|fara)\b|n't\b/;
const aboutMedia =
  /\b(?:photo|image|picture|illustration|video|voice|audio|podcast|foto\w*|imagin\w+|ilustrati\w+|vocea|grafic\w*)\b/;
/** Words of a line that can be a label; a longer one is a sentence of the story. */
const LABEL_WORDS = 14;
/** Sentences at either end of a text where a note about the text itself stands. */
const END_SENTENCES = 2;

/** Statements that the text itself was made or helped by a machine; reports about other texts do not count. */
export function findDisclosures(sentences: readonly FoldedSentence[]): Disclosure[] {
  return sentences.flatMap((sentence) => {
    const disclosure = disclosureIn(sentence);
    return disclosure ? [disclosure] : [];
  });
}

/** A quick look that spares the rules: a disclosure names a system or the technology. */
const mentionsSystem = new RegExp(`\\b${SYSTEM}`);

function disclosureIn(sentence: FoldedSentence): Disclosure | undefined {
  const { text } = sentence.folded;
  if (!mentionsSystem.test(text) || text.endsWith('?') || sentence.quoted) return undefined;
  for (const { code, pattern, only } of rules) {
    if (only === 'label' && text.split(' ').length > LABEL_WORDS) continue;
    if (only === 'ends' && Math.min(sentence.index, sentence.fromEnd) >= END_SENTENCES) continue;
    const match = pattern.exec(text);
    if (!match || negation.test(match[0]) || aboutMedia.test(match[0]) || isQuoted(sentence, match.index))
      continue;
    if (!writtenAsSystem(sentence, match)) continue;
    const passage = passageOf(sentence, match.index, match[0].length);
    return { ...passage, code, explicit: code === 'explicit_disclosure_statement' };
  }
  return undefined;
}

/** Whether a doubtful name is written as one: AI and IA in capitals, Claude and the like with no surname after it. */
function writtenAsSystem(sentence: FoldedSentence, match: RegExpExecArray): boolean {
  const name = match.groups?.system;
  if (name === undefined || !doubtful.test(name)) return true;
  const at = match.index + match[0].lastIndexOf(name);
  const from = sentence.folded.origin(at);
  const original = sentence.text.slice(from, sentence.folded.origin(at + name.length));
  if (name === 'ai' || name === 'ia') return original === original.toUpperCase();
  return !/^ \p{Lu}\p{Ll}/u.test(sentence.text.slice(from + original.length));
}
