import type { BoostedTrees } from '../src/text/boosted-trees.ts';
import { randomStream } from './rows.ts';

/** Rows to learn from: features column by column as bins, soft targets from 0 to 1, and weights. */
export interface BinnedRows {
  readonly count: number;
  readonly columns: readonly Uint8Array[];
  /** Upper bounds of the bins of each column; a value is in the first bin whose bound it does not exceed. */
  readonly bounds: ReadonlyArray<Float32Array>;
}

/** Settings of a training run. */
export interface BoostingOptions {
  trees: number;
  leaves: number;
  rate: number;
  /** Least sum of second derivatives in a leaf, and strength of the L2 penalty. */
  leastHessian: number;
  l2: number;
  /** Share of the rows, and of the columns, that each tree sees. */
  rowShare: number;
  columnShare: number;
  seed: number;
}

const BINS = 32;

/** Values that bounds are found from. */
const SAMPLED = 6000;

/** Bounds of at most 32 bins that hold about as many values each. */
export function binBounds(values: Float32Array): Float32Array {
  const step = Math.max(1, Math.floor(values.length / SAMPLED));
  const sorted = values.filter((_, at) => at % step === 0).sort();
  const distinct = [...new Set(sorted)];
  if (distinct.length <= BINS) return Float32Array.from(distinct);
  const bounds = new Set<number>();
  for (let bin = 1; bin < BINS; bin++) bounds.add(sorted[Math.floor((bin * sorted.length) / BINS)] ?? 0);
  bounds.add(sorted.at(-1) ?? 0);
  return Float32Array.from([...bounds].sort((a, b) => a - b));
}

