import { z } from 'zod';
import { auditSettings } from '../../foundation/database/retention.ts';
import { privateHosts } from '../../foundation/http/allow-list.ts';
import { objectSettings } from '../../foundation/objects/settings.ts';
import { realmSettings } from '../../foundation/realms.ts';
import { dependency, integer, list, optionalText, text } from '../../foundation/settings.ts';

/** No setting allows a larger file: 4 GiB. */
export const LARGEST_UPLOAD = 4 * 1024 ** 3;

/** Settings of the analysis service. */
export const analysisSettings = z.object({
  ...realmSettings,
  LIMPEDE_MODE: z
    .enum(['production', 'staging'])
    .default('production')
    .describe('In staging the user_id of a request body is honoured; in production only the token decides.'),
  ASYNC_STATUS: z
    .enum(['200', '202'])
    .default('202')
    .describe('The status that an accepted -async operation answers; 200 serves old clients.'),
  REPORT_PUBLISHER: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .default('Limpede')
    .describe('The organisation that reports in the ClaimReview form name as author of reviews.'),
  ANALYSIS_SLOTS_FREE: integer(8, 1, 10_000).describe(
    'Accepted sessions of one user of the free tier that may be under way at once; more wait as pending.',
  ),
  ANALYSIS_SLOTS_PREMIUM: integer(32, 1, 10_000).describe('The same for the premium tier (plan 4 to 6).'),
  ANALYSIS_PENDING_MAX: integer(500, 0, 1_000_000).describe(
    'Accepted sessions of one user that may wait as pending; further ones are refused with 429.',
  ),
  AMQP_URL: z
    .url({ protocol: /^amqps?$/, error: 'must be an amqp:// or amqps:// address' })
    .optional()
    .describe('RabbitMQ 3.10 or later for the queues; unset means queues in the database.'),
  AMQP_PREFIX: text('limpede').describe(
    'The first part of the names of queues, so that several installations can share a broker.',
  ),
  ANALYSIS_ROLE: z
    .enum(['all', 'api', 'worker'])
    .default('all')
    .describe('What this process does: `worker` works on queues, `api` answers requests and works on none.'),
  ANALYSIS_COMPONENTS: list()
    .pipe(
      z.array(z.enum(['material', 'techniques', 'ai_tampered', 'claims', 'domain', 'verdict', 'results'])),
    )
    .describe(
      'The queues that this process works on, separated by commas; unset means all. Some process must work on each.',
    ),
  ANALYSIS_DIRECT_PLACES: integer(48, 1, 1_000).describe(
    'Direct analyses that this process works on at once, in each tier; one user gets as many as its slots, four times as many may wait.',
  ),
  ANALYSIS_DIRECT_ANSWER_MS: integer(50_000, 100, 3_600_000).describe(
    'Milliseconds after which a direct analysis answers its session as it stands, with status running, while the work goes on: less than GATEWAY_UPSTREAM_TIMEOUT_MS. Long recordings take more; their asynchronous form answers at once.',
  ),
  ANALYSIS_CONCURRENCY: integer(4, 1, 256).describe(
    'Queued steps of one kind that this process works on at once. More of them share statements of the database, but they also ask text models at once: raise LLM_ANALYSIS_CALLS with it.',
  ),
  ANALYSIS_ENGINE_THREADS: integer(1, 1, 64).describe(
    'Threads of the text engines for one user; there is one more in all. Each that was used holds its own copy of the models.',
  ),
  ANALYSIS_PICTURES_AT_ONCE: integer(2, 1, 256).describe(
    'Pictures that this process has examined at once; more wait, users in turns.',
  ),
  ANALYSIS_PAGE_PICTURES: integer(3, 0, 3).describe(
    'Leading pictures of a page that are looked at with it; 0 looks at none.',
  ),
  ANALYSIS_RECORDINGS_AT_ONCE: integer(2, 1, 256).describe(
    'Sounds and videos that this process has heard or examined at once; more wait, users in turns.',
  ),
  ANALYSIS_RECORDINGS_SHED_FROM: integer(20, 1, 10_000).describe(
    'Recordings that wait from which on optional parts are left out: first the text in frames, then the spectrogram, then the description of videos.',
  ),
  ANALYSIS_LARGEST_UPLOAD: integer(536_870_912, 1024, LARGEST_UPLOAD).describe(
    'Bytes of the largest picture, sound or video that is stored; GATEWAY_UPLOAD_LIMIT holds for all that comes through the gateway.',
  ),
  ...objectSettings.shape,
  ANALYSIS_MEDIA_QUOTA: integer(10_737_418_240, 1024, 2 ** 50).describe(
    'Bytes of pictures, sounds and videos that one user may have stored, those on their way in included.',
  ),
  ANALYSIS_MEDIA_DAYS: integer(180, 0, 36_500).describe(
    'Days after which a medium is removed that was not sent again and that no younger session is about; 0 keeps it for ever. The medium of a deleted session goes at once.',
  ),
  ...auditSettings,
  LLM_URL: dependency().describe('The text-model gateway; `none` switches it off.'),
  LLM_API_TOKEN: optionalText().describe('The token that our own services send to the text-model gateway.'),
  LLM_ANALYSIS_MODEL: optionalText().describe(
    'The model that helps to analyse; unset means LLM_DEFAULT_MODEL, else the first one that the gateway lists.',
  ),
  LLM_DEFAULT_MODEL: optionalText().describe(
    'The model that helps to analyse when LLM_ANALYSIS_MODEL is unset.',
  ),
  // A component has 20 s: half a second for the list of models, and enough must remain for our own engine.
  LLM_ANALYSIS_TIMEOUT_MS: integer(12_000, 100, 18_000).describe(
    'Longest wait for one answer of a text model, its repair included; after it our own engines stand alone.',
  ),
  LLM_ANALYSIS_CALLS: integer(4, 1, 256).describe(
    'Questions that this process asks text models at once; four times as many may wait for a place.',
  ),
  LLM_ANALYSIS_TEXT_LENGTH: integer(8_000, 500, 50_000).describe(
    'Characters of a text that a text model reads, cut after a sentence; less when its context window is small.',
  ),
  WEB_URL: dependency().describe('The web evidence service; `none` switches it off.'),
  WEB_API_TOKEN: optionalText().describe('The token that our own services send to the web evidence service.'),
  WEB_ALLOWED_PRIVATE_HOSTS: privateHosts().describe(
    'Private hosts that the outbound guard lets through: host:port, host or CIDR, separated by commas.',
  ),
  BRAIN_URL: dependency().describe(
    'The verification cache, by which claims are checked; `none` switches the checking off.',
  ),
  BRAIN_API_TOKEN: optionalText().describe('The token that our own services send to the verification cache.'),
  EMBEDDINGS_URL: dependency().describe(
    'The embeddings service; without it our own engine judges no evidence. `none` switches it off.',
  ),
  EMBEDDINGS_API_TOKEN: optionalText().describe(
    'The token that our own services send to the embeddings service.',
  ),
  EXTRACTORS_URL: dependency().describe(
    'The extractors, by which the metadata and the signed history of media are read; `none` switches them off.',
  ),
  FORENSIC_URL: dependency().describe(
    'The forensic service, by which pictures and recordings are examined; `none` switches it off.',
  ),
  VISION_URL: dependency().describe(
    'The vision service, whose model of the operator looks at pictures; `none` switches it off.',
  ),
  SPEECH_URL: dependency().describe(
    'The speech service, by which what is said in recordings is transcribed; `none` switches it off.',
  ),
  SPEECH_API_TOKEN: optionalText().describe('The token that our own services send to the speech service.'),
  VIDEO_URL: dependency().describe(
    'The video service, by which the frames of videos are judged and described; `none` switches it off.',
  ),
  DOMAIN_CHECK_URL: dependency().describe('The domain credibility check; `none` switches it off.'),
});
/** The parsed settings. */
export type AnalysisSettings = z.infer<typeof analysisSettings>;
