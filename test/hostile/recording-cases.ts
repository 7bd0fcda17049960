import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where cases are made, and what they may try to reach. */
export interface CasePlace {
  readonly folder: string;
  /** A file that no recording may read. */
  readonly secretFile: string;
  /** A server that no recording may call. */
  readonly url: string;
}

/** A hostile recording. */
export interface RecordingCase {
  readonly name: string;
  readonly make: (place: CasePlace) => Buffer;
}

const VIDEO = ['-f', 'lavfi', '-i', 'testsrc=d=2:s=96x64:r=10'];
const SOUND = ['-f', 'lavfi', '-i', 'sine=d=2'];
const BOTH = [...VIDEO, ...SOUND];

let made = 0;
/** What ffmpeg makes of some arguments. */
function film({ folder }: CasePlace, extension: string, ...args: string[]): Buffer {
  made += 1;
  const path = join(folder, `made-${made}.${extension}`);
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, path], { cwd: folder });
  return readFileSync(path);
}

const CONTAINERS: readonly (readonly [extension: string, args: readonly string[]])[] = [
  ['mp4', BOTH],
  ['mkv', BOTH],
  ['webm', [...BOTH, '-c:v', 'libvpx', '-c:a', 'libopus']],
  ['avi', BOTH],
  ['ts', BOTH],
  ['mpg', [...BOTH, '-r', '25']],
  ['flv', [...BOTH, '-c:v', 'flv1', '-ar', '44100']],
  ['ogg', SOUND],
  ['mp3', SOUND],
  ['wav', SOUND],
  ['flac', SOUND],
];

const lists: readonly (readonly [name: string, write: (place: CasePlace) => string])[] = [
  ['an HLS playlist of a file', ({ secretFile }) => `#EXTM3U\n#EXTINF:1,\n${secretFile}\n#EXT-X-ENDLIST\n`],
  ['an HLS playlist of an address', ({ url }) => `#EXTM3U\n#EXTINF:1,\n${url}/a.ts\n#EXT-X-ENDLIST\n`],
  [
    'an HLS playlist with a key elsewhere',
    ({ url }) => `#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="${url}/key"\n#EXTINF:1,\na.ts\n#EXT-X-ENDLIST\n`,
  ],
  ['a concat script', ({ secretFile }) => `ffconcat version 1.0\nfile '${secretFile}'\n`],
  ['a concat script of an address', ({ url }) => `ffconcat version 1.0\nfile '${url}/a.mp4'\n`],
  [
    'a DASH manifest',
    ({ url }) =>
      `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT2S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>${url}/a.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`,
  ],
  [
    'a session description',
    () =>
      'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n',
  ],
  ['a playlist of WinAmp', ({ url }) => `[playlist]\nFile1=${url}/a.mp3\nNumberOfEntries=1\nVersion=2\n`],
  ['a cue sheet', ({ secretFile }) => `FILE "${secretFile}" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n`],
  ['a redirect of ASF', ({ url }) => `<asx version="3.0"><entry><ref href="${url}/a.wmv"/></entry></asx>`],
  [
    'a drawing',
    ({ secretFile }) => `<svg xmlns="http://www.w3.org/2000/svg"><image href="${secretFile}"/></svg>`,
  ],
  ['subtitles', () => '1\n00:00:00,000 --> 99:00:00,000\n<font face="/etc/passwd">x</font>\n'],
  [
    'subtitles with fonts',
    () => '[Script Info]\nScriptType: v4.00+\n[Events]\nDialogue: 0,0:00:00.00,9:59:59.99,,x\n',
  ],
  ['a file of metadata', () => `;FFMETADATA1\n${'[CHAPTER]\nSTART=0\nEND=1\n'.repeat(1000)}`],
];

