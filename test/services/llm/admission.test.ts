import { describe, expect, it } from 'vitest';
import { Admission } from '../../../src/services/llm/admission.ts';

describe('Admission', () => {
  it('gives as many places as there are', () => {
    const admission = new Admission(() => ({ running: 2, waiting: 0, waitMs: 1000 }));
    expect([admission.tryEnter(), admission.tryEnter(), admission.tryEnter()]).toEqual([true, true, false]);
    admission.leave();
    expect(admission.tryEnter()).toBe(true);
  });

  it('hands a place on in the same turn, first come first served', () => {
    const admission = new Admission(() => ({ running: 1, waiting: 2, waitMs: 1000 }));
    const entered: string[] = [];
    admission.tryEnter();
    const wait = (name: string) =>
      admission.wait(
        () => entered.push(name),
        () => entered.push(`refused ${name}`),
      );
    const leaveA = wait('a');
    wait('b');
    expect(wait('c')).toBeUndefined();
    expect(admission.tryEnter()).toBe(false);
    leaveA?.();
    admission.leave();
    expect(entered).toEqual(['b']);
    expect(admission.running).toBe(1);
  });

  it('refuses who waited too long', async () => {
    const admission = new Admission(() => ({ running: 1, waiting: 1, waitMs: 5 }));
    admission.tryEnter();
    const outcome = await new Promise((resolve) => {
      admission.wait(
        () => resolve('entered'),
        () => resolve('refused'),
      );
    });
    expect(outcome).toBe('refused');
    expect(admission.waiting).toBe(0);
  });

  it('follows limits that change', () => {
    const limits = { running: 1, waiting: 0, waitMs: 1 };
    const admission = new Admission(() => limits);
    admission.tryEnter();
    expect(admission.tryEnter()).toBe(false);
    limits.running = 2;
    expect(admission.tryEnter()).toBe(true);
  });
});
