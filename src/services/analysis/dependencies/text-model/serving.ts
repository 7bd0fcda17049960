import type { Client, LossReason } from '../../../../foundation/client.ts';
import { DeadlineError, withDeadline } from '../../../../foundation/deadline.ts';
import type { llm, Model } from '../../../llm/contract.ts';

/** The operations of the gateway that list its models and backends. */
export type ModelLister = Pick<Client<typeof llm>, 'models' | 'backends'>;

/** The root of a gateway; its address may come with the /v1 that clients of the chat-completion family want. */
export function gatewayRoot(address: string | undefined): string | undefined {
  return address?.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** What the gateway could do for an analysis. */
type Serving =
  | { readonly state: 'serving'; readonly model: string; readonly listed: Model | undefined }
  | { readonly state: 'lost'; readonly reason: LossReason }
  /** The gateway works, and has no backend that it could use. */
  | { readonly state: 'off' };

/** Knows which model would answer, without asking the gateway for every analysis. */
export interface ServingModel {
  /** What was last known; undefined before the first look. Asks nothing. */
  known(): Serving | undefined;
  /** What is known, looked up when nothing is or when it is old; waits at most half a second. */
  find(): Promise<Serving>;
  /** What the gateway's list says of a model; undefined when it does not list it. */
  listed(model: string): Model | undefined;
}

/** Age in milliseconds from which what is known is looked up again beside the work: bad news ages faster. */
const FRESH_MS = { good: 30_000, bad: 5_000 } as const;
/** Times that age up to which old knowledge still serves while the new is on its way. */
const USABLE_AGES = 4;
/** Longest wait of an analysis for the list, in milliseconds; a gateway in the same process needs two. */
const WAIT_MS = 500;

/** The first model that chats, or the named one. */
function chosenFrom(models: readonly Model[], named: string | undefined): Serving | undefined {
  if (models.length === 0) return undefined;
  if (named !== undefined) {
    return { state: 'serving', model: named, listed: models.find(({ id }) => id === named) };
  }
  const listed = models.find(({ capabilities }) => capabilities.includes('chat'));
  return listed === undefined ? undefined : { state: 'serving', model: listed.id, listed };
}

/** Whether the gateway has a backend; one that does not say may have one. */
async function hasBackend(client: ModelLister): Promise<boolean> {
  const answer = await client.backends({});
  return answer === undefined || answer.backends.length > 0;
}

/** Looks after the choice of a model; `named` is the one of the settings. Nothing is asked before the first `find`. */
export function createServingModel(
  client: ModelLister,
  named: string | undefined,
  now: () => number = () => performance.now(),
): ServingModel {
  let cached: Serving | undefined;
  let foundAt = 0;
  let listed: ReadonlyMap<string, Model> = new Map();
  let everServed = false;
  let looking: Promise<Serving> | undefined;

  const look = async (): Promise<Serving> => {
    let reason: LossReason = 'unavailable';
    const answer = await client.models({ query: {} }, { lost: (loss) => (reason = loss.reason) });
    if (answer === undefined) return { state: 'lost', reason };
    listed = new Map(answer.data.map((model) => [model.id, model]));
    const chosen = chosenFrom(answer.data, named);
    everServed ||= chosen !== undefined;
    if (chosen !== undefined) return chosen;
    // A model is expected: the settings name it, it was there before, or a backend is there that should have one.
    const expected = named !== undefined || everServed || (await hasBackend(client));
    return expected ? { state: 'lost', reason } : { state: 'off' };
  };

  const remember = (serving: Serving): Serving => {
    cached = serving;
    foundAt = now();
    return serving;
  };

  const lookOnce = (): Promise<Serving> => {
    looking ??= look().then((serving) => {
      looking = undefined;
      return remember(serving);
    });
    return looking;
  };

  return {
    known: () => cached,
    listed: (model) => listed.get(model),
    find: async () => {
      const fresh = cached?.state === 'serving' ? FRESH_MS.good : FRESH_MS.bad;
      const age = now() - foundAt;
      if (cached !== undefined && age < fresh) return cached;
      const look = lookOnce();
      if (cached !== undefined && age < fresh * USABLE_AGES) return cached;
      // Who comes next need not wait for the same list again; it is remembered when it comes after all.
      return (await inTime(look)) ?? remember({ state: 'lost', reason: 'timeout' });
    },
  };
}

/** What the look brings within the wait; undefined when it takes longer. */
async function inTime(look: Promise<Serving>): Promise<Serving | undefined> {
  try {
    return await withDeadline(WAIT_MS, undefined, () => look);
  } catch (error) {
    if (error instanceof DeadlineError) return undefined;
    throw error;
  }
}
