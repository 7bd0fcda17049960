import { expect, it } from 'vitest';
import { analyseText } from '../../training/judgement/analysis.ts';
import { rowsOf } from '../../training/judgement/sets.ts';
import { startCampaign } from '../campaign.ts';

/** Most points by which a form that any writer can give to a whole text may lower its risk. */
const MOST_LOWERED = 10;
const SAMPLE = 12;

const sentencesOf = (text: string) => text.split(/(?<=[.!?])\s+/);
const dull = {
  en: ['Hello, good morning.', 'Good morning.', 'How are you today?', 'Well, thank you.'],
  ro: ['Bună dimineața.', 'Bună dimineața.', 'Ce mai faceți?', 'Bine, mulțumesc.'],
};
const names = ['Ana Pop', 'Ion Dinu'];
const turn = (line: string, index: number) => `${names[index % 2]}: ${line}`;
const firstNames = ['Ana', 'Ion'];

type Language = keyof typeof dull;

/** Forms that attribute a whole text to another speaker. */
const WRAPPERS: Readonly<Record<string, (text: string, lang: Language) => string>> = {
  signature: (text) => `${text} — Ana Pop (@anapop)`,
  'two posts': (text) => {
    const sentences = sentencesOf(text);
    const half = Math.ceil(sentences.length / 2);
    const posts = [sentences.slice(0, half), sentences.slice(half)];
    return posts.map((post) => `${post.join(' ')} — Ana Pop (@anapop)`).join('\n\n');
  },
  turns: (text) => sentencesOf(text).map(turn).join('\n'),
  'turns of first names': (text) =>
    sentencesOf(text)
      .map((line, index) => `${firstNames[index % 2]}: ${line}`)
      .join('\n'),
  'dull turns before it': (text, lang) => [...dull[lang], text].map(turn).join('\n'),
  quotation: (text, lang) =>
    lang === 'ro'
      ? `Un prieten mi-a scris. „${text}” a spus el.`
      : `A friend wrote to me. “${text}” he said.`,
};

/** Share of wrapped texts that still fall further: 1 of 240. None should. */
const KNOWN_SHARE = 0.01;
/** A sample may draw the one that falls. */
const MOST_IN_SAMPLE = 1;

const campaign = startCampaign('wrappers');
const riskOf = async (text: string, lang: string) => (await analyseText(text, lang)).verdict.risk_score ?? 0;

it('a text that is wholly put into the mouth of somebody keeps its risk', async () => {
  const cases = Object.entries(WRAPPERS).flatMap(([name, wrap]) =>
    rowsOf('loud').map((row) => ({ name, wrap, row })),
  );
  const lowered: { name: string; id: string; by: number }[] = [];
  const chosen = campaign.pick(cases, SAMPLE);
  for (const { name, wrap, row } of chosen) {
    const wrapped = wrap(row.text, row.lang as Language);
    const by = (await riskOf(row.text, row.lang)) - (await riskOf(wrapped, row.lang));
    if (by > MOST_LOWERED) lowered.push({ name, id: row.id, by });
  }
  campaign.summary(`${chosen.length} wrapped texts, ${lowered.length} lowered by more than ten points`);
  expect(lowered.length, JSON.stringify(lowered)).toBeLessThanOrEqual(
    Math.max(MOST_IN_SAMPLE, KNOWN_SHARE * chosen.length),
  );
});
