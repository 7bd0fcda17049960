import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile, packageVersion } from '../../src/foundation/files.ts';
import { analysisSession } from '../../src/services/analysis/resources/analysis-session.ts';
import { startCampaign } from '../campaign.ts';
import { emptyHome } from '../foundation/database/engines.ts';
import { createEnvironment, type Environment, limpede, runHere } from '../running-platform.ts';

const TEXT =
  'They are HIDING the truth! Doctors admit this one trick destroys the virus. Share before it is deleted!';

const campaign = startCampaign('the command line');
/** Commands that are refused, each in a process of its own: a sample has some of them. */
const refused = campaign.pick<readonly [args: string[], line: RegExp]>(
  [
    [['nonsense'], /Unknown command nonsense/],
    [['token', '--relam', 'admins'], /Unknown option --relam/],
    [['token', '--plan', '9'], /--plan/],
    [['analyze'], /INPUT/],
    [['analyze', '--lang', 'xx', TEXT], /--lang/],
    [['analyze', 'short'], /^400 text_length: The text must have 20 to 50000 characters\.; body\.text: /],
    [['analyze', '--quiet', '--plan', '9', TEXT], /^400 validation_failed: .*body\.plan_type/],
    [['analyze', 'http://localhost:1/', '--plan', 'x'], /^400 validation_failed/],
    [['analyze', TEXT, 'another text that is long enough'], /several inputs need --out/],
    [['analyze', '--out', 'x', '--parallel', '0', TEXT], /--parallel is a number from 1 to 16/],
    [['analyze', '--report', 'pdf', TEXT], /--report/],
  ],
  5,
);
campaign.summary(`${refused.length} refused commands`);

let platform: Awaited<ReturnType<typeof runHere>>;
let environment: Environment;
beforeAll(async () => {
  platform = await runHere();
  environment = platform.environment;
});
afterAll(() => platform?.stop());

const command = async (args: string[], more: Environment = {}) => {
  const { ended, output } = limpede(args, { ...environment, NO_COLOR: '1', ...more });
  return { code: await ended, ...output };
};

