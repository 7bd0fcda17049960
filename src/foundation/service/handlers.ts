import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { AnswerOf, CheckedInput, Operation, Operations } from '../contract.ts';
import type { Call } from './call.ts';
import type { Reply } from './reply.ts';

/** The answers with a status or headers that an operation declares. */
type ReplyOf<Op extends Operation> =
  | Reply<200, AnswerOf<Op>>
  | (Op extends { readonly answers: infer Others extends Readonly<Record<number, z.ZodType>> }
      ? { [Status in keyof Others & number]: Reply<Status, z.input<Others[Status]>> }[keyof Others & number]
      : never);

type CheckedHandler<Op extends Operation> = (
  input: CheckedInput<Op>,
  call: Call,
) => Promise<AnswerOf<Op> | ReplyOf<Op>> | AnswerOf<Op> | ReplyOf<Op>;
type RawHandler = (request: FastifyRequest, reply: FastifyReply, call: Call) => Promise<unknown>;

/** The handler of one operation. */
type Handler<Op extends Operation> = Op extends { readonly raw: true } ? RawHandler : CheckedHandler<Op>;

/** The handlers of a contract's operations, or of a part of them: one for each that the foundation does not answer itself. */
export type Handlers<Part extends Operations> = {
  [Name in keyof Part as Part[Name] extends { readonly standard: true } ? never : Name]: Handler<Part[Name]>;
};
