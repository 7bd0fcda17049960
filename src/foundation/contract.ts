import type { z } from 'zod';
import type { FailureMaker, FoundationFailures } from './errors.ts';

/** Who may call: everybody, a known caller, or a known caller with one of these roles. */
export type Access = 'public' | 'bearer' | { readonly roles: readonly string[] };

/** One operation of a service. Path parameters stand in braces; `{rest*}` spans path segments. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly group?: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body of a 200. */
  readonly answer: z.ZodType;
  /** Bodies of other successful statuses. */
  readonly answers?: Readonly<Record<number, z.ZodType>>;
  /** The route handles bytes and streams itself: the body arrives as a Buffer and nothing is checked before. */
  readonly raw?: true;
  /** Largest body in bytes, when it differs from the service's. */
  readonly bodyLimit?: number;
  readonly deprecated?: { readonly successor: string; readonly since: string; readonly sunset: string };
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
}

type Part<Op, Key extends string> = Op extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? Schema
  : never;
type Parsed<Op, Key extends string> = [Part<Op, Key>] extends [never] ? undefined : z.output<Part<Op, Key>>;
type Sent<Op, Key extends string> = [Part<Op, Key>] extends [never]
  ? unknown
  : { [K in Key]: z.input<Part<Op, Key>> };

/** The checked request that a handler gets. */
export interface CheckedInput<Op> {
  params: Parsed<Op, 'params'>;
  query: Parsed<Op, 'query'>;
  headers: Parsed<Op, 'headers'>;
  body: Parsed<Op, 'body'>;
}

/** The checked request of an operation, by contract and operation name. */
export type Input<C extends Contract, Name extends keyof C['operations']> = CheckedInput<
  C['operations'][Name]
>;

/** What a caller sends: only the parts that the operation declares. */
export type Request<C extends Contract, Name extends keyof C['operations']> = Sent<
  C['operations'][Name],
  'params'
> &
  Sent<C['operations'][Name], 'query'> &
  Sent<C['operations'][Name], 'headers'> &
  Sent<C['operations'][Name], 'body'>;

/** The body of a 200, as a handler may give it. */
export type Given<Op extends Operation> = z.input<Op['answer']>;

/** Declares a part of a contract's operations; their literal types drive handlers and clients. */
export function defineOperations<const Part extends Operations>(operations: Part): Part {
  return operations;
}

/** Declares a contract; the literal types of its operations drive handlers and clients. */
export function defineContract<const C extends Contract>(contract: C): C {
  return contract;
}

/** The path with its parameters filled in; values are percent-encoded, those of `{rest*}` segment by segment. */
export function fillPath(path: string, params: Readonly<Record<string, unknown>> = {}): string {
  return path.replace(/\{(\w+)(\*?)\}/g, (_, name: string, rest: string) => {
    const value = String(params[name] ?? '');
    return rest === '' ? encodeURIComponent(value) : value.split('/').map(encodeURIComponent).join('/');
  });
}
