import { z } from 'zod';
import ruleRows from '../../../../data/domains/name-rules.json' with { type: 'json' };

const words = z
  .object({ reason: z.string(), values: z.array(z.string()) })
  .transform(({ values }) => new Set(values));

const schema = z.object({
  cheap_suffixes: words,
  imitating_suffixes: words,
  restricted_suffixes: words,
  restricted_names: words,
  extra_words: words,
  generic_names: words,
  limits: z.object({
    typo_shortest_label: z.int(),
    joined_brand_shortest_label: z.int(),
    many_hyphens: z.int(),
    long_digit_run: z.int(),
    long_label: z.int(),
  }),
});

/** Word lists and limits of the name rules, each with its reason in data/domains/name-rules.json. */
export const nameRules = schema.parse(ruleRows);
