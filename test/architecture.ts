import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';

/** Sources by path below src/, with `/` as the separator. */
export type Tree = ReadonlyMap<string, string>;

/** A broken rule, in words. */
export type Violation = string;

const GROUND = ['foundation', 'text', 'media'];
/**
 * The rooms of a service, from the top floor down: a room imports those of lower floors and none beside or above it, type
 * imports included. A room is a folder, or a folder within one; a file that lies directly in the folder of its service is a room
 * of its own name.
 */
export const ROOMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  analysis: [
    ['service'],
    ['routes'],
    ['dispatch', 'moderation'],
    ['pipeline'],
    ['components'],
    ['engines'],
    ['media'],
    ['dependencies', 'store'],
    ['session', 'report'],
    ['broker'],
    ['contract'],
    ['tunables'],
    ['resources'],
    ['errors', 'reasons', 'settings', 'metrics', 'wording'],
    ['reason-table'],
    ['media-reasons'],
  ],
  llm: [
    ['service'],
    ['routes', 'tunables'],
    ['completion-endpoint'],
    ['completion-router'],
    ['policy', 'upload-budget'],
    ['completions'],
    ['usage'],
    ['backends/embedded'],
    ['backends'],
    ['wire'],
    ['contract'],
    ['errors', 'settings'],
  ],
  web: [
    ['service'],
    ['routes'],
    ['gather'],
    ['search'],
    ['evidence-index'],
    ['fetch', 'request-limiter'],
    ['extract'],
    ['contract'],
    ['authenticate', 'error-body', 'tunables'],
    ['errors', 'settings'],
  ],
  extractors: [
    ['service'],
    ['routes'],
    ['overview'],
    ['metadata', 'ocr', 'pictures', 'recognition', 'text'],
    ['incoming', 'fair-thread-pool', 'picture-decoder', 'colour-picture'],
    ['tunables'],
    ['contract'],
    ['resources'],
    ['errors', 'settings'],
  ],
  forensic: [
    ['service'],
    ['routes'],
    ['examiner', 'recordings'],
    ['sound', 'film'],
    ['recording-results'],
    ['forensic-examine-worker'],
    ['examination'],
    ['heat-map'],
    ['findings'],
    ['detectors'],
    ['calibration', 'words', 'tunables'],
    ['contract'],
    ['resources'],
    ['errors', 'settings'],
  ],
  speech: [
    ['service'],
    ['routes'],
    ['transcriber', 'formats'],
    ['backends', 'recordings'],
    ['pieces', 'transcript', 'language-codes', 'degradation-messages', 'tunables'],
    ['contract'],
    ['errors', 'settings'],
  ],
  vision: [
    ['service'],
    ['routes', 'tunables'],
    ['backends/describer'],
    ['backends'],
    ['pictures'],
    ['contract'],
    ['errors', 'settings'],
  ],
  embeddings: [
    ['service'],
    ['routes', 'tunables'],
    ['backends/packaged'],
    ['backends'],
    ['vectors'],
    ['contract'],
    ['errors', 'settings'],
  ],
  reranking: [
    ['service'],
    ['routes', 'tunables'],
    ['backends/packaged'],
    ['backends', 'documents'],
    ['contract'],
    ['errors', 'settings'],
  ],
  video: [
    ['service'],
    ['routes'],
    ['semantic'],
    ['deepfake'],
    ['verdict'],
    ['vision', 'examination-folders'],
    ['provenance', 'chat', 'films', 'tunables'],
    ['contract'],
    ['errors', 'settings'],
  ],
  gateway: [
    ['service'],
    ['routes'],
    ['relay', 'request-guard', 'server', 'tunables'],
    ['answer', 'key-owners'],
    ['headers', 'target-path', 'client-address', 'upstream', 'settings'],
    ['mounts', 'contract'],
    ['errors'],
  ],
  'domain-check': [
    ['service'],
    ['routes'],
    ['judgement'],
    ['live', 'name', 'tunables'],
    ['settings'],
    ['lists'],
    ['site', 'weights'],
    ['contract'],
    ['errors'],
  ],
};
const FORBIDDEN_NAMES = /(^|\/)(utils?|commons?|helpers?|shared|libs?)(\/|\.ts$)/;
/** The shipped rules of verdicts, and the one file that reads them. */
const VERDICT_FILE = '../data/taxonomy/verdict.json';
const VERDICT_RULES = 'services/analysis/resources/verdict-rules.ts';
const LONGEST_FILE = 400;
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s(?:[^'";]*?\sfrom\s)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g;

/** A number or a plain text as a constant of its module. */
const PRIMITIVE_CONSTANT =
  /^(?:export )?const (\w+)(?:: [^=]+)? = (?:-?[\d(][\d_.xa-fe\s*/+()-]*|'[^'\n]*')(?: as const)?;/gm;
const HASH_MEMBER = /^\s+(?:static |readonly |async )*#\w|\bthis\.#/m;

/** Every file of TypeScript below a folder of the repository. */
export function readTree(folder = 'src'): Tree {
  const root = packageFile(folder);
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name.endsWith('.ts'),
  );
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(root, path), readFileSync(path, 'utf8')];
    }),
  );
}

