import { openEngineThreads } from '../../../../src/services/analysis/engines/engine-threads.ts';
import { silent } from '../../../foundation/database/engines.ts';

/** The threads of a service with the default settings. */
const THREADS = 2;

let kept = false;

/** Keeps the threads of the text engines, with what they load, for all services that this process of tests starts. */
export function keepEngineThreads(): void {
  if (kept) return;
  kept = true;
  openEngineThreads(THREADS, silent);
}
