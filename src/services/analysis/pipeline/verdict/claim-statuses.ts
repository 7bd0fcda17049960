import claimTaxonomy from '../../../../../data/taxonomy/claims.json' with { type: 'json' };

const credibility = new Map(claimTaxonomy.statuses.map((status) => [status.code, status.credibility_value]));
const buckets = new Map(claimTaxonomy.statuses.map((status) => [status.code, status.bucket]));

/** Whether a claim of this status is decided. */
export function isDecidedStatus(status: string): boolean {
  return typeof credibility.get(status) === 'number';
}

/** Whether a claim of this status counts as false. */
export function isFalseStatus(status: string): boolean {
  return buckets.get(status) === 'verified_false';
}
