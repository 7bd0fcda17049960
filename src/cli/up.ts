import { defineCommand } from 'citty';
import type { Environment } from '../foundation/settings.ts';
import { startPlatform } from '../main.ts';
import { claimSearchNotice } from './claim-search-notice.ts';

/** Signals: the first one shuts down in order, a second one exits at once. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Settings on which a token depends: another terminal does not have those of this one. */
const TOKEN_SETTINGS = ['LIMPEDE_HOME', 'LIMPEDE_PORT', 'GATEWAY_PORT', 'LIMPEDE_PUBLIC_URL'];

/** The command that prints a token that this start accepts, with the settings that it needs. */
function tokenCommandFor(environment: Environment): string {
  const settings = TOKEN_SETTINGS.flatMap((name) => {
    const value = environment[name]?.trim() ?? '';
    if (value === '') return [];
    return [`${name}=${/^[\w./:-]+$/u.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`];
  });
  return [...settings, './bin/limpede token'].join(' ');
}

/** How a first password is replaced by one's own. */
const OWN_PASSWORD = '    Replace these: ./bin/limpede users password NAME [--realm admins]';

/** What a start prints: where it is, how to get a token, a first request. */
export function startMessage(
  running: {
    publicUrl: string;
    home: string;
    database: string | null;
    services: readonly { name: string; url: string }[];
    firstPasswords: Readonly<Record<string, string>>;
    warnings?: readonly string[];
  },
  environment: Environment,
): string {
  const { publicUrl, home, firstPasswords, services } = running;
  const passwords = Object.entries(firstPasswords).map(
    ([user, password]) => `    ${user.padEnd(10)} ${password}`,
  );
  const token = tokenCommandFor(environment);
  const gateway = services.some(({ name }) => name === 'gateway');
  const lines = [
    '',
    ...(gateway
      ? [`  Limpede is ready at ${publicUrl}`]
      : services.map(({ name, url }) => `  ${name} is ready at ${url}`)),
    `  Data: ${home}${running.database === 'postgres' ? ', database: PostgreSQL' : ''}`,
    ...(services.some(({ name }) => name === 'web') ? [`  ${claimSearchNotice(environment)}`] : []),
    ...(running.warnings ?? []).map((warning) => `  WARNING: ${warning}`),
    ...(passwords.length > 0 ? ['', '  First users, shown this once:', ...passwords, OWN_PASSWORD] : []),
    ...(gateway
      ? ['', '  Get a token:', `    ${token}`, '', '  A first request:', ...firstRequest(publicUrl, token)]
      : []),
    '',
    '  Ctrl-C stops it.',
    '',
  ];
  return lines.join('\n');
}

function firstRequest(publicUrl: string, token: string): string[] {
  return [
    `    curl -s ${publicUrl}/agent-v3/api/v3/pipeline/analyze \\`,
    `      -H "Authorization: Bearer $(${token})" -H "Content-Type: application/json" \\`,
    `      -d '{"media_type":"text","text":"They are HIDING the truth! Doctors admit this one trick destroys the virus. Share before it is deleted!"}'`,
  ];
}

/** `limpede up`: starts the platform and stays until a signal comes. */
export function upCommand(environment: Environment) {
  return defineCommand({
    meta: { name: 'up', description: 'Start the platform, or the named services, in this process' },
    args: {
      services: { type: 'positional', required: false, description: 'Service to start (all unless given)' },
      role: {
        type: 'enum',
        options: ['all', 'api', 'worker'],
        required: false,
        description:
          'Role of the analysis service: worker works on queues only, api on none (all unless given)',
      },
      components: {
        type: 'string',
        required: false,
        description: 'Queues that it works on, such as techniques,claims (all unless given)',
      },
    },
    run: async ({ args }) => {
      const names = args._.join(',');
      const running = await startPlatform({
        ...environment,
        ...(names !== '' && { LIMPEDE_SERVICES: names }),
        ...(args.role !== undefined && { ANALYSIS_ROLE: args.role }),
        ...(args.components !== undefined && { ANALYSIS_COMPONENTS: args.components }),
      });
      process.stdout.write(startMessage(running, environment));
      const stopped = new Promise<void>((resolve) => {
        let isStopping = false;
        const stop = () => {
          if (isStopping) process.exit(130);
          isStopping = true;
          process.stdout.write('\n  Stopping.\n');
          void running.stop().then(resolve);
        };
        for (const signal of SIGNALS) process.on(signal, stop);
      });
      await stopped;
    },
  });
}
