import { z } from 'zod';
import type { FailureMaker, FoundationFailures } from './errors.ts';
import type {
  Answer,
  Body,
  BytesAnswer,
  BytesBody,
  EventsAnswer,
  FormOrJsonBody,
  IncomingBytes,
  IncomingFormOrJson,
  IncomingMultipart,
  MultipartBody,
  OutgoingBytes,
  OutgoingEvent,
} from './payloads.ts';
import { type HealthForm, reportForm, standardOperations } from './standard-operations.ts';

/** Who may call: everybody, a known caller, or staff with one of these roles. */
export type Access = 'public' | 'bearer' | { readonly roles: readonly string[] };

/** One operation of a service. Path parameters stand in braces; `{rest*}` spans path segments. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly group?: string;
  readonly access: Access;
  /** The scope that lets an API key call it; without one no key may. */
  readonly keyScope?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** JSON by its schema, or a kind of `payloads.ts`. */
  readonly body?: Body;
  /** What a 200 answers: JSON by its schema, or a kind of `payloads.ts`. */
  readonly answer: Answer;
  /** JSON bodies of other statuses. */
  readonly answers?: Readonly<Record<number, z.ZodType>>;
  /** The route handles bytes and streams itself: the body arrives as a Buffer and nothing is checked before. */
  readonly raw?: true;
  /** Largest JSON body in bytes, when it differs from the service's. */
  readonly bodyLimit?: number;
  /** `successor` is a path of the same service. */
  readonly deprecated?: { readonly successor: string; readonly since: string; readonly sunset: string };
  /** Declared and answered by the foundation, the same for every service. */
  readonly standard?: true;
}

/** Operations by name: a whole contract's, or a part of them. */
export type Operations = Readonly<Record<string, Operation>>;

/** Everything that callers of a service may rely on. */
export interface Contract {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly errors: FoundationFailures & Readonly<Record<string, FailureMaker>>;
  readonly operations: Operations;
  /** How /health answers; `reportForm` unless said otherwise. */
  readonly health?: HealthForm;
  /** One model in /v1/info; a name unless said otherwise. */
  readonly models?: z.ZodType;
}

type ReportBody = (typeof reportForm)['body'];
type Standard<Model extends z.ZodType, Body extends z.ZodType> = ReturnType<
  typeof standardOperations<Model, Body>
>;
type WithHealth<C extends Contract, Body extends z.ZodType> = C extends {
  readonly models: infer Model extends z.ZodType;
}
  ? Standard<Model, Body>
  : Standard<z.ZodString, Body>;
type StandardOperations<C extends Contract> = C extends {
  readonly health: HealthForm<infer Body extends z.ZodType>;
}
  ? WithHealth<C, Body>
  : WithHealth<C, ReportBody>;

/** A contract with the operations that every service has. */
type Completed<C extends Contract> = C & { readonly operations: C['operations'] & StandardOperations<C> };

/** A model as /v1/info shows it. */
export type ModelOf<C extends Contract> = C extends { readonly models: infer Model extends z.ZodType }
  ? z.input<Model>
  : string;

type Part<Op, Key extends string> = Op extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? Schema
  : never;
type Parsed<Op, Key extends string> = [Part<Op, Key>] extends [never] ? undefined : z.output<Part<Op, Key>>;

type ParsedBody<Op> = Op extends { readonly body: infer Declared }
  ? Declared extends MultipartBody
    ? IncomingMultipart<Declared['fields'], Declared['files']>
    : Declared extends FormOrJsonBody
      ? IncomingFormOrJson<Declared['form']['fields'], Declared['form']['files'], Declared['json']>
      : Declared extends BytesBody
        ? IncomingBytes
        : Parsed<Op, 'body'>
  : undefined;

/** The checked request that a handler gets. */
export interface CheckedInput<Op> {
  params: Parsed<Op, 'params'>;
  query: Parsed<Op, 'query'>;
  headers: Parsed<Op, 'headers'>;
  body: ParsedBody<Op>;
  /** The id of the last event that a reader of events has seen; undefined for a reader that begins. */
  lastEventId: Op extends { readonly answer: EventsAnswer } ? string | undefined : undefined;
}

/** The checked request of an operation, by contract and operation name. */
export type Input<C extends Contract, Name extends keyof C['operations']> = CheckedInput<
  C['operations'][Name]
>;

/** What a handler may answer with a 200. */
export type AnswerOf<Op extends Operation> = Op['answer'] extends EventsAnswer
  ? AsyncIterable<OutgoingEvent<Op['answer']['events']>>
  : Op['answer'] extends BytesAnswer
    ? OutgoingBytes
    : z.input<Extract<Op['answer'], z.ZodType>>;

/** Declares a part of a contract's operations; their literal types drive handlers and clients. */
export function defineOperations<const Part extends Operations>(operations: Part): Part {
  return operations;
}

/**
 * Declares a contract and completes it with /v1/info, /health and /ready; the literal types of its operations drive handlers and
 * clients.
 */
export function defineContract<const C extends Contract>(contract: C): Completed<C> {
  const standard = standardOperations(contract.models ?? z.string(), contract.health ?? reportForm);
  const taken = Object.keys(standard).filter((name) => Object.hasOwn(contract.operations, name));
  if (taken.length > 0)
    throw new Error(`${contract.name} declares ${taken.join(', ')}, which every contract has already`);
  return { ...contract, operations: { ...contract.operations, ...standard } } as Completed<C>;
}

/** The path with its parameters filled in; values are percent-encoded, those of `{rest*}` segment by segment. */
export function fillPath(path: string, params: Readonly<Record<string, unknown>> = {}): string {
  return path.replace(/\{(\w+)(\*?)\}/g, (_, name: string, rest: string) => {
    const value = String(params[name] ?? '');
    return rest === '' ? encodeURIComponent(value) : value.split('/').map(encodeURIComponent).join('/');
  });
}

/** The path in the notation of the web framework's router: `{id}` becomes `:id`, `{rest*}` becomes `*`. */
export function routePath(path: string): string {
  return path.replace(/\{\w+\*\}/g, '*').replace(/\{(\w+)\}/g, ':$1');
}
