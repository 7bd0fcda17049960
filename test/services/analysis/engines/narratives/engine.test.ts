import { describe, expect, it } from 'vitest';
import { foldedWords } from '../../../../../src/services/analysis/engines/context/phrases.ts';
import {
  encodingOf,
  type TextEncoding,
} from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { narrativesOf } from '../../../../../src/services/analysis/engines/narratives/engine.ts';
import { NARRATIVE_FAMILIES } from '../../../../../src/services/analysis/engines/narratives/frames.ts';
import { createEncoder, shareEncoder } from '../../../../../src/text/encoder/encoder.ts';
import { Positions } from '../../../../../src/text/positions.ts';
import { sentencesOf } from '../../../../../src/text/sentences.ts';
import { readEncoderParts } from '../../../../../training/encoder/parts.ts';

const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);

const read = (text: string, language: string, encoding?: TextEncoding) =>
  narrativesOf({
    encoding,
    sentences: sentencesOf(text),
    words: foldedWords(text),
    language,
    positions: new Positions(text),
  });
const told = (text: string, language = 'en') =>
  read(text, language).map(({ code, stance }) => `${code} ${stance}`);

describe('narratives', () => {
  it('has thirty families with names in both languages', () => {
    expect(NARRATIVE_FAMILIES).toHaveLength(30);
    expect(new Set(NARRATIVE_FAMILIES.map(({ code }) => code)).size).toBe(30);
    for (const { name_en, name_ro } of NARRATIVE_FAMILIES) expect([name_en, name_ro]).not.toContain('');
  });

  it.each([
    ['en', 'It is all a worldwide hoax.', 'staged_crisis'],
    ['en', 'The vaccine is killing people and they cover it up.', 'deadly_vaccine'],
    ['en', 'Climate change is a hoax.', 'climate_hoax'],
    ['ro', 'Vaccinul omoară oameni, iar ei mușamalizează.', 'deadly_vaccine'],
    ['ro', 'Vaccinul omoara oameni, iar ei musamalizeaza.', 'deadly_vaccine'],
    ['ro', 'Voturile au fost numărate, dar alegerile au fost furate.', 'stolen_election'],
    ['ro', 'România a fost vândută: firme străine ne taie pădurile.', 'stolen_resources'],
  ])('%s: tells "%s"', (language, text, code) => {
    expect(told(text, language)).toContain(`${code} asserts`);
  });

  it.each([
    ['en', 'A post says that the vaccine is killing people. It is wrong: doctors found no rise in deaths.'],
    ['en', 'There is no evidence that the vaccine kills.'],
    ['en', 'The claim that the election was stolen is false. The courts threw it out.'],
    ['ro', 'O postare susține că vaccinul omoară oameni. Nu este adevărat.'],
    ['ro', 'Nu există dovezi că alegerile au fost furate.'],
    ['en', 'Vaccines do not cause autism.'],
    ['en', "Climate change isn't a hoax."],
    ['ro', 'Vaccinurile nu provoacă autism.'],
  ])('%s: refutes "%s"', (language, text) => {
    const found = told(text, language);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((line) => line.endsWith('asserts'))).toEqual([]);
  });

  it.each([
    ['en', 'The vaccine is killing people. This is not a conspiracy theory.'],
    ['en', 'They will not tell you that the vaccine kills people.'],
    ['en', 'It is not a vaccine, it is deadly poison that kills.'],
    ['ro', 'Vaccinul nu doar că omoară oameni, ci îi și sterilizează.'],
    ['en', 'They call it a conspiracy theory. The vaccine is killing people.'],
    ['ro', 'Vaccinul omoară oameni. Nu este o teorie a conspirației.'],
    ['ro', 'Ei spun că este fals. Vaccinul omoară oameni.'],
  ])('%s: a disclaimer refutes nothing: "%s"', (language, text) => {
    expect(told(text, language)).toContain('deadly_vaccine asserts');
  });

  it.each([
    ['en', 'The vaccine against measles is given at twelve months. Turnout was higher than four years ago.'],
    ['en', 'Add empty jars to sterilise. Polling stations open at seven.'],
    ['ro', 'Centrul de vaccinare se deschide marți. Banca centrală a crescut dobânda.'],
    ['de', 'Die Impfung ist sicher.'],
  ])('%s: finds none in "%s"', (language, text) => {
    expect(told(text, language)).toEqual([]);
  });

  it('quotes the sentences word for word', () => {
    const text = '🙂 Știm adevărul. Vaccinul omoară oameni. Atât.';
    const [found] = read(text, 'ro');
    const [span] = found?.spans ?? [];
    expect(span?.quote).toBe('Vaccinul omoară oameni.');
    expect(text.slice(span?.start_utf16, span?.end_utf16)).toBe(span?.quote);
    expect([...text].slice(span?.start, span?.end).join('')).toBe(span?.quote);
  });
});

describe('narratives by meaning', () => {
  const known = (text: string, language: string) =>
    read(text, language, encodingOf(encoder, { text, language })).map(
      ({ code, stance }) => `${code} ${stance}`,
    );

  it.each([
    ['en', 'The vaccine is killing people and they cover it up.', 'deadly_vaccine'],
    ['en', 'Climate change is a hoax invented to raise taxes.', 'climate_hoax'],
    ['ro', 'Vaccinul omoară oameni, iar ei mușamalizează.', 'deadly_vaccine'],
    ['ro', 'Ne-au furat votul: alegerile au fost aranjate dinainte.', 'stolen_election'],
  ])('%s: tells "%s"', (language, text, code) => {
    expect(known(text, language)).toContain(`${code} asserts`);
  });

  it.each([
    ['en', 'Punishment does not work: the animal learns only to fear you.'],
    ['en', 'The master will then elect a new slave.'],
    ['ro', 'Conducătorii au fost executați cu cruzime.'],
    ['ro', 'Cartea spune povestea unui trădător pe care toată lumea îl iubește.'],
    ['ro', 'Scrisorile care conțin injurii sau amenințări nu se publică.'],
  ])('%s: a dark sentence of no family tells none: "%s"', (language, text) => {
    expect(known(text, language)).toEqual([]);
  });

  it('needs no vectors, and believes words less where the vector does not agree', () => {
    const text = 'She was given two shots of brandy and collapsed on the sofa, laughing.';
    const [byWords] = read(text, 'en');
    const [byBoth] = read(text, 'en', encodingOf(encoder, { text, language: 'en' }));
    expect(byWords?.code).toBe('deadly_vaccine');
    expect(byBoth?.confidence ?? 0).toBeLessThan(byWords?.confidence ?? 0);
  });
});
