import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorsPage, referencePages, settingsPage } from '../../src/cli/reference.ts';
import { defineContract } from '../../src/foundation/contract.ts';
import { defineFailures } from '../../src/foundation/errors.ts';
import { serviceNames } from '../../src/main.ts';

const contract = defineContract({
  name: 'sample',
  title: 'Sample',
  version: '1.0.0',
  description: 'A sample.',
  errors: defineFailures({
    internal_error: [500, 'Wrong.'],
    validation_failed: [400, 'Bad | worse.'],
    invalid_json: [400, 'No JSON.'],
    payload_too_large: [413, 'Large.'],
    not_found: [404, 'Nothing.'],
    shutting_down: [503, 'Stopping.'],
  }),
  operations: {},
});
const settings = z.object({ SAMPLE_SIZE: z.coerce.number().default(3).describe('How large | small.') });
const services = [{ name: 'sample', service: { contract, settings } }];

describe('the reference pages', () => {
  it('list errors by status and code, with bars kept out of the table', () => {
    const page = errorsPage(services);
    expect(page.indexOf('`invalid_json`')).toBeLessThan(page.indexOf('`validation_failed`'));
    expect(page.indexOf('`validation_failed`')).toBeLessThan(page.indexOf('`internal_error`'));
    expect(page).toContain('| 400 | `validation_failed` | Bad \\| worse. |');
  });

  it('list settings with default and meaning', () => {
    expect(settingsPage(services)).toContain('| `SAMPLE_SIZE` | `3` | How large \\| small. |');
  });

  it('have a part for every service', async () => {
    const pages = await referencePages();
    expect(Object.keys(pages)).toEqual([
      'docs/settings.md',
      'docs/errors.md',
      'docs/models.md',
      'deploy/compose.yaml',
      'deploy/helm/limpede/values.yaml',
      'README.md',
      'docs/session-export.schema.json',
    ]);
    for (const name of serviceNames())
      for (const [path, page] of Object.entries(pages))
        if (['docs/settings.md', 'docs/errors.md'].includes(path)) expect(page).toContain(`## ${name}\n`);
  });
});
