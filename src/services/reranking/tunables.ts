import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { rerankingSettings } from './settings.ts';

/** The settings of the reranking service that staff may change. */
export const rerankingLiveSettings = liveSettings('reranking', rerankingSettings, {
  RERANKING_QUEUE_SIZE: 'Porții de lucru care pot aștepta un fir de execuție, de la toți apelanții împreună.',
  RERANKING_CALLER_SHARE: 'Porții de lucru ale unui apelant care pot aștepta sau rula.',
  RERANKING_UPSTREAM_TIMEOUT_MS:
    'Timpul unui apel către serverul de reordonare al operatorului, în milisecunde.',
  RERANKING_THREADS: {
    ro: 'Fire de execuție ale modelului inclus; ponderile sunt comune.',
    restart: true,
  },
  RERANKING_ONNX_THREADS: {
    ro: 'Fire de execuție pentru fiecare model ONNX al operatorului.',
    restart: true,
  },
});