/** Replaces what stands so many bytes after the first of some words. */
function patched(bytes: Buffer, after: string, offset: number, value: Buffer): Buffer {
  const at = bytes.indexOf(after, 0, 'latin1');
  if (at === -1) throw new Error(`there is no ${after}`);
  value.copy(bytes, at + after.length + offset);
  return bytes;
}
const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const lies: readonly RecordingCase[] = [
  {
    name: 'a film of a hundred hours, as its header says',
    make: (place) => patched(film(place, 'mp4', ...BOTH), 'mvhd', 16, uint32(360_000_000)),
  },
  {
    name: 'a film of no length, as its header says',
    make: (place) => patched(film(place, 'mp4', ...BOTH), 'mvhd', 16, uint32(0)),
  },
  {
    name: 'a film without a time scale',
    make: (place) => patched(film(place, 'mp4', ...BOTH), 'mdhd', 12, uint32(0)),
  },
  {
    name: 'a table of four thousand million samples',
    make: (place) => patched(film(place, 'mp4', ...BOTH), 'stsz', 8, uint32(0xffff_fff0)),
  },
  {
    name: 'chunks beyond the end of the file',
    make: (place) => patched(film(place, 'mp4', ...BOTH), 'stco', 8, uint32(0xffff_fff0)),
  },
  {
    name: 'a film of 65535 x 65535 pixels, as its header says',
    make: (place) => patched(film(place, 'mp4', ...BOTH), 'avc1', 24, Buffer.from([255, 255, 255, 255])),
  },
  {
    name: 'data of another file, as its header says',
    make: (place) => patched(film(place, 'mp4', ...BOTH), 'url ', 0, uint32(0)),
  },
  {
    name: 'a sound of four gigabytes, as its header says',
    make: (place) => patched(film(place, 'wav', ...SOUND), 'data', 0, Buffer.from([255, 255, 255, 255])),
  },
  {
    name: 'a sound with no channels',
    make: (place) => patched(film(place, 'wav', ...SOUND), 'fmt ', 6, Buffer.from([0, 0])),
  },
  {
    name: 'a sound with 65535 channels',
    make: (place) => patched(film(place, 'wav', ...SOUND), 'fmt ', 6, Buffer.from([255, 255])),
  },
];

/** A sound, so many times in one file. */
const manyTracks = (place: CasePlace, tracks: number) => {
  const maps = Array.from({ length: tracks }, () => ['-map', '0']).flat();
  return film(place, 'mka', '-f', 'lavfi', '-i', 'sine=d=0.2', ...maps, '-c:a', 'pcm_s16le');
};

const honestButOdd: readonly RecordingCase[] = [
  {
    name: 'a film of 8K',
    make: (place) => film(place, 'mp4', '-f', 'lavfi', '-i', 'color=d=0.2:s=7680x4320:r=5', '-c:v', 'mjpeg'),
  },
  {
    name: 'one frame a minute',
    make: (place) => film(place, 'mkv', '-f', 'lavfi', '-i', 'testsrc=d=180:s=64x48:r=1/60'),
  },
  { name: 'one frame', make: (place) => film(place, 'mp4', ...VIDEO, '-frames:v', '1') },
  {
    name: 'a thousand frames a second',
    make: (place) => film(place, 'mp4', '-f', 'lavfi', '-i', 'testsrc=d=2:s=32x32:r=1000'),
  },
  { name: 'a hundred tracks', make: (place) => manyTracks(place, 100) },
  { name: 'a thousand tracks', make: (place) => manyTracks(place, 1000) },
  {
    name: 'subtitles within a film, with times that overlap',
    make: (place) => {
      const line = (number: number) => `${number}\n00:00:00,000 --> 99:59:59,999\n{\\fscx9999}x\n\n`;
      const lines = Array.from({ length: 2_000 }, (_, index) => line(index + 1));
      writeFileSync(join(place.folder, 'many.srt'), lines.join(''));
      return film(place, 'mkv', ...BOTH, '-i', 'many.srt', '-map', '0', '-map', '1', '-map', '2');
    },
  },
  {
    name: 'a program attached to a film',
    make: (place) => {
      writeFileSync(join(place.folder, 'font.ttf'), Buffer.alloc(200_000, 0x7f));
      const attached = ['-attach', 'font.ttf', '-metadata:s:t', 'mimetype=application/x-truetype-font'];
      return film(place, 'mkv', ...VIDEO, ...attached);
    },
  },
  {
    name: 'a film that is shown askew',
    make: (place) =>
      patched(film(place, 'mp4', ...VIDEO), 'tkhd', 44, Buffer.from('0000b5040000b504', 'hex')),
  },
  {
    name: 'a track of subtitles alone',
    make: (place) => {
      writeFileSync(join(place.folder, 's.srt'), '1\n00:00:00,000 --> 00:00:01,000\nx\n');
      return film(place, 'mkv', '-i', 's.srt');
    },
  },
  {
    name: 'ten thousand chapters',
    make: (place) => {
      const chapters = Array.from(
        { length: 10_000 },
        (_, index) =>
          `[CHAPTER]\nTIMEBASE=1/10000\nSTART=${index}\nEND=${index + 1}\ntitle=${'x'.repeat(50)}\n`,
      );
      writeFileSync(join(place.folder, 'chapters.txt'), `;FFMETADATA1\n${chapters.join('')}`);
      return film(place, 'mkv', ...VIDEO, '-i', 'chapters.txt', '-map_metadata', '1');
    },
  },
  {
    name: 'a megabyte of title',
    make: (place) => {
      writeFileSync(
        join(place.folder, 'title.txt'),
        `;FFMETADATA1\ntitle=${'x'.repeat(1_000_000)}\nencoder=${'y'.repeat(400_000)}\n`,
      );
      return film(place, 'mkv', ...VIDEO, '-i', 'title.txt', '-map_metadata', '1');
    },
  },
  {
    name: 'a gap of years',
    make: (place) =>
      film(
        place,
        'mkv',
        ...VIDEO,
        '-vf',
        "setpts='if(lt(N,10),N,N*1000000)/10/TB'",
        '-fps_mode',
        'passthrough',
      ),
  },
  { name: 'times that run backwards', make: (place) => film(place, 'nut', ...VIDEO, '-c:v', 'mjpeg') },
  {
    name: 'a stream that begins after days',
    make: (place) => film(place, 'ts', ...BOTH, '-output_ts_offset', '90000'),
  },
  {
    name: 'half an hour of silence in little room',
    make: (place) => film(place, 'flac', '-f', 'lavfi', '-i', 'anullsrc=r=8000:d=1800'),
  },
  {
    name: 'a film whose size changes',
    make: (place) =>
      Buffer.concat([
        film(place, 'ts', ...VIDEO),
        film(place, 'ts', '-f', 'lavfi', '-i', 'testsrc=d=2:s=640x360:r=10', '-output_ts_offset', '2'),
      ]),
  },
];

