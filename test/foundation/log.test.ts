import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../src/foundation/files.ts';

/** Runs lines of a program that has a logger, and reads what it wrote. */
function written(level: string, lines: string) {
  const program = `
    const { createLog } = await import(${JSON.stringify(packageFile('src', 'foundation', 'log.ts'))});
    const log = createLog({ level: ${JSON.stringify(level)}, name: 'limpede' });
    ${lines}
    log.flush();`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', program],
    { cwd: packageFile(), encoding: 'utf8' },
  );
  return {
    stdout,
    lines: stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line)),
  };
}

describe('the log', () => {
  it('writes one JSON line an event to standard error, without secrets', () => {
    const { stdout, lines } = written(
      'info',
      `log.child({ correlation_id: 'c-1' }).info({ token: 's1', password: 's2', authorization: 's3' }, 'hello');
       log.warn({ headers: { authorization: 'Bearer s4', 'x-api-key': 's5', accept: 'json' } }, 'headers');
       log.debug('too quiet');
       log.error({ err: new Error('broken\\nline') }, 'failed');`,
    );
    expect(stdout).toBe('');
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'hello'],
      ['warn', 'headers'],
      ['error', 'failed'],
    ]);
    expect(lines[0]).toMatchObject({
      name: 'limpede',
      correlation_id: 'c-1',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(JSON.stringify(lines)).not.toMatch(/s[1-5]"/);
    expect(lines[1].headers.accept).toBe('json');
    expect(lines[2].err.message).toBe('broken\nline');
  });

  it('is silent when asked to be', () => {
    expect(written('silent', "log.fatal('help');").lines).toEqual([]);
  });
});
