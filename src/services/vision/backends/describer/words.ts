import type { Language } from '../../../../foundation/localized-text.ts';
import { COLOURS } from './colours.ts';
import type { MissingFact, PictureFacts } from './facts.ts';

const UNMEASURED: Readonly<Record<MissingFact, Readonly<Record<Language, string>>>> = {
  file: { en: 'what the file says of itself', ro: 'ce spune fișierul despre sine' },
  history: { en: 'a signed history', ro: 'un istoric semnat' },
  objects: { en: 'objects and faces', ro: 'obiectele și chipurile' },
  text: { en: 'the text in it', ro: 'textul din ea' },
};

const LIGHT: readonly (readonly [until: number, en: string, ro: string])[] = [
  [0.25, 'dark', 'întunecată'],
  [0.7, 'of medium brightness', 'de luminozitate medie'],
  [1.1, 'bright', 'luminoasă'],
];

const kind = (mimeType: string) => mimeType.replace(/^image\//, '').toUpperCase();
const listed = (items: readonly string[], and: string) =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} ${and} ${items.at(-1)}`;
const percent = (share: number) => Math.round(100 * share);

function fileLines({ file }: PictureFacts, language: Language): string[] {
  if (file === null) return [];
  const { camera, software, taken_at: taken, generator, digital_source_type: source } = file;
  const device = camera === null ? '' : [camera.make, camera.model].filter((part) => part !== null).join(' ');
  const say = (en: string, ro: string) => (language === 'en' ? en : ro);
  const lines = [
    generator === null
      ? ''
      : say(
          `The file says that a model made the picture (${generator.name}).`,
          `Fișierul spune că imaginea a fost făcută de un model (${generator.name}).`,
        ),
    source === null ? '' : say(`It declares the source type ${source}.`, `Declară tipul de sursă ${source}.`),
    device === ''
      ? ''
      : say(
          `It names the camera ${device}${taken === null ? '' : `, ${taken}`}.`,
          `Numește aparatul ${device}${taken === null ? '' : `, ${taken}`}.`,
        ),
    software === null ? '' : say(`It was written by ${software}.`, `A fost scris de ${software}.`),
  ].filter((line) => line !== '');
  const nothing = say('The file says nothing of its origin.', 'Fișierul nu spune nimic despre originea sa.');
  return lines.length > 0 ? lines : [nothing];
}

/** What the signed history says; none is worth a word only where one was looked for. */
function historyLines({ history }: PictureFacts, language: Language): string[] {
  if (history === null) return [];
  const say = (en: string, ro: string) => [language === 'en' ? en : ro];
  if (history.state === 'absent')
    return say('It carries no signed history (C2PA).', 'Nu poartă un istoric semnat (C2PA).');
  if (history.state === 'remote')
    return say(
      'Its signed history (C2PA) is kept elsewhere and was not fetched.',
      'Istoricul ei semnat (C2PA) este păstrat în altă parte și nu a fost preluat.',
    );
  const signer = history.manifests[0]?.signature?.issuer ?? history.manifests[0]?.made_by ?? '–';
  const holds = history.state === 'valid';
  return [
    ...say(
      `It carries a signed history (C2PA, ${signer}), whose checks ${holds ? 'hold' : 'do not all hold'}.`,
      `Poartă un istoric semnat (C2PA, ${signer}), ale cărui verificări ${holds ? 'sunt în regulă' : 'nu sunt toate în regulă'}.`,
    ),
    ...(history.ai_origin === null
      ? []
      : say('The history says that a model took part.', 'Istoricul spune că a participat un model.')),
  ];
}

/** Characters of the words in a picture that a description repeats. */
const LONGEST_TEXT = 300;

/** What was recognised: things by their number, faces, and words. */
function contentLines({ content, text }: PictureFacts, language: Language): string[] {
  const [open, close] = language === 'ro' ? ['„', '”'] : ['“', '”'];
  const say = (en: string, ro: string) => (language === 'en' ? en : ro);
  const counts = new Map<string, number>();
  for (const { name } of content?.objects ?? [])
    counts.set(name[language], (counts.get(name[language]) ?? 0) + 1);
  const things = [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count})`));
  const faces = content?.faces?.length ?? 0;
  const words = text?.replace(/\s+/gu, ' ').trim() ?? '';
  const quoted = words.length > LONGEST_TEXT ? `${words.slice(0, LONGEST_TEXT).toWellFormed()}…` : words;
  return [
    ...(things.length > 0
      ? [say(`Recognised in it: ${listed(things, 'and')}.`, `S-au recunoscut: ${listed(things, 'și')}.`)]
      : []),
    ...(faces > 0 ? [say(`Faces in it: ${faces}.`, `Chipuri în ea: ${faces}.`)] : []),
    ...(content !== null && things.length + faces === 0
      ? [
          say(
            'No known object and no face was recognised.',
            'Nu s-a recunoscut niciun obiect cunoscut și niciun chip.',
          ),
        ]
      : []),
    ...(quoted === ''
      ? []
      : [say(`Words in it: ${open}${quoted}${close}.`, `Cuvinte în ea: ${open}${quoted}${close}.`)]),
  ];
}

