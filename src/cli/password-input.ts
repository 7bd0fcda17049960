import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UserError } from './user-error.ts';

/** More than the longest password in bytes; what is longer is no password. */
const MOST_BYTES = 4096;

/** Where passwords are read from, and where prompts are written. */
export interface PasswordTerminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly prompts: Pick<NodeJS.WritableStream, 'write'>;
}

/** Reads lines of a terminal without echo. */
async function askTwice({ input, prompts }: PasswordTerminal): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  const left = new AbortController();
  lines.once('SIGINT', () => left.abort());
  lines.once('close', () => left.abort());
  const ask = async (prompt: string) => {
    prompts.write(prompt);
    try {
      return await lines.question('', { signal: left.signal });
    } catch (error) {
      throw left.signal.aborted ? new UserError('no password was given') : error;
    } finally {
      prompts.write('\n');
    }
  };
  try {
    const password = await ask('New password: ');
    if ((await ask('The same again: ')) === password) return password;
    throw new UserError('the two passwords differ');
  } finally {
    lines.close();
  }
}

/** Reads all of a pipe or a file, which is one line. */
async function readLine(input: NodeJS.ReadableStream): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of input) {
    const chunk = Buffer.from(part);
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new UserError('what came on standard input is too long for a password');
    parts.push(chunk);
  }
  const line = Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (line === '') throw new UserError('no password came on standard input');
  if (/[\r\n]/.test(line)) throw new UserError('standard input must hold the password and nothing else');
  return line;
}

/** A new password: typed twice without echo at a terminal, else all of the standard input. */
export function readNewPassword(terminal: PasswordTerminal): Promise<string> {
  return terminal.input.isTTY === true ? askTwice(terminal) : readLine(terminal.input);
}
