import type { Recording } from '../resources/recording.ts';

/** What people read of a recording, in reports and on the command line. */
export const RECORDING_LABELS = {
  en: {
    title: 'Recording',
    length: 'Length',
    voices: 'Voices heard',
    engine: 'Transcribed by',
    fileHash: 'SHA-256 of the file',
    timesCount: 'Times count from the start of the recording: open it in a player beside this report.',
    timesLink: 'Times count from the start of the recording; each opens it there.',
    nobody: 'nobody',
    hint: 'a hint only: about every third word is wrong',
    watched: 'Judgement of the frames',
    waveform: 'Wave form: how loud it is, over time',
    spectrogram: 'Spectrogram: which frequencies sound when; cuts show as edges from top to bottom',
    frames: 'Frames',
    frameAt: 'Frame at',
    suspicious: 'something speaks for a made or altered video',
    transcript: 'Transcript',
    onScreen: 'on screen',
    notJudged: 'a hint, not judged',
    summary: 'What is seen',
    summaryNote:
      'Described in English by a vision model, or where there is none by our own describer from measured facts; both can be wrong.',
    tracks: { sound: 'Traces in the sound', picture: 'Traces in the pictures' },
    measured: 'Measured for people; it decides nothing.',
    cannotSay: 'Cannot say anything of this recording',
    seenBefore: 'Seen before',
    leftOut: 'Not made',
    parts: {
      frames: 'frames',
      waveform: 'wave form',
      spectrogram: 'spectrogram',
      frame_text: 'text in frames',
      spoken_words: 'techniques and claims of what is said',
      judgement: 'judgement of the frames',
      description: 'description',
    },
    verdicts: { REAL: 'real', FAKE: 'fake', UNCERTAIN: 'uncertain' },
  },
  ro: {
    title: 'Înregistrarea',
    length: 'Durata',
    voices: 'Voci auzite',
    engine: 'Transcrisă de',
    fileHash: 'SHA-256 al fișierului',
    timesCount:
      'Momentele sunt socotite de la începutul înregistrării: deschideți-o într-un player, alături de acest raport.',
    timesLink: 'Momentele sunt socotite de la începutul înregistrării; fiecare o deschide acolo.',
    nobody: 'nimeni',
    hint: 'orientativ: cam fiecare al treilea cuvânt este greșit',
    watched: 'Aprecierea cadrelor',
    waveform: 'Forma de undă: cât de tare se aude, în timp',
    spectrogram: 'Spectrograma: ce frecvențe se aud și când; tăieturile se văd ca margini de sus până jos',
    frames: 'Cadre',
    frameAt: 'Cadrul de la',
    suspicious: 'ceva indică o înregistrare generată sau modificată',
    transcript: 'Transcriere',
    onScreen: 'pe ecran',
    notJudged: 'orientativ, fără apreciere',
    summary: 'Ce se vede',
    summaryNote:
      'Descris în engleză de un model de imagini sau, unde nu există unul, de programul nostru, din fapte măsurate; ambele pot greși.',
    tracks: { sound: 'Urme în sunet', picture: 'Urme în imagini' },
    measured: 'Măsurat pentru oameni; nu decide nimic.',
    cannotSay: 'Nu poate spune nimic despre această înregistrare',
    seenBefore: 'Văzută înainte',
    leftOut: 'Nu s-au făcut',
    parts: {
      frames: 'cadrele',
      waveform: 'forma de undă',
      spectrogram: 'spectrograma',
      frame_text: 'textul din cadre',
      spoken_words: 'tehnicile și afirmațiile din ce se spune',
      judgement: 'aprecierea cadrelor',
      description: 'descrierea',
    },
    verdicts: { REAL: 'real', FAKE: 'fals', UNCERTAIN: 'incert' },
  },
} as const;

/** Who wrote the transcript, and that it is no more than a hint where it is. */
export function engineName(engine: Recording['speech_engine'], language: 'en' | 'ro'): string {
  const { nobody, hint } = RECORDING_LABELS[language];
  if (engine === null) return nobody;
  return engine.low_confidence ? `${engine.model} (${hint})` : engine.model;
}

/** The name of a part of a recording; one that is newer is called by its code. */
export function partName(part: string, language: 'en' | 'ro'): string {
  const names: Readonly<Record<string, string>> = RECORDING_LABELS[language].parts;
  return names[part] ?? part;
}
