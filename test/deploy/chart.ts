import { stringify } from 'yaml';

/** Values that templates see. */
type Scope = Readonly<Record<string, unknown>>;

const NODE = /\{\{(-?)\s*(.*?)\s*(-?)\}\}/gs;

interface Token {
  readonly text?: string;
  readonly code?: string;
}

/** Text and code in turns; a dash eats the white space beside it. */
function tokensOf(template: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let trim = false;
  for (const match of template.matchAll(NODE)) {
    const text = template.slice(at, match.index);
    const left = trim ? text.trimStart() : text;
    tokens.push({ text: match[1] === '-' ? left.trimEnd() : left }, { code: match[2] ?? '' });
    at = match.index + match[0].length;
    trim = match[3] === '-';
  }
  tokens.push({ text: template.slice(at) });
  return tokens;
}

function lookUp(path: string, scope: Scope): unknown {
  const [root = '', ...rest] = path.replace(/^\$\./, '.').split('.');
  let value: unknown = root === '' ? scope['.'] : scope[root];
  for (const key of rest) value = (value as Scope | undefined)?.[key];
  if (value === undefined) throw new Error(`the chart has no value ${path}`);
  return value;
}

/** One of the few functions that the chart uses; another is an error of the test, not a silent nothing. */
function evaluate(code: string, scope: Scope): string {
  const [first = '', ...filters] = code.split('|').map((part) => part.trim());
  const [name, argument] = first.split(/\s+/);
  let value: unknown;
  if (argument === undefined) value = lookUp(first, scope);
  else if (name === 'toYaml') value = stringify(lookUp(argument, scope)).trimEnd();
  else if (name === 'toJson') value = JSON.stringify(lookUp(argument, scope));
  else throw new Error(`unknown function ${code}`);
  for (const filter of filters) {
    const indent = /^nindent (\d+)$/.exec(filter);
    if (filter === 'quote') value = JSON.stringify(String(value));
    else if (indent) value = `\n${String(value).replace(/^/gm, ' '.repeat(Number(indent[1])))}`;
    else throw new Error(`unknown filter ${filter}`);
  }
  return String(value);
}

/** Renders the constructs that the chart uses: values, `range` over maps and lists, `quote`, `toYaml`, `toJson`, `nindent`. */
export function render(template: string, values: Scope): string {
  const tokens = tokensOf(template);
  let at = 0;
  const block = (scope: Scope, live: boolean): string => {
    let out = '';
    for (; at < tokens.length; at += 1) {
      const { text, code } = tokens[at] ?? {};
      if (text !== undefined) out += live ? text : '';
      else if (code === 'end') return out;
      else if (code?.startsWith('range')) out += loop(code, scope, live);
      else if (live && code !== undefined) out += evaluate(code, scope);
    }
    return out;
  };
  const loop = (code: string, scope: Scope, live: boolean): string => {
    const parts = /^range (\$\w+)(?:, (\$\w+))? := (\S+)$/.exec(code);
    if (parts === null) throw new Error(`unknown range ${code}`);
    const [, one = '', two, path = ''] = parts;
    const start = at + 1;
    const rows = live ? Object.entries(lookUp(path, scope) as object) : [];
    let out = '';
    for (const [key, value] of rows) {
      at = start;
      const bound = two === undefined ? { [one]: value } : { [one]: key, [two]: value };
      out += block({ ...scope, ...bound }, true);
    }
    if (rows.length === 0) {
      at = start;
      block(scope, false);
    }
    return out;
  };
  return block({ '.': { Values: values } }, true);
}
