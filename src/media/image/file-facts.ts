import { nearestQuality } from './jpeg-quality.ts';
import { brightnessSteps, type JpegStructure } from './jpeg-structure.ts';
import { type MetadataTags, readTags, tagDescription, tagText } from './metadata-tags.ts';

/** What the file itself says of its history; null where it says nothing. All of it can be forged. */
export interface FileFacts {
  readonly jpeg: JpegFacts | null;
  readonly software: string | null;
  readonly camera: { readonly make: string | null; readonly model: string | null } | null;
  readonly takenAt: string | null;
  readonly modifiedAt: string | null;
  readonly hasMakerNote: boolean;
  /** IPTC digital source type, its last part, such as trainedAlgorithmicMedia. */
  readonly digitalSourceType: string | null;
  /** The program that made the picture, as its own metadata names it, and where it says so. */
  readonly generator: { readonly name: string; readonly keys: readonly string[] } | null;
}

/** How a JPEG was saved the last time. */
export interface JpegFacts {
  /** Nearest quality of libjpeg, 1 to 100. */
  readonly quality: number;
  /** Whether its table is that of libjpeg; cameras and editors have their own. */
  readonly standardTable: boolean;
  /** Such as 4:2:0. */
  readonly subsampling: string;
  readonly progressive: boolean;
  /** Names of application segments in their order. */
  readonly segments: readonly string[];
  readonly trailingBytes: number;
}

/** Text keys that programs which make pictures write, and the programs. */
const GENERATOR_KEYS: readonly (readonly [key: string, name: string])[] = [
  ['invokeai_metadata', 'InvokeAI'],
  ['invokeai_graph', 'InvokeAI'],
  ['sd-metadata', 'InvokeAI'],
  ['Dream', 'InvokeAI'],
  ['workflow', 'ComfyUI'],
  ['prompt', 'ComfyUI'],
  ['parameters', 'Stable Diffusion web UI'],
  ['sd_metadata', 'Stable Diffusion'],
];
/** What the value of a key must look like: `prompt` and `parameters` are words that others use, too. */
const GENERATOR_VALUES: Readonly<Record<string, RegExp>> = {
  prompt: /"class_type"\s*:/,
  workflow: /"nodes"\s*:|"class_type"\s*:/,
  parameters: /\bSteps:\s*\d+.*\bSampler:/s,
};
/** Names of programs that make pictures, as they sign them. */
const GENERATOR_SOFTWARE =
  /\b(?:midjourney|dall[·.\s-]?e|stable diffusion|comfyui|invokeai|automatic1111|novelai|adobe firefly|imagen|ideogram|leonardo\.ai|flux\.1|gpt-4o image|bing image creator)\b/i;

/** Texts of EXIF in which programs that save JPEG or WebP keep what they keep as text of a PNG. */
const GENERATOR_TEXTS = ['UserComment', 'ImageDescription', 'Make', 'Model'];

function generatorOf({ text, exif }: MetadataTags, software: string | null): FileFacts['generator'] {
  const keys = GENERATOR_KEYS.filter(([key]) => {
    const value = tagText(text[key]);
    return value !== undefined && (GENERATOR_VALUES[key]?.test(value) ?? true);
  });
  const [first] = keys;
  if (first !== undefined) return { name: first[1], keys: keys.map(([key]) => key) };
  for (const key of GENERATOR_TEXTS)
    for (const [kind, name] of GENERATOR_KEYS)
      if (GENERATOR_VALUES[kind]?.test(tagText(exif[key]) ?? '') === true) return { name, keys: [key] };
  const named = software === null ? null : GENERATOR_SOFTWARE.exec(software);
  return named === null ? null : { name: named[0], keys: ['Software'] };
}

/** Reads what a file says of itself. */
export async function readFile(bytes: Buffer, structure: JpegStructure | undefined): Promise<FileFacts> {
  return factsOfTags(await readTags(bytes), structure);
}

/** What the tags of a file and the structure of a JPEG say of its history. */
export function factsOfTags(tags: MetadataTags, structure: JpegStructure | undefined): FileFacts {
  const { exif, xmp, iptc, text } = tags;
  const software =
    tagDescription(exif, 'Software') ??
    tagDescription(text, 'Software') ??
    tagDescription(xmp, 'CreatorTool');
  const [make, model] = [tagDescription(exif, 'Make'), tagDescription(exif, 'Model')];
  const source = tagDescription(xmp, 'DigitalSourceType') ?? tagDescription(iptc, 'DigitalSourceType');
  return {
    jpeg: structure === undefined ? null : jpegFacts(structure),
    software,
    camera: make === null && model === null ? null : { make, model },
    takenAt: tagDescription(exif, 'DateTimeOriginal'),
    modifiedAt: tagDescription(exif, 'DateTime') ?? tagDescription(xmp, 'ModifyDate'),
    hasMakerNote: exif.MakerNote !== undefined,
    digitalSourceType: source?.split('/').pop() ?? null,
    generator: generatorOf(tags, software),
  };
}

function jpegFacts(structure: JpegStructure): JpegFacts {
  const steps = brightnessSteps(structure);
  const { quality, distance } = nearestQuality(steps ?? []);
  const [brightness, colour] = structure.components;
  return {
    quality,
    standardTable: distance === 0,
    subsampling: subsamplingOf(brightness, colour),
    progressive: structure.progressive,
    segments: structure.segments.flatMap(({ name }) => (name === '' ? [] : [name.slice(0, 32)])).slice(0, 64),
    trailingBytes: structure.trailingBytes,
  };
}

const SUBSAMPLINGS: Readonly<Record<string, string>> = {
  '1x1': '4:4:4',
  '2x1': '4:2:2',
  '2x2': '4:2:0',
  '1x2': '4:4:0',
  '4x1': '4:1:1',
};

type Sampling = JpegStructure['components'][number] | undefined;

/** In the notation J:a:b; `other` for ratios that have no usual name. */
function subsamplingOf(brightness: Sampling, colour: Sampling): string {
  if (brightness === undefined || colour === undefined) return 'grey';
  const across = brightness.across / colour.across;
  const down = brightness.down / colour.down;
  return SUBSAMPLINGS[`${across}x${down}`] ?? 'other';
}
