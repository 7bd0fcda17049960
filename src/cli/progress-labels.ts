import type { SessionStatus } from '../services/analysis/resources/analysis-session.ts';
import type { WorkStage } from '../services/analysis/resources/work-stage.ts';

type Words<Code extends string> = Readonly<Record<Code, string>>;

interface ProgressLabels {
  readonly status: Words<SessionStatus>;
  readonly stage: Words<WorkStage>;
  readonly outcome: Words<'skipped' | 'lost'>;
}

/** The words of the lines that follow an analysis, by the codes of its events. */
export const PROGRESS_LABELS: Readonly<Record<'en' | 'ro', ProgressLabels>> = {
  en: {
    status: {
      pending: 'waiting',
      processing: 'preparing',
      running: 'running',
      completed: 'completed',
      failed: 'failed',
      canceled: 'canceled',
    },
    stage: {
      page: 'fetching the page',
      language: 'reading the language',
      medium: 'opening the file',
      recognition: 'reading what the picture shows',
      transcription: 'writing down what is said',
      overview: 'making an overview of the recording',
      examination: 'examining picture and sound',
      frames: 'looking at single frames',
    },
    outcome: { skipped: 'not run', lost: 'lost' },
  },
  ro: {
    status: {
      pending: 'în așteptare',
      processing: 'se pregătește',
      running: 'în lucru',
      completed: 'încheiată',
      failed: 'eșuată',
      canceled: 'anulată',
    },
    stage: {
      page: 'se descarcă pagina',
      language: 'se stabilește limba',
      medium: 'se deschide fișierul',
      recognition: 'se citește ce arată imaginea',
      transcription: 'se transcrie ce se spune',
      overview: 'se face o privire de ansamblu asupra înregistrării',
      examination: 'se examinează imaginea și sunetul',
      frames: 'se privesc cadre separate',
    },
    outcome: { skipped: 'nu a rulat', lost: 'pierdută' },
  },
};
