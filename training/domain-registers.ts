import { sigmoid } from '../src/text/logistic.ts';

/** A rated site: its name's log-odds by a model that has not seen it, and whether neutral registers have it. */
export interface RegisteredSite {
  reliable: 0 | 1;
  logOdds: number;
  crawl: boolean;
  wikidata: boolean;
}

/** Steps of gradient descent; the weights stand still to four digits long before. */
const STEPS = 4000;
const RATE = 1;

/**
 * What the registers add to the log-odds of a name, in units of these: logistic regression with both classes weighing
 * the same, its weights divided by that of the name.
 */
export function fitRegisters(sites: readonly RegisteredSite[]): { crawl: number; wikidata: number } {
  const reliable = sites.filter((site) => site.reliable === 1).length;
  const share = (site: RegisteredSite) => 0.5 / (site.reliable === 1 ? reliable : sites.length - reliable);
  const rows = sites.map((site) => ({
    inputs: [1, site.logOdds, Number(site.crawl), Number(site.wikidata)],
    target: site.reliable,
    share: share(site),
  }));
  let weights = [0, 1, 0, 0];
  for (let step = 0; step < STEPS; step++) {
    const slope = [0, 0, 0, 0];
    for (const { inputs, target, share: weight } of rows) {
      const margin = inputs.reduce((sum, input, index) => sum + input * (weights[index] ?? 0), 0);
      const error = weight * (sigmoid(margin) - target);
      for (const [index, input] of inputs.entries()) slope[index] = (slope[index] ?? 0) + error * input;
    }
    weights = weights.map((weight, index) => weight - RATE * (slope[index] ?? 0));
  }
  const [, name = 1, crawl = 0, wikidata = 0] = weights;
  return { crawl: crawl / name, wikidata: wikidata / name };
}