describe('the command line', () => {
  it('prints its version, its usage, and nothing else on standard error', async () => {
    expect(await command(['--version'])).toEqual({ code: 0, out: `${packageVersion()}\n`, err: '' });
    for (const args of [[], ['--help']]) {
      const { code, out, err } = await command(args);
      expect([code, err], args.join()).toEqual([0, '']);
      for (const name of ['up', 'token', 'analyze', 'doctor'])
        expect(out).toMatch(new RegExp(`^ *${name} `, 'm'));
    }
    const help = await command(['analyze', '--help']);
    expect([help.code, help.out]).toEqual([0, expect.stringContaining('--json')]);
  });

  it.each(refused)('%j ends with 1 and one line', async (args, line) => {
    const { code, out, err } = await command(args);
    expect([code, out]).toEqual([1, '']);
    const lines = err.trimEnd().split('\n');
    expect(err.trim()).toMatch(line);
    expect(lines.length, err).toBeLessThanOrEqual(err.startsWith('The settings are wrong') ? 2 : 1);
  });

  it('says which keys were refused where LIMPEDE_HOME is not that of the platform, and what to do', async () => {
    const { home: elsewhere, remove } = emptyHome();
    try {
      const advice = `^401 token_invalid: .*keys in ${join(elsewhere, 'identity')}.*set LIMPEDE_HOME to .*\n$`;
      for (const args of [
        ['analyze', '--quiet', TEXT],
        ['analyze', '--quiet', '--out', join(elsewhere, 'results'), TEXT],
        ['moderate', 'list'],
        ['keys', 'list'],
        ['users', 'list'],
      ]) {
        const { code, out, err } = await command(args, { LIMPEDE_HOME: elsewhere });
        expect([code, out], args.join(' ')).toEqual([1, '']);
        expect(err, args.join(' ')).toMatch(new RegExp(advice));
      }
      const { code, err } = await command(['keys', 'list'], { LIMPEDE_TOKEN: 'of.nobody.here' });
      expect([code, err]).toEqual([1, expect.stringMatching(/^401 token_invalid: .*LIMPEDE_TOKEN.*\n$/)]);
    } finally {
      remove();
    }
  });

  it('prints a token and nothing else', async () => {
    const { code, out, err } = await command(['token', '--realm=admins', '--user', 'vlad']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect(decodeJwt(out.trim())).toMatchObject({ sub: 'vlad', realm_access: { roles: ['admin'] } });
    expect((await platform.ask('/api/v3/pipeline/history', { token: out.trim() })).status).toBe(200);
  });

  it('analyses a text: the report on standard output, progress on standard error', async () => {
    const { code, out, err } = await command(['analyze', TEXT]);
    expect(code, err).toBe(0);
    expect(out).toMatch(/risk \d+\.\d \/ 100/);
    expect(out).toContain('Techniques found');
    expect(out).not.toContain('\u001b');
    expect(err).toContain('100% completed');
    const romanian = await command(['analyze', '--quiet', '--lang', 'ro', TEXT]);
    expect(romanian.out).toMatch(/risc \d+,\d \/ 100/);
    expect(romanian.err).toBe('');
  });

  it('answers the example of the README as the README says', async () => {
    const readme = readFileSync(packageFile('README.md'), 'utf8');
    const asked = /^\.\/bin\/limpede analyze "(.+)"$/m.exec(readme)?.[1] ?? '';
    const shown = /^```\n( {2}\S.*?)\n```$/ms.exec(readme)?.[1] ?? '';
    const { out } = await command(['analyze', asked]);
    const withoutSession = (report: string) => report.replace(/Session \S+/, 'Session').trim();
    expect(withoutSession(out)).toBe(withoutSession(shown));
    const [, first = '', second = ''] = /Here: (.+) \+ (.+) = /.exec(readme) ?? [];
    for (const product of [first, second]) expect(out).toContain(product);
  });

  it('analyses a file, and prints the whole session as JSON', async () => {
    const path = join(String(environment.LIMPEDE_HOME), 'text.txt');
    writeFileSync(path, TEXT);
    const { code, out } = await command(['analyze', '--json', '--quiet', path]);
    expect(code).toBe(0);
    expect(analysisSession.parse(JSON.parse(out))).toMatchObject({ status: 'completed', input_text: TEXT });
  });

  it('ends with 2 and the report where no check could say anything', async () => {
    const path = join(String(environment.LIMPEDE_HOME), 'broken.jpg');
    writeFileSync(
      path,
      Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, ...Buffer.from('JFIF\0 no picture follows')]),
    );
    const { code, out, err } = await command(['analyze', path]);
    expect(code, err).toBe(2);
    expect(out).toMatch(/Not run: AI traces\. \S/);
    expect(err).toContain('opening the file');
  });

  it('prints a report of the platform', async () => {
    const { code, out, err } = await command([
      'analyze',
      '--quiet',
      '--report',
      'html',
      '--lang',
      'ro',
      TEXT,
    ]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^<!doctype html>\n<html lang="ro">/);
    expect(out.trimEnd()).toMatch(/<\/html>$/);
    const none = await command(['analyze', '--quiet', '--report', 'claimreview', TEXT]);
    expect([none.code, none.out]).toEqual([1, '']);
    expect(none.err).toMatch(/^404 not_found: No claim of this session was decided by a person\.\n$/);
  });

  it('analyses several inputs into a folder, and goes on there where it ended', async () => {
    const folder = join(environment.LIMPEDE_HOME ?? '', 'batch');
    const [loud, short, list] = ['loud.txt', 'short.txt', 'urls.txt'].map((name) =>
      join(environment.LIMPEDE_HOME ?? '', name),
    );
    if (loud === undefined || short === undefined || list === undefined) throw new Error('no files');
    writeFileSync(loud, TEXT);
    writeFileSync(short, 'too short');
    writeFileSync(list, '# none of them can be fetched\nhttp://localhost:1/a\n');
    const args = ['analyze', loud, short, list, loud, '--out', folder, '--report', 'html'];
    const first = await command(args);
    expect(first.code, first.err).toBe(2);
    expect(first.err).toMatch(/\[3\/3\] /);
    expect(first.out).toMatch(/loud\.txt +\d+\.\d +\S.* +done\n/);
    expect(first.out).toMatch(/short\.txt +– +– +– +400 text_length/);
    expect(first.out).toMatch(/http:\/\/localhost:1\/a +– +– +– +400 url_not_allowed/);
    expect(first.out).toContain('1 of 3 analysed');
    const session = readdirSync(folder).find((name) => /^loud-txt-\w+\.json$/.test(name)) ?? '';
    const { session_id } = analysisSession.parse(JSON.parse(readFileSync(join(folder, session), 'utf8')));
    expect(readFileSync(join(folder, session.replace('.json', '.html')), 'utf8')).toContain(session_id);

    writeFileSync(short, `${TEXT} And more.`);
    const second = await command([...args.slice(0, -2), '--report', 'html', '--json', '--quiet']);
    expect([second.code, second.err]).toEqual([2, '']);
    const results = JSON.parse(second.out) as { session_id: string; status: string; earlier: boolean }[];
    expect(results.map(({ status, earlier }) => [status, earlier])).toEqual([
      ['completed', true],
      ['completed', false],
      ['failed', false],
    ]);
    expect(results[0]?.session_id).toBe(session_id);
  });

  it('tells what the doctor found, as text and as JSON', async () => {
    const { code, out } = await command(['doctor']);
    expect(code).toBe(0);
    expect(out).toContain(`runs at ${environment.LIMPEDE_PUBLIC_URL}`);
    const json = await command(['doctor', '--json']);
    expect(JSON.parse(json.out)).toContainEqual({ name: 'Node', state: 'good', words: process.version });
  });

  it('starts a platform for one call when none runs', async () => {
    const other = await createEnvironment();
    const { code, out, err } = await command(['analyze', TEXT], other.environment);
    expect(code, err).toBe(0);
    expect(err).toContain('starting a platform for this call');
    expect(out).toMatch(/risk \d+\.\d \/ 100/);
    await other.remove();
  });

  it('tells wrong settings all at once', async () => {
    const { code, out, err } = await command(['up'], { LIMPEDE_PORT: 'x', LIMPEDE_LOG_LEVEL: 'loud' });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^The settings are wrong:\n {2}LIMPEDE_PORT: .*\n {2}LIMPEDE_LOG_LEVEL: .*\n$/);
  });
});
