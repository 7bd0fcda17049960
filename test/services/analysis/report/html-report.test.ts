import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import type { ReasonLanguage } from '../../../../src/services/analysis/reasons.ts';
import { htmlReport } from '../../../../src/services/analysis/report/html-report.ts';
import {
  type AnalysisSession,
  SESSION_STATUSES,
} from '../../../../src/services/analysis/resources/analysis-session.ts';
import type { ClaimItem } from '../../../../src/services/analysis/resources/claims-result.ts';
import { runs } from '../../../campaign.ts';
import { codePoint } from '../../../code-points.ts';
import { evidence } from '../pipeline/blocks.ts';
import { emptySession, sampleSession, sourceOf, TEXT } from './sample.ts';

type Document = ReturnType<typeof parseHTML>['document'];
type Element = Document['documentElement'];

const BOTH = ['ro', 'en'] as const satisfies [ReasonLanguage, ReasonLanguage];
const page = (session: AnalysisSession, languages: [ReasonLanguage, ...ReasonLanguage[]] = ['ro']) =>
  parseHTML(htmlReport(sourceOf(session), languages)).document;
const textOf = (element: Element | null) => element?.textContent?.replace(/\s+/g, ' ').trim() ?? '';
/** The section of claims in Romanian, with the first claim of the sample changed so. */
function claimWith(more: Partial<ClaimItem>): string {
  const session = sampleSession();
  if (session.claims === null) throw new Error('the sample has no claims');
  const [first, ...rest] = session.claims.claims_verified;
  if (first === undefined) throw new Error('the sample has no claim');
  const claims = { ...session.claims, claims_verified: [{ ...first, ...more }, ...rest] };
  return section(page({ ...session, claims }), 'ro-claims');
}
const section = (document: Document, id: string) => textOf(document.getElementById(id));

