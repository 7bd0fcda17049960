import { defineCommand, runCommand, showUsage } from 'citty';
import { SettingsError } from '../foundation/settings.ts';
import { packageVersion } from '../main.ts';
import { analyzeCommand } from './analyze.ts';
import { doctorCommand } from './doctor.ts';
import { referenceCommand } from './reference.ts';
import { tokenCommand } from './token.ts';
import { upCommand } from './up.ts';

/** The command line. Answers go to standard output, everything else to standard error. */
const limpede = defineCommand({
  meta: {
    name: 'limpede',
    version: packageVersion(),
    description: 'Disinformation analysis that a reader can check',
  },
  subCommands: {
    up: upCommand(process.env),
    token: tokenCommand(process.env),
    analyze: analyzeCommand(process.env),
    doctor: doctorCommand(process.env),
    reference: referenceCommand,
  },
});

/** Usage faults and wrong settings are told in words; only what nobody foresaw shows where it happened. */
function tell(error: unknown): void {
  const known = error instanceof SettingsError || (error instanceof Error && error.name === 'CLIError');
  console.error(known ? (error as Error).message : error);
  process.exitCode = 1;
}

const [first] = process.argv.slice(2);
if (first === '--version' || first === '-v') {
  console.log(packageVersion());
} else if (first === undefined || first === '--help' || first === '-h') {
  await showUsage(limpede);
} else {
  await runCommand(limpede, { rawArgs: process.argv.slice(2) }).catch(tell);
}
