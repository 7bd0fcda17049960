import type { Task } from './task.ts';

const classes = () => import('./tasks/classes.ts');
const subjects = () => import('./tasks/subjects.ts');

/** Tasks that have a model, by the name of their folder; each is loaded when it is asked for. */
export const tasks: Readonly<Record<string, () => Promise<{ task: Task }>>> = {
  techniques: () => import('./tasks/techniques.ts'),
  checkworthy: () => import('./tasks/checkworthy.ts'),
  claim_evidence: () => import('./tasks/claim-evidence.ts'),
  stance: () => import('./tasks/stance.ts'),
  hyperpartisan: () => import('./tasks/hyperpartisan.ts'),
  ai_text: () => import('./tasks/ai-text.ts'),
  langid: () => import('./tasks/langid.ts'),
  sts: () => import('./tasks/sts.ts'),
  sentiment: async () => ({ task: (await classes()).sentiment }),
  emotion: async () => ({ task: (await classes()).emotion }),
  toxicity: async () => ({ task: (await classes()).toxicity }),
  clickbait: async () => ({ task: (await classes()).clickbait }),
  fallacy_climate: async () => ({ task: (await classes()).climate }),
  fallacy_comments: async () => ({ task: (await classes()).comments }),
  topic: async () => ({ task: (await subjects()).topic }),
  genre: async () => ({ task: (await subjects()).genre }),
  ner: () => import('./tasks/ner.ts'),
  e2e: () => import('./tasks/e2e.ts'),
};
