/** One rule: a path with `*` for anything and `$` for the end. */
interface Rule {
  readonly allows: boolean;
  readonly pattern: string;
}

/** Rules that are read of one file; the largest in use have a few thousand. */
const MOST_RULES = 5_000;

/** One spelling of each path: what is no printable ASCII is percent-encoded, in capitals. */
function normalPath(path: string): string {
  const encoded = path.replace(/[^\x21-\x7e]+/g, (letters) => encodeURIComponent(letters.toWellFormed()));
  return encoded.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

/** Looks for the parts between the asterisks one after the other: no pattern can make it go back. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [first = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = isWhole ? parts.pop() : undefined;
  for (const part of parts) {
    const position = path.indexOf(part, at);
    if (position === -1) return false;
    at = position + part.length;
  }
  if (!isWhole) return true;
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last);
}

/** The rules of a file by product token in lower case; groups of one name are one (RFC 9309 section 2.2.1). */
function readGroups(source: string): Map<string, Rule[]> {
  const groups = new Map<string, Rule[]>();
  let names: string[] = [];
  let isNaming = false;
  let count = 0;
  for (const line of source.split(/\r\n|\r|\n/)) {
    const [, key = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line.slice(0, 10_000)) ?? [];
    const text = value.trim();
    if (/^user-?agent$/i.test(key)) {
      const name = /^\*|^[\w-]+/.exec(text)?.[0].toLowerCase() ?? '';
      names = isNaming ? [...names, name].slice(-100) : [name];
      for (const each of names) if (!groups.has(each)) groups.set(each, []);
      isNaming = true;
    } else if (/^(?:dis)?allow$/i.test(key)) {
      isNaming = false;
      const rule = { allows: /^allow$/i.test(key), pattern: normalPath(text) };
      // An empty rule matches nothing.
      if (text !== '' && count < MOST_RULES) for (const name of names) groups.get(name)?.push(rule);
      count++;
    }
  }
  return groups;
}

/** Reads a robots.txt for one product; the answer says whether a path with its query may be fetched. */
export function parseRobots(source: string, product: string): (path: string) => boolean {
  const groups = readGroups(source.replace(/^\ufeff/, ''));
  const rules = groups.get(product.toLowerCase()) ?? groups.get('*') ?? [];
  return (path) => {
    const normal = normalPath(path);
    if (normal === '/robots.txt') return true;
    // The longest rule that matches decides; of two equal ones, the one that allows.
    let decisive: Rule | undefined;
    for (const rule of rules) {
      const longer = rule.pattern.length - (decisive?.pattern.length ?? -1);
      if (longer < 0 || (longer === 0 && !rule.allows)) continue;
      if (matches(rule.pattern, normal)) decisive = rule;
    }
    return decisive?.allows ?? true;
  };
}
