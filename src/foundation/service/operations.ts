import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { KEY_OWNER_HEADER } from '../api-keys.ts';
import { type Authenticate, type Caller, STAFF_REALM } from '../auth.ts';
import { type CheckedInput, type Contract, type Operation, routePath } from '../contract.ts';
import type { Detail } from '../errors.ts';
import { isJson, type OutgoingBytes } from '../payloads.ts';
import { check, parseJsonBody } from '../validation.ts';
import type { RequestWithCall } from './call.ts';
import { lastEventIdOf, type OpenStreams, sendEvents } from './event-stream.ts';
import { incomingFormOrJson } from './form-or-json.ts';
import { hasBody, jsonBodyProblem } from './host-policy.ts';
import { incomingBytes } from './incoming-bytes.ts';
import { incomingMultipart } from './multipart.ts';
import { sendBytes } from './outgoing-bytes.ts';
import { Reply } from './reply.ts';

/** What the operations of a service have in common. */
export interface OperationContext {
  readonly contract: Contract;
  /** By operation name; the types of each were checked where the service was defined. */
  readonly handlers: Readonly<Record<string, (...parts: never[]) => unknown>>;
  readonly authenticate: Authenticate | undefined;
  /** The path under which the gateway shows the service; empty when it does not. */
  readonly publicPrefix: string;
  readonly streams: OpenStreams;
}

function checkRoles(operation: Operation, caller: Caller | undefined, contract: Contract): void {
  if (typeof operation.access !== 'object') return;
  const { roles } = operation.access;
  if (caller?.realm === STAFF_REALM && roles.some((role) => caller.roles.includes(role))) return;
  const refuse = contract.errors.forbidden_role ?? contract.errors.internal_error;
  throw refuse();
}

/** An API key opens the operations of its scopes and nothing else, whatever its owner may do. */
function checkKeyScope({ keyScope }: Operation, { keyScopes }: Caller, contract: Contract): void {
  if (keyScopes === undefined || (keyScope !== undefined && keyScopes.includes(keyScope))) return;
  const refuse = contract.errors.forbidden_role ?? contract.errors.internal_error;
  throw refuse({ message: 'An API key may not do this; send a bearer token.' });
}

function deprecationHeaders({ deprecated }: Operation, publicPrefix: string): Record<string, string> {
  if (deprecated === undefined) return {};
  return {
    Deprecation: `@${Math.floor(Date.parse(deprecated.since) / 1000)}`,
    Sunset: new Date(deprecated.sunset).toUTCString(),
    Link: `<${publicPrefix}${deprecated.successor}>; rel="successor-version"`,
  };
}

/** Path parameters by their names in the contract. */
function paramsOf(operation: Operation, request: FastifyRequest): Record<string, unknown> {
  const params = request.params as Record<string, string>;
  const rest = /\{(\w+)\*\}/.exec(operation.path)?.[1];
  return rest === undefined ? params : { ...params, [rest]: params['*'] };
}

/** Throws the service's own validation error for a body that is not called JSON. */
function refuseOtherTypes({ headers }: FastifyRequest, errors: Contract['errors']): void {
  const message = jsonBodyProblem(headers);
  if (message === undefined) return;
  const path = ['headers', 'content-type'];
  throw errors.validation_failed({ message, details: [{ path, type: 'value_error', message }] });
}

/** The body as its kind has it: JSON is checked now, a streamed one when the handler reads it. */
function bodyOf(
  { body }: Operation,
  request: FastifyRequest,
  { errors }: Contract,
  problems: Detail[],
): unknown {
  if (body === undefined) return undefined;
  if (isJson(body)) {
    const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
    if (bytes.length > 0) refuseOtherTypes(request, errors);
    return check(body, parseJsonBody(bytes, errors), 'body', problems);
  }
  if (body.kind === 'multipart')
    return incomingMultipart({ request: request.raw, declaration: body, errors });
  if (body.kind === 'form_or_json') return incomingFormOrJson(request.raw, body, errors);
  return incomingBytes(request.raw, body, errors);
}

