import { z } from 'zod';
import type { Contract, Operation } from './contract.ts';
import { failureRows } from './errors.ts';

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

function parameters(operation: Operation, input: (schema: z.ZodType) => Json): Json[] {
  const places = [
    ['path', operation.params],
    ['query', operation.query],
    ['header', operation.headers],
  ] as const;
  return places.flatMap(([place, schema]) =>
    Object.entries(schema?.shape ?? {}).map(([name, type]) => ({
      name,
      in: place,
      required: place === 'path' || !type.safeParse(undefined).success,
      schema: input(type),
      ...(type.description !== undefined && { description: type.description }),
    })),
  );
}

function responses(contract: Contract, operation: Operation, output: (schema: z.ZodType) => Json): Json {
  const bodies: [number, z.ZodType][] = [
    [200, operation.answer],
    ...Object.entries(operation.answers ?? {}).map(([status, schema]): [number, z.ZodType] => [
      Number(status),
      schema,
    ]),
  ];
  const successes = bodies.map(([status, schema]) => [
    status,
    {
      description: status < 300 ? 'Success' : 'Answer',
      content: { 'application/json': { schema: output(schema) } },
    },
  ]);
  const statuses = new Map<number, string[]>();
  for (const { code, status, message } of failureRows(contract.errors)) {
    statuses.set(status, [...(statuses.get(status) ?? []), `${code}: ${message}`]);
  }
  const failures = [...statuses].map(([status, lines]) => [status, { description: lines.join('\n') }]);
  return { ...Object.fromEntries(failures), ...Object.fromEntries(successes) };
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
    ...(access !== 'public' && { security: [{ bearerAuth: [] }, { apiKeyAuth: [] }] }),
    parameters: parameters(operation, make.input),
    ...(operation.body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: make.input(operation.body) } },
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
