import { types as builtin } from 'pg';

/**
 * How columns are read, the same on both engines: int8 as a number (a value that a number cannot hold exactly is an
 * error, never rounded), numeric as a string (exact), json and jsonb parsed, timestamptz as a Date, date as the text
 * YYYY-MM-DD (a Date would shift it by the time zone of the process).
 */
export const columnTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    if (oid === builtin.builtins.INT8) return exactInteger;
    if (oid === builtin.builtins.DATE) return String;
    return format === 'binary' ? builtin.getTypeParser(oid, 'binary') : builtin.getTypeParser(oid, 'text');
  },
};

function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`The integer ${text} is too large to be read exactly; select it as text`);
  }
  return value;
}
