import { randomUUID } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { AnalyzeRequest } from '../services/analysis/resources/analyze-request.ts';
import { type Api, callJson, PREFIX } from './api.ts';
import type { AnalysisInput } from './inputs.ts';

/** A multipart body with one file, which is read while it is sent. */
function formOf(path: string) {
  const boundary = `limpede-${randomUUID()}`;
  const name = encodeURIComponent(basename(path));
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const content = async function* () {
    yield head;
    yield* createReadStream(path);
    yield tail;
  };
  const length = head.length + statSync(path).size + tail.length;
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(length),
  };
  return { content, headers };
}

/** The request of an input; its picture, sound or video is uploaded first. */
export async function uploadedRequest(api: Api, { request, medium }: AnalysisInput): Promise<AnalyzeRequest> {
  if (medium === undefined) return request;
  const { content, headers } = formOf(medium);
  const answer = await callJson(api, 'POST', `${PREFIX}/api/v3/media/upload`, { content, headers });
  const { media_url } = (answer as { data: { media_url: string } }).data;
  return { ...request, media_url };
}