describe('the report of a session', () => {
  const romanian = page(sampleSession());
  const english = page(sampleSession(), ['en']);

  it('says the verdict, and how sure it is', () => {
    const { risk_score: risk, confidence } = sampleSession();
    const said = section(romanian, 'ro-verdict');
    expect(risk).not.toBeNull();
    expect(said).toContain((risk ?? 0).toFixed(1).replace('.', ','));
    expect(said).toContain('Probabil înșelător');
    expect(said).toContain(`${Math.round((confidence ?? 0) * 100)}%`);
    expect(section(english, 'en-verdict')).toContain('Likely misleading');
    expect(section(english, 'en-verdict')).toContain('Human review. Send to the moderation queue.');
  });

  it('shows the arithmetic so that it can be redone', () => {
    const rows = [...english.querySelectorAll('.arithmetic tbody tr')];
    expect(rows).toHaveLength(5);
    const products = rows.flatMap((row) => {
      const [score, weight, product] = [...row.querySelectorAll('.amount')].map((cell) =>
        Number(textOf(cell).replace('× ', '')),
      );
      if (score === undefined || weight === undefined) return [];
      expect(score * weight).toBeCloseTo(product ?? Number.NaN, 1);
      return [product ?? 0];
    });
    expect(rows.filter((row) => textOf(row).endsWith('not used'))).toHaveLength(5 - products.length);
    const amounts = [...english.querySelectorAll('.arithmetic tfoot .amount')].map((cell) =>
      Number(textOf(cell).replace('−', '-')),
    );
    const base = products.reduce((sum, product) => sum + product, 0);
    expect(amounts[0]).toBeCloseTo(base, 1);
    expect(amounts.slice(0, -1).reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(amounts.at(-1) ?? 0, 0);
    expect(amounts.at(-1)).toBe(sampleSession().risk_score);
  });

  it('names the rules that held, but no upper limit that was not reached', () => {
    const { verdict, ...session } = sampleSession();
    if (verdict === null) throw new Error('the sample has no verdict');
    const line = (code: string, kind: string, set_the_number: boolean) => ({
      code,
      kind,
      value: 59,
      set_the_number,
      reason_en: `Rule ${code}.`,
      reason_ro: `Regula ${code}.`,
    });
    const overrides = [line('a', 'floor', true), line('b', 'floor', false), line('c', 'ceiling', false)];
    const changed = { ...verdict, context_summary: { ...verdict.context_summary, overrides } };
    const shown = section(page({ ...session, verdict: changed }), 'ro-arithmetic');
    expect(shown).toContain('Regula a. a decis scorul');
    expect(shown).toContain('Regula b. nu a schimbat scorul');
    expect(shown).not.toContain('Regula c.');
  });

  it('marks the passages in the text, which stays readable without the marks', () => {
    const shown = romanian.querySelector('.analysed-text');
    for (const reference of shown?.querySelectorAll('.reference') ?? []) reference.remove();
    expect(shown?.textContent).toBe(TEXT);
    const marks = [...romanian.querySelectorAll('.analysed-text mark')].map(({ className, textContent }) => [
      textContent,
      className,
    ]);
    expect(marks).toContainEqual(['Trădătorii', 'mark-technique']);
    expect(marks).toContainEqual(['Distribuiți acum', 'mark-technique mark-context']);
    expect(marks).toContainEqual(['Barajul a provocat inundația.', 'mark-claim']);
    expect(marks).toContainEqual(['ascund totul', 'mark-indicator']);
    expect([...romanian.querySelectorAll('.legend li')].map(textOf)).toEqual([
      'Tehnică de manipulare T',
      'Afirmație A',
      'Urmă de IA U',
      'Semn al contextului S',
    ]);
  });

  it('shows claims with their evidence, and makes links of web addresses alone', () => {
    const claims = section(romanian, 'ro-claims');
    expect(claims).toContain('Fals');
    expect(claims).toContain('„Barajul a rezistat.”');
    expect(claims).toContain('Verificatorii · Fals · aceeași afirmație, asemănare 98%');
    expect(claims).toContain('<script>alert(1)</script>');
    const links = [...romanian.querySelectorAll('a[href]')].map((link) => link.getAttribute('href') ?? '');
    expect(links.filter((href) => !/^(?:#|https?:\/\/)/.test(href))).toEqual([]);
    expect(links).toContain('https://apa.example/a');
    expect(links).toContain('https://stiri.example/baraj?a=1&b=2');
  });

  it('shows the two best passages of each side with date and credibility, and names other sources', () => {
    const of = (site: string, stance: string, more: object = {}) => ({
      ...evidence(`${site}.example`, stance),
      ...{ title: `Pagina ${site}`, quote: `Pasajul ${site}.`, ...more },
    });
    const voice = { independent_group: 'tare.example' };
    const shown = claimWith({
      evidence: [
        of('slab', 'refutes', { credibility_score: 41 }),
        of('tare', 'refutes', { ...voice, credibility_score: 93, published_at: '2024-03-05T10:00:00Z' }),
        of('copie', 'refutes', { ...voice, credibility_score: 80 }),
        of('mijloc', 'refutes', { published_at: '2019-07' }),
        of('pro', 'supports'),
        of('context', 'context'),
      ],
    });
    expect(shown).toContain('împotriva ei„Pasajul tare.” Pagina tare tare.example · 5 martie 2024');
    expect(shown).toContain('credibilitatea sursei 93 din 100');
    expect(shown).toContain('mijloc.example · iulie 2019 · sursă pe care nu a evaluat-o nimeni');
    expect(shown).toContain('în favoarea ei„Pasajul pro.”');
    expect(shown).toContain('nu a fost evaluatPagina context');
    expect(shown).not.toMatch(/Pasajul (slab|context|copie)/);
    expect(shown).toContain('Alte surse, în sesiunea în format JSON: 1.');
  });

  it('tells what was searched without result from what nobody searched', () => {
    const queries = ['baraj inundație'];
    expect(claimWith({ evidence: [], queries, searched: true })).toContain('Căutări fără rezultat');
    expect(claimWith({ evidence: [], queries, searched: false })).toContain('Căutări care ar ajuta');
  });

  it('names ratings in the language of the report', () => {
    const [check] = sampleSession().claims?.claims_verified[0]?.previous_fact_checks ?? [];
    if (check === undefined) throw new Error('the sample has no earlier check');
    const shown = claimWith({ previous_fact_checks: [{ ...check, rating: 'misleading' }] });
    expect(shown).toContain('Verificatorii · înșelător · aceeași afirmație');
  });

  it('names the claims that a person decided', () => {
    const session = sampleSession();
    const items = session.claims?.claims_verified.map((claim) => ({
      ...claim,
      reviewed_at: '2026-03-04T10:00:00Z',
    }));
    const reviewed = {
      ...session,
      claims: session.claims && { ...session.claims, claims_verified: items ?? [] },
    };
    expect(section(page(reviewed), 'ro-claims')).toContain('Decisă de un verificator la 4 martie 2026');
    expect(section(romanian, 'ro-claims')).not.toContain('Decisă de un verificator');
  });

  it('says what was not checked, and why', () => {
    const limits = section(romanian, 'ro-limits');
    expect(limits).toContain('IA sau falsificare. Sub 100 de cuvinte');
    expect(limits).toContain('Serviciul web nu a răspuns la timp.');
    expect(limits).toContain('Înregistrarea. Nu a venit niciun răspuns la timp.');
    expect(limits).toContain('Afirmații care nu au fost căutate');
    expect(section(english, 'en-limits')).toContain('Registration. No answer came in time.');
  });

  it('names source, context, engines and what is needed to find the session again', () => {
    expect(section(romanian, 'ro-source')).toContain(
      'Domeniul a fost înregistrat în urmă cu mai puțin de 30 de zile.',
    );
    expect(section(romanian, 'ro-source')).toContain('a new warning');
    expect(section(romanian, 'ro-context')).toContain('Textul cere să fie dat mai departe. +24,0 puncte');
    expect(section(romanian, 'ro-context')).toContain('Ni se ascunde Narațiuni cunoscute: textul o susține');
    expect(section(romanian, 'ro-context')).not.toContain('Strigă');
    const record = section(romanian, 'ro-record');
    for (const part of ['6f1c1f0e', 'ab'.repeat(32), 'default_url@1.0.0', 'limpede-test-1', 'Limpede 9.9.9'])
      expect(record).toContain(part);
  });

  it.each<[ReasonLanguage, Document, RegExp]>([
    ['ro', romanian, /\b(?:the|of|and|not|was|found)\b/i],
    ['en', english, /\b(?:și|nu|este|pentru|din)\b/i],
  ])('speaks one language, but for the words of the content: %s', (language, document, foreign) => {
    const main = document.querySelector(`main[lang=${language}]`)?.cloneNode(true) as Element;
    const quoted = '.quote, .analysed-text, h1, code, a[href^=http], .section-record table, script';
    for (const part of main.querySelectorAll(quoted)) part.remove();
    const foreignNames =
      /stiri\.example|Reader's|a new warning|\(ro\)|Appeal to time|Name calling|Lista A: dezinformare/g;
    expect(textOf(main).replace(foreignNames, '')).not.toMatch(foreign);
    expect(document.documentElement.getAttribute('lang')).toBe(language);
  });
});

describe('the file', () => {
  const source = htmlReport(sourceOf(sampleSession()), [...BOTH]);
  const document = parseHTML(source).document;

  it('needs nothing beside it: no script, no picture, no font, no style of another file', () => {
    expect([...document.querySelectorAll('script, img, link, iframe, object, form')]).toEqual([]);
    expect(source).not.toMatch(/\son\w+=|\sstyle=|url\(|@import/i);
  });

  it('forbids itself everything but its own style', () => {
    const policy = document.querySelector('meta[http-equiv]')?.getAttribute('content') ?? '';
    const style = /<style>([\s\S]*)<\/style>/.exec(source)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
  });

  it('has an id once, and links only to what is there', () => {
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const targets = [...document.querySelectorAll('a[href^="#"], [aria-labelledby], label[for]')].map(
      (element) =>
        element.getAttribute('href')?.slice(1) ??
        element.getAttribute('aria-labelledby') ??
        element.getAttribute('for') ??
        '',
    );
    expect(targets.length).toBeGreaterThan(30);
    for (const target of targets) expect(ids).toContain(target);
  });

  it('holds both languages, the first one shown, and buttons to change', () => {
    const [first, second] = document.querySelectorAll('input.switch');
    expect(first?.hasAttribute('checked')).toBe(true);
    expect(second?.hasAttribute('checked')).toBe(false);
    expect([...document.querySelectorAll('main')].map((main) => main.getAttribute('lang'))).toEqual([
      'ro',
      'en',
    ]);
    expect([...document.querySelectorAll('label')].map(textOf)).toEqual(['Română', 'English']);
    expect(page(sampleSession()).querySelector('input')).toBeNull();
  });

  it('has headings in order, and tables with headed columns', () => {
    const levels = [...document.querySelectorAll('main[lang=ro] :is(h1, h2, h3, h4)')].map(({ tagName }) =>
      Number(tagName.slice(1)),
    );
    expect(levels[0]).toBe(1);
    for (const [index, level] of levels.entries())
      expect(level - (levels[index - 1] ?? 1), levels.join(' ')).toBeLessThanOrEqual(1);
    for (const heading of document.querySelectorAll('th'))
      expect(heading.getAttribute('scope')).toMatch(/^(col|row)$/);
  });

  it.each(SESSION_STATUSES)('of a session without findings says so: %s', (status) => {
    const empty = page(emptySession({ status }), [...BOTH]);
    const said = textOf(empty.body);
    expect(said).not.toMatch(/undefined|NaN|null|\[object/);
    expect(section(empty, 'ro-limits')).toContain('Tehnici de manipulare. Serviciul web este oprit.');
    expect(section(empty, 'ro-text')).toContain('Nu există un text de arătat.');
    expect(section(empty, 'en-verdict')).toContain('Inconclusive');
  });

  it('lets no content become markup', () => {
    const hostile = fc.oneof(
      fc.string({ unit: codePoint, minLength: 1 }),
      fc.constantFrom(
        '"><script>alert(1)</script>',
        'valueOf',
        '__proto__',
        'constructor',
        "' onload='x",
        '</style><script>x</script>',
        '<!--',
        ']]>',
      ),
    );
    const expected = new Set([...document.querySelectorAll('*')].map(({ tagName }) => tagName));
    fc.assert(
      fc.property(hostile, (words) => {
        const base = sampleSession();
        const [technique] = base.techniques?.techniques_detected ?? [];
        const [claim] = base.claims?.claims_verified ?? [];
        if (technique === undefined || claim === undefined || base.verdict === null)
          throw new Error('no sample');
        const session: AnalysisSession = {
          ...base,
          input_text: words,
          input_title: words,
          input_url: words,
          input_hash: words,
          input_language: words,
          topic_applied: words,
          techniques: base.techniques && {
            ...base.techniques,
            techniques_detected: [{ ...technique, name_ro: words, explanation_ro: words }],
          },
          claims: base.claims && {
            ...base.claims,
            claims_verified: [{ ...claim, text: words, queries: [words], explanation_ro: words }],
          },
          domain: base.domain && { ...base.domain, domain: words, warnings: [words], verdict: words },
          verdict: { ...base.verdict, explanation_ro: words, weights_source: words },
        };
        const report = page(session);
        for (const { tagName } of report.querySelectorAll('*')) expect(expected).toContain(tagName);
        for (const element of report.querySelectorAll('*')) {
          for (const { name } of element.attributes) expect(name).not.toMatch(/^on|^style$|^src$/i);
        }
        expect(report.querySelectorAll('style').length).toBe(1);
      }),
      { numRuns: runs(25) },
    );
  });
});
