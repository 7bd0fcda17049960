import { writeFileSync } from 'node:fs';
import { packageFile } from '../../src/foundation/files.ts';
import { reliabilityDiagram } from '../diffuse/reliability.ts';
import { figuresOf } from '../evaluate/figures.ts';
import { recordFigures } from '../evaluate/recorded.ts';
import { tableOf } from '../evaluate/table.ts';
import {
  areaUnderCurve,
  bootstrapInterval,
  calibrationError,
  calibrationErrorIfRight,
  type Scored,
} from '../metrics.ts';
import type { Pair } from './examples.ts';

/** A pair with the probabilities that a model says of it which did not see its fold. */
export type JudgedPair = Pick<Pair, 'stance' | 'claimStance' | 'group' | 'source'> & {
  readonly guess: readonly number[];
};

const log = (line: string) => process.stdout.write(`${line}\n`);

/** Accuracy between supports and refutes, which is recorded. */
function reportAccuracy(judged: readonly JudgedPair[], sources: readonly string[]): void {
  const figures = sources.flatMap((source) => {
    const part = judged.filter((one) => one.source === source && one.stance < 2);
    const right = part.map(({ guess, stance, group }) => ({
      right: (guess[0] ?? 0) >= (guess[1] ?? 0) === (stance === 0),
      group,
    }));
    return figuresOf(`en, ${source}`, right, {
      accuracy: {
        of: (some) => some.filter((one) => one.right).length / some.length,
        baseline: { name: 'chance', value: 0.5 },
      },
    });
  });
  log(tableOf([{ task: 'claim_evidence', report: { figures, notes: [] } }]));
  const split = 'five folds, pairs that share a claim or a sentence in one';
  recordFigures({ task: 'claim_evidence', split, figures });
}

/** What is called from a bound on: of supporting, refuting and other passages. */
function reportBounds(judged: readonly JudgedPair[], name: string): void {
  for (const threshold of [
    0.6, 0.7, 0.72, 0.74, 0.75, 0.76, 0.78, 0.8, 0.82, 0.84, 0.85, 0.86, 0.88, 0.9, 0.92, 0.94,
  ]) {
    const line = [0, 1].map((called) => {
      const from = judged.filter(({ guess }) => (guess[called] ?? 0) >= threshold);
      const shares = [0, 1, 2].map((of) => {
        const all = judged.filter(({ stance }) => stance === of).length;
        return (from.filter(({ stance }) => stance === of).length / all).toFixed(4);
      });
      const right = from.filter(({ stance }) => stance === called).length / from.length;
      return `${called === 0 ? 'supports' : 'refutes'} ${shares.join(' ')}, ${right.toFixed(3)} of ${from.length} right`;
    });
    log(`${name}, from ${threshold}: ${line.join('; ')}`);
  }
}

/**
 * How well refutes against supports tells, over evidence that has nothing to do with a claim, whether the claim is one that its writer
 * made false: 0.5 where the claim alone decides nothing.
 */
function reportClaimAlone(judged: readonly JudgedPair[]): void {
  const rows = judged
    .filter(({ stance }) => stance === 2)
    .map(({ guess, claimStance, group }) => ({
      score: Math.log((guess[1] ?? 0) / (guess[0] ?? 1)),
      truth: claimStance === 1,
      group,
    }));
  log(`seen in the claim alone, AUC: ${areaUnderCurve(rows).toFixed(3)}`);
}

/** How often a probability of 0.8 to 0.9 is right, and so on. */
function reportReliability(judged: readonly JudgedPair[]): void {
  const all = judged.flatMap(({ guess, stance }) =>
    guess.map((value, index) => ({ value, right: index === stance })),
  );
  for (let low = 4; low < 10; low++) {
    const bin = all.filter(({ value }) => Math.min(9, Math.floor(value * 10)) === low);
    const right = bin.filter(({ right: is }) => is).length / bin.length;
    log(`probability from 0.${low}: ${bin.length}, right ${right.toFixed(3)}`);
  }
}

/** Every probability that is said of a pair, and whether it was true. */
const said = (part: readonly JudgedPair[]): Scored[] =>
  part.flatMap(({ guess, stance, group }) =>
    guess.map((score, index) => ({ score, truth: index === stance, group })),
  );
/** The probability of the stance that is called, and whether it was the right one. */
const called = (part: readonly JudgedPair[]): Scored[] =>
  part.map(({ guess, stance, group }) => {
    const score = Math.max(...guess);
    return { score, truth: guess.indexOf(score) === stance, group };
  });
/** Expected calibration error in ten bins, with its 95 % interval by drawing groups, and what it would be if every chance were right. */
const errorOf = (part: readonly Scored[]) => {
  const [low, high] = bootstrapInterval(part, calibrationError);
  const ifRight = calibrationErrorIfRight(part).toFixed(3);
  return `${calibrationError(part).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}; ${ifRight} if all chances were right)`;
};

function reportCalibration(judged: readonly JudgedPair[], sources: readonly string[]): void {
  for (const source of [undefined, ...sources]) {
    const part = judged.filter((one) => source === undefined || one.source === source);
    log(
      `calibration error, ${source ?? 'all'}, ${part.length}: called ${errorOf(called(part))}, all three ${errorOf(said(part))}`,
    );
  }
}

/** Prints how often something is called of evidence that has nothing at all to do with a claim. */
export function reportDistant(judged: readonly JudgedPair[]): void {
  const share = (is: (guess: readonly number[]) => boolean) =>
    (judged.filter(({ guess }) => is(guess)).length / judged.length).toFixed(4);
  const [supports, refutes] = [0, 1].map((stance) =>
    [0.5, 0.7, 0.8, 0.85, 0.9].map((bound) => `${bound}: ${share((guess) => (guess[stance] ?? 0) >= bound)}`),
  );
  log(`evidence of any other claim, ${judged.length}: neither ${share((guess) => (guess[2] ?? 0) > 0.5)}`);
  log(`called supports from ${supports?.join(', ')}; refutes from ${refutes?.join(', ')}`);
}

/** Prints what was measured of pairs, records the accuracy and draws the reliability. */
export function reportStances(judged: readonly JudgedPair[], sources: readonly string[]): void {
  reportAccuracy(judged, sources);
  reportBounds(judged, 'all');
  for (const source of sources)
    reportBounds(
      judged.filter((one) => one.source === source),
      source,
    );
  reportClaimAlone(judged);
  reportReliability(judged);
  reportCalibration(judged, sources);
  const diagram = reliabilityDiagram('The stance that is called', called(judged));
  writeFileSync(packageFile('models', 'stance.svg'), diagram);
}
