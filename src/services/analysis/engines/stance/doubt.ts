import { englishStem } from '../../../../text/statement/stems.ts';
import type { EncodedStatement } from './features.ts';

/** Words by which evidence says that a claim is not true, as stems; of a Romanian passage the gloss is searched. */
const DOUBTING: ReadonlySet<string> = new Set(
  `false falsely untrue myth hoax fake debunked debunk misleading misinformation disinformation incorrect wrong wrongly contrary unfounded
  baseless disproved disproven refuted rumour rumor fabricated fals falsa mit neadevarat dezinformare`
    .split(/\s+/)
    .map(englishStem),
);

const expressesDoubt = ({ words }: EncodedStatement) => words.some(({ stem }) => DOUBTING.has(stem));

/** Whether some sentence of a passage calls something untrue, and the claim does not. */
export function callsUntrue(claim: EncodedStatement, passage: readonly EncodedStatement[]): boolean {
  return !expressesDoubt(claim) && passage.some(expressesDoubt);
}
