import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../src/foundation/files.ts';
import { Quotes } from '../../../../src/services/analysis/components/quotes.ts';
import { createAiTextEngine } from '../../../../src/services/analysis/engines/ai-text/engine.ts';
import { createClaimsEngine } from '../../../../src/services/analysis/engines/claims/engine.ts';
import { contextOf } from '../../../../src/services/analysis/engines/context/context.ts';
import { parseText } from '../../../../src/services/analysis/engines/context/parsed-text.ts';
import { viralityOf } from '../../../../src/services/analysis/engines/context/virality.ts';
import { createTechniquesEngine } from '../../../../src/services/analysis/engines/techniques/engine.ts';
import { shippedVerdictRules as verdictRules } from '../../../../src/services/analysis/resources/verdict-rules.ts';
import { loadLinear } from '../../../../src/text/linear.ts';
import { startCampaign } from '../../../campaign.ts';
import { disguises, respellings } from '../../../text/plain/disguises.ts';

const model = (file: string) => readFileSync(packageFile('models', file));
const techniques = createTechniquesEngine(model('techniques.bin'));
const claims = createClaimsEngine({
  words: loadLinear(model('claims-words.bin')),
  cues: loadLinear(model('claims-cues.bin')),
});
const aiText = createAiTextEngine(loadLinear(model('ai-text.bin')));

const folder = packageFile('test', 'services', 'analysis', 'engines', 'techniques', 'fixtures');
const campaign = startCampaign('disguised texts');
/** Each is read in every disguise: a sample has some of them. */
const texts = campaign.pick(
  readdirSync(folder)
    .filter((name) => name.startsWith('post-') || /^(en|ro)-(vaccines|election)-/.test(name))
    .map((name) => ({
      name,
      language: /(^|-)ro-/.test(name) ? 'ro' : 'en',
      text: readFileSync(`${folder}/${name}`, 'utf8').trim(),
    })),
  10,
);
campaign.summary(`${texts.map(({ name }) => name).join(', ')} in every disguise`);

/** Everything that the engines say of a text but where it stands. */
function readingOf(text: string, language: string) {
  const { techniques_detected: found, manipulation_score } = techniques.analyse(text, { language });
  const { block } = aiText.analyse({ text, language });
  const reading = parseText({ text, title: null, language, flags: [], satirical_source: false });
  const context = contextOf(reading, verdictRules.sensitive_topics);
  const virality = viralityOf({
    text: { parsed: reading, topic: context.topic },
    mediaType: 'text',
    priorSightings: 0,
    factors: verdictRules.virality_factors,
  });
  const extracted = claims.extract({ text, language });
  const spans = [
    ...found.flatMap((item) => item.spans),
    ...extracted.map((claim) => claim.span),
    ...block.indicators_detected.flatMap(({ where }) => (where !== null && 'quote' in where ? [where] : [])),
    ...context.rules.flatMap((rule) => rule.spans),
  ];
  const said = {
    manipulation_score,
    techniques: found.map(({ code, confidence, spans }) => [code, confidence, spans.length]),
    claims: extracted.map(({ text, type, checkworthiness }) => [text, type, checkworthiness]),
    ai: [block.ai_probability, block.evidence_grade, block.verdict],
    context: context.score,
    topic: context.topic.code,
    virality: virality.virality_score,
  };
  const shown = block.indicators_detected.filter(({ code }) => code === 'disguised_words');
  return { said, spans, shown };
}

/** Of the texts as they are. */
const plainReadings = texts.map((text) => ({ ...text, plain: readingOf(text.text, text.language) }));

describe('a disguised text', () => {
  it.each(Object.entries(disguises))('%s is read like the plain one by every engine', (_name, disguise) => {
    for (const { name, language, text, plain } of plainReadings) {
      const sent = disguise(text);
      const { said, spans, shown } = readingOf(sent, language);
      expect(sent, name).not.toBe(text);
      expect(said, name).toEqual(plain.said);
      expect(spans.length).toBeGreaterThan(0);
      for (const span of spans) {
        expect(sent.slice(span.start_utf16, span.end_utf16)).toBe(span.quote);
        expect([...sent].slice(span.start, span.end).join('')).toBe(span.quote);
      }
      expect(shown.length, name).toBeGreaterThan(0);
      for (const item of shown) expect(item.strength).toBe('weak');
      expect(plain.shown).toEqual([]);
    }
  });

  it('gives the quotes of a model their place in what was sent', () => {
    const sent = 'They are hid\u200bing it. V.a.c.c.i.n.e.s are a $cam.';
    expect(new Quotes(sent).find('They are hiding it')?.quote).toBe('They are hid\u200bing it');
    expect(new Quotes(sent).find('Vaccines are a scam')?.quote).toBe('V.a.c.c.i.n.e.s are a $cam');
  });
});

/** Halves that are words themselves ("la.și") stay apart, which may cost a loud text one of its weaker findings. */
const MOST_POINTS = 1.5;

describe('a text in another spelling', () => {
  const loud = texts.filter(({ name }) => !name.endsWith('-calm.txt'));

  it.each(Object.entries(respellings))('%s scores like the plain one', (_name, respell) => {
    for (const { name, language, text } of loud) {
      const plain = techniques.analyse(text, { language }).manipulation_score;
      const sent = respell(text);
      const { manipulation_score: score, techniques_detected: found } = techniques.analyse(sent, {
        language,
      });
      expect(sent).not.toBe(text);
      expect(Math.abs(score - plain), name).toBeLessThan(MOST_POINTS);
      for (const { start_utf16, end_utf16, quote } of found.flatMap(({ spans }) => spans))
        expect(sent.slice(start_utf16, end_utf16)).toBe(quote);
    }
  });
});
