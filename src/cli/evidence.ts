import { defineCommand } from 'citty';
import { z } from 'zod';
import { type Environment, parseSettings } from '../foundation/settings.ts';
import { webSettings } from '../services/web/settings.ts';
import { answerOrThrow, type EvidenceConnection, withIndex } from './evidence/access.ts';
import { importSource, namesakes, waitForVectors } from './evidence/import.ts';
import { matchOrigins, originOf } from './evidence/sources.ts';
import { UserError } from './user-error.ts';

const environmentVariables = z.object({
  WEB_ALLOWED_PRIVATE_HOSTS: webSettings.shape.WEB_ALLOWED_PRIVATE_HOSTS,
});

/** Says of a new import that others have its plain name: a folder that was moved would be in the index twice. */
async function tellNamesakes({ client }: EvidenceConnection, origin: string): Promise<void> {
  const { origins } = await answerOrThrow((options) => client.listEvidence({}, options));
  const names = origins.map((listed) => listed.origin);
  if (names.includes(origin)) return;
  for (const name of namesakes(origin, names))
    process.stderr.write(
      `  ${name} is from another place; if it was moved from there, give it --origin ${name}, or remove ${name}\n`,
    );
}

function importCommand(environment: Environment) {
  return defineCommand({
    meta: {
      name: 'import',
      description:
        'Import reviews of claims (ClaimReview, Data Commons), feeds, lists of addresses, pages and texts',
    },
    args: {
      source: {
        type: 'positional',
        required: true,
        description: 'A file, a folder or an address; several may be given',
      },
      origin: {
        type: 'string',
        description:
          'Name of the import, for list and remove; unset: that of the source, and where it lies as a hash',
      },
      wait: { type: 'boolean', default: true, description: 'Wait until the encoder has read everything' },
      quiet: { type: 'boolean', description: 'No progress' },
    },
    run: async ({ args }) => {
      const say =
        args.quiet === true ? () => undefined : (line: string) => void process.stderr.write(`  ${line}\n`);
      const allowed = parseSettings(environmentVariables, environment).WEB_ALLOWED_PRIVATE_HOSTS;
      await withIndex(environment, async (access) => {
        const earlier = new Map<string, Set<string>>();
        for (const source of args._.map(String)) {
          const origin = args.origin ?? originOf(source);
          const brought = earlier.get(origin) ?? new Set();
          earlier.set(origin, brought);
          if (args.origin === undefined) await tellNamesakes(access, origin);
          const done = await importSource(access, { source, origin, earlier: brought }, allowed, say);
          for (const reason of done.failed) process.stderr.write(`  left out: ${reason}\n`);
          const stored = done.added + done.changed + done.unchanged;
          const numbers = [`${done.added} new`, `${done.changed} changed`, `${done.unchanged} unchanged`];
          console.log(
            `${origin}: ${stored} imported (${numbers.join(', ')}), ${done.failed.length} left out`,
          );
          if (stored === 0) process.exitCode = 2;
        }
        if (args.wait) await waitForVectors(access, say);
      });
    },
  });
}

function listCommand(environment: Environment) {
  return defineCommand({
    meta: { name: 'list', description: 'List what was imported, and the size of the index' },
    args: { json: { type: 'boolean', description: 'Print it as JSON' } },
    run: ({ args }) =>
      withIndex(environment, async ({ client }) => {
        const { origins, statistics } = await answerOrThrow((options) => client.listEvidence({}, options));
        if (args.json === true) return console.log(JSON.stringify({ origins, statistics }, null, 2));
        for (const { operator, origin, imported_at, documents, claims } of origins)
          console.log(
            [origin, operator, `${documents} documents`, `${claims} claims`, imported_at].join('\t'),
          );
        const { documents, claims, passages, passages_without_vector: waiting, bytes } = statistics;
        const size = `${(bytes / 1_048_576).toFixed(1)} MiB`;
        console.log(
          `together: ${documents} documents, ${claims} claims, ${passages} passages (${waiting} wait for the encoder), ${size}`,
        );
      }),
  });
}

function removeCommand(environment: Environment) {
  return defineCommand({
    meta: { name: 'remove', description: 'Remove an import by its name, or documents by their address' },
    args: {
      what: {
        type: 'positional',
        required: true,
        description: 'The name of an import, what was imported, or an address',
      },
    },
    run: ({ args }) =>
      withIndex(environment, async ({ client }) => {
        const { origins } = await answerOrThrow((options) => client.listEvidence({}, options));
        const names = [...new Set(origins.map(({ origin }) => origin))];
        const [named, ...more] = matchOrigins(args.what, names);
        if (more.length > 0)
          throw new UserError(`several imports are called ${args.what}: ${[named, ...more].join(', ')}`);
        const body = named === undefined ? { url: args.what } : { origin: named };
        if ('url' in body && !/^https?:/.test(args.what))
          throw new UserError(`there is no import ${args.what}`);
        const gone = await answerOrThrow((options) => client.removeEvidence({ body }, options));
        console.log(`removed ${gone.removed_documents} documents and ${gone.removed_claims} claims`);
      }),
  });
}

/** `limpede evidence`: what the local index of evidence holds. */
export function evidenceCommand(environment: Environment) {
  return defineCommand({
    meta: { name: 'evidence', description: 'Import, list and remove local evidence' },
    subCommands: {
      import: importCommand(environment),
      list: listCommand(environment),
      remove: removeCommand(environment),
    },
  });
}
