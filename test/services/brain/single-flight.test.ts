import { expect, it } from 'vitest';
import { createSingleFlight } from '../../../src/services/brain/single-flight.ts';

const never = { caller: 'ana', signal: new AbortController().signal };
const asker = ({ signal }: AbortController, caller = 'ana') => ({ caller, signal });

/** Work that the test ends. */
function work() {
  let signal: AbortSignal | undefined;
  let end: (result: string) => void = () => undefined;
  let started = 0;
  return {
    run: (given: AbortSignal) => {
      signal = given;
      started++;
      return new Promise<string>((resolve) => {
        end = resolve;
      });
    },
    end: (result: string) => end(result),
    signal: () => signal,
    started: () => started,
  };
}

it('does equal work once, and other work beside it', async () => {
  const flights = createSingleFlight<string>();
  const [one, other] = [work(), work()];
  const results = [flights.run('a', one.run, never), flights.run('a', one.run, never)];
  const apart = flights.run('b', other.run, never);
  other.end('other');
  one.end('result');
  expect(await Promise.all(results)).toEqual(['result', 'result']);
  expect(await apart).toBe('other');
  expect(one.started()).toBe(1);
});

it('is joined by others once it has begun, and nobody waits for the turns of somebody else', async () => {
  const flights = createSingleFlight<string>();
  const other = { ...never, caller: 'ion' };
  let begin: () => void = () => undefined;
  const waits = flights.run(
    'a',
    (_signal, begun) => {
      begin = begun;
      return new Promise(() => undefined);
    },
    never,
  );
  expect(await flights.run('a', async () => 'of his own', other)).toBe('of his own');
  begin();
  void waits;
  const task = work();
  const first = flights.run(
    'b',
    (signal, begun) => {
      begun();
      return task.run(signal);
    },
    never,
  );
  const joined = flights.run('b', async () => 'of his own', other);
  task.end('shared');
  expect(await Promise.all([first, joined])).toEqual(['shared', 'shared']);
});

it('goes on for those who stay, and ends when the last one leaves', async () => {
  const flights = createSingleFlight<string>();
  const task = work();
  const [first, second] = [new AbortController(), new AbortController()];
  const left = flights.run('a', task.run, asker(first));
  const stays = flights.run('a', task.run, asker(second));
  first.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect(task.signal()?.aborted).toBe(false);
  second.abort(new Error('left too'));
  await expect(stays).rejects.toThrow('left too');
  expect(task.signal()?.aborted).toBe(true);
  const again = flights.run('a', task.run, never);
  expect(task.started()).toBe(2);
  task.end('late');
  expect(await again).toBe('late');
});

it('tells everybody of a failure, and tries again afterwards', async () => {
  const flights = createSingleFlight<string>();
  const failing = () => Promise.reject(new Error('no'));
  const both = await Promise.allSettled([flights.run('a', failing, never), flights.run('a', failing, never)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await flights.run('a', async () => 'yes', never)).toBe('yes');
});
