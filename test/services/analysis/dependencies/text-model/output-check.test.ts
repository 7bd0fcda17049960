import { describe, expect, it } from 'vitest';
import {
  type ExplanationFacts,
  rejectionReason,
} from '../../../../../src/services/analysis/dependencies/text-model/output-check.ts';

/** Romanian letters and words tell the two languages apart well enough for the cases here. */
function identify(text: string): string {
  return /[ășțîâ]|\b(?:este|sunt|sursa|scorul)\b/iu.test(text) ? 'ro' : 'en';
}

const article =
  'The minister said "prices rose by 12,5% in May" and that the “new law” helps families in every county.';
const english: ExplanationFacts = {
  language: 'en',
  identify,
  sources: [article],
  numbers: [73.14, 60],
  falsityShown: false,
};
const romanian: ExplanationFacts = { ...english, language: 'ro' };

describe('objections to a model-written explanation', () => {
  it.each<[string, string, ExplanationFacts, string | null]>([
    [
      'a sound text',
      'The risk score is 73.1 of 100. The text says “prices rose by 12,5% in May” without a source.',
      english,
      null,
    ],
    [
      'a sound Romanian text',
      'Scorul de risc este 73,1 din 100. Textul spune „prices rose by 12,5% in May”, fără sursă.',
      romanian,
      null,
    ],
    [
      'a quote cut at the end',
      'The text says “prices rose by 12,5%…” and names no source for it at all.',
      english,
      null,
    ],
    [
      'a quote with other marks',
      "The text speaks of «said 'prices rose by» and leaves out who measured them.",
      english,
      null,
    ],
    [
      'a rounded number',
      'The risk score is about 73 of 100, because two of 5 statements lack a source.',
      english,
      null,
    ],
    [
      'a single word set apart',
      'The word “hoax” does not occur in the text, and neither does any other label.',
      english,
      null,
    ],
    ['nothing', '   ', english, 'empty'],
    ['a grunt', 'Looks risky.', english, 'empty'],
    ['a flood', 'The text has no source. '.repeat(80), english, 'too_long'],
    ['a heading', '# Verdict\nThe text gives no source for what it states about prices.', english, 'markup'],
    ['a script', 'The text gives no source <script>alert(1)</script> for what it states.', english, 'markup'],
    [
      'a link',
      'The text gives no source, see [here](https://x.example) for what it states.',
      english,
      'markup',
    ],
    [
      'Romanian for English',
      'Scorul de risc este ridicat pentru că sursa nu este numită nicăieri.',
      english,
      'wrong_language',
    ],
    [
      'English for Romanian',
      'The risk score is high because the source is never named in the text.',
      romanian,
      'wrong_language',
    ],
    [
      'an invented quote',
      'The text says “vaccines cause magnetism” and names no source for that.',
      english,
      'invented_quote',
    ],
    [
      'an invented number',
      'The risk score is 91.4 of 100 because the text names no source at all.',
      english,
      'invented_number',
    ],
    [
      'an unfounded falsity',
      'The statement about prices is completely false and readers should not share it.',
      english,
      'unfounded_falsity',
    ],
    [
      'an unfounded Romanian falsity',
      'Afirmația despre prețuri este falsă și cititorii nu ar trebui să o distribuie.',
      romanian,
      'unfounded_falsity',
    ],
    [
      'a denial of falsity',
      'Nothing here shows that it is not false or true; the wording alone was examined.',
      english,
      null,
    ],
    [
      'a Romanian denial',
      'Nu s-a stabilit că afirmația nu este falsă; s-a examinat doar formularea textului.',
      romanian,
      null,
    ],
    [
      'a founded falsity',
      'The statement about prices is false, as two of the sources that were found show.',
      { ...english, falsityShown: true },
      null,
    ],
  ])('%s', (_, text, ground, objection) => expect(rejectionReason(text, ground)).toBe(objection));
});