/** What a file imports, types included: packages by name, files of ours by path below src/. */
export function importsOf(path: string, source: string): { packages: string[]; files: string[] } {
  const names = [...source.replace(COMMENT, '').matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? '');
  const files = names.filter((name) => name.startsWith('.')).map((name) => join(dirname(path), name));
  return { packages: names.filter((name) => !name.startsWith('.')), files };
}

const serviceOf = (path: string) => /^services\/([^/]+)\//.exec(path)?.[1];
const isContract = (path: string) => /^services\/[^/]+\/contract\.ts$/.test(path);
const isServiceDoor = (path: string) => /^services\/[^/]+\/service\.ts$/.test(path);
const isRoute = (path: string) => /^services\/[^/]+\/routes(\.ts$|\/)/.test(path);
const isEntry = (path: string) => path === 'main.ts' || path.startsWith('cli/');

/** The room of a file: the innermost that is listed, else the outermost folder. */
function roomOf(path: string, floors: readonly (readonly string[])[]): string {
  const place = path.replace(/^services\/[^/]+\//, '').replace(/\.ts$/, '');
  const listed = floors.flat().filter((room) => place === room || place.startsWith(`${room}/`));
  return listed.sort((one, other) => other.length - one.length)[0] ?? place.split('/')[0] ?? '';
}

/** The rule about rooms: within a service, imports go down. */
function roomViolations(from: string, to: string): Violation[] {
  const service = serviceOf(from);
  const floors = service === undefined ? undefined : ROOMS[service];
  if (floors === undefined || serviceOf(to) !== service) return [];
  const [above, below] = [roomOf(from, floors), roomOf(to, floors)];
  if (above === below) return [];
  const floorOf = (room: string) => floors.findIndex((rooms) => rooms.includes(room));
  const homeless = [above, below].filter((room) => floorOf(room) < 0);
  if (homeless.length > 0) return homeless.map((room) => `${service}/${room} is no room of ROOMS`);
  if (floorOf(above) < floorOf(below)) return [];
  return [`${from} imports ${to}, but ${below} does not lie below ${above}`];
}

/** The dashboard shows what staff may change of every service: one file of it reads their settings and tunables. */
const showsTunables = (from: string, to: string) =>
  from === 'services/dashboard/tunables.ts' && /^services\/[^/]+\/(?:settings|tunables)\.ts$/.test(to);

/** The rules about one import of a file of ours. */
function importViolations(from: string, to: string): Violation[] {
  if (to === VERDICT_FILE && from !== VERDICT_RULES)
    return [`${from} imports ${to}: the rules of verdicts are a value, read by ${VERDICT_RULES} alone`];
  if (!to.endsWith('.ts')) return [];
  const ground = GROUND.find((room) => from.startsWith(`${room}/`));
  if (ground !== undefined && !to.startsWith(`${ground}/`)) return [`${from} is ground and imports ${to}`];
  if (isServiceDoor(to) && !isEntry(from)) return [`${from} imports the door ${to}`];
  const own = serviceOf(from);
  const other = serviceOf(to);
  if (
    own !== undefined &&
    !GROUND.some((room) => to.startsWith(`${room}/`)) &&
    other !== own &&
    !isContract(to) &&
    !showsTunables(from, to)
  ) {
    return [`${from} imports ${to}, which is neither ground, nor its own, nor a contract`];
  }
  if (isRoute(to) && !isRoute(from) && !isServiceDoor(from)) return [`${from} imports the route ${to}`];
  return [];
}

/** The rules about one file by itself. */
function fileViolations(path: string, source: string): Violation[] {
  const { packages } = importsOf(path, source);
  const code = source.replace(COMMENT, '');
  const found: Violation[] = [];
  const webServer = packages.some((name) => name === 'fastify' || name.startsWith('@fastify/'));
  if (webServer && !/^foundation\/service(\.ts$|\/)/.test(path) && !isServiceDoor(path) && !isRoute(path)) {
    found.push(`${path} knows the web framework`);
  }
  if (/\bprocess\.env\b/.test(code) && path !== 'main.ts' && path !== 'cli/limpede.ts') {
    found.push(`${path} reads the environment`);
  }
  if (FORBIDDEN_NAMES.test(path)) found.push(`${path} has a name that says nothing`);
  for (const [, name = ''] of code.matchAll(PRIMITIVE_CONSTANT))
    if (name !== name.toUpperCase()) found.push(`${path} has the constant ${name} in small letters`);
  if (HASH_MEMBER.test(code)) found.push(`${path} has a private member without the keyword`);
  const statements = code.split('\n').filter((line) => line.trim() !== '');
  if (
    statements.length > 0 &&
    statements.every((line) => /^export (\*|(type )?\{.*\}) from /.test(line.trim()))
  ) {
    found.push(`${path} only passes on what others export`);
  }
  return [...found, ...lengthViolations(path, source)];
}

/** The rule about the length of files, which holds for those of tests and trainings as well. */
function lengthViolations(path: string, source: string): Violation[] {
  const lines = source.split('\n').length - 1;
  return lines > LONGEST_FILE ? [`${path} has ${lines} lines, more than ${LONGEST_FILE}`] : [];
}

/** Files of a tree that are too long. */
export const longFiles = (tree: Tree): Violation[] =>
  [...tree].flatMap(([path, source]) => lengthViolations(path, source));

/** Services with folders whose rooms nobody listed. */
function unlistedRooms(paths: Iterable<string>): Violation[] {
  const withFolders = [...paths].flatMap((path) => /^services\/([^/]+)\/[^/]+\//.exec(path)?.[1] ?? []);
  return [...new Set(withFolders)]
    .filter((service) => ROOMS[service] === undefined)
    .map((service) => `${service} has folders, and no rooms in ROOMS`);
}

/** The first circle of imports, if there is one, as the files along it. */
export function findCircle(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] | undefined => {
    const at = path.indexOf(file);
    if (at >= 0) return [...path.slice(at), file];
    if (finished.has(file)) return undefined;
    path.push(file);
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next);
      if (circle !== undefined) return circle;
    }
    path.pop();
    finished.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const circle = visit(file);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

/** Everything in a tree that breaks a rule of the house. */
export function violationsOf(tree: Tree): Violation[] {
  const imports = new Map([...tree].map(([path, source]) => [path, importsOf(path, source).files]));
  const circle = findCircle(imports);
  return [
    ...[...tree].flatMap(([path, source]) => fileViolations(path, source)),
    ...[...imports].flatMap(([from, files]) => files.flatMap((to) => importViolations(from, to))),
    ...[...imports].flatMap(([from, files]) => files.flatMap((to) => roomViolations(from, to))),
    ...unlistedRooms(tree.keys()),
    ...(circle === undefined ? [] : [`a circle: ${circle.join(' -> ')}`]),
  ];
}
