import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { defineContract } from '../../../src/foundation/contract.ts';
import { defineFailures, errorResponse } from '../../../src/foundation/errors.ts';
import {
  bytesAnswer,
  bytesBody,
  eventsAnswer,
  type FileSink,
  formOrJsonBody,
  multipartBody,
} from '../../../src/foundation/payloads.ts';
import type { Platform } from '../../../src/foundation/platform.ts';
import { answer } from '../../../src/foundation/service/reply.ts';
import { buildService, defineService } from '../../../src/foundation/service.ts';

const errors = defineFailures({
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not JSON.'],
  payload_too_large: [413, 'The body is too large.'],
  not_found: [404, 'Nothing is here.'],
  internal_error: [500, 'Something went wrong.'],
  shutting_down: [503, 'The service is stopping.'],
  token_missing: [401, 'A token is needed.'],
  forbidden_role: [403, 'Your role may not do this.'],
});

/** Bytes of the largest file that the sample takes. */
export const FILE_BYTES = 200_000;

/** A contract with each kind of body and answer. */
export const sample = defineContract({
  name: 'sample',
  title: 'Sample',
  version: '1.0.0',
  description: 'A service for the tests.',
  errors,
  operations: {
    upload: {
      method: 'POST',
      path: '/v1/upload',
      summary: 'Upload',
      access: 'public',
      query: z.object({ keep: z.stringbool().default(true) }),
      body: multipartBody({
        fields: z.object({
          title: z.string().min(2),
          seconds: z.coerce.number().min(1).max(60).default(10),
          tags: z.union([z.string().transform((tag) => [tag]), z.array(z.string())]).default([]),
        }),
        files: {
          file: { maxBytes: FILE_BYTES },
          cover: { maxBytes: 1000, required: false },
          pages: { maxBytes: 1000, required: false, maxCount: 2 },
        },
      }),
      answer: z.object({
        title: z.string(),
        seconds: z.number(),
        tags: z.array(z.string()),
        files: z.record(z.string(), z.unknown()),
      }),
    },
    refuse: {
      method: 'POST',
      path: '/v1/refuse',
      summary: 'Never reads its body',
      access: 'public',
      body: multipartBody({ fields: z.object({}), files: { file: { maxBytes: FILE_BYTES } } }),
      answer: z.object({}),
    },
    adminUpload: {
      method: 'POST',
      path: '/v1/admin/upload',
      summary: 'For a role',
      access: { roles: ['admin'] },
      body: multipartBody({ fields: z.object({}), files: { file: { maxBytes: FILE_BYTES } } }),
      answer: z.object({}),
    },
    either: {
      method: 'POST',
      path: '/v1/either',
      summary: 'A file, or where it is',
      access: 'public',
      body: formOrJsonBody({
        fields: z.object({ title: z.string().default('none') }),
        files: { file: { maxBytes: FILE_BYTES } },
        json: z.object({ place: z.string().min(2) }),
        jsonBytes: 1000,
      }),
      answer: z.object({ told: z.string() }),
    },
    digest: {
      method: 'POST',
      path: '/v1/digest',
      summary: 'Digest of bytes',
      access: 'public',
      body: bytesBody({ maxBytes: FILE_BYTES, mediaTypes: ['application/octet-stream', 'image/png'] }),
      answer: z.object({ sha256: z.string(), mediaType: z.string(), size: z.number().nullable() }),
    },
    file: {
      method: 'GET',
      path: '/v1/file/{name}',
      summary: 'Bytes',
      access: 'public',
      params: z.object({ name: z.string() }),
      answer: bytesAnswer(['text/plain']),
      answers: { 202: z.object({ later: z.boolean() }) },
    },
    events: {
      method: 'GET',
      path: '/v1/events/{id}',
      summary: 'Events',
      access: 'public',
      params: z.object({ id: z.string() }),
      answer: eventsAnswer(
        { 'count.up': z.object({ value: z.number() }), 'count.end': z.object({ sum: z.number() }) },
        400,
      ),
    },
  },
});

interface StoredFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly fileName: string | undefined;
  readonly mediaType: string;
}

/** Writes files into a folder. */
function folderSink(folder: string): FileSink<StoredFile> {
  return {
    store: async ({ content, fileName, mediaType }) => {
      const path = join(folder, randomUUID());
      const hash = createHash('sha256');
      let size = 0;
      content.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        size += chunk.length;
      });
      try {
        await pipeline(content, createWriteStream(path));
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
      return { path, size, sha256: hash.digest('hex'), fileName, mediaType };
    },
    discard: ({ path }) => rm(path),
  };
}

