import { type CommandDef, defineCommand, runCommand, showUsage } from 'citty';
import { packageVersion } from '../foundation/files.ts';
import { SettingsError } from '../foundation/settings.ts';
import { Told } from './told.ts';

/** The commands; each loads when it is called, so that a quick one stays quick. */
const COMMANDS = {
  up: () => import('./up.ts').then(({ upCommand }) => upCommand(process.env)),
  token: () => import('./token.ts').then(({ tokenCommand }) => tokenCommand(process.env)),
  analyze: () => import('./analyze.ts').then(({ analyzeCommand }) => analyzeCommand(process.env)),
  doctor: () => import('./doctor.ts').then(({ doctorCommand }) => doctorCommand(process.env)),
  setup: () => import('./setup.ts').then(({ setupCommand }) => setupCommand(process.env)),
  reference: () => import('./reference.ts').then(({ referenceCommand }) => referenceCommand),
};

/** The command line. Answers go to standard output, everything else to standard error. */
const limpede = defineCommand({
  meta: {
    name: 'limpede',
    version: packageVersion(),
    description: 'Disinformation analysis that a reader can check',
  },
  subCommands: COMMANDS,
});

/** Errors of classes that would be slow to load here, known by their names. */
const TOLD_BY_NAME: ReadonlySet<string> = new Set(['CLIError', 'FolderInUse']);

/** Usage faults and wrong settings are told in words; only what nobody foresaw shows where it happened. */
function tell(error: unknown): void {
  const known =
    error instanceof SettingsError ||
    error instanceof Told ||
    (error instanceof Error && TOLD_BY_NAME.has(error.name));
  console.error(known ? (error as Error).message : error);
  process.exitCode = 1;
}

/** The parser takes any option; a mistyped one must not pass for none. */
function refuseUnknownOptions(known: readonly string[], given: readonly string[]): void {
  const end = given.indexOf('--');
  const options = (end < 0 ? given : given.slice(0, end)).filter((argument) => argument.startsWith('--'));
  for (const option of options) {
    const [name = ''] = option.slice(2).split('=');
    if (!known.includes(name) && !known.includes(name.replace(/^no-/, '')))
      throw new Told(`Unknown option --${name}; --help lists the options`);
  }
}

/** Runs a command by its name; the first argument may be none. */
async function run(name: string, rest: readonly string[]): Promise<void> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name as keyof typeof COMMANDS] : undefined;
  if (load !== undefined) {
    // The library types a command by its own arguments; neither usage nor this check needs that.
    const command = (await load()) as unknown as CommandDef;
    if (rest.some((argument) => argument === '--help' || argument === '-h'))
      return showUsage(command, limpede);
    if (command.subCommands === undefined) refuseUnknownOptions(Object.keys(command.args ?? {}), rest);
  }
  await runCommand(limpede, { rawArgs: [name, ...rest] });
}

const [first = '--help', ...rest] = process.argv.slice(2);
if (first === '--version' || first === '-v') {
  console.log(packageVersion());
} else if (first === '--help' || first === '-h') {
  await showUsage(limpede);
} else {
  await run(first, rest).catch(tell);
}
