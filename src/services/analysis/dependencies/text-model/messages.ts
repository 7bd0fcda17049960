import { randomBytes } from 'node:crypto';
import controlTokens from '../../../../../data/prompts/control-tokens.json' with { type: 'json' };
import rules from '../../../../../data/prompts/material.json' with { type: 'json' };
import { storableText } from '../../../../foundation/database/storable.ts';

/** A prompt of data/prompts: its lines may hold {names} that the task fills in. */
export interface Prompt {
  readonly key: string;
  readonly version: string;
  /** Bound of the answer. */
  readonly max_tokens: number;
  readonly system: readonly string[];
}

/** One message of a chat. */
export type Message = {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
};

/** What a conversation is made from: our words, and the words of strangers. */
export interface Briefing {
  readonly prompt: Prompt;
  /** Our own words for the names in braces. */
  readonly fields: Readonly<Record<string, string>>;
  /** A remark of our own on the material, or empty. */
  readonly note: string;
  /** Words of strangers. */
  readonly material: string;
}

/** Enough that it cannot be guessed: the material cannot close its own frame. */
const BOUNDARY_BYTES = 12;
/** How much of a failed answer is shown to the model again, in characters. */
const SHOWN_AGAIN = 2_000;
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/**
 * Where what a model or its server reads as a control token begins. Most families write `<`, a bar, a slash or a letter; a
 * full-width `<` becomes a plain one in tokenizers that normalise. The others are taken one by one from the list.
 */
function openingOfControl(): RegExp {
  const tokens = controlTokens.families.flatMap((family) => family.tokens);
  const others = [...new Set(tokens.filter((token) => !token.startsWith('<')))].map((token) => {
    const [first = '', ...rest] = token;
    return `${escaped(first)}(?=${escaped(rest.join(''))})`;
  });
  return new RegExp(['[<\uff1c](?=[|\uff5c/_\\p{L}])', ...others].join('|'), 'giu');
}
const control = openingOfControl();

function filled(lines: readonly string[], fields: Readonly<Record<string, string>>): string {
  return lines.join('\n').replace(/\{([a-z_]+)\}/g, (whole, name: string) => fields[name] ?? whole);
}

/** Material as a model may see it: storable characters, and a space inside what could pass for a control token. */
export function sanitizeMaterial(material: string): string {
  return storableText(material).replace(control, (opening) => `${opening} `);
}

/** The first messages: our rules and task for the system, the framed material for the user. */
export function openingMessages({ prompt, fields, note, material }: Briefing): Message[] {
  const boundary = randomBytes(BOUNDARY_BYTES).toString('hex');
  const system = `${filled(prompt.system, fields)}\n\n${filled(rules.system, { boundary })}`;
  const framed = `BEGIN ${boundary}\n${sanitizeMaterial(material)}\nEND ${boundary}`;
  const user = [note, framed, rules.reminder].filter((part) => part !== '').join('\n\n');
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
}

/** The same conversation with the answer that could not be used, and what was wrong with it. */
export function repairMessages(messages: readonly Message[], answer: string, problem: string): Message[] {
  return [
    ...messages,
    { role: 'assistant', content: answer.slice(0, SHOWN_AGAIN) },
    { role: 'user', content: filled([rules.repair], { problem }) },
  ];
}
