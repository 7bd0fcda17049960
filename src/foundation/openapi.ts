import { z } from 'zod';
import type { Contract, Operation } from './contract.ts';
import { failureRows } from './errors.ts';
import { type Body, type BytesAnswer, type EventsAnswer, isJson, type MultipartBody } from './payloads.ts';

type Json = Record<string, unknown>;

const COMPONENTS = '#/components/schemas/';

/** Schemas that carry `.meta({ id })` become named components; all others stand in place. */
function schemaMaker(components: Json, io: 'input' | 'output') {
  return (schema: z.ZodType): Json => {
    const document = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      target: 'draft-2020-12',
      reused: 'inline',
    }) as Json;
    const { $defs, $schema: _, ...body } = document;
    const pointer = JSON.stringify(body).replaceAll('#/$defs/', COMPONENTS);
    for (const [name, definition] of Object.entries(($defs as Json | undefined) ?? {})) {
      components[name] = JSON.parse(JSON.stringify(definition).replaceAll('#/$defs/', COMPONENTS));
    }
    return JSON.parse(pointer) as Json;
  };
}

/** Bytes, as tools that draw upload forms know them. */
const BYTES = { type: 'string', format: 'binary' };
const JSON_TYPE = 'application/json';
const ANY_TYPE = 'application/octet-stream';
const EVENTS_TYPE = 'text/event-stream';

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description,
});

/** Headers that the foundation reads for a kind of answer. */
function kindHeaders({ answer }: Operation): Json[] {
  if (isJson(answer)) return [];
  if (answer.kind === 'events')
    return [header('Last-Event-ID', 'The id of the last event seen: the stream goes on after it.')];
  return [
    header('Range', 'One range of bytes; of several the first that can be served is.'),
    header('If-Range', 'An ETag or date: the range holds only while it is that of the bytes.'),
    header('If-None-Match', 'ETags: 304 while one of them is that of the bytes.'),
  ];
}

function parameters(operation: Operation, input: (schema: z.ZodType) => Json): Json[] {
  const places = [
    ['path', operation.params],
    ['query', operation.query],
    ['header', operation.headers],
  ] as const;
  const declared = places.flatMap(([place, schema]) =>
    Object.entries(schema?.shape ?? {}).map(([name, type]) => ({
      name,
      in: place,
      required: place === 'path' || !type.safeParse(undefined).success,
      schema: input(type),
      ...(type.description !== undefined && { description: type.description }),
    })),
  );
  return [...declared, ...kindHeaders(operation)];
}

/** Text fields and files of a multipart body as one object. */
function multipartSchema({ fields, files }: MultipartBody, input: (schema: z.ZodType) => Json): Json {
  const schema = input(fields);
  const described = Object.entries(files).map(([name, { maxBytes, maxCount }]) => {
    const file = { ...BYTES, description: `At most ${maxBytes} bytes.` };
    return [name, maxCount === undefined ? file : { type: 'array', items: file, maxItems: maxCount }];
  });
  const needed = Object.entries(files).flatMap(([name, { required }]) => (required === false ? [] : [name]));
  return {
    ...schema,
    properties: { ...(schema.properties as Json | undefined), ...Object.fromEntries(described) },
    required: [...((schema.required as string[] | undefined) ?? []), ...needed],
  };
}

/** The same schema for each of some content types. */
const contentOf = (types: readonly string[], schema: Json): Json =>
  Object.fromEntries(types.map((type) => [type, { schema }]));

function requestContent(body: Body, input: (schema: z.ZodType) => Json): Json {
  if (isJson(body)) return contentOf([JSON_TYPE], input(body));
  if (body.kind === 'multipart') return contentOf(['multipart/form-data'], multipartSchema(body, input));
  if (body.kind === 'form_or_json')
    return { ...requestContent(body.form, input), ...requestContent(body.json, input) };
  return contentOf(body.mediaTypes ?? [ANY_TYPE], {
    ...BYTES,
    description: `At most ${body.maxBytes} bytes.`,
  });
}