/** The text of the sample's file. */
export const TEXT = 'abcdefghijklmnopqrstuvwxyz'.repeat(10);
export const MODIFIED = new Date('2026-01-02T03:04:05Z');

/** What the handlers of a sample have seen. */
export interface Seen {
  lastEventIds: (string | undefined)[];
  pulled: number;
  ended: number;
  opened: number;
}

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

function createSampleService(folder: string, seen: Seen) {
  async function* count(id: string, from: number, signal: AbortSignal) {
    try {
      for (let value = from; value <= 3; value++) {
        seen.pulled++;
        yield { event: 'count.up', data: { value }, id: String(value) } as const;
      }
      if (id === 'broken') throw new Error('secret detail');
      if (id === 'silent') await wait(60_000, signal);
      for (let value = 4; id === 'endless' && !signal.aborted; value++) {
        seen.pulled++;
        yield { event: 'count.up', data: { value, filler: 'x'.repeat(10_000) }, id: String(value) } as const;
      }
      if (id === 'wrong') yield { event: 'count.up', data: { value: 'four' as unknown as number } } as const;
      yield { event: 'count.end', data: { sum: 6 }, id: 'end' } as const;
    } finally {
      seen.ended++;
    }
  }
  return defineService({
    contract: sample,
    settings: z.object({}),
    needs: async () => ({ disk: { probe: async () => {} } }),
    errorBody: (failure, call) => errorResponse(failure, call.correlationId),
    authenticate: () => async () => ({
      subject: 'ana',
      email: null,
      realm: 'clients',
      roles: [],
      planCap: null,
      application: null,
    }),
    routes: () => ({
      upload: async ({ body, query }) => {
        const { fields, files } = await body.receive(folderSink(folder));
        if (!query.keep) throw errors.not_found();
        return { ...fields, files: { ...files } };
      },
      refuse: () => {
        throw errors.not_found();
      },
      adminUpload: async () => ({}),
      either: async ({ body }) => {
        const received = await body.receive(folderSink(folder));
        return {
          told:
            'json' in received ? received.json.place : `${received.fields.title} ${received.files.file.size}`,
        };
      },
      digest: async ({ body }) => {
        const hash = createHash('sha256');
        for await (const chunk of body.content) hash.update(chunk as Buffer);
        return { sha256: hash.digest('hex'), mediaType: body.mediaType ?? '', size: body.size ?? null };
      },
      file: ({ params: { name } }) => {
        if (name === 'none') throw errors.not_found();
        if (name === 'later') return answer(202, { later: true });
        const mediaType = name.endsWith('.html') ? 'text/html' : 'text/plain';
        const open = (range: { start: number; end: number } | undefined) => {
          seen.opened++;
          return Readable.from([
            Buffer.from(TEXT).subarray(range?.start ?? 0, (range?.end ?? TEXT.length) + 1),
          ]);
        };
        if (name === 'unsized') return { mediaType, open };
        const bytes = { mediaType, size: TEXT.length, etag: 'v1', modified: MODIFIED, fileName: name, open };
        return name === 'shown' ? { ...bytes, disposition: 'inline' } : bytes;
      },
      events: ({ params: { id }, lastEventId }, { signal }) => {
        if (id === 'none') throw errors.not_found();
        seen.lastEventIds.push(lastEventId);
        return count(id, Number(lastEventId ?? 0) + 1, signal);
      },
    }),
  });
}

export const samplePlatform = (): Platform => ({
  home: '/nowhere',
  version: '0.0.0',
  publicUrl: 'http://127.0.0.1',
  log: pino({ level: 'silent' }),
  metrics: new Registry(),
  database: () => Promise.reject(new Error('no database in this test')),
});

/** A running sample with the folder that its files go to. */
export async function startSample() {
  const folder = await mkdtemp(join(tmpdir(), 'limpede-sample-'));
  const seen: Seen = { lastEventIds: [], pulled: 0, ended: 0, opened: 0 };
  const built = await buildService(createSampleService(folder, seen), {}, samplePlatform());
  await built.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = built.app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    stop: built.close,
    folder,
    files: async () => (await readdir(folder)).sort(),
    close: async () => {
      await built.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Resolves with what a server has sent on a socket when it closes it. */
export async function closedText(socket: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  socket.on('data', (data: Buffer) => {
    text += data.toString('latin1');
  });
  await once(socket, 'close');
  return text;
}
