import { withWords } from '../../engines/ai-image/words.ts';
import { verdictFrom } from '../../engines/ai-text/verdict.ts';
import type { EngineText, TextEngines } from '../../engines/text-engines.ts';
import type { AiTamperedResult } from '../../resources/ai-tampered-result.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import type { RunContext } from '../component.ts';

/** The finding on a medium, joined with the finding on the text that it shows or says. */
export async function withEmbeddedText(
  engines: Pick<TextEngines, 'aiText'>,
  text: EngineText | undefined,
  block: AiTamperedResult,
  run: RunContext,
): Promise<AiTamperedResult> {
  if (text === undefined) return block;
  const { block: found } = await engines.aiText(text, run);
  const { tuning = SHIPPED_TUNING } = run;
  return withWords(block, { ...found, verdict: verdictFrom(found, tuning.aiVerdictFrom) });
}
