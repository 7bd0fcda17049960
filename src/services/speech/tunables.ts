import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { speechSettings } from './settings.ts';

/** The settings of the speech service that staff may change. */
export const speechLiveSettings = liveSettings('speech', speechSettings, {
  SPEECH_QUEUE_SIZE: 'Înregistrări care pot aștepta, de la toți apelanții împreună.',
  SPEECH_CALLER_SHARE: 'Înregistrări ale unui apelant care pot aștepta sau pot fi transcrise.',
  SPEECH_MAX_FILE_BYTES: 'Cel mai mare fișier, în octeți.',
  SPEECH_MAX_SECONDS: 'Cea mai lungă înregistrare, în secunde.',
  SPEECH_DECODE_TIMEOUT_MS: 'Timpul pentru decodarea unei înregistrări, în milisecunde.',
  SPEECH_PIECE_SECONDS:
    'Înregistrările mai lungi se trimit motorului în bucăți de cel mult atâtea secunde, tăiate unde nu vorbește nimeni.',
  SPEECH_UPSTREAM_TIMEOUT_MS:
    'Timpul unui apel către serverul de transcriere al operatorului, în milisecunde.',
  SPEECH_LOCAL_TIMEOUT_MS:
    'Timpul unei bucăți pentru un motor de pe acest calculator, în milisecunde: cel mult 30 de secunde de sunet.',
  SPEECH_LOCAL_THREADS: { ro: 'Fire de execuție ale unui model de pe acest calculator.', restart: true },
  SPEECH_LOCAL_MEMORY_MB: {
    ro: 'Memoria proprie a unui motor de pe acest calculator, câte un proces pentru fiecare bucată, în MB.',
    restart: true,
  },
  SPEECH_POCKETSPHINX: {
    ro: 'Întreabă pocketsphinx, dacă este instalat și limba numită este engleza: aude greșit cam un cuvânt din trei.',
    restart: true,
  },
  SPEECH_RUNNING: {
    ro: 'Înregistrări transcrise deodată; fiecare ia până la 300 MB cât se decodează.',
    restart: true,
  },
});
