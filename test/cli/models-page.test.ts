import { describe, expect, it } from 'vitest';
import { modelsPage } from '../../src/cli/models-page.ts';

const cards = [
  {
    file: 'sample.md',
    text: '# limpede-sample-1\n\nSays how large\na thing is (`src/text/sample.ts`). Weights: `sample.bin`.\n\n**Scope**: things. **Cannot see**: how\nheavy one is.\n',
  },
  {
    file: 'whole-text.md',
    text: '# limpede-whole\n\nAdds up.\n\n## Whole texts\n\nNine of ten.\n\n## Other\n\nNo.\n',
  },
];
const figure = { rows: 9, low: 0.4, high: 0.6, baseline: { name: 'chance', value: 0.5 } };

describe('the page of the models', () => {
  const page = modelsPage(cards, [
    {
      task: 'size',
      split: 'held back',
      figures: [
        { ...figure, part: 'en', metric: 'AUC', value: 0.5 },
        { ...figure, part: 'en, words alone', metric: 'AUC', value: 0.1 },
      ],
    },
  ]);

  it('says what each model does and where its card is', () => {
    expect(page).toContain('| [limpede-sample-1](../models/sample.md) | Says how large a thing is. |');
  });

  it('has the figures of whole models with interval and baseline', () => {
    expect(page).toContain('| en | 9 | AUC | 0.500 (0.400 to 0.600) | 0.500 chance |');
    expect(page).not.toContain('words alone');
  });

  it('repeats what no model sees, and what whole texts end with', () => {
    expect(page).toContain('- **limpede-sample-1**: how heavy one is.');
    expect(page).toContain('Nine of ten.');
    expect(page).not.toContain('## Other');
  });
});