/** Repeats bytes until there are so many. */
const endless = (bytes: Buffer, length: number) =>
  Buffer.concat(Array.from({ length: Math.ceil(length / bytes.length) }, () => bytes)).subarray(0, length);

const mixed: readonly RecordingCase[] = [
  { name: 'nothing', make: () => Buffer.alloc(0) },
  { name: 'one byte', make: () => Buffer.from([0]) },
  { name: 'a megabyte of zeros', make: () => Buffer.alloc(1024 * 1024) },
  {
    name: 'a box that holds itself',
    make: () => endless(Buffer.concat([uint32(8), Buffer.from('moov')]), 65_536),
  },
  { name: 'boxes of no size', make: () => endless(Buffer.concat([uint32(0), Buffer.from('moov')]), 4_096) },
  {
    name: 'an MP3 within a page',
    make: (place) => Buffer.concat([Buffer.from('<html><script>'), film(place, 'mp3', ...SOUND)]),
  },
  {
    name: 'a film with an archive behind it',
    make: (place) =>
      Buffer.concat([film(place, 'mp4', ...BOTH), Buffer.from('PK\x03\x04'), Buffer.alloc(50_000, 7)]),
  },
  {
    name: 'a GIF that is a sound',
    make: (place) => Buffer.concat([Buffer.from('GIF89a'), film(place, 'mp3', ...SOUND)]),
  },
  { name: 'a sound without end', make: (place) => endless(film(place, 'mp3', ...SOUND), 4 * 1024 * 1024) },
  { name: 'a stream without end', make: (place) => endless(film(place, 'ts', ...BOTH), 4 * 1024 * 1024) },
];

const broken: readonly RecordingCase[] = CONTAINERS.flatMap(([extension, args]) => [
  {
    name: `a ${extension} that breaks off`,
    make: (place: CasePlace) => {
      const bytes = film(place, extension, ...args);
      return bytes.subarray(0, Math.floor(bytes.length * 0.6));
    },
  },
  {
    name: `a ${extension} with noise in it`,
    make: (place: CasePlace) => {
      const bytes = film(place, extension, ...args);
      for (let at = 40; at < bytes.length; at += 37) bytes[at] = (at * 31) % 256;
      return bytes;
    },
  },
]);

/** All of them. */
export const RECORDING_CASES: readonly RecordingCase[] = [
  ...lists.map(([name, write]) => ({ name, make: (place: CasePlace) => Buffer.from(write(place)) })),
  ...lies,
  ...honestButOdd,
  ...mixed,
  ...broken,
];
