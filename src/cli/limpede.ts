import { type CommandDef, defineCommand, runCommand, showUsage } from 'citty';
import { packageVersion } from '../foundation/files.ts';
import { SettingsError } from '../foundation/settings.ts';
import { UserError } from './user-error.ts';

/** The commands; each is loaded when it is called, to keep the start fast. */
const COMMANDS = {
  up: () => import('./up.ts').then(({ upCommand }) => upCommand(process.env)),
  token: () => import('./token.ts').then(({ tokenCommand }) => tokenCommand(process.env)),
  analyze: () => import('./analyze.ts').then(({ analyzeCommand }) => analyzeCommand(process.env)),
  moderate: () => import('./moderate.ts').then(({ moderateCommand }) => moderateCommand(process.env)),
  evidence: () => import('./evidence.ts').then(({ evidenceCommand }) => evidenceCommand(process.env)),
  keys: () => import('./keys.ts').then(({ keysCommand }) => keysCommand(process.env)),
  users: () => import('./users.ts').then(({ usersCommand }) => usersCommand(process.env)),
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
const EXPECTED_BY_NAME: ReadonlySet<string> = new Set([
  'CLIError',
  'FolderInUseError',
  'DatabaseUnavailableError',
  'StartError',
]);

/** Log levels at which errors are printed with their stack. */
const STACK_LEVELS: ReadonlySet<string> = new Set(['debug', 'trace']);

/** Prints the message of an error, and where it happened at the log levels debug and trace. */
function printError(error: unknown): void {
  const known =
    error instanceof SettingsError ||
    error instanceof UserError ||
    (error instanceof Error && EXPECTED_BY_NAME.has(error.name));
  const message = error instanceof Error ? error.message || error.name : String(error);
  if (STACK_LEVELS.has(process.env.LIMPEDE_LOG_LEVEL?.trim() ?? '')) console.error(error);
  else console.error(known ? message : `${message}\nLIMPEDE_LOG_LEVEL=debug shows where this happened.`);
  process.exitCode = 1;
}

/** Refuses options that the command does not have; the parser itself ignores them. */
function refuseUnknownOptions(known: readonly string[], args: readonly string[]): void {
  const end = args.indexOf('--');
  const options = (end < 0 ? args : args.slice(0, end)).filter((argument) => argument.startsWith('--'));
  for (const option of options) {
    const [name = ''] = option.slice(2).split('=');
    if (!known.includes(name) && !known.includes(name.replace(/^no-/, '')))
      throw new UserError(`Unknown option --${name}; --help lists the options`);
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
  await run(first, rest).catch(printError);
}