function english(facts: PictureFacts): string[] {
  const [, light = ''] = LIGHT.find(([until]) => facts.brightness < until) ?? [];
  const colours = facts.colours.map(({ colour, share }) => `${COLOURS[colour].en} (${percent(share)} %)`);
  return [
    `${kind(facts.mimeType)} picture of ${facts.width} x ${facts.height} pixels, ${light}.`,
    ...(facts.frames > 1 ? [`It holds ${facts.frames} frames; the first was looked at.`] : []),
    ...(colours.length > 0 ? [`Main colours: ${listed(colours, 'and')}.`] : []),
    ...contentLines(facts, 'en'),
    ...fileLines(facts, 'en'),
    ...historyLines(facts, 'en'),
    ...(facts.unmeasured.length > 0
      ? [
          `Not looked for: ${listed(
            facts.unmeasured.map((name) => UNMEASURED[name].en),
            'and',
          )}.`,
        ]
      : []),
  ];
}

function romanian(facts: PictureFacts): string[] {
  const [, , light = ''] = LIGHT.find(([until]) => facts.brightness < until) ?? [];
  const colours = facts.colours.map(({ colour, share }) => `${COLOURS[colour].ro} (${percent(share)} %)`);
  return [
    `Imagine ${kind(facts.mimeType)} de ${facts.width} x ${facts.height} pixeli, ${light}.`,
    ...(facts.frames > 1 ? [`Conține ${facts.frames} cadre; a fost privit primul.`] : []),
    ...(colours.length > 0 ? [`Culori principale: ${listed(colours, 'și')}.`] : []),
    ...contentLines(facts, 'ro'),
    ...fileLines(facts, 'ro'),
    ...historyLines(facts, 'ro'),
    ...(facts.unmeasured.length > 0
      ? [
          `Nu au fost căutate: ${listed(
            facts.unmeasured.map((name) => UNMEASURED[name].ro),
            'și',
          )}.`,
        ]
      : []),
  ];
}

/** What the describer is, said with every answer. */
const SELF: Readonly<Record<Language, string>> = {
  en: 'This was measured by a program, not seen by a model: it answers no questions about what the picture shows.',
  ro: 'Acestea au fost măsurate de un program, nu văzute de un model: el nu răspunde la întrebări despre ce arată imaginea.',
};

/** What was measured of the pictures, in sentences: a line for each picture, and what the describer is. */
export function describe(pictures: readonly PictureFacts[], language: Language): string[] {
  const sentences = language === 'en' ? english : romanian;
  const numbered = (facts: PictureFacts, index: number) => {
    const lines = sentences(facts);
    const label = language === 'en' ? `Picture ${index + 1}.` : `Imaginea ${index + 1}.`;
    return pictures.length > 1 ? [label, ...lines] : lines;
  };
  return [...pictures.flatMap(numbered), SELF[language]];
}
