import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { defineCommand } from 'citty';
import type { Contract } from '../foundation/contract.ts';
import { failureRows } from '../foundation/errors.ts';
import { packageFile } from '../foundation/files.ts';
import { platformSettings } from '../foundation/platform.ts';
import { type SettingsSchema, settingRows } from '../foundation/settings.ts';
import { existingServices } from '../main.ts';
import { sessionExportSchema } from '../services/analysis/resources/session-export.ts';
import { deploymentPages } from './deployment.ts';
import { shippedModelsPage } from './models-page.ts';
import { serviceTable } from './service-table.ts';

/** A service as the reference pages see it. */
export interface DocumentedService {
  readonly name: string;
  readonly service: { readonly contract: Contract; readonly settings: SettingsSchema };
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (...cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;

function settingsTable(schema: SettingsSchema): string[] {
  const rows = settingRows(schema).map(({ name, description, fallback }) =>
    row(`\`${name}\``, fallback === '' ? '' : `\`${fallback}\``, description),
  );
  return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows, ''];
}

/** `docs/settings.md`: every setting of the process and of each service. */
export function settingsPage(services: readonly DocumentedService[]): string {
  const ports = 'Each service also reads `<SERVICE>_PORT`, in place of its place in the order of ports.';
  return [
    '# Settings',
    '',
    'All settings are environment variables. An empty value counts as unset. Wrong ones are told all at once at start.',
    'This page is made by `./bin/limpede reference`; a test keeps it true.',
    '',
    '## The process',
    '',
    ...settingsTable(platformSettings),
    ports,
    '',
    ...services.flatMap(({ name, service }) => [`## ${name}`, '', ...settingsTable(service.settings)]),
  ].join('\n');
}

/** `docs/errors.md`: every error that a service may answer. */
export function errorsPage(services: readonly DocumentedService[]): string {
  const table = ({ name, service }: DocumentedService) => {
    const rows = failureRows(service.contract.errors)
      .sort((one, two) => one.status - two.status || one.code.localeCompare(two.code))
      .map(({ code, status, message }) => row(String(status), `\`${code}\``, message));
    return [`## ${name}`, '', '| Status | Code | Meaning |', '|---|---|---|', ...rows, ''];
  };
  return [
    '# Errors',
    '',
    'What each service may answer besides success. The analysis service and the gateway answer',
    '`{success: false, error, error_code, correlation_id, details?}`; the text-model gateway answers `detail` and an',
    '`error` object for standard clients; the web and domain services answer `detail`.',
    'This page is made by `./bin/limpede reference`; a test keeps it true.',
    '',
    ...services.flatMap(table),
  ].join('\n');
}

/** README with its table of services as they are. */
function readmePage(): string {
  const readme = readFileSync(packageFile('README.md'), 'utf8');
  return readme.replace(/^\| Service \| Port \|[^\n]*(?:\n\|[^\n]*)*/m, serviceTable().join('\n'));
}

/** The pages by their path in the package. */
export async function referencePages(): Promise<Record<string, string>> {
  const services = await existingServices();
  return {
    'docs/settings.md': settingsPage(services),
    'docs/errors.md': errorsPage(services),
    'docs/models.md': shippedModelsPage(),
    ...deploymentPages(),
    'README.md': readmePage(),
    'docs/session-export.schema.json': `${JSON.stringify(sessionExportSchema(), null, 2)}\n`,
  };
}

/** `limpede reference`: writes the generated pages. */
export const referenceCommand = defineCommand({
  meta: { name: 'reference', description: 'Write the generated pages of docs/', hidden: true },
  run: async () => {
    mkdirSync(packageFile('docs'), { recursive: true });
    for (const [path, page] of Object.entries(await referencePages())) writeFileSync(packageFile(path), page);
  },
});
