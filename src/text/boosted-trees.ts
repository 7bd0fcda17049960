/** Boosted regression trees, all nodes in one list; a leaf has feature -1 and its value in place of the threshold. */
export interface BoostedTrees {
  bias: number;
  /** First node of each tree. */
  starts: number[];
  features: number[];
  thresholds: number[];
  /** Next node for values up to the threshold, and beyond it. */
  lefts: number[];
  rights: number[];
}

/** The sum of the trees for one row: log-odds, for trees that were trained under logistic loss. */
export function scoreRow(model: BoostedTrees, row: ArrayLike<number>): number {
  const { features, thresholds, lefts, rights } = model;
  let sum = model.bias;
  for (const start of model.starts) {
    let node = start;
    for (let feature = features[node] ?? -1; feature >= 0; feature = features[node] ?? -1) {
      const isLow = (row[feature] ?? 0) <= (thresholds[node] ?? 0);
      node = (isLow ? lefts[node] : rights[node]) ?? 0;
    }
    sum += thresholds[node] ?? 0;
  }
  return sum;
}
