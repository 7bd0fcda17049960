/**
 * Measures whole judgements on written texts, with the product's own engines alone. Usage:
 * npx tsx training/judgement.ts [folder, default training/data/written] [calm,whole,scams,phrases,disguises,edits,narratives (blind only)] [any word: name the misses]
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { analyseText } from './judgement/analysis.ts';
import { EDITS, editedTexts } from './judgement/edits.ts';
import {
  bandOf,
  calmForty,
  rowsOf,
  WRITTEN,
  type WrittenRow,
  wholeTexts,
  withPhrase,
} from './judgement/sets.ts';
import { randomStream } from './rows.ts';

const [given = WRITTEN, chosen = 'calm,whole,scams,phrases,disguises', verbose = ''] = process.argv.slice(2);
const log = (line: string) => process.stdout.write(`${line}\n`);
const folder = resolve(given);
const parts = new Set(chosen.split(','));
const riskOf = async ({ text, lang }: Pick<WrittenRow, 'text' | 'lang'>) =>
  (await analyseText(text, lang)).verdict.risk_score ?? 0;
const percent = (count: number, of: number) =>
  `${count} of ${of} (${((100 * count) / Math.max(1, of)).toFixed(1)} %)`;

async function calm() {
  const rows = rowsOf('calm', folder);
  const judged: { row: WrittenRow; risk: number; manipulation: number; findings: readonly string[] }[] = [];
  for (const row of rows) {
    const { verdict, manipulation, findings } = await analyseText(row.text, row.lang);
    judged.push({ row, risk: verdict.risk_score ?? 0, manipulation, findings });
  }
  for (const lang of ['en', 'ro']) {
    const own = judged.filter(({ row }) => row.lang === lang);
    log(
      `calm ${lang}: risk from 20 ${percent(own.filter(({ risk }) => risk >= 20).length, own.length)}, from 40 ${own.filter(({ risk }) => risk >= 40).length}; manipulation from 20 ${percent(own.filter(({ manipulation }) => manipulation >= 20).length, own.length)}, from 40 ${own.filter(({ manipulation }) => manipulation >= 40).length}`,
    );
  }
  if (verbose === '') return;
  for (const { row, risk, manipulation, findings } of judged.toSorted(
    (a, b) => b.manipulation - a.manipulation,
  )) {
    if (risk >= 20 || manipulation >= 20)
      log(
        `  ${row.id} ${row.register} ${row.lang} risk ${risk} manipulation ${manipulation}\n    ${findings.join('\n    ')}`,
      );
  }
}

async function whole() {
  const rows = wholeTexts(folder);
  for (const lang of ['en', 'ro']) {
    let [right, total, calmAbove] = [0, 0, 0];
    for (const row of rows.filter((one) => one.lang === lang)) {
      const { verdict, manipulation, findings } = await analyseText(row.text, row.lang);
      const risk = verdict.risk_score ?? 0;
      const accept = row.expected?.accept ?? ['low'];
      const good = accept.includes(bandOf(risk));
      total += 1;
      right += good ? 1 : 0;
      if (accept.length === 1 && accept[0] === 'low' && risk >= 40) calmAbove += 1;
      if (!good && verbose !== '')
        log(
          `  ${row.id} ${row.kind} ${lang} risk ${risk} manipulation ${manipulation} context ${verdict.score_context} wanted ${accept.join(' or ')}${verbose === 'all' ? `\n    ${findings.join('\n    ')}` : ''}`,
        );
    }
    log(`whole ${lang}: right band ${percent(right, total)}, calm above 40: ${calmAbove}`);
  }
}

async function scams() {
  const name = existsSync(join(folder, 'lures.jsonl')) ? 'lures' : 'scams';
  for (const lang of ['en', 'ro']) {
    const rows = rowsOf(name, folder).filter((row) => row.lang === lang);
    let [found, lures, alarms, honest, high] = [0, 0, 0, 0, 0];
    for (const row of rows) {
      const { verdict } = await analyseText(row.text, row.lang);
      const risk = verdict.risk_score ?? 0;
      const scam = verdict.context_summary?.scam as { code: string; confidence: number } | null | undefined;
      const said = (scam?.confidence ?? 0) >= 0.8;
      if (row.scam === true) {
        lures += 1;
        found += said ? 1 : 0;
        high += risk >= 40 ? 1 : 0;
      } else {
        honest += 1;
        alarms += said ? 1 : 0;
        high += 0;
      }
      if (said !== row.scam && verbose !== '')
        log(`  ${row.id} ${row.kind} ${lang} risk ${risk} ${JSON.stringify(scam)} ${row.text.slice(0, 60)}`);
    }
    log(
      `scams ${lang}: recognised ${percent(found, lures)}, risk from 40 ${percent(high, lures)}; false alarms ${percent(alarms, honest)}`,
    );
  }
}

async function phrases() {
  const random = randomStream(1);
  const [loud, quiet, said] = [
    rowsOf('loud'),
    calmForty(),
    rowsOf(folder === WRITTEN ? 'phrases' : 'disclaimers', folder),
  ] as const;
  for (const [name, texts, sign] of [
    ['loud', loud, -1],
    ['calm', quiet, 1],
  ] as const) {
    const base = new Map<string, number>();
    for (const row of texts) base.set(row.id, await riskOf(row));
    let [broken, total, worst] = [0, 0, 0];
    for (const phrase of said) {
      for (const row of texts.filter(({ lang }) => lang === phrase.lang)) {
        if (random() > 0.25) continue;
        const risk = await riskOf({ ...row, text: withPhrase(row.text, phrase.text, random()) });
        const moved = sign * (risk - (base.get(row.id) ?? 0));
        total += 1;
        worst = Math.max(worst, moved);
        if (moved > 10) {
          broken += 1;
          if (verbose !== '') log(`  ${row.id} ${base.get(row.id)} to ${risk}: ${phrase.text}`);
        }
      }
    }
    log(
      `phrases in ${name} texts: ${percent(broken, total)} move by more than 10; worst ${worst.toFixed(1)}`,
    );
  }
}

async function disguises() {
  const rows = rowsOf('disguises', folder);
  let [same, far] = [0, 0];
  for (const { lang, text, plain = '' } of rows) {
    const [shown, meant] = [await riskOf({ text, lang }), await riskOf({ text: plain, lang })];
    if (bandOf(shown) === bandOf(meant)) same += 1;
    if (meant - shown > 10) far += 1;
    if (verbose !== '') log(`  ${shown} for ${meant}: ${text.slice(0, 60)}`);
  }
  log(`disguises: same band ${percent(same, rows.length)}; more than 10 below ${far}`);
}

/** A thousand edited texts of the set's own; what matters is whether the band of the text as written stays. */
async function edits() {
  const own = [...rowsOf('whole', folder), ...rowsOf('loud', folder)];
  const written = new Map<string, number>();
  for (const row of own) written.set(row.id, await riskOf(row));
  const changed = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const { row, edit, text } of editedTexts(own, 1000)) {
    const [before, after] = [written.get(row.id) ?? 0, await riskOf({ text, lang: row.lang })];
    counts.set(edit, (counts.get(edit) ?? 0) + 1);
    if (bandOf(before) === bandOf(after)) continue;
    changed.set(edit, (changed.get(edit) ?? 0) + 1);
    if (verbose !== '') log(`  ${row.id} ${edit} ${before} to ${after}`);
  }
  const sum = (map: ReadonlyMap<string, number>) => [...map.values()].reduce((all, one) => all + one, 0);
  for (const { name } of EDITS) log(`  ${name}: ${percent(changed.get(name) ?? 0, counts.get(name) ?? 0)}`);
  log(`edits: another band ${percent(sum(changed), sum(counts))}`);
}

/** Texts that spread, refute, report or only touch narratives: how many are said to tell one. The blind set has its own names of families. */
async function narratives() {
  const rows = rowsOf('narratives', folder);
  for (const lang of ['en', 'ro'])
    for (const stance of ['spreads', 'debunks', 'reports', 'unrelated']) {
      const own = rows.filter((row) => row.lang === lang && row.stance === stance);
      const counts = { asserts: 0, debunks: 0 };
      for (const { text } of own) {
        const found = (await analyseText(text, lang)).verdict.context_summary?.narratives as {
          stance: string;
        }[];
        if (found.some((one) => one.stance === 'asserts')) counts.asserts += 1;
        else if (found.length > 0) counts.debunks += 1;
      }
      log(
        `narratives ${lang}, ${stance}: told ${percent(counts.asserts, own.length)}, refuted ${percent(counts.debunks, own.length)}`,
      );
    }
}

const measures = { calm, whole, scams, phrases, disguises, edits, narratives };
for (const [name, measure] of Object.entries(measures)) if (parts.has(name)) await measure();
