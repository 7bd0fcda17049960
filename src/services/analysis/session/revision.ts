import { z } from 'zod';
import { componentBlocks } from '../resources/component-blocks.ts';
import { verdictResult } from '../resources/verdict-result.ts';

/** The result of a session as one revision has it: its blocks, null where a component gave none. */
export const revisionContent = z.object({ ...componentBlocks, verdict: verdictResult });
export type RevisionContent = z.infer<typeof revisionContent>;
