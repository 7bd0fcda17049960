/** Constants of the techniques engine; each line says why. Confidences are those of single passages before they are listed, which become weights; 0 to 1. */
export const limits = {
  /** A passage below this does not count in manipulation_score. */
  leastWeight: 0.5,
  /** A finding of a text model below this is not reported. */
  leastModelConfidence: 0.5,
  /** No engine that only reads words may be surer than this. */
  mostConfidence: 0.95,
  /** Below the list: the trained stages learned from loud articles; in a calm text nothing may stand on their word alone. Chosen on calm texts. */
  mostTrainedConfidence: 0.42,
  /** Share at which a second origin of the same passage counts: rules are features of the trained stages. */
  agreement: 0.45,
  /** What the rest of the text can add to a single passage: a loaded word counts for more in a loud text. Chosen on calm articles. */
  corroboration: 0.24,
  /** Evidence (sum of confidences above `solid`, per square root of 250 words) at which 63 % of it is added. */
  corroborationScale: 1.8,
  /** With no more evidence than one rule gives, in a text of so many sentences, what rules found counts by this factor; with that of two in full. */
  oneRule: 0.9,
  twoRules: 1.5,
  calmSentences: 3,
  uncorroboratedFactor: 0.65,
  /** Passages this sure corroborate others in full; weaker ones, down to `leastEvidence`, by `weakShare`. */
  strongEvidence: 0.55,
  leastEvidence: 0.37,
  weakShare: 0.5,
  /** A word in capitals or an exclamation mark counts as this much evidence, up to `loudest` in all. */
  emphasis: 0.2,
  mostEmphasis: 1.5,
  /** Quoted words with a named speaker are the speaker's, not the text's. */
  quotedFactor: 0.5,
  /** Reported speech without quotation marks. */
  reportedFactor: 0.75,
  /** Texts that check or study propaganda name its phrases in order to discuss them. */
  aboutManipulationFactor: 0.55,
  /** So many sentences, and this share of all, must speak of checking or studying before a text is held to do so. */
  leastSentencesAboutManipulation: 3,
  shareAboutManipulation: 0.3,
  /** A rule this sure of a passage in the text's own voice is agitation; a text that studies has it in no more than this share of its sentences. */
  agitation: 0.6,
  agitatingShare: 0.1,
  /** So many agitating sentences above that share, and a calm subject softens nothing any more. */
  agitatingInFull: 3,
  /** A text is about sport, art, a court or history when this share of its sentences, and this many, have words of such subjects. */
  neutralShare: 0.3,
  leastNeutral: 2,
  /** Strong words belong to such subjects: where nearly all sentences say so rules count by the factor, from `neutralShare` on a little less than in full. */
  neutralFactor: 0.6,
  neutralInFull: 0.6,
  /** A passage longer than this many words is narrowed to its clause. */
  longestPassage: 45,
  /** How far a clause is followed to either side, in words: text without any mark must not cost the square of its length. */
  longestClause: 100,
  /** Passages kept per code, the surest first: more prove nothing and drown the reader. */
  mostSpans: 40,
  /** Passages named in an explanation. */
  quotedInExplanation: 3,
  /** Longest quote in an explanation, in characters. */
  longestQuote: 90,
} as const;
