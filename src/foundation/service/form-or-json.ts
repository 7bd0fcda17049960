import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { Detail, FoundationFailures } from '../errors.ts';
import { mediaType } from '../media-type.ts';
import type { FileSink, FormOrJsonBody, IncomingFormOrJson, MultipartBody } from '../payloads.ts';
import { check, parseJsonBody } from '../validation.ts';
import { jsonBodyProblem } from './host-policy.ts';
import { incomingMultipart } from './multipart.ts';
import { bodyFailures, checkDeclaredLength, meteredBody, PAUSE_MS } from './request-body.ts';

/** The JSON of a request, checked; read to its end before anything is made of it. */
async function readJson(
  request: IncomingMessage,
  { json, jsonBytes }: FormOrJsonBody,
  errors: FoundationFailures,
): Promise<unknown> {
  checkDeclaredLength(request, jsonBytes, errors);
  const limits = { bytes: jsonBytes, pauseMs: PAUSE_MS };
  const chunks: Buffer[] = [];
  for await (const chunk of meteredBody(request, limits, bodyFailures(errors))) chunks.push(chunk as Buffer);
  const problems: Detail[] = [];
  const value = check(json, parseJsonBody(Buffer.concat(chunks), errors), 'body', problems);
  if (problems.length > 0) throw errors.validation_failed({ details: problems });
  return value;
}

/** A body that its content type calls a form or JSON; anything else is refused in the words of a form. */
export function incomingFormOrJson(
  request: IncomingMessage,
  declaration: FormOrJsonBody,
  errors: FoundationFailures,
): IncomingFormOrJson<z.ZodObject, MultipartBody['files'], z.ZodType> {
  const isJson =
    mediaType(request.headers['content-type']) !== 'multipart/form-data' &&
    jsonBodyProblem(request.headers) === undefined;
  const form = incomingMultipart({ request, declaration: declaration.form, errors });
  return {
    receive: async <Stored>(sink: FileSink<Stored>, limits = {}) =>
      isJson ? { json: await readJson(request, declaration, errors) } : form.receive(sink, limits),
  };
}
