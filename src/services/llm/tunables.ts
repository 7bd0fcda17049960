import type { z } from 'zod';
import type { ConfigurationSnapshot } from '../../foundation/configuration/configuration.ts';
import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { defineTunable, type Tunable } from '../../foundation/configuration/tunable.ts';
import { type PolicyFile, policyFile, type StaffPolicy } from './policy.ts';
import { type LlmSettings, llmSettings } from './settings.ts';

/** The settings of the text-model gateway that staff may change. */
export const llmLiveSettings = liveSettings('llm', llmSettings, {
  LLM_RATE_LIMIT_RPS: 'Cereri pe secundă ale unui apelant.',
  LLM_RATE_LIMIT_BURST: 'Cereri pe care un apelant le poate trimite deodată.',
  LLM_MAX_CONCURRENT_COMPLETIONS: 'Completări care pot rula în același timp.',
  LLM_QUEUE_SIZE: 'Completări care își pot aștepta rândul; 0: niciuna.',
  LLM_QUEUE_TIMEOUT_MS: 'Cea mai lungă așteptare a rândului unei completări, în milisecunde.',
  LLM_FIRST_EVENT_TIMEOUT_MS:
    'Cea mai lungă tăcere a unui server de modele înainte de primul eveniment al unui flux, în milisecunde.',
  LLM_EVENT_TIMEOUT_MS: 'Cea mai lungă tăcere între două evenimente ale unui flux, în milisecunde.',
  LLM_ANSWER_TIMEOUT_MS:
    'Cea mai lungă așteptare a unui răspuns întreg de la un server de modele, în milisecunde; apoi este întrebat următorul din lanțul de rezervă.',
  LLM_TOTAL_TIMEOUT_MS: 'Cea mai lungă durată a unei completări, în milisecunde.',
  LLM_KEEP_ALIVE_MS:
    'După atâta tăcere se trimite un comentariu în flux, ca intermediarii să-l țină deschis, în milisecunde; 0: niciodată.',
  LLM_RETRIES: 'Încercări repetate la același server de modele înainte de trimiterea primului eveniment.',
  LLM_RETRY_DELAY_MS:
    'Limita de sus a pauzei întâmplătoare înainte de prima repetare, în milisecunde; se dublează cu fiecare.',
  LLM_RETRY_DEADLINE_MS: 'Nicio repetare nu începe mai târziu de atât după cerere, în milisecunde.',
  LLM_MAX_ANSWER_BYTES:
    'Cel mai mare răspuns întreg și cel mai mare eveniment preluat de la un server de modele, în octeți.',
  LLM_GPU_DISABLE_THINKING:
    'Cere modelelor serverului gpu să răspundă fără raționament, dacă apelantul nu trimite chat_template_kwargs.',
  LLM_STREAM_USAGE:
    'Cere serverelor de modele consumul fiecărui flux; apelanții îl văd doar dacă l-au cerut.',
  LLM_BREAKER_REQUESTS: 'Un circuit se deschide doar după atâtea cereri în 30 de secunde.',
  LLM_BREAKER_FAILURE_SHARE: 'Partea de cereri eșuate care deschide un circuit.',
  LLM_BREAKER_OPEN_MS:
    'Timpul până când un circuit deschis lasă o cerere să încerce din nou, în milisecunde.',
  LLM_DRAIN_MS:
    'La o oprire în ordine, timpul pe care îl au completările în curs înainte de a fi încheiate, în milisecunde.',
  LLM_USAGE_DAYS: 'Zile pentru care se păstrează consumul; 0: pentru totdeauna.',
  LLM_MAX_BODY_BYTES: {
    ro: 'Cel mai mare corp de cerere, în octeți; imaginile călătoresc în el.',
    restart: true,
  },
  LLM_CONNECT_TIMEOUT_MS: {
    ro: 'Cel mai lung timp pentru conectarea la un server de modele, în milisecunde.',
    restart: true,
  },
  LLM_MODELS_REFRESH_MS: {
    ro: 'Vechimea de la care listele de modele sunt citite din nou, în milisecunde.',
    restart: true,
  },
  LLM_CACHE_MAX_BYTES: {
    ro: 'Memoria pentru răspunsuri la cereri identice repetate ale aceluiași apelant, în octeți; 0: fără.',
    restart: true,
  },
  LLM_CACHE_TTL_MS: {
    ro: 'Vechimea de la care un răspuns păstrat este uitat, în milisecunde.',
    restart: true,
  },
  LLM_USAGE: {
    ro: 'Păstrează în baza de date tokenii, costul și erorile, pe apelant și model.',
    restart: true,
  },
  LLM_USAGE_FLUSH_MS: { ro: 'Intervalul la care se scrie consumul, în milisecunde.', restart: true },
  LLM_EMBEDDED_CONTEXT: {
    ro: 'Cel mai lung context al unui model încorporat, în tokeni; modelul și memoria pot permite mai puțin.',
    restart: true,
  },
  LLM_EMBEDDED_PARALLEL: {
    ro: 'Completări pe care un model încorporat le rulează deodată, fiecare cu contextul ei; celelalte așteaptă.',
    restart: true,
  },
  LLM_EMBEDDED_MODELS: {
    ro: 'Modele încorporate ținute deodată în memorie; unul nou ia locul celui nefolosit de cel mai mult timp.',
    restart: true,
  },
  LLM_EMBEDDED_IDLE_MS: {
    ro: 'Timpul fără cereri după care un model încorporat este scos din memorie, în milisecunde; 0: niciodată.',
    restart: true,
  },
  LLM_EMBEDDED_THREADS: {
    ro: 'Fire de execuție ale unui model încorporat; 0: cu unul mai puțin decât nucleele mașinii.',
    restart: true,
  },
});

