import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../src/cli/reference.ts';
import { packageFile } from '../src/foundation/files.ts';
import { existingServices } from '../src/main.ts';

const read = (path: string) => readFileSync(packageFile(path), 'utf8');

/** Every line of the sources. */
function sources(): string {
  return readdirSync(packageFile('src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

const pages = await referencePages();

describe('the documentation', () => {
  it.each(Object.entries(pages))('%s says what the code does', (path, page) => {
    expect(read(path)).toBe(page);
  });

  it('describes every setting', async () => {
    for (const { name, service } of await existingServices()) {
      for (const [key, type] of Object.entries(service.settings.shape)) {
        expect((type as { description?: string }).description, `${name} ${key}`).toBeTruthy();
      }
    }
  });

  it('lists no error that nothing throws', async () => {
    const code = sources();
    const unused = (await existingServices()).flatMap(({ name, service }) =>
      Object.keys(service.contract.errors)
        .filter(
          (error) =>
            !code.includes(`.${error}(`) && !code.includes(`.${error} `) && !code.includes(`errors.${error}`),
        )
        .map((error) => `${name} ${error}`),
    );
    expect(unused).toEqual([]);
  });

  it('links only to files that are there', () => {
    const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];
    for (const page of pages) {
      const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? '');
      for (const link of links) expect(() => read(link), `${page} -> ${link}`).not.toThrow(/ENOENT/);
    }
  });
});
