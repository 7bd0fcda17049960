import type { Contract } from '../contract.ts';
import { type HealthParts, overallHealth, runChecks } from '../health.ts';
import { type HealthReport, reportForm } from '../standard-operations.ts';
import { answer, type Reply } from './reply.ts';

/** Longest wait for one check, in milliseconds: less than callers of /health wait. */
const CHECK_LIMIT_MS = 1_500;

/** What the standard operations report. */
export interface StandardFacts {
  readonly contract: Contract;
  readonly version: string;
  readonly health: HealthParts;
  /** What the service is set up to call, by name. */
  readonly dependsOn: readonly string[];
  /** The models of the service, for the catalogue. */
  readonly models: () => Promise<readonly unknown[]>;
}

/** The result of work that is under way, for everybody who asks meanwhile. */
function shared<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** The handlers of /v1/info, /health and /ready. However many ask for health, each part is asked once at a time. */
export function standardHandlers({ contract, version, health, dependsOn, models }: StandardFacts) {
  const { parts, critical, auxiliary: aside, ready } = health;
  if (Object.keys(parts).length === 0)
    throw new Error(`${contract.name} has nothing to ask for its health: no need carries a probe`);
  const form = contract.health ?? reportForm;
  const report = shared(async (): Promise<HealthReport> => {
    const checks = await runChecks(parts, CHECK_LIMIT_MS);
    const status = overallHealth(checks, critical, aside);
    return { status, service: contract.name, version, timestamp: new Date().toISOString(), checks };
  });
  const readyChecks = shared(() => runChecks(ready ?? {}, CHECK_LIMIT_MS));
  const isReady = async () => {
    if (ready === undefined) return (await report()).status !== 'unhealthy';
    return Object.values(await readyChecks()).every(({ status }) => status === 'healthy');
  };
  return {
    info: async () => ({
      resource: {
        name: contract.name,
        title: contract.title,
        version,
        description: contract.description,
      },
      models: await models(),
      functions: Object.entries(contract.operations).map(([name, { method, path, summary }]) => ({
        name,
        method,
        path,
        description: summary,
      })),
      depends_on: [...dependsOn],
    }),
    health: async (): Promise<Reply> => {
      const current = await report();
      const status = current.status === 'unhealthy' ? form.unhealthyStatus : 200;
      return answer(status, form.describe(current));
    },
    ready: async (): Promise<Reply> => {
      const ready = await isReady();
      return answer(ready ? 200 : 503, { ready });
    },
  };
}