/** The bin of a value. */
export function binOf(bounds: Float32Array, value: number): number {
  let [low, high] = [0, bounds.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= (bounds[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Puts rows of features into bins, by bounds of their own or those given. */
export function binRows(rows: readonly Float32Array[], given?: ReadonlyArray<Float32Array>): BinnedRows {
  const width = rows[0]?.length ?? 0;
  const bounds: Float32Array[] = [];
  const columns: Uint8Array[] = [];
  const values = new Float32Array(rows.length);
  for (let column = 0; column < width; column++) {
    for (let row = 0; row < rows.length; row++) values[row] = (rows[row] as Float32Array)[column] as number;
    const own = given?.[column] ?? binBounds(values);
    bounds.push(own);
    const bins = new Uint8Array(rows.length);
    for (let row = 0; row < rows.length; row++) bins[row] = binOf(own, values[row] as number);
    columns.push(bins);
  }
  return { count: rows.length, columns, bounds };
}

interface Leaf {
  rows: Uint32Array;
  node: number;
  gradient: number;
  hessian: number;
  /** Sums of gradients and hessians by column and bin. */
  histogram: Float64Array;
  split: Split | undefined;
}

interface Split {
  gain: number;
  column: number;
  bin: number;
}

/** Gradient boosting of trees under logistic loss, grown leaf by leaf on histograms (as LightGBM does). */
export function trainTrees(
  data: BinnedRows,
  targets: Float32Array,
  weights: Float32Array,
  options: BoostingOptions,
  report: (tree: number, scores: Float64Array) => void = () => undefined,
): BoostedTrees {
  const random = randomStream(options.seed);
  const scores = new Float64Array(data.count);
  const gradients = new Float64Array(data.count);
  const hessians = new Float64Array(data.count);
  const model: BoostedTrees = { bias: 0, starts: [], features: [], thresholds: [], lefts: [], rights: [] };
  const [sum, total] = targets.reduce(
    ([s, t], target, row) => [s + target * (weights[row] as number), t + (weights[row] as number)],
    [0, 0],
  );
  model.bias = Math.log(sum / (total - sum));
  scores.fill(model.bias);
  for (let tree = 0; tree < options.trees; tree++) {
    for (let row = 0; row < data.count; row++) {
      const chance = 1 / (1 + Math.exp(-(scores[row] as number)));
      const weight = weights[row] as number;
      gradients[row] = weight * (chance - (targets[row] as number));
      hessians[row] = weight * Math.max(chance * (1 - chance), 1e-6);
    }
    const grower = new Grower(data, gradients, hessians, options, random);
    grower.grow(model, scores);
    report(tree, scores);
  }
  return model;
}

class Grower {
  private readonly columns: number[];
  private readonly data: BinnedRows;
  private readonly gradients: Float64Array;
  private readonly hessians: Float64Array;
  private readonly options: BoostingOptions;
  private readonly random: () => number;

  constructor(
    data: BinnedRows,
    gradients: Float64Array,
    hessians: Float64Array,
    options: BoostingOptions,
    random: () => number,
  ) {
    this.data = data;
    this.gradients = gradients;
    this.hessians = hessians;
    this.options = options;
    this.random = random;
    this.columns = [...data.columns.keys()].filter(() => random() < options.columnShare);
  }

  /** Adds one tree to the model and its values to the scores. */
  grow(model: BoostedTrees, scores: Float64Array): void {
    const { data, options } = this;
    const sample = Uint32Array.from(
      [...Array(data.count).keys()].filter(() => this.random() < options.rowShare),
    );
    const start = model.features.length;
    model.starts.push(start);
    const node = () => {
      for (const list of [model.features, model.thresholds, model.lefts, model.rights]) list.push(0);
      return model.features.length - 1;
    };
    const leaves = [this.leaf(sample, node())];
    while (leaves.length < options.leaves) {
      const best = leaves.reduce((a, b) => ((b.split?.gain ?? 0) > (a.split?.gain ?? 0) ? b : a));
      if (best.split === undefined || best.split.gain <= 1e-9) break;
      const { column, bin } = best.split;
      const bins = data.columns[column] as Uint8Array;
      const low = best.rows.filter((row) => (bins[row] as number) <= bin);
      const high = best.rows.filter((row) => (bins[row] as number) > bin);
      // The histogram of the larger part is that of the whole less that of the smaller.
      const isLowSmall = low.length <= high.length;
      const small = this.leaf(isLowSmall ? low : high, node());
      const large = this.leaf(isLowSmall ? high : low, node(), { of: best, less: small });
      const [left, right] = isLowSmall ? [small, large] : [large, small];
      model.features[best.node] = column;
      model.thresholds[best.node] = data.bounds[column]?.[bin] ?? 0;
      model.lefts[best.node] = left.node;
      model.rights[best.node] = right.node;
      leaves.splice(leaves.indexOf(best), 1, left, right);
    }
    for (const leaf of leaves) {
      model.features[leaf.node] = -1;
      model.thresholds[leaf.node] = (-options.rate * leaf.gradient) / (leaf.hessian + options.l2);
    }
    this.score(model, start, scores);
  }

  private score(model: BoostedTrees, start: number, scores: Float64Array): void {
    const { columns, bounds, count } = this.data;
    const bins = model.features.map((feature, at) =>
      feature < 0 || at < start ? 0 : binOf(bounds[feature] as Float32Array, model.thresholds[at] as number),
    );
    for (let row = 0; row < count; row++) {
      let at = start;
      for (let feature = model.features[at] as number; feature >= 0; feature = model.features[at] as number) {
        const bin = (columns[feature] as Uint8Array)[row] as number;
        at = (bin <= (bins[at] as number) ? model.lefts[at] : model.rights[at]) as number;
      }
      scores[row] = (scores[row] as number) + (model.thresholds[at] as number);
    }
  }

  private leaf(rows: Uint32Array, node: number, rest?: { of: Leaf; less: Leaf }): Leaf {
    let [gradient, hessian] = [0, 0];
    for (let at = 0; at < rows.length; at++) {
      gradient += this.gradients[rows[at] as number] as number;
      hessian += this.hessians[rows[at] as number] as number;
    }
    const histogram =
      rest === undefined
        ? this.histogramOf(rows)
        : rest.of.histogram.map((sum, at) => sum - (rest.less.histogram[at] as number));
    return { rows, node, gradient, hessian, histogram, split: this.bestSplit(histogram, gradient, hessian) };
  }

  private bestSplit(histogram: Float64Array, gradient: number, hessian: number): Split | undefined {
    const { leastHessian, l2 } = this.options;
    if (hessian < 2 * leastHessian) return undefined;
    const parent = (gradient * gradient) / (hessian + l2);
    let best: Split | undefined;
    for (const [order, column] of this.columns.entries()) {
      const start = order * BINS * 2;
      let [left, leftHessian] = [0, 0];
      const last = (this.data.bounds[column]?.length ?? 1) - 1;
      for (let bin = 0; bin < last; bin++) {
        left += histogram[start + 2 * bin] as number;
        leftHessian += histogram[start + 2 * bin + 1] as number;
        if (leftHessian < leastHessian) continue;
        if (hessian - leftHessian < leastHessian) break;
        const right = gradient - left;
        const gain =
          (left * left) / (leftHessian + l2) + (right * right) / (hessian - leftHessian + l2) - parent;
        if (gain > (best?.gain ?? 0)) best = { gain, column, bin };
      }
    }
    return best;
  }

  private histogramOf(rows: Uint32Array): Float64Array {
    const histogram = new Float64Array(this.columns.length * BINS * 2);
    const gradients = Float64Array.from(rows, (row) => this.gradients[row] as number);
    const hessians = Float64Array.from(rows, (row) => this.hessians[row] as number);
    for (let order = 0; order < this.columns.length; order++) {
      const bins = this.data.columns[this.columns[order] as number] as Uint8Array;
      addColumn(histogram, order * BINS * 2, bins, rows, gradients, hessians);
    }
    return histogram;
  }
}

function addColumn(
  histogram: Float64Array,
  start: number,
  bins: Uint8Array,
  rows: Uint32Array,
  gradients: Float64Array,
  hessians: Float64Array,
): void {
  for (let at = 0; at < rows.length; at++) {
    const place = start + 2 * (bins[rows[at] as number] as number);
    histogram[place] = (histogram[place] as number) + (gradients[at] as number);
    histogram[place + 1] = (histogram[place + 1] as number) + (hessians[at] as number);
  }
}
