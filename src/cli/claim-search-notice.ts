import { type Environment, readSettings } from '../foundation/settings.ts';
import { claimRecipients } from '../services/web/search/open-providers.ts';
import { webSettings } from '../services/web/settings.ts';

/** One sentence on where the text of claims is sent for evidence: to search providers, or nowhere. */
export function claimSearchNotice(environment: Environment): string {
  const result = readSettings(webSettings, environment);
  if ('problems' in result) return `Words of claims: ${result.problems.join('; ')}`;
  const readers = claimRecipients(result.settings);
  return readers.length === 0
    ? 'Words of claims stay here: only the local index is searched.'
    : `Words of claims go to: ${readers.join('; ')}.`;
}
