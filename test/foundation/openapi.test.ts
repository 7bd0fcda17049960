import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Contract, defineContract } from '../../src/foundation/contract.ts';
import { defineFailures, failureRows } from '../../src/foundation/errors.ts';
import { openApi } from '../../src/foundation/openapi.ts';
import { existingServices } from '../../src/main.ts';
import { analysis } from '../../src/services/analysis/contract.ts';
import { sample as kinds } from './service/sample.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of JSON, looked into at many places
type Json = any;

const errors = defineFailures({
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not JSON.'],
  payload_too_large: [413, 'Too large.'],
  not_found: [404, 'Nothing.'],
  internal_error: [500, 'Wrong.'],
  shutting_down: [503, 'Stopping.'],
});
const Part = z.object({ size: z.int() }).meta({ id: 'Part' });
const Whole = z.object({ parts: z.array(Part), label: z.string().default('none') }).meta({ id: 'Whole' });

const sample = defineContract({
  name: 'sample',
  title: 'Sample',
  version: '2.0.0',
  description: 'A contract for the tests.',
  errors,
  operations: {
    make: {
      method: 'POST',
      path: '/v1/{kind}/files/{key*}',
      summary: 'Make',
      group: 'making',
      access: { roles: ['admin'] },
      params: z.object({ kind: z.enum(['a', 'b']), key: z.string() }),
      query: z.object({ page: z.coerce.number().int().default(1), word: z.string().describe('A word.') }),
      headers: z.looseObject({ 'idempotency-key': z.string().optional() }),
      body: Whole,
      answer: Whole,
      answers: { 202: z.object({ later: z.boolean() }) },
      deprecated: { successor: '/v2', since: '2026-01-01', sunset: '2027-01-01' },
    },
    read: { method: 'GET', path: '/v1/{kind}/files/{key*}', summary: 'Read', access: 'public', answer: Part },
  },
});

/** Every reference in a document. */
function references(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== 'object' || value === null) return [];
  const own = typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

