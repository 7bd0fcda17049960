import { describe, expect, it } from 'vitest';
import { htmlReport } from '../../../../src/services/analysis/report/html-report.ts';
import { recordingPictures } from '../../../../src/services/analysis/report/recording-section.ts';
import { shippedVerdictRules } from '../../../../src/services/analysis/resources/verdict-rules.ts';
import { addTimes } from '../../../../src/services/analysis/session/timed-text.ts';
import { PICTURES, recordedSession } from './recorded-session.ts';

const session = recordedSession();
const pictures = new Map(PICTURES.map((id) => [id, `data:image/png;base64,${id}`]));
const reportIn = (language: 'en' | 'ro') =>
  htmlReport({ session, rules: shippedVerdictRules, madeAt: new Date(0), version: '0.0.0', pictures }, [
    language,
  ]);

describe('the recording in a report', () => {
  it.each([
    ['en', 'Frame at 1:20: something speaks for a made or altered video', 'Traces in the sound', 'on screen'],
    [
      'ro',
      'Cadrul de la 1:20: ceva indică o înregistrare generată sau modificată',
      'Urme în sunet',
      'pe ecran',
    ],
  ] as const)(
    'stands in %s with its pictures, its frames on a time line and its transcript',
    (language, ...said) => {
      const report = reportIn(language);
      for (const words of [...said, '1:15', 'They hide it.', '3:05']) expect(report).toContain(words);
      for (const id of PICTURES) expect(report).toContain(`base64,${id}`);
      expect(report).toContain(language === 'en' ? 'Not now.' : 'Nu acum.');
    },
  );

  it('has the times at which passages of findings are said', () => {
    const passages = [{ kind: 'speech', start: 0, end: 10_000, start_s: 125, end_s: 130 }] as const;
    const { techniques, claims } = session;
    const timed = {
      ...session,
      techniques: addTimes(techniques, passages),
      claims: addTimes(claims, passages),
    };
    const report = htmlReport(
      { session: timed, rules: shippedVerdictRules, madeAt: new Date(0), version: '0.0.0', pictures },
      ['en'],
    );
    const shown = techniques?.techniques_detected.length ?? 0;
    expect(reportIn('en')).not.toContain('2:05');
    expect(report.split('2:05').length - 1).toBeGreaterThanOrEqual(shown + 1);
  });

  it('says what was measured for people, and that it decides nothing', () => {
    const copy = structuredClone(session);
    const detectors = copy.ai_tampered?.recording_analysis?.tracks.flatMap((track) => track.detectors) ?? [];
    for (const one of detectors)
      Object.assign(one, {
        applicable: true,
        found: null,
        explanation: { en: '66 beats.', ro: '66 de bătăi.' },
      });
    const report = htmlReport(
      { session: copy, rules: shippedVerdictRules, madeAt: new Date(0), version: '0.0.0', pictures },
      ['ro'],
    );
    expect(report).toContain('66 de bătăi. Măsurat pentru oameni; nu decide nimic.');
  });

  const reportOf = (address: string | null) =>
    htmlReport(
      {
        session: { ...session, input_media_url: address },
        rules: shippedVerdictRules,
        madeAt: new Date(0),
        version: '0.0.0',
        pictures,
      },
      ['en', 'ro'],
    );

  it('opens a recording of the web at each moment, and fetches nothing by itself', () => {
    const report = reportOf('https://example.org/a.mp4?x="1"&y=2#t=9');
    expect(report).toContain(
      '<a href="https://example.org/a.mp4?x=&quot;1&quot;&amp;y=2#t=80" rel="noopener',
    );
    expect(report).toContain('each opens it there');
    expect(report).not.toMatch(/<(?:audio|video|source|iframe|script|link)\b|src="(?!data:)/);
    expect(report).toContain('default-src &#39;none&#39;');
  });

  it.each([
    'https://example.org/agent-v3/api/v3/media/file/media/2026-11-23/a.mp4',
    'javascript:alert(1)',
    null,
  ])('has its times alone where a click could not open it: %s', (address) => {
    const report = reportOf(address);
    expect(report).not.toContain('#t=');
    expect(report).toContain('1:20');
    expect(report).toContain('open it in a player beside this report');
    expect(report).toContain('deschideți-o într-un player');
  });

  it('says of traces that decide nothing that they were looked for', () => {
    const { verdict, ai_tampered: ai } = session;
    if (verdict === null || ai === null) throw new Error('a recorded session has both');
    const undecided = {
      ...session,
      components_run: [...new Set([...session.components_run, 'ai_tampered' as const])],
      verdict: { ...verdict, score_ai: null },
      ai_tampered: { ...ai, ai_probability: 22.8 },
    };
    const report = htmlReport(
      { session: undecided, rules: shippedVerdictRules, madeAt: new Date(0), version: '0.0.0', pictures },
      ['ro'],
    );
    expect(report).toContain('Ce s-a găsit sau nu s-a găsit nu decide nimic');
    expect(report).not.toContain('Nu a fost nimic de măsurat');
  });

  it('has the pictures that are there', () => {
    expect(recordingPictures(session.recording as never).map(({ media_id: id }) => id)).toEqual(PICTURES);
  });
});
