import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { embeddingsSettings } from './settings.ts';

/** The settings of the embeddings service that staff may change. */
export const embeddingsLiveSettings = liveSettings('embeddings', embeddingsSettings, {
  EMBEDDINGS_QUEUE_SIZE:
    'Porții de lucru care pot aștepta un fir de execuție, de la toți apelanții împreună.',
  EMBEDDINGS_CALLER_SHARE: 'Porții de lucru ale unui apelant care pot aștepta sau rula.',
  EMBEDDINGS_UPSTREAM_TIMEOUT_MS:
    'Timpul unui apel către serverul de vectori al operatorului, în milisecunde.',
  EMBEDDINGS_THREADS: {
    ro: 'Fire de execuție ale codificatorului inclus; ponderile sunt comune.',
    restart: true,
  },
  EMBEDDINGS_ONNX_THREADS: {
    ro: 'Fire de execuție pentru fiecare model ONNX al operatorului.',
    restart: true,
  },
  EMBEDDINGS_CACHE_ENTRIES: {
    ro: 'Texte ai căror vectori se păstrează în memorie, pentru fiecare model; 0: niciunul.',
    restart: true,
  },
});
