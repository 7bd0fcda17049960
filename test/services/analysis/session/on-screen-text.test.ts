import { describe, expect, it } from 'vitest';
import { onScreenText } from '../../../../src/services/analysis/session/on-screen-text.ts';

const SAID = 'They are hiding the truth from you, and nobody says why.';

describe('what is written in frames', () => {
  it('counts once, from the first frame that shows it to the last', () => {
    const frames = [
      { timeSec: 5, text: 'EXCLUSIV\nIMAGINI DIN TEREN' },
      { timeSec: 15, text: 'Exclusiv!' },
      { timeSec: 25, text: '' },
      { timeSec: 35, text: 'EXCLUSIV\nȘtirile zilei' },
    ];
    expect(onScreenText(frames, '')).toEqual([
      { startSec: 5, endSec: 35, text: 'EXCLUSIV' },
      { startSec: 5, endSec: 5, text: 'IMAGINI DIN TEREN' },
      { startSec: 35, endSec: 35, text: 'Știrile zilei' },
    ]);
  });

  it('is no second text where it only repeats what is said, nor scraps of letters', () => {
    const frames = [{ timeSec: 1, text: 'they are HIDING the truth\n2 : 1\na-b\nCall this number now' }];
    expect(onScreenText(frames, SAID).map(({ text }) => text)).toEqual(['Call this number now']);
  });
});
