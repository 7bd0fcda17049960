import { randomBytes } from 'node:crypto';
import type { Queries } from './tables.ts';

/** A secret of the installation, made when it is first asked for; all processes get the same. */
export async function getOrCreateSecret(queries: Queries, name: string): Promise<Buffer> {
  await queries
    .insertInto('analysis_secret')
    .values({ name, value: randomBytes(32).toString('hex') })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { value } = await queries
    .selectFrom('analysis_secret')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return Buffer.from(value, 'hex');
}
