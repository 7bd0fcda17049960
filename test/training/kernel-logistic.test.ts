import { expect, it } from 'vitest';
import { conjugateGradients } from '../../training/conjugate-gradients.ts';
import { fitKernelLogistic } from '../../training/kernel-logistic.ts';

it('solves equations from any guess', () => {
  const times = ([one = 0, two = 0]: Float64Array) => Float64Array.of(4 * one + two, one + 3 * two);
  const solver = { steps: 9, least: 1e-18 };
  for (const guess of [undefined, Float64Array.of(5, -7), Float64Array.of(1 / 11, 7 / 11)]) {
    const [one, two] = conjugateGradients(times, Float64Array.of(1, 2), solver, guess);
    expect([one, two]).toEqual([expect.closeTo(1 / 11, 9), expect.closeTo(7 / 11, 9)]);
  }
});

it('finds the weights at which the penalised likelihood has no slope', () => {
  const values = [-2, -1, -0.5, 0.3, 0.4, 1, 2, 2.5];
  const truths = [false, false, true, false, true, true, true, true];
  const kernel = values.map((one) => Float32Array.from(values, (other) => Math.exp(-((one - other) ** 2))));
  const rows = truths.map((truth) => ({ truth, weight: 1 }));
  const penalty = 0.1;
  const { weights, bias } = fitKernelLogistic(kernel, rows, penalty);
  const yes = truths.filter(Boolean).length;
  const errors = truths.map((truth, at) => {
    const score = Array.from(kernel[at] ?? []).reduce(
      (sum, value, other) => sum + value * (weights[other] ?? 0),
      bias,
    );
    const count = truths.length / 2 / (truth ? yes : truths.length - yes);
    return count * ((truth ? 1 : 0) - 1 / (1 + Math.exp(-score)));
  });
  // Each weight is what its row is wrong by, as the penalty allows; the bias makes them add up to none.
  errors.forEach((error, at) => {
    expect(weights[at]).toBeCloseTo(error / penalty, 2);
  });
  expect(errors.reduce((sum, error) => sum + error, 0)).toBeCloseTo(0, 2);
});
