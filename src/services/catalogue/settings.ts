import { z } from 'zod';
import { dependency } from '../../foundation/settings.ts';

/** The services of the platform, in the order of their ports. */
export const SERVICE_NAMES = [
  'gateway',
  'analysis',
  'llm',
  'video',
  'web',
  'embeddings',
  'reranking',
  'speech',
  'extractors',
  'forensic',
  'vision',
  'brain',
  'dashboard',
  'domain_check',
  'catalogue',
  'identity',
] as const;
/** The name of a service. */
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** The setting that says where a service is. */
export const urlSettingOf = (name: ServiceName) => `${name.toUpperCase()}_URL`;

/** Settings of the catalogue: where each service is. */
export const catalogueSettings = z.object(
  Object.fromEntries(
    SERVICE_NAMES.map((name) => [
      urlSettingOf(name),
      dependency().describe(`Where the service ${name} is reached; \`none\`: it is switched off.`),
    ]),
  ),
);

/** Where each service is; `none` when it is switched off, undefined when the installation has none. */
export function addressesOf(settings: Readonly<Record<string, unknown>>): Map<ServiceName, string> {
  return new Map(
    SERVICE_NAMES.flatMap((name): [ServiceName, string][] => {
      const address = settings[urlSettingOf(name)];
      return typeof address === 'string' ? [[name, address]] : [];
    }),
  );
}
