import type { Preparation } from './preparation.ts';

/** Names the language of the text. */
export const language: Preparation = {
  makes: [],
  outside: null,
  run: async (material, { identify }) => {
    const { text } = material.parts;
    if (text === undefined) return material;
    return { ...material, parts: { ...material.parts, text: { ...text, language: identify(text.text) } } };
  },
};
