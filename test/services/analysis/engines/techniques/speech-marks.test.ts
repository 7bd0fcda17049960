import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { createTechniquesEngine } from '../../../../../src/services/analysis/engines/techniques/engine.ts';
import { quotedTokens } from '../../../../../src/services/analysis/engines/techniques/features.ts';
import { attributeSpeech } from '../../../../../src/services/analysis/engines/techniques/speech-marks.ts';
import { sentenceRanges, tokenise } from '../../../../../src/services/analysis/engines/techniques/tokens.ts';

/** Words of the text that somebody else says, and those of them whose speaker is named. `reporting` marks sentences that say so. */
function heard(text: string, reporting = /\b(said|wrote|a spus)\b/) {
  const tokens = tokenise(text);
  const sentences = sentenceRanges(text, tokens);
  const reported = sentences.map(({ from, to }) =>
    reporting.test(text.slice(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0)),
  );
  const voices = attributeSpeech(tokens, sentences, { quoted: quotedTokens(tokens, sentences), reported });
  const words = (marks: Uint8Array) =>
    tokens
      .filter(({ kind }, at) => kind !== 'mark' && marks[at] === 1)
      .map(({ form }) => form)
      .join(' ');
  return { quoted: words(voices.quoted), attributed: words(voices.attributed) };
}

describe('other voices', () => {
  it.each([
    ['curly', 'Ann said: “We lost. They cheat us. We go.” The hall was full.'],
    ['straight', 'Ann said: "We lost. They cheat us. We go." The hall was full.'],
    ['mixed', 'Ann said: “We lost. They cheat us. We go." The hall was full.'],
  ])('follow a quotation over its sentences, %s marks', (_, text) => {
    expect(heard(text)).toEqual({
      quoted: 'we lost they cheat us we go',
      attributed: 'we lost they cheat us we go',
    });
  });

  it('follow Romanian quotations', () => {
    const text = 'Ana a spus: „Am pierdut. Ne fură. Plecăm.” Sala era plină.';
    expect(heard(text).attributed).toBe('am pierdut ne fura plecam');
  });

  it('name no speaker where none is named', () => {
    expect(heard('“We lost. They cheat us. We go.” The hall was full.')).toEqual({
      quoted: 'we lost they cheat us we go',
      attributed: '',
    });
  });

  it('end where no mark ends them', () => {
    expect(heard(`Ann said: "We lost. ${'They cheat us. '.repeat(30)}`).attributed).toBe('we lost');
  });

  it('read the turns of named speakers as theirs', () => {
    const text =
      'Our guest of this morning has run the party for ten years. Ann Pop: Why did you lose? Dan Ene: They cheat us. Ann Pop: Who? Dan Ene: All of them.';
    expect(heard(text).attributed).toBe(
      'ann pop why did you lose dan ene they cheat us ann pop who dan ene all of them',
    );
  });

  it('take nothing from a text that is theirs from end to end', () => {
    for (const text of [
      'Ann said: “They cheat us. We go. We lost the vote and they cheat us.”',
      'Ann Pop: Hello. Dan Ene: We go. Ann Pop: So. Dan Ene: We go.',
    ])
      expect(heard(text).attributed).toBe('');
  });

  it('take no label for a speaker', () => {
    const text = 'Myth: It is safe. Fact: It kills. Myth: It is free. Fact: You pay.';
    expect(heard(text)).toEqual({ quoted: '', attributed: '' });
  });

  it('answer for any text, and name a speaker only of what is quoted', () => {
    const part = fc.constantFrom('"', '“', '”', '„', ' ', 'Ann Pop:', 'said', '. ', '— A (@b)', 'word');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        const tokens = tokenise(text);
        const sentences = sentenceRanges(text, tokens);
        const reported = sentences.map((_, at) => at % 2 === 0);
        const quoted = quotedTokens(tokens, sentences);
        const voices = attributeSpeech(tokens, sentences, { quoted, reported });
        expect(voices.attributed.every((mark, at) => mark === 0 || voices.quoted[at] === 1)).toBe(true);
        expect(quoted.every((mark, at) => mark === 0 || voices.quoted[at] === 1)).toBe(true);
      }),
    );
  });
});

describe('what a named speaker says', () => {
  const engine = createTechniquesEngine(readFileSync(packageFile('models', 'techniques.bin')));
  const scoreOf = (text: string, language = 'en') => engine.analyse(text, { language }).manipulation_score;
  const tirade = (open: string, close: string) =>
    `The member of parliament spoke on Monday about the budget. ${open}These corrupt traitors are destroying our nation. They lie to you every single day. Wake up before it is too late! They want to enslave our children.${close} she said in the evening session. The vote was put off until Thursday.`;

  it('counts for that speaker, however long the quotation', () => {
    expect(scoreOf(tirade('', ''))).toBeGreaterThan(40);
    expect(scoreOf(tirade('“', '”'))).toBeLessThan(20);
    expect(scoreOf(tirade('"', '"'))).toBeLessThan(20);
  });

  it('does not silence what the text says itself', () => {
    const own = tirade('', '');
    const report = ' “The bridge opens in May,” the mayor said.';
    expect(scoreOf(own + report)).toBeGreaterThan(scoreOf(own) - 10);
  });
});
