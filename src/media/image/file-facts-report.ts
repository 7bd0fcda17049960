import { z } from 'zod';
import type { FileFacts } from './file-facts.ts';

/** What a picture file says of itself, as services report it; all of it can be forged. */
export const fileFactsReport = z.object({
  software: z.string().nullable(),
  camera: z.object({ make: z.string().nullable(), model: z.string().nullable() }).nullable(),
  taken_at: z.string().nullable().describe('As the file writes it.'),
  modified_at: z.string().nullable().describe('As the file writes it.'),
  has_maker_note: z.boolean(),
  digital_source_type: z.string().nullable().describe('Of IPTC, its last part.'),
  generator: z.object({ name: z.string(), keys: z.array(z.string()) }).nullable(),
});

/** Reports what a picture file says of itself. */
export function describeFileFacts(facts: FileFacts): z.infer<typeof fileFactsReport> {
  return {
    software: facts.software,
    camera: facts.camera,
    taken_at: facts.takenAt,
    modified_at: facts.modifiedAt,
    has_maker_note: facts.hasMakerNote,
    digital_source_type: facts.digitalSourceType,
    generator:
      facts.generator === null ? null : { name: facts.generator.name, keys: [...facts.generator.keys] },
  };
}
