import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageFile, packageRoot, packageVersion } from '../../src/foundation/files.ts';

describe('files of the package', () => {
  it('are found from the folder of package.json', () => {
    expect(isAbsolute(packageRoot)).toBe(true);
    expect(packageFile()).toBe(packageRoot);
    expect(existsSync(packageFile('data', 'taxonomy', 'verdict.json'))).toBe(true);
  });

  it('say the version', () => {
    expect(packageVersion()).toMatch(/^\d+\.\d+\.\d+/);
  });
});
