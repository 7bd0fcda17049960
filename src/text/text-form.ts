/** The form of a text: running prose, or one that models of prose were not made for (`lines`: a list, a table, verse). */
export type TextForm = 'prose' | 'code' | 'lines';

/** Shortest text whose form is determined. */
const LEAST_LINES = 6;
/** Longest beginning of a text that is examined. */
const MOST_CHARACTERS = 8000;

/** Shares of lines, 0 to 1, and the mean of words in a line; chosen on texts of each form in test/text/text-form.test.ts. */
const BOUNDS = { code: 0.4, marked: 0.6, open: 0.7, words: 8.5 };

const MARKED = /^\s*(?:[-*•·–▪◦>]|\(?\d{1,3}[.)]|\(?[a-z]\)|\[[ x]?\])\s/iu;
const ENDS_SENTENCE = /[.!?…]["”’»)]*$/u;
const CODE_LINE =
  /[;{}]\s*$|^\s*(?:#include|import\s[\w{*]|from\s\w+\simport|def\s\w+\(|function\s*\w*\(|const\s\w+\s*=|let\s\w+\s*=|var\s\w+|return\b.*[;)]|if\s*\(|for\s*\(|while\s*\(|else\s*[:{]|class\s\w+[:({]|public\s|private\s|SELECT\s.*\sFROM|<\/?[a-z][^>]*>|\$\s\w+|@\w+\()|=>|\w+\(.*\)\s*[:{;]|\w+\s*[+*/-]?=\s*\S+$/u;

const share = (lines: readonly string[], of: (line: string) => boolean) =>
  lines.filter(of).length / lines.length;

/** Distinguishes code, lists and verse from prose by the shape of the lines. */
export function textForm(text: string): TextForm {
  const lines = text
    .slice(0, MOST_CHARACTERS)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '');
  if (lines.length < LEAST_LINES) return 'prose';
  if (share(lines, (line) => CODE_LINE.test(line)) >= BOUNDS.code) return 'code';
  const words = lines.map((line) => line.trim().split(/\s+/u).length);
  const mean = words.reduce((sum, count) => sum + count, 0) / words.length;
  const open = share(lines, (line) => !ENDS_SENTENCE.test(line));
  const isMarked = share(lines, (line) => MARKED.test(line)) >= BOUNDS.marked;
  return open >= BOUNDS.open && (isMarked || mean <= BOUNDS.words) ? 'lines' : 'prose';
}