function resolve(document: Json, reference: string): Json {
  expect(reference).toMatch(/^#\//);
  const keys = reference.slice(2).split('/');
  return keys.reduce((at, key) => at?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}

describe('the OpenAPI document of a contract', () => {
  const document: Json = openApi(sample);
  const make = document.paths['/v1/{kind}/files/{key}'].post;

  it('has both operations of a path', () => {
    expect(Object.keys(document.paths['/v1/{kind}/files/{key}'])).toEqual(['post', 'get']);
    expect(make).toMatchObject({
      operationId: 'make',
      tags: ['making'],
      deprecated: true,
      description: 'Roles: admin.',
      security: [{ bearerAuth: [] }],
    });
    expect(document.paths['/v1/{kind}/files/{key}'].get.security).toBeUndefined();
  });

  it('says which operations an API key may call', () => {
    const paths = openApi(analysis).paths as Json;
    expect(paths['/api/v3/pipeline/analyze'].post.security).toEqual([{ bearerAuth: [] }, { apiKeyAuth: [] }]);
    expect(paths['/api/extension-keys'].post.security).toEqual([{ bearerAuth: [] }]);
  });

  it('describes parameters by place', () => {
    const shown = make.parameters.map(({ name, in: place, required }: Json) => [place, name, required]);
    expect(shown).toEqual([
      ['path', 'kind', true],
      ['path', 'key', true],
      ['query', 'page', false],
      ['query', 'word', true],
      ['header', 'idempotency-key', false],
    ]);
    expect(make.parameters[3].description).toBe('A word.');
  });

  it('names schemas that have a name, once', () => {
    const { schema } = make.requestBody.content['application/json'];
    expect(schema).toEqual({ $ref: '#/components/schemas/Whole' });
    expect(document.components.schemas.Whole.properties.parts.items.$ref).toBe('#/components/schemas/Part');
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  it('lists successes and, by status, every failure of the table', () => {
    expect(Object.keys(make.responses)).toEqual(['200', '202', '400', '404', '413', '500', '503']);
    expect(make.responses[400].description).toContain('invalid_json: The body is not JSON.');
    expect(make.responses[202].content['application/json'].schema.properties.later.type).toBe('boolean');
  });
});

describe('the kinds of bodies and answers', () => {
  const document: Json = openApi(kinds);

  it('a multipart body shows its fields and files, and what is required', () => {
    const { schema } = document.paths['/v1/upload'].post.requestBody.content['multipart/form-data'];
    expect(Object.keys(schema.properties)).toEqual(['title', 'seconds', 'tags', 'file', 'cover', 'pages']);
    expect(schema.required).toEqual(['title', 'file']);
    expect(schema.properties.file).toMatchObject({ type: 'string', format: 'binary' });
    expect(schema.properties.pages).toMatchObject({ type: 'array', maxItems: 2 });
  });

  it('a body that is a form or JSON shows both', () => {
    const { content } = document.paths['/v1/either'].post.requestBody;
    expect(content['multipart/form-data'].schema.required).toEqual(['file']);
    expect(content['application/json'].schema.required).toEqual(['place']);
  });

  it('a body of bytes shows its types', () => {
    const { content } = document.paths['/v1/digest'].post.requestBody;
    expect(Object.keys(content)).toEqual(['application/octet-stream', 'image/png']);
  });

  it('an answer of bytes shows its statuses and the headers that it obeys', () => {
    const { get } = document.paths['/v1/file/{name}'];
    expect(get.parameters.map(({ name }: Json) => name)).toEqual([
      'name',
      'Range',
      'If-Range',
      'If-None-Match',
    ]);
    for (const status of [200, 206])
      expect(get.responses[status].content['text/plain'].schema.format).toBe('binary');
    for (const status of [304, 416]) expect(get.responses[status].description).toBeTruthy();
    expect(get.responses[202].content['application/json'].schema.properties.later.type).toBe('boolean');
  });

  it('a stream shows its events', () => {
    const { get } = document.paths['/v1/events/{id}'];
    expect(get.parameters.map(({ name }: Json) => name)).toEqual(['id', 'Last-Event-ID']);
    const { schema } = get.responses[200].content['text/event-stream'];
    expect(schema.oneOf.map(({ properties }: Json) => properties.event.const)).toEqual([
      'count.up',
      'count.end',
    ]);
    expect(schema.oneOf[0].properties.data.properties.value.type).toBe('number');
  });
});

describe.each(
  (await existingServices()).map(({ name, service }) => [name, service.contract as Contract] as const),
)('the OpenAPI document of %s', (_name, contract) => {
  const document: Json = openApi(contract);
  const listed = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ path, method, operation })),
  );

  it('refers only to what is there', () => {
    for (const reference of references(document))
      expect(resolve(document, reference), reference).toBeDefined();
  });

  it('has every operation with its declared statuses', () => {
    expect(listed).toHaveLength(Object.keys(contract.operations).length);
    for (const [name, operation] of Object.entries(contract.operations)) {
      const found: Json = document.paths[operation.path.replace('*}', '}')][operation.method.toLowerCase()];
      expect(found.operationId).toBe(name);
      const statuses = [200, ...Object.keys(operation.answers ?? {}).map(Number)];
      const failed = failureRows(contract.errors).map(({ status }) => status);
      for (const status of [...statuses, ...failed])
        expect(found.responses[status], `${name} ${status}`).toBeDefined();
      for (const status of statuses)
        expect(Object.values<Json>(found.responses[status].content)[0]?.schema).toBeTypeOf('object');
      expect(found.requestBody !== undefined).toBe(operation.body !== undefined);
    }
  });

  it('declares every parameter of a path', () => {
    for (const { path, operation } of listed) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = operation.parameters.filter((parameter: Json) => parameter.in === 'path');
      expect(
        declared.map(({ name }: Json) => name),
        path,
      ).toEqual(inPath);
    }
  });

  it('can be written as JSON', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });
});