const { fallbacks, prices, currency } = policyFile.shape;

const llmFallbacks = defineTunable({
  key: 'llm.fallbacks',
  schema: fallbacks.unwrap(),
  fallback: {},
  description_en:
    'By model, by backend:model, or `*`: backends and models that are asked when the first fails. In place of those of LLM_CONFIG_FILE.',
  description_ro:
    'După model, după backend:model sau `*`: serverele și modelele întrebate când primul eșuează. În locul celor din LLM_CONFIG_FILE.',
});
const llmPrices = defineTunable({
  key: 'llm.prices',
  schema: prices.unwrap(),
  fallback: {},
  description_en:
    'Prices per million tokens, by model, by backend:model, or by backend. In place of those of LLM_CONFIG_FILE.',
  description_ro:
    'Prețuri pe milion de tokeni, după model, după backend:model sau după backend. În locul celor din LLM_CONFIG_FILE.',
});
/** The key of the currency of prices. */
export const CURRENCY_KEY = 'llm.currency';

const llmCurrency = defineTunable({
  key: CURRENCY_KEY,
  schema: currency.unwrap().trim().min(1).max(10),
  fallback: currency.parse(undefined),
  description_en: 'The currency of the prices.',
  description_ro: 'Moneda prețurilor.',
});

/** What else staff may change of the text-model gateway. */
export const llmTunables: readonly Tunable[] = [llmFallbacks, llmPrices, llmCurrency];

/** Limits of the policy by the setting that they are. */
const LIMITS = {
  rate_limit_rps: 'LLM_RATE_LIMIT_RPS',
  rate_limit_burst: 'LLM_RATE_LIMIT_BURST',
  max_concurrent_completions: 'LLM_MAX_CONCURRENT_COMPLETIONS',
  queue_size: 'LLM_QUEUE_SIZE',
  queue_timeout_ms: 'LLM_QUEUE_TIMEOUT_MS',
} as const satisfies Record<keyof PolicyFile['limits'], keyof LlmSettings>;

/** The part of the policy that staff have set; the rest comes from the file. */
export function staffPolicyOf(configuration: ConfigurationSnapshot, settings: LlmSettings): StaffPolicy {
  const limits = Object.entries(LIMITS).filter(([, name]) => {
    const setting = llmLiveSettings.find((live) => live.name === name);
    return setting !== undefined && configuration.isSet(setting);
  });
  const tables = { fallbacks: llmFallbacks, prices: llmPrices, currency: llmCurrency };
  const set = Object.entries(tables).filter(([, tunable]) => configuration.isSet(tunable));
  return {
    ...Object.fromEntries(set.map(([name, tunable]) => [name, configuration.get<z.ZodType>(tunable).value])),
    limits: Object.fromEntries(limits.map(([limit, name]) => [limit, settings[name]])),
  };
}
