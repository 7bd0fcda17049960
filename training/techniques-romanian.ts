/**
 * Measures the Romanian rules on sentences of our own (training/techniques/romanian.json), written and labelled by us.
 * Usage: npx tsx training/techniques-romanian.ts
 */
import { readFileSync } from 'node:fs';
import { createTechniquesEngine } from '../src/services/analysis/engines/techniques/engine.ts';
import { labelScores } from './techniques/measure.ts';
import sentences from './techniques/romanian.json' with { type: 'json' };

const engine = createTechniquesEngine(readFileSync('models/techniques.bin'));
const log = (line: string) => process.stdout.write(`${line}\n`);

const examples = sentences.map(({ text, codes }) => ({
  text,
  found: new Set(engine.analyse(text, { language: 'ro' }).techniques_detected.map((item) => item.code)),
  gold: new Set(codes),
}));
const loud = examples.filter(({ gold }) => gold.size > 0);
const calm = examples.filter(({ gold }) => gold.size === 0);
const { micro } = labelScores(examples, [
  ...new Set(examples.flatMap(({ gold, found }) => [...gold, ...found])),
]);
log(`${loud.length} manipulative sentences, ${calm.length} plain ones`);
log(
  `any technique: found in ${loud.filter(({ found }) => found.size > 0).length} manipulative, in ${calm.filter(({ found }) => found.size > 0).length} plain`,
);
log(
  `codes: precision ${micro.precision.toFixed(2)}, recall ${micro.recall.toFixed(2)}, F1 ${micro.f1.toFixed(2)}`,
);
for (const { text, found, gold } of examples) {
  const [missed, extra] = [
    [...gold].filter((code) => !found.has(code)),
    [...found].filter((code) => !gold.has(code)),
  ];
  if (missed.length + extra.length > 0)
    log(`${text} | missed: ${missed.join(' ')} | more: ${extra.join(' ')}`);
}
