import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type NewFact, openFactStore } from '../../../src/services/brain/store.ts';
import { forEachEngine } from '../../foundation/database/engines.ts';
import { packOf, requestOf } from './packs.ts';

const claim = 'Vaccines cause autism\0.';
const verdict = {
  status: 'false',
  confidence: 0.9,
  explanation_en: null,
  explanation_ro: null,
  decided_by: 'a person',
  decided_at: '2026-01-02T03:04:05.000Z',
};

const newFact = (change: Partial<NewFact> = {}): NewFact => ({
  scope: 'plain',
  hash: 'hash',
  claim,
  language: 'en',
  terms: ['vaccin', 'autism'],
  vector: new Uint8Array([1, 255]),
  request: requestOf({ claim: 'Vaccines cause autism.' }),
  pack: packOf(claim, 'one'),
  intervalHours: 6,
  ...change,
});
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

forEachEngine((engine) => {
  const open = async () => {
    const store = await openFactStore(engine.database());
    await sql`truncate brain_fact, brain_audit`.execute(engine.database().kysely());
    return store;
  };

  it('keeps a claim once for each scope, and finds it', async () => {
    const store = await open();
    const first = await store.keep(newFact());
    const again = await store.keep(newFact({ pack: packOf(claim, 'two') }));
    await store.keep(newFact({ scope: 'other' }));
    expect(again.fact_id).toBe(first.fact_id);
    const found = await store.find({ scope: 'plain', hash: 'hash' });
    expect(found).toMatchObject({ claim: 'Vaccines cause autism\ufffd.', hits: 0, locked_by: null });
    expect(found?.pack.evidence[0]?.snippet).toBe('two');
    expect(found?.next_check_at.getTime()).toBeGreaterThan(found?.checked_at.getTime() ?? 0);
    expect(await store.find({ scope: 'plain', hash: 'unknown' })).toBeUndefined();
  });

  it('names those first that share the greatest part of their words', async () => {
    const store = await open();
    await store.keep(newFact({ hash: '1', claim: 'near', terms: ['vaccin', 'autism', 'child'] }));
    await store.keep(newFact({ hash: '2', claim: 'nearest', terms: ['vaccin', 'autism'] }));
    await store.keep(newFact({ hash: '3', claim: 'far', terms: ['vaccin', 'chip', 'gate', 'bill'] }));
    await store.keep(newFact({ hash: '4', claim: 'none', terms: ['moon'] }));
    await store.keep(newFact({ hash: '5', claim: 'elsewhere', scope: 'other' }));
    const found = await store.candidates('plain', ['vaccin', 'autism'], 10);
    expect(found.map((candidate) => candidate.claim)).toEqual(['nearest', 'near', 'far']);
    expect([...(found[0]?.vector ?? [])]).toEqual([1, 255]);
    expect(await store.candidates('plain', ['vaccin', 'autism'], 1)).toHaveLength(1);
    expect(await store.candidates('plain', [], 10)).toEqual([]);
  });

  describe('facts that are due', () => {
    it('are taken by one process each, and are due again later', async () => {
      const store = await open();
      const one = await store.keep(newFact({ hash: '1', intervalHours: -2 }));
      const two = await store.keep(newFact({ hash: '2', intervalHours: -1 }));
      await store.keep(newFact({ hash: '3', intervalHours: 1 }));
      expect((await store.due(10)).facts.map(({ fact_id }) => fact_id)).toEqual([one.fact_id, two.fact_id]);
      expect((await store.due(1)).total).toBe(2);
      const taken = await Promise.all([store.takeDue(30, 60_000), store.takeDue(30, 60_000)]);
      expect(new Set(taken.map((fact) => fact?.fact_id))).toEqual(new Set([one.fact_id, two.fact_id]));
      expect(await store.takeDue(30, 60_000)).toBeUndefined();
      expect(await store.take(one.fact_id, 60_000)).toBeUndefined();
      await store.renew(one.fact_id, packOf(claim, 'new'), 12);
      await store.postpone(two.fact_id, -1);
      expect((await store.due(10)).facts.map(({ fact_id }) => fact_id)).toEqual([two.fact_id]);
      expect((await store.read(one.fact_id))?.pack.evidence[0]?.snippet).toBe('new');
    });

    it('are left alone when nobody asked for them lately, and when they are locked', async () => {
      const store = await open();
      const fact = await store.keep(newFact({ intervalHours: -1 }));
      await sql`update brain_fact set last_asked_at = now() - interval '31 days'`.execute(
        engine.database().kysely(),
      );
      expect(await store.takeDue(30, 60_000)).toBeUndefined();
      expect((await store.due(10)).total).toBe(1);
      await store.setLock(fact.fact_id, true, 'ana', 'checked by hand');
      expect((await store.due(10)).total).toBe(0);
    });
  });

  it('changes no locked fact', async () => {
    const store = await open();
    const { fact_id: id } = await store.keep(newFact());
    expect((await store.judge(id, verdict, 'ana'))?.verdict).toEqual(verdict);
    await store.setLock(id, true, 'ana', 'checked by hand');
    expect(await store.judge(id, { ...verdict, status: 'true' }, 'ion')).toBeUndefined();
    await store.renew(id, packOf(claim, 'two'), 1);
    await store.keep(newFact({ pack: packOf(claim, 'three') }));
    const kept = await store.read(id);
    expect(kept).toMatchObject({ locked_by: 'ana', verdict: { status: 'false' } });
    expect(kept?.pack.evidence[0]?.snippet).toBe('one');
    const by = { actor: 'ion', reason: 'wrong', perHour: 10 };
    expect(await store.invalidate({ factId: id }, by)).toEqual({ kind: 'locked' });
    await store.setLock(id, false, 'ana', 'done');
    expect(await store.invalidate({ factId: id }, by)).toEqual({ kind: 'done', factIds: [id] });
    expect(await store.read(id)).toBeUndefined();
    expect((await store.keep(newFact())).fact_id).not.toBe(id);
  });

  it('lets one actor forget so often an hour, also at once, and keeps the others apart', async () => {
    const store = await open();
    for (const hash of ['1', '2', '3', '4', '5', '6']) await store.keep(newFact({ hash }));
    const forget = (hash: string, actor: string) =>
      store.invalidate({ hash }, { actor, reason: 'wrong', perHour: 3 });
    const all = await Promise.all(['1', '2', '3', '4', '5'].map((hash) => forget(hash, 'ana')));
    const kinds = all.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'done')).toHaveLength(3);
    const limited = all.find(({ kind }) => kind === 'limited');
    expect(limited).toMatchObject({ retryMs: expect.any(Number) });
    expect((await forget('6', 'ion')).kind).toBe('done');
    expect((await forget('6', 'ion')).kind).toBe('unknown');
    expect(await store.invalidate({ factId: UNKNOWN }, { actor: 'ion', reason: 'x', perHour: 3 })).toEqual({
      kind: 'unknown',
    });
    await sql`update brain_audit set at = at - interval '61 minutes'`.execute(engine.database().kysely());
    const left = all.findIndex(({ kind }) => kind === 'limited') + 1;
    expect((await forget(String(left), 'ana')).kind).toBe('done');
  });
});
