import { stemmer } from 'stemmer';

/** Past forms of common verbs that no rule of endings leads back. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `built build|paid pay|ran run|said say|sold sell|bought buy|brought bring|found find|gave give|given give|grew grow|grown grow|held hold
  |hid hide|hidden hide|kept keep|knew know|known know|led lead|left leave|lost lose|met meet|rose rise|risen rise|fell fall|fallen fall
  |sent send|shot shoot|spent spend|spoke speak|spoken speak|stole steal|stolen steal|stood stand|taught teach|thought think|told tell
  |took take|taken take|went go|gone go|won win|wrote write|written write|chose choose|chosen choose|began begin|begun begin|broke break
  |broken break|came come|drank drink|drove drive|driven drive|ate eat|eaten eat|fought fight|flew fly|saw see|seen see|sank sink|swore swear
  |threw throw|thrown throw|wore wear|became become|caught catch|felt feel|dealt deal|men man|women woman|children child|people person`
    .split('|')
    .map((pair) => pair.trim().split(' ') as [string, string]),
);

/** A folded English word without its ending, by Porter's rules; past forms of common verbs are led back first. */
export function englishStem(word: string): string {
  return stemmer(IRREGULAR.get(word) ?? word);
}
