import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram, type TestProgram } from '../database/programs.ts';

/** An S3 server in a process of its own, which can be killed and started again on its port. */
export interface S3Server {
  readonly endpoint: string;
  /** The folder in which it keeps its objects. */
  readonly folder: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** The settings of a service that keeps its objects there. */
export const s3Settings = ({ endpoint }: S3Server) => ({
  S3_ENDPOINT: endpoint,
  S3_BUCKET: 'limpede',
  S3_ACCESS_KEY_ID: 'S3RVER',
  S3_SECRET_ACCESS_KEY: 'S3RVER',
});

/** Starts a server with an empty bucket. */
export async function startS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'limpede-s3-'));
  let program: TestProgram | undefined;
  const run = async (port: string) => {
    program = startProgram('programs/s3-server.ts', [folder, port]);
    const line = await program.printed((each) => each.startsWith('listens'));
    return line.split(' ')[1] ?? '';
  };
  const port = await run('0');
  return {
    endpoint: `http://127.0.0.1:${port}`,
    folder,
    kill: async () => program?.kill(),
    start: async () => void (await run(port)),
    remove: async () => {
      await program?.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
