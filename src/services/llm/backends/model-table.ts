import type { BackendName } from '../contract.ts';

/** The most specific entry of a table for a model of a backend: by `backend:model`, model, backend, or `*`. */
export function mostSpecific<Value>(
  table: Readonly<Record<string, Value>>,
  backend: BackendName,
  model: string,
): Value | undefined {
  const names = [`${backend}:${model}`, model, backend, '*'];
  const name = names.find((candidate) => Object.hasOwn(table, candidate));
  return name === undefined ? undefined : table[name];
}