/** The parsed parts of a request, or a failure that lists all that is wrong. */
function checkInput(
  operation: Operation,
  request: FastifyRequest,
  contract: Contract,
): CheckedInput<Operation> {
  const problems: Detail[] = [];
  const input = {
    params: check(operation.params, paramsOf(operation, request), 'path', problems),
    query: check(operation.query, request.query, 'query', problems),
    headers: check(operation.headers, request.headers, 'headers', problems),
    body: bodyOf(operation, request, contract, problems),
    lastEventId: lastEventIdOf(request.headers['last-event-id']),
  };
  if (problems.length > 0) throw contract.errors.validation_failed({ details: problems });
  return input as CheckedInput<Operation>;
}

/** Sends what a handler returned. */
function send(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  result: unknown,
): FastifyReply | Promise<FastifyReply> {
  if (result instanceof Reply && (result.status !== 200 || isJson(operation.answer)))
    return reply.code(result.status).headers(result.headers).send(result.body);
  if (isJson(operation.answer)) return reply.send(result);
  if (!(result instanceof Reply)) return sendBytes(request, reply, result as OutgoingBytes);
  return sendBytes(request, reply.headers(result.headers), result.body as OutgoingBytes);
}

async function answerOperation(
  operation: Operation,
  handler: (...parts: unknown[]) => unknown,
  { contract, streams }: OperationContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { call } = request as unknown as RequestWithCall;
  if (operation.raw === true) {
    const { body } = operation;
    if (body !== undefined && isJson(body) && hasBody(request.raw))
      refuseOtherTypes(request, contract.errors);
    return handler(request, reply, call);
  }
  const input = checkInput(operation, request, contract);
  checkRoles(operation, call.caller, contract);
  const { answer } = operation;
  if (isJson(answer) || answer.kind === 'bytes')
    return send(operation, request, reply, await handler(input, call));
  return sendEvents(reply, call, answer, streams, async (streamCall) => handler(input, streamCall));
}

function addOperation(
  app: FastifyInstance,
  name: string,
  operation: Operation,
  context: OperationContext,
): void {
  const { authenticate, publicPrefix } = context;
  const headers = deprecationHeaders(operation, publicPrefix);
  const handler = context.handlers[name] as unknown as (...parts: unknown[]) => unknown;
  const answersJson = isJson(operation.answer);
  const answersBytes = !answersJson && operation.answer.kind === 'bytes';
  app.route({
    // The framework answers HEAD by running GET and dropping what it sends: bytes are not even opened for it.
    method: answersBytes && operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
    exposeHeadRoute: answersJson,
    url: routePath(operation.path),
    ...(operation.bodyLimit !== undefined && { bodyLimit: operation.bodyLimit }),
    config: { operation: name },
    onRequest: async (request, reply) => {
      reply.headers(headers);
      if (operation.access === 'public' || authenticate === undefined) return;
      const caller = await authenticate(request.headers);
      if (caller.keyScopes !== undefined)
        reply.header(KEY_OWNER_HEADER, encodeURIComponent(`${caller.realm}/${caller.subject}`));
      checkKeyScope(operation, caller, context.contract);
      (request as unknown as RequestWithCall).call.caller = caller;
    },
    handler: (request, reply) => answerOperation(operation, handler, context, request, reply),
  });
}

/** Bodies arrive as bytes; each operation decides what they are. */
function takeWholeBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** Bodies are left on the wire, for handlers that read them as they arrive. */
export function disableBodyParsing(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
}

/** Adds every operation of a contract. */
export async function addOperations(app: FastifyInstance, context: OperationContext): Promise<void> {
  const operations = Object.entries(context.contract.operations);
  const isStreamed = ({ body }: Operation) => body !== undefined && !isJson(body);
  takeWholeBodies(app);
  for (const [name, operation] of operations)
    if (!isStreamed(operation)) addOperation(app, name, operation, context);
  await app.register(async (scope) => {
    disableBodyParsing(scope);
    for (const [name, operation] of operations)
      if (isStreamed(operation)) addOperation(scope, name, operation, context);
  });
}