/** One event of a stream, as an object of its name, its id and its data. */
function eventsSchema({ events, heartbeatMs }: EventsAnswer, output: (schema: z.ZodType) => Json): Json {
  const described = Object.entries(events).map(([name, schema]) => ({
    type: 'object',
    properties: { event: { const: name }, id: { type: 'string' }, data: output(schema) },
    required: ['event', 'data'],
  }));
  const silence = `An event \`heartbeat\` without id comes each ${heartbeatMs / 1000} seconds without another.`;
  return { description: `A stream of these events. ${silence}`, oneOf: described };
}

const BYTES_STATUSES: Readonly<Record<number, string>> = {
  206: 'The range that was asked for',
  304: 'The bytes are those of the ETag or date',
  416: 'The range lies outside of the bytes',
};

/** What the successes of an operation answer, by status. */
function successes({ answer, answers }: Operation, output: (schema: z.ZodType) => Json): Json {
  const others = Object.entries(answers ?? {}).map(([status, schema]) => [
    status,
    {
      description: Number(status) < 300 ? 'Success' : 'Answer',
      content: contentOf([JSON_TYPE], output(schema)),
    },
  ]);
  return { ...whole(answer, output), ...Object.fromEntries(others) };
}

function whole(answer: z.ZodType | BytesAnswer | EventsAnswer, output: (schema: z.ZodType) => Json): Json {
  const description = 'Success';
  if (isJson(answer)) return { 200: { description, content: contentOf([JSON_TYPE], output(answer)) } };
  if (answer.kind === 'events')
    return { 200: { description, content: contentOf([EVENTS_TYPE], eventsSchema(answer, output)) } };
  const content = contentOf(answer.mediaTypes ?? [ANY_TYPE], BYTES);
  const others = Object.entries(BYTES_STATUSES).map(([status, text]) => [
    status,
    { description: text, ...(status === '206' && { content }) },
  ]);
  return { 200: { description, content }, ...Object.fromEntries(others) };
}

function responses(contract: Contract, operation: Operation, output: (schema: z.ZodType) => Json): Json {
  const statuses = new Map<number, string[]>();
  for (const { code, status, message } of failureRows(contract.errors)) {
    statuses.set(status, [...(statuses.get(status) ?? []), `${code}: ${message}`]);
  }
  const failures = [...statuses].map(([status, lines]) => [status, { description: lines.join('\n') }]);
  return { ...Object.fromEntries(failures), ...successes(operation, output) };
}

function describeOperation(contract: Contract, name: string, operation: Operation, make: SchemaMakers): Json {
  const { access } = operation;
  const roles = typeof access === 'object' ? ` Roles: ${access.roles.join(', ')}.` : '';
  return {
    operationId: name,
    summary: operation.summary,
    ...(roles !== '' && { description: roles.trim() }),
    ...(operation.group !== undefined && { tags: [operation.group] }),
    ...(operation.deprecated !== undefined && { deprecated: true }),
    ...(access !== 'public' && {
      security: [{ bearerAuth: [] }, ...(operation.keyScope === undefined ? [] : [{ apiKeyAuth: [] }])],
    }),
    parameters: parameters(operation, make.input),
    ...(operation.body !== undefined && {
      requestBody: {
        required: true,
        content: requestContent(operation.body, make.input),
      },
    }),
    responses: responses(contract, operation, make.output),
  };
}

interface SchemaMakers {
  input: (schema: z.ZodType) => Json;
  output: (schema: z.ZodType) => Json;
}

/** The OpenAPI 3.1 document of a contract; `prefix` is the path under which the gateway shows the service. */
export function openApi(contract: Contract, prefix?: string): Json {
  const schemas: Json = {};
  const make: SchemaMakers = { input: schemaMaker(schemas, 'input'), output: schemaMaker(schemas, 'output') };
  const paths: Record<string, Json> = {};
  for (const [name, operation] of Object.entries(contract.operations)) {
    const path = operation.path.replace('*}', '}');
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describeOperation(contract, name, operation, make),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: contract.title, version: contract.version, description: contract.description },
    ...(prefix !== undefined && { servers: [{ url: prefix, description: 'Through the gateway' }] }),
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearerAuth: { type: 'http', scheme: 'bearer' },
        apiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
}

/** The product's name, for the head of the documentation page. */
export const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="150" height="40"><text x="4" y="29" fill="#fff" ' +
  'font-family="system-ui,sans-serif" font-size="26" font-weight="700">Limpede</text></svg>';
