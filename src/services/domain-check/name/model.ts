import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import { FeatureHasher, type Features } from '../../../text/features.ts';
import { type LinearModel, loadLinear, margins } from '../../../text/linear.ts';
import type { Site } from '../site.ts';

/** 2^17 buckets: the fewest at which measured error stopped falling. */
export const NAME_MODEL_BITS = 17;
/** Runs of up to six letters; seven and more lowered the measured AUC. */
const LONGEST_RUN = 6;

/** Collects the features of names; one instance serves one thread. */
export class NameFeatures {
  private readonly hasher = new FeatureHasher(NAME_MODEL_BITS);

  /** Letter runs of the label between its borders, suffix, and coarse counts of hyphens, digits and letters. */
  read(site: Site): Features {
    const hasher = this.hasher;
    const label = site.label;
    hasher.countCharacters(`^${label}$`, 1, LONGEST_RUN);
    hasher.countName(`suffix:${site.suffix}`);
    hasher.countName(`top:${site.suffix.slice(site.suffix.lastIndexOf('.') + 1)}`);
    hasher.countName(`hyphens:${Math.min(3, label.match(/-/g)?.length ?? 0)}`);
    hasher.countName(`digits:${Math.min(3, label.match(/\d/g)?.length ?? 0)}`);
    hasher.countName(`length:${Math.min(8, label.length >> 2)}`);
    if (site.subdomain !== '') hasher.countName('subdomain');
    return hasher.finish();
  }
}

/** Judges names by their letters. */
export interface NameModel {
  version: string;
  /** Natural logarithm of the odds that raters call a site with such a name reliable, at even prior odds. */
  logOdds(site: Site): number;
}

/** Loads the weights that ship with the product; the model card is models/domain-name.md. */
export function loadNameModel(): NameModel {
  return createNameModel(loadLinear(readFileSync(packageFile('models', 'domain-name.bin'))));
}

/** A name model over given weights. */
export function createNameModel(model: LinearModel): NameModel {
  const features = new NameFeatures();
  const { calibration } = model.header;
  if (calibration.link !== 'logistic') throw new Error('The name model must be logistic.');
  const [slope = 1] = calibration.slope;
  const [intercept = 0] = calibration.intercept;
  return {
    version: model.header.version,
    logOdds: (site) => slope * (margins(model, features.read(site))[0] ?? 0) + intercept,
  };
}
