import { parseJson } from '../../../../foundation/json.ts';

/** Reasoning that some models write before their answer. */
const reasoning = /<(think|thinking|reasoning)>[\s\S]*?<\/\1>/giu;
/** The end of reasoning whose beginning the server's chat template swallowed. */
const reasoningEnd = /<\/(?:think|thinking|reasoning)>/giu;
/** Reasoning that was cut off: what follows is no answer. */
const openReasoning = /<(?:think|thinking|reasoning)>[\s\S]*$/iu;
const fence = /```(?:json|JSON)?[ \t]*\n?([\s\S]*?)```/gu;

/** Objects looked for in running text: an answer that holds more is no answer. */
const MOST_OBJECTS = 8;

/**
 * The JSON values that a model's answer may mean, the likeliest first: the whole text, what stands in code fences, the
 * objects in running text. Reasoning is left out. Linear in the length of the text.
 */
export function jsonCandidates(answer: string): unknown[] {
  const whole = parseJson(answer.trim());
  // First of all, since a quote inside valid JSON may itself hold marks of reasoning or fences.
  if (whole !== undefined) return [whole];
  const answerText = withoutReasoning(answer);
  const texts = [
    answerText.trim(),
    ...[...answerText.matchAll(fence)].map(([, inside = '']) => inside.trim()),
  ];
  const values = texts.map(parseJson).filter((value) => value !== undefined);
  return values.length > 0 ? values : objectsIn(answerText);
}

function withoutReasoning(answer: string): string {
  const closed = answer.replace(reasoning, ' ');
  const ends = [...closed.matchAll(reasoningEnd)];
  const last = ends.at(-1);
  const after = last === undefined ? closed : closed.slice(last.index + last[0].length);
  return after.replace(openReasoning, ' ');
}

/** The outermost `{...}` of a text that are JSON. */
function objectsIn(text: string): unknown[] {
  const values: unknown[] = [];
  let from = 0;
  for (let tries = 0; tries < MOST_OBJECTS; tries++) {
    const start = text.indexOf('{', from);
    if (start < 0) break;
    const end = endOfObject(text, start);
    if (end < 0) break;
    const value = parseJson(text.slice(start, end));
    if (value !== undefined) values.push(value);
    from = end;
  }
  return values;
}

/** Index after the brace that closes the one at `start`, strings respected; -1 when the text ends before. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (quoted) {
      if (character === '\\') index++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return index + 1;
  }
  return -1;
}
