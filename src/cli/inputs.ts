import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { SNIFFED_BYTES, typeOfBytes } from '../foundation/media-type.ts';
import type { AnalyzeRequest } from '../services/analysis/resources/analyze-request.ts';
import { UserError } from './user-error.ts';

/** One thing to analyse. */
export interface AnalysisInput {
  /** How the user knows it: a file name, an address, or the beginning of a text. */
  readonly name: string;
  readonly request: AnalyzeRequest;
  /** The picture, sound or video that is sent first; until then its hash stands in the request. */
  readonly medium?: string;
}

/** Longest name of an input that is a text, in code points. */
const LONGEST_NAME = 60;

const webAddress = /^https?:\/\/\S+$/i;
/** One word that looks like a path or a file name: it is refused, not analysed as a text. */
const pathLike = /^(?:(?:\.{0,2}|~)\/\S+|\S{1,250}\.[a-z0-9]{2,5})$/iu;

/** Whether there is such a file; a text too long for a path, or with a NUL, makes the system throw and is none. */
function isFile(input: string): boolean {
  try {
    return statSync(input).isFile();
  } catch {
    return false;
  }
}

function textOfFile(bytes: Uint8Array, name: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Not UTF-8: refused below.
  }
  throw new UserError(`${name}: only pictures, sounds, videos and text files in UTF-8 can be analysed`);
}

/** The addresses of a list: one a line, empty lines and lines after # left out; undefined when the text is no such list. */
function addressesIn(text: string): string[] | undefined {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.length > 0 && lines.every((line) => webAddress.test(line)) ? lines : undefined;
}

const ofAddress = (url: string): AnalysisInput => ({ name: url, request: { media_type: 'url', url } });

function ofText(text: string): AnalysisInput {
  const points = [...text.replace(/\s+/g, ' ').trim()];
  const name = points.length <= LONGEST_NAME ? points.join('') : `${points.slice(0, LONGEST_NAME).join('')}…`;
  return { name, request: { media_type: 'text', text } };
}

/** A picture, a sound or a video by its bytes; undefined for any other file. */
async function ofMedium(path: string, bytes: Buffer): Promise<AnalysisInput | undefined> {
  const [kind] = (await typeOfBytes(bytes.subarray(0, SNIFFED_BYTES))).split('/');
  if (kind !== 'image' && kind !== 'audio' && kind !== 'video') return undefined;
  const media_url = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return { name: basename(path), request: { media_type: kind, media_url }, medium: path };
}

/** The inputs of an argument: an address, a text, a picture, sound or video, a text file, or a file with one address per line. */
export async function parseInputs(argument: string): Promise<AnalysisInput[]> {
  if (/^https?:\/\//i.test(argument)) return [ofAddress(argument)];
  if (isFile(argument)) {
    const bytes = readFileSync(argument);
    const medium = await ofMedium(argument, bytes);
    if (medium !== undefined) return [medium];
    const text = textOfFile(bytes, argument);
    const addresses = addressesIn(text);
    return addresses === undefined
      ? [{ ...ofText(text), name: basename(argument) }]
      : addresses.map(ofAddress);
  }
  if (pathLike.test(argument))
    throw new UserError(`${argument}: there is no such file; an address begins with http://`);
  return [ofText(argument)];
}
