import { readFileSync } from 'node:fs';
import { type ArgsDef, type CommandDef, defineCommand } from 'citty';
import type { Environment } from '../foundation/settings.ts';
import type { Api } from './api.ts';
import {
  accept,
  type BatchRunOptions,
  isJudged,
  type ReportFormat,
  reportFile,
  resultOf,
  runBatch,
} from './batch.ts';
import { openBatchRecord } from './batch-record.ts';
import { batchSummary } from './batch-summary.ts';
import { followSession } from './follow.ts';
import { type AnalysisInput, parseInputs } from './inputs.ts';
import { writeOverlays } from './overlays.ts';
import { openPlatform } from './platform-access.ts';
import { type ReportStyle, report } from './session-report.ts';
import { uploadedRequest } from './upload.ts';
import { UserError } from './user-error.ts';

const DEFAULT_WIDTH = 96;
const PARALLEL = { usual: 4, most: 16 };
/** The exit code when something could not be analysed although the call was right. */
const NOT_ANALYSED = 2;

const args = {
  input: {
    type: 'positional',
    required: true,
    description:
      'A text, an address, a picture, sound or video, a text file, or a file of addresses, one a line; several with --out; - reads standard input',
  },
  out: {
    type: 'string',
    description: 'Folder for the results of several inputs; a second run goes on where the first ended',
  },
  report: {
    type: 'enum',
    options: ['html', 'json', 'claimreview'],
    description: 'Report of the platform: a file of --out, else on standard output',
  },
  overlay: {
    type: 'boolean',
    description:
      'Write what was drawn beside the file, with --out into its folder: heat maps of a picture (photo.copy_move.png), wave form, spectrogram and frames of a recording',
  },
  json: { type: 'boolean', description: 'Print the whole session as JSON; with --out the summary' },
  lang: { type: 'enum', options: ['en', 'ro'], default: 'en', description: 'Language of the report' },
  plan: { type: 'string', description: 'Plan, 1 to 6' },
  spoken: {
    type: 'string',
    description:
      'Language that is spoken in sounds and videos, a code such as ro; engines of one language are asked only then',
  },
  parallel: {
    type: 'string',
    default: String(PARALLEL.usual),
    description: `Inputs at once with --out, 1 to ${PARALLEL.most}`,
  },
  quiet: { type: 'boolean', description: 'No progress' },
} satisfies ArgsDef;

/** What the options say, checked. */
interface Choices {
  readonly inputs: readonly AnalysisInput[];
  readonly out: string | undefined;
  readonly report: ReportFormat | undefined;
  readonly json: boolean;
  readonly overlay: boolean;
  readonly language: 'en' | 'ro';
  readonly parallel: number;
  readonly say: (line: string) => void;
}

/** The inputs of all arguments, each once. */
async function allInputs(
  given: readonly string[],
  { plan, spoken }: { readonly plan?: string | undefined; readonly spoken?: string | undefined },
): Promise<AnalysisInput[]> {
  const inputs: AnalysisInput[] = [];
  for (const argument of given) {
    if (argument === '-')
      inputs.push({ name: 'standard input', request: { media_type: 'text', text: readFileSync(0, 'utf8') } });
    else inputs.push(...(await parseInputs(argument)));
  }
  const planned = inputs.map(({ request, ...input }) => ({
    ...input,
    request: {
      ...request,
      ...(plan !== undefined && { plan_type: Number(plan) }),
      ...(spoken !== undefined && { language: spoken }),
    },
  }));
  return [...new Map(planned.map((input) => [JSON.stringify(input.request), input])).values()];
}

function parallelOf(text: string): number {
  const parallel = Number(text);
  if (Number.isInteger(parallel) && parallel >= 1 && parallel <= PARALLEL.most) return parallel;
  throw new UserError(`--parallel is a number from 1 to ${PARALLEL.most}`);
}

/** Analyses one input; its report, or the session as JSON, goes to standard output. */
async function analyseOne(api: Api, input: AnalysisInput, choices: Choices): Promise<void> {
  const { say, json, language } = choices;
  const { session_id, queued_components } = await accept(api, await uploadedRequest(api, input));
  await followSession(api, session_id, queued_components.length, say, language);
  const session = await resultOf(api, session_id);
  if (choices.overlay && input.medium !== undefined)
    for (const name of await writeOverlays(api, session, input.medium)) say(name);
  if (choices.report !== undefined && !json) {
    process.stdout.write(await reportFile(api, session_id, choices.report, language));
  } else {
    process.stdout.write(`${json ? JSON.stringify(session, null, 2) : report(session, styleOf(language))}\n`);
  }
  if (session.status !== 'completed' || !isJudged(session)) process.exitCode = NOT_ANALYSED;
}

/** Analyses many inputs into a folder; a summary goes to standard output. */
async function analyseMany(api: Api, folder: string, choices: Choices): Promise<void> {
  const { inputs, json, language, report: format, overlay, parallel, say } = choices;
  const options: BatchRunOptions = { report: format, language, overlay, parallel, say };
  const results = await runBatch(api, inputs, openBatchRecord(folder), options);
  process.stdout.write(
    json ? `${JSON.stringify(results, null, 2)}\n` : `${batchSummary(results, language)}\n`,
  );
  if (results.some(({ status, judged }) => status !== 'completed' || !judged))
    process.exitCode = NOT_ANALYSED;
}

/**
 * `limpede analyze`: progress on standard error, the report or the summary on standard output. Ends with 0 when everything
 * was analysed, with 2 when something was not or no check could say anything of it, and with 1 when the call itself was wrong.
 */
export function analyzeCommand(environment: Environment): CommandDef<typeof args> {
  return defineCommand({
    meta: {
      name: 'analyze',
      description: 'Analyse texts, web pages, pictures, sounds, videos and text files',
    },
    args,
    run: async ({ args: options }) => {
      const choices: Choices = {
        inputs: await allInputs(options._.map(String), options),
        out: options.out,
        report: options.report as ReportFormat | undefined,
        json: options.json === true,
        overlay: options.overlay === true,
        language: options.lang === 'ro' ? 'ro' : 'en',
        parallel: parallelOf(options.parallel),
        say: options.quiet === true ? () => undefined : (line) => process.stderr.write(`  ${line}\n`),
      };
      const { inputs, out } = choices;
      const [first] = inputs;
      if (first === undefined || (inputs.length > 1 && out === undefined))
        throw new UserError('several inputs need --out FOLDER for their results');
      const platform = await openPlatform(environment, choices.say);
      try {
        if (out === undefined) await analyseOne(platform, first, choices);
        else await analyseMany(platform, out, choices);
      } finally {
        await platform.stop();
      }
    },
  });
}

function styleOf(language: 'en' | 'ro'): ReportStyle {
  const { stdout } = process;
  const width = Math.min(stdout.columns ?? DEFAULT_WIDTH, DEFAULT_WIDTH);
  return { language, width, colour: stdout.isTTY === true && stdout.hasColors() };
}
