import { expect, it } from 'vitest';
import {
  createTextEngines,
  EngineTimeoutError,
  untimedTask,
} from '../../../../src/services/analysis/engines/text-engines.ts';
import { silent } from '../../../foundation/database/engines.ts';

it('the engines answer from their threads, and say when none is left', async () => {
  const engines = await createTextEngines({ threads: 1, waiting: 10 }, silent);
  await expect(engines.probe()).resolves.toBeUndefined();
  expect(engines.identify('Consiliul local a votat marți repararea a 14 poduri înainte de iarnă.')).toBe(
    'ro',
  );
  const text = 'Share this NOW before they delete it, because the traitors hide the truth!';
  expect(
    (await engines.techniques({ text, language: 'en' }, untimedTask('ana'))).manipulation_score,
  ).toBeGreaterThan(40);
  const encoded = await engines.encode({ text, language: 'en' }, untimedTask('ana'));
  expect('encoding' in encoded && encoded.encoding.bounds).toEqual(Uint32Array.of(0, text.length));
  await engines.close();
  await expect(engines.probe()).rejects.toThrow('no thread');
});

it('go round the users, and stop the clock of those who wait', async () => {
  const engines = await createTextEngines({ threads: 1, waiting: 20 }, silent);
  // Threads load the engine first.
  const short = { text: 'They hide the truth from you.', language: 'en' };
  await Promise.all(['a', 'b'].map((account) => engines.techniques(short, untimedTask(account))));
  const clocks: string[] = [];
  const read = (account: string, name: string) =>
    engines.techniques(
      { text: 'They hide the truth from you. '.repeat(200), language: 'en' },
      {
        ...untimedTask(account),
        pause: () => {
          clocks.push(`${name} stands`);
          return () => clocks.push(`${name} goes`);
        },
      },
    );
  const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => read(name.charAt(0), name));
  await Promise.all(all);
  // The other user begins at once; how long a thread takes is the machine's affair.
  expect(clocks.indexOf('b1 goes')).toBeLessThan(clocks.indexOf('a2 goes'));
  for (const name of ['a1', 'a4', 'b1'])
    expect(clocks.filter((each) => each.startsWith(name)).slice(0, 2)).toEqual([
      `${name} stands`,
      `${name} goes`,
    ]);
  await engines.close();
});

it('read a short text beside the long ones of another user', async () => {
  const engines = await createTextEngines({ threads: 1, waiting: 20 }, silent);
  const short = { text: 'They hide the truth from you.', language: 'en' };
  // Threads load their models first.
  await Promise.all(['a', 'b'].map((account) => engines.encode(short, untimedTask(account))));
  const done: string[] = [];
  const encode = (account: string, text: string) =>
    engines.encode({ text, language: 'en' }, untimedTask(account)).then(() => done.push(account));
  const long = Array.from({ length: 400 }, (_, index) => `The truth about bridge ${index} is hidden. `).join(
    '',
  );
  await Promise.all([
    encode('a', long),
    encode('a', `Again. ${long}`),
    ...['c', 'd', 'e'].map((account) => encode(account, `A council of ${account} voted.`)),
  ]);
  expect(done.slice(0, 3).sort()).toEqual(['c', 'd', 'e']);
  await engines.close();
});

it('refuse what they have no room for, and let go of those who left', async () => {
  const engines = await createTextEngines({ threads: 1, waiting: 1 }, silent);
  const input = { text: 'They hide the truth from you. '.repeat(200), language: 'en' };
  const leaving = new AbortController();
  const first = engines.techniques(input, untimedTask('a'));
  const beside = engines.techniques(input, untimedTask('b'));
  const second = engines.techniques(input, untimedTask('b', leaving.signal));
  await expect(engines.techniques(input, untimedTask('c'))).rejects.toThrow('full');
  leaving.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  await Promise.all([first, beside]);
  await engines.close();
});

it('say when a task took longer than it may, and answer the next one', async () => {
  const short = { text: 'They hide the truth from you.', language: 'en' };
  const hurried = await createTextEngines({ threads: 1, waiting: 20, taskMs: 1 }, silent);
  const long = { ...short, text: short.text.repeat(3_000) };
  await expect(hurried.techniques(long, untimedTask('a'))).rejects.toThrow(EngineTimeoutError);
  const patient = await createTextEngines({ threads: 1, waiting: 20 }, silent);
  await expect(patient.techniques(short, untimedTask('a'))).resolves.toHaveProperty('manipulation_score');
  await hurried.close();
  await patient.close();
});

it('have the threads of whoever opened as many, until the last of them closes', async () => {
  // As many as no other test opens.
  const limits = { threads: 3, waiting: 4 };
  const one = await createTextEngines(limits, silent);
  const other = await createTextEngines(limits, silent);
  await one.close();
  await one.close();
  await expect(one.probe()).rejects.toThrow('no thread');
  await expect(other.probe()).resolves.toBeUndefined();
  const input = { text: 'They hide the truth from you.', language: 'en' };
  expect((await other.techniques(input, untimedTask('a'))).manipulation_score).toBeGreaterThan(0);
  await other.close();
  await expect(other.probe()).rejects.toThrow('no thread');
});
