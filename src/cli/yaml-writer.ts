/** What can be written. */
type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

const isMap = (value: Value): value is { readonly [key: string]: Value } =>
  typeof value === 'object' && !Array.isArray(value);
const scalar = (value: string | number | boolean) =>
  // A string in quotes is itself, whatever it looks like.
  typeof value === 'string' ? JSON.stringify(value) : String(value);

function valueLines(value: Value, indent: string): { inline: string } | { lines: string[] } {
  if (Array.isArray(value)) {
    const list = value as readonly Value[];
    if (list.every((item) => typeof item !== 'object'))
      return { inline: `[${list.map((item) => scalar(item as string)).join(', ')}]` };
    return { lines: list.flatMap((item) => [`${indent}-`, ...mapLines(item, `${indent}  `)]) };
  }
  if (!isMap(value)) return { inline: scalar(value as string) };
  return Object.keys(value).length === 0 ? { inline: '{}' } : { lines: mapLines(value, indent) };
}

function mapLines(value: Value, indent: string): string[] {
  if (!isMap(value)) return [`${indent}${scalar(value as string)}`];
  return Object.entries(value).flatMap(([key, part]) => {
    const written = valueLines(part, `${indent}  `);
    return 'inline' in written
      ? [`${indent}${key}: ${written.inline}`]
      : [`${indent}${key}:`, ...written.lines];
  });
}

/** Lines of YAML for plain data: maps in blocks, lists of plain values in brackets, texts in quotes. */
export function yamlOf(data: { readonly [key: string]: Value }): string[] {
  return mapLines(data, '');
}
