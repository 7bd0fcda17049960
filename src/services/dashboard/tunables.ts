import type { z } from 'zod';
import type { LiveSetting } from '../../foundation/configuration/live-settings.ts';
import type { Tunable } from '../../foundation/configuration/tunable.ts';
import { settingOfOtherService } from '../../foundation/settings.ts';
import { analysisSettings } from '../analysis/settings.ts';
import { analysisLiveSettings, analysisTunables } from '../analysis/tunables.ts';
import { brainSettings } from '../brain/settings.ts';
import { brainLiveSettings } from '../brain/tunables.ts';
import { domainCheckSettings } from '../domain-check/settings.ts';
import { domainCheckLiveSettings } from '../domain-check/tunables.ts';
import { embeddingsSettings } from '../embeddings/settings.ts';
import { embeddingsLiveSettings } from '../embeddings/tunables.ts';
import { extractorsSettings } from '../extractors/settings.ts';
import { extractorsLiveSettings } from '../extractors/tunables.ts';
import { forensicSettings } from '../forensic/settings.ts';
import { forensicLiveSettings } from '../forensic/tunables.ts';
import { ownSettings as gatewayOwnSettings } from '../gateway/settings.ts';
import { gatewayLiveSettings } from '../gateway/tunables.ts';
import { identitySettings } from '../identity/settings.ts';
import { identityLiveSettings } from '../identity/tunables.ts';
import { llmSettings } from '../llm/settings.ts';
import { CURRENCY_KEY, llmLiveSettings, llmTunables } from '../llm/tunables.ts';
import { rerankingSettings } from '../reranking/settings.ts';
import { rerankingLiveSettings } from '../reranking/tunables.ts';
import { speechSettings } from '../speech/settings.ts';
import { speechLiveSettings } from '../speech/tunables.ts';
import { videoSettings } from '../video/settings.ts';
import { videoLiveSettings } from '../video/tunables.ts';
import { visionSettings } from '../vision/settings.ts';
import { visionLiveSettings } from '../vision/tunables.ts';
import { webSettings } from '../web/settings.ts';
import { webLiveSettings } from '../web/tunables.ts';

/** What staff may change of each service: here alone all of it stands together. */
const SERVICES: readonly {
  readonly live: readonly LiveSetting[];
  readonly shape: Readonly<Record<string, z.ZodType>>;
  readonly tunables?: readonly Tunable[];
}[] = [
  { live: gatewayLiveSettings, shape: gatewayOwnSettings },
  { live: analysisLiveSettings, shape: analysisSettings.shape, tunables: analysisTunables },
  { live: llmLiveSettings, shape: llmSettings.shape, tunables: llmTunables },
  { live: webLiveSettings, shape: webSettings.shape },
  { live: embeddingsLiveSettings, shape: embeddingsSettings.shape },
  { live: rerankingLiveSettings, shape: rerankingSettings.shape },
  { live: videoLiveSettings, shape: videoSettings.shape },
  { live: speechLiveSettings, shape: speechSettings.shape },
  { live: brainLiveSettings, shape: brainSettings.shape },
  { live: extractorsLiveSettings, shape: extractorsSettings.shape },
  { live: forensicLiveSettings, shape: forensicSettings.shape },
  { live: visionLiveSettings, shape: visionSettings.shape },
  { live: domainCheckLiveSettings, shape: domainCheckSettings.shape },
  { live: identityLiveSettings, shape: identitySettings.shape },
];

export { CURRENCY_KEY };

/** The settings of all services that staff may change. */
export const allLiveSettings: readonly LiveSetting[] = SERVICES.flatMap(({ live }) => live);

/** What else staff may change. */
export const allTunables: readonly Tunable[] = SERVICES.flatMap(({ tunables = [] }) => tunables);

/** Those settings as the environment has them: the dashboard reads them to show what holds by default. */
export const liveShape: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  SERVICES.flatMap(({ live, shape }) =>
    live.flatMap(({ name }) => {
      const setting = shape[name];
      return setting === undefined ? [] : [[name, settingOfOtherService(setting)]];
    }),
  ),
);
