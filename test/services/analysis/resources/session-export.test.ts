import Ajv from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import {
  SESSION_EXPORT,
  sessionExport,
  sessionExportSchema,
} from '../../../../src/services/analysis/resources/session-export.ts';
import { shippedVerdictRules } from '../../../../src/services/analysis/resources/verdict-rules.ts';
import { emptySession, sampleSession } from '../report/sample.ts';

const exported = (session = sampleSession()) => ({
  schema: SESSION_EXPORT,
  made_at: '2026-02-03T04:05:06.000Z',
  made_by: 'Limpede 9.9.9',
  session,
  revisions: [],
  verdict_rules: shippedVerdictRules,
});

describe('the export of a session', () => {
  const validate = new Ajv.Ajv2020({ validateFormats: false, strict: true, allowUnionTypes: true }).compile(
    sessionExportSchema(),
  );

  it.each([
    ['a complete session', exported()],
    ['a session that failed', exported(emptySession())],
  ])('fits its published schema: %s', (_name, value) => {
    const sent: unknown = JSON.parse(JSON.stringify(value));
    expect(sessionExport.parse(sent)).toEqual(sent);
    validate(sent);
    expect(validate.errors).toBeNull();
  });

  it.each<[string, object]>([
    ['another form', { schema: 'urn:limpede:session-export:2' }],
    ['no session', { session: undefined }],
    ['a score beyond the scale', { session: { ...sampleSession(), risk_score: 101 } }],
  ])('does not fit with %s', (_name, change) => {
    expect(validate(JSON.parse(JSON.stringify({ ...exported(), ...change })))).toBe(false);
  });
});
