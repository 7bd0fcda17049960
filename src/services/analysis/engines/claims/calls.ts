import data from '../../../../../data/wording/calls.json' with { type: 'json' };
import { wordingOf } from '../../wording.ts';

const wording = wordingOf(data);
const CALL = wording('call');
const ORDER = wording('order');
const STEP = wording('step');
const KITCHEN = wording('kitchen');
const STATED = wording('stated');
const HEALTH = wording('health');
const REASON = wording('reason');

/** Whether a sentence, folded without diacritics, only calls upon its reader to do something. */
export function isCall(plain: string): boolean {
  if (CALL.test(plain)) return !REASON.test(plain);
  if (STATED.test(plain) || HEALTH.test(plain)) return false;
  return ORDER.test(plain) || (STEP.test(plain) && KITCHEN.test(plain));
}
