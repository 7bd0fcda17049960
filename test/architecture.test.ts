import { describe, expect, it } from 'vitest';
import type { Contract } from '../src/foundation/contract.ts';
import { existingServices } from '../src/main.ts';
import { longFiles, readTree, violationsOf } from './architecture.ts';

const tree = (files: Record<string, string>) => new Map(Object.entries(files));

describe('the house', () => {
  it('keeps its rules', () => {
    const found = readTree();
    expect(found.size).toBeGreaterThan(50);
    expect(violationsOf(found)).toEqual([]);
  });

  it.each(['test', 'training', 'bench'])('has no long file in %s', (folder) => {
    const found = readTree(folder);
    expect(found.size).toBeGreaterThan(10);
    expect(longFiles(found)).toEqual([]);
  });

  it('hands requests to handlers unchecked in the text-model gateway alone', async () => {
    const raw = (await existingServices()).flatMap(({ name, service }) =>
      Object.entries((service.contract as Contract).operations)
        .filter(([, operation]) => operation.raw === true)
        .map(([operation]) => `${name} ${operation}`),
    );
    expect(raw).toEqual(['llm chat', 'llm complete']);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    [
      'ground that looks up',
      { 'text/a.ts': "import { b } from '../services/web/contract.ts';" },
      /is ground/,
    ],
    [
      'ground that looks sideways',
      { 'text/a.ts': "import type { B } from '../foundation/b.ts';" },
      /is ground/,
    ],
    [
      'a service that enters another',
      { 'services/llm/a.ts': "import { b } from '../web/fetch/http.ts';" },
      /neither ground/,
    ],
    ['a door opened from inside', { 'services/llm/a.ts': "import { s } from './service.ts';" }, /door/],
    ['logic that knows a route', { 'services/llm/a.ts': "import { s } from './routes/chat.ts';" }, /route/],
    [
      'a circle, types included',
      {
        'text/a.ts': "import type { B } from './b.ts';",
        'text/b.ts': "export { a } from './a.ts';\nconst c = 1;",
      },
      /circle/,
    ],
    [
      'a room that looks up',
      { 'services/analysis/engines/a.ts': "import type { B } from '../pipeline/b.ts';" },
      /pipeline does not lie below engines/,
    ],
    [
      'a room that looks sideways',
      { 'services/analysis/store/a.ts': "import { b } from '../dependencies/b.ts';" },
      /dependencies does not lie below store/,
    ],
    [
      'a room that imports from a room within it',
      { 'services/llm/backends/a.ts': "import { b } from './embedded/b.ts';" },
      /backends\/embedded does not lie below backends/,
    ],
    [
      'a room that nobody listed',
      { 'services/analysis/store/a.ts': "import { b } from '../attic/b.ts';" },
      /analysis\/attic is no room/,
    ],
    [
      'a service with folders and no list of rooms',
      { 'services/unlisted/store/a.ts': 'const a = 1;' },
      /unlisted has folders/,
    ],
    [
      'the web framework in logic',
      { 'services/llm/a.ts': "import { fastify } from 'fastify';" },
      /framework/,
    ],
    ['a reader of the environment', { 'services/llm/a.ts': 'const a = process.env.HOME;' }, /environment/],
    ['a name that says nothing', { 'services/llm/utils/a.ts': 'export const a = 1;' }, /says nothing/],
    [
      'a barrel',
      { 'services/llm/index.ts': "export * from './a.ts';\nexport { b } from './b.ts';" },
      /passes on/,
    ],
    [
      'rules of verdicts that are read beside the value',
      {
        'services/analysis/a.ts':
          "import rules from '../../../data/taxonomy/verdict.json' with { type: 'json' };",
      },
      /rules of verdicts are a value/,
    ],
    [
      'a constant in small letters',
      { 'text/a.ts': 'const longestWord = 2 * 1_000;' },
      /constant longestWord/,
    ],
    ['a private member without the keyword', { 'text/a.ts': 'class A {\n  #b = 1;\n}' }, /private member/],
    ['a long file', { 'text/a.ts': 'const a = 1;\n'.repeat(401) }, /401 lines/],
  ])('notices %s', (_name, files, message) => {
    expect(violationsOf(tree(files)).join('\n')).toMatch(message);
  });

  it('allows what the rules allow', () => {
    const files = {
      'foundation/a.ts': "import { b } from './b.ts';",
      'foundation/b.ts': '/* import nothing from "../main.ts" */ const b = 1; // process.env.X',
      'services/llm/service.ts': "import { fastify } from 'fastify';\nimport { r } from './routes.ts';",
      'services/llm/routes.ts':
        "import { W } from '../web/contract.ts';\nimport { b } from '../../foundation/b.ts';",
      'services/web/contract.ts': 'export const W = 1;',
      'services/analysis/service.ts': "import { r } from './routes/a.ts';",
      'services/analysis/routes/a.ts': "import { e } from '../engines/a.ts';",
      'services/analysis/engines/a.ts': "import { b } from './b.ts';",
      'main.ts': "import { s } from './services/llm/service.ts';\nconst e = process.env;",
    };
    expect(violationsOf(tree(files))).toEqual([]);
  });
});
