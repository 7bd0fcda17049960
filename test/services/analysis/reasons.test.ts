import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/foundation/files.ts';
import { REASONS } from '../../../src/services/analysis/reason-table.ts';
import {
  type Degradation,
  degradationFields,
  LOSS_EFFECTS,
  LOSS_REASONS,
  plainReason,
  REASON_CODES,
  type Reason,
  reasonFields,
  sentence,
  storedReason,
} from '../../../src/services/analysis/reasons.ts';
import { FETCH_ERRORS } from '../../../src/services/web/contract.ts';

const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

/** The sources of a service in one text, without the table itself. */
function sourcesOf(service: string): string {
  const root = packageFile('src', 'services', service);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !['reasons.ts', 'reason-table.ts'].includes(name),
  );
  return files.map((name) => readFileSync(join(root, name), 'utf8')).join('\n');
}

const quotedIn = (source: string) => [...source.matchAll(/'([a-z_]+)'/g)].map(([, word = '']) => word);

/** The codes with which checks of the domain check say why they have no answer. */
function checkReasons(): string[] {
  const source = sourcesOf('domain-check');
  const thrown = [...source.matchAll(/new NoAnswerError\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    quotedIn(list),
  );
  const notRun = [...source.matchAll(/(?:notRun\('\w+', |reason: )'([a-z_]+)'/g)].map(
    ([, code = '']) => code,
  );
  return [...new Set([...thrown, ...notRun])].filter(
    (code) => !['failed', 'skipped', 'value'].includes(code),
  );
}

describe('the table of reasons', () => {
  it.each(REASON_CODES)('%s is a sentence in both languages, with the same values', (code) => {
    const { en, ro } = REASONS[code];
    for (const text of [en, ro]) {
      expect(text).toMatch(/^(?:\p{Lu}|\{part\}).*\.$/u);
      expect(text).not.toMatch(/[şţŞŢ]|\s{2}/);
    }
    expect(ro).not.toBe(en);
    expect(placeholders(ro)).toEqual(placeholders(en));
  });

  it('holds no code that nothing uses', () => {
    const used = new Set([
      ...FETCH_ERRORS.map((error) => `page_${error}`),
      ...quotedIn(sourcesOf('domain-check')).map((code) => `check_${code}`),
      ...LOSS_REASONS,
      ...LOSS_EFFECTS,
      ...quotedIn(sourcesOf('analysis')),
    ]);
    expect(REASON_CODES.filter((code) => !used.has(code))).toEqual([]);
  });

  it('has a sentence for every reason of the domain check', () => {
    const codes = checkReasons();
    expect(codes.length).toBeGreaterThan(12);
    expect(codes.filter((code) => plainReason(`check_${code}`) === undefined)).toEqual([]);
    expect(plainReason('check_of_nothing')).toBeUndefined();
    expect(plainReason('no_answer_in_time')).toBeUndefined();
  });

  it('takes no reason from outside, and no value that the sentence does not have', () => {
    // @ts-expect-error: not in the table
    const unknown: Reason = { code: 'no_such_reason', values: {} };
    // @ts-expect-error: the sentence needs its value
    const incomplete: Reason = { code: 'no_answer_in_time', values: {} };
    // @ts-expect-error: a number of seconds
    const mistyped: Reason = { code: 'no_answer_in_time', values: { seconds: 'ten' } };
    // @ts-expect-error: a sentence is no reason
    const words: Reason = 'the web service is switched off';
    for (const value of [unknown, incomplete, words, null, {}]) {
      expect(storedReason.safeParse(value).success).toBe(false);
    }
    expect(mistyped.code).toBe('no_answer_in_time');
  });

  it.each<Reason>([
    { code: 'no_web_address', values: {} },
    { code: 'no_answer_in_time', values: { seconds: 20 } },
    { code: 'timeout', values: { part: 'llm' } },
  ])('reads back %j as it was stored', (reason) => {
    expect(storedReason.parse(JSON.parse(JSON.stringify(reason)))).toEqual(reason);
  });
});

describe('a reason in words', () => {
  it.each<[Reason, string, string]>([
    [
      { code: 'no_answer_in_time', values: { seconds: 2.5 } },
      'No answer came within 2.5 s.',
      'Nu a venit niciun răspuns în 2,5 s.',
    ],
    [
      { code: 'page_http_status', values: { status: 404 } },
      'The page could not be read: its host answered status 404.',
      'Pagina nu a putut fi citită: gazda a răspuns cu starea 404.',
    ],
    [
      { code: 'component_failed_repeatedly', values: {} },
      'The check failed repeatedly.',
      'Verificarea a eșuat de mai multe ori.',
    ],
    [
      { code: 'rate_limited', values: { part: 'domain_check' } },
      'The domain check refused the call: too many requests.',
      'Verificarea domeniului a refuzat apelul: prea multe cereri.',
    ],
    [
      { code: 'timeout', values: { part: 'something-new' } },
      'Something-new did not answer in time.',
      'Something-new nu a răspuns la timp.',
    ],
  ])('%j', (reason, en, ro) => {
    expect(sentence(reason, 'en')).toBe(en);
    expect(sentence(reason, 'ro')).toBe(ro);
    expect(reasonFields(reason)).toEqual({ code: reason.code, reason: en, reason_ro: ro });
  });

  it('leaves no placeholder open in any loss with any effect', () => {
    for (const reason of LOSS_REASONS) {
      for (const effect of LOSS_EFFECTS) {
        const { message, message_ro } = degradationFields({ dependency: 'llm', reason, effect });
        expect(message).toMatch(/^[^{}]*text model[^{}]*\.$/i);
        expect(message_ro).toMatch(/^[^{}]*modelul de limbaj[^{}]*\.$/i);
      }
    }
  });

  it('says of a dependency that is off only that our own engine answered', () => {
    const off: Degradation = { dependency: 'llm', reason: 'unavailable', effect: 'own_engine' };
    expect(degradationFields(off)).toEqual({
      ...off,
      message: 'The text model is not connected: an engine of our own answered.',
      message_ro: 'Fără modelul de limbaj: a răspuns un motor propriu.',
    });
  });
});
