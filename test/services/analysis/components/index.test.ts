import { describe, expect, it } from 'vitest';
import { inapplicable } from '../../../../src/services/analysis/components/component.ts';
import { componentList } from '../../../../src/services/analysis/components/index.ts';
import { untimedTask } from '../../../../src/services/analysis/engines/text-engines.ts';
import { sentence } from '../../../../src/services/analysis/reasons.ts';
import {
  COMPONENT_WORDS,
  SCORED_COMPONENTS,
} from '../../../../src/services/analysis/resources/component-blocks.ts';
import { COMPONENTS } from '../../../../src/services/analysis/resources/component-name.ts';
import { NO_RECORDINGS } from '../harness.ts';
import { aiBlock, claimsBlock, domainBlock, techniquesBlock } from '../pipeline/blocks.ts';

describe('the list of components', () => {
  it.each(COMPONENTS)('names %s in every place where people or queues read it', (name) => {
    expect(componentList[name].name).toBe(name);
    expect(Object.values(SCORED_COMPONENTS)).toContain(name);
    for (const language of ['en', 'ro'] as const) {
      const { title, subject } = COMPONENT_WORDS[name];
      expect(title[language]).not.toBe(subject[language]);
      const lost = sentence({ code: 'timeout', values: { part: name } }, language);
      expect(lost.toLowerCase().startsWith(name)).toBe(false);
    }
  });

  it('turns credibility and trust round, so that higher is worse', () => {
    expect(componentList.techniques.scoreOf(techniquesBlock(40))).toBe(40);
    expect(componentList.ai_tampered.scoreOf(aiBlock(40))).toBe(40);
    expect(componentList.claims.scoreOf(claimsBlock(40))).toBe(60);
    expect(componentList.domain.scoreOf(domainBlock(40))).toBe(60);
    expect(componentList.claims.scoreOf(claimsBlock(null))).toBeNull();
    expect(componentList.domain.scoreOf(domainBlock(null))).toBeNull();
  });

  it('says once what applies: by what may come, and by what came', () => {
    const { claims, domain } = componentList;
    const refused = { code: 'page_timeout', values: {} } as const;
    expect(inapplicable(claims, new Set(['text']), {})).toBeNull();
    expect(inapplicable(claims, new Set(['image']), {})).toEqual({ code: 'no_text', values: {} });
    expect(inapplicable(claims, new Set(['source_address']), { text: refused })).toEqual(refused);
    expect(inapplicable(domain, new Set(['source_address']), { text: refused })).toBeNull();
    expect(inapplicable(domain, new Set(['text']), {})).toEqual({ code: 'no_web_address', values: {} });
  });

  it('skips the source while the domain check is switched off', async () => {
    const tools = {
      engines: {} as never,
      model: { ask: async () => ({ state: 'off' as const }) },
      verification: undefined,
      pictures: undefined,
      vision: undefined,
      pagePictures: undefined,
      recordings: NO_RECORDINGS,
    };
    const run = componentList.domain.create({ ...tools, domainCheck: undefined });
    const material = {
      mediaType: 'url' as const,
      title: null,
      parts: { source_address: { url: 'https://example.org/' } },
      missing: {},
    };

    const answer = await run(material, {
      ...untimedTask('ana'),
      correlationId: 'c',
      planType: 1,
      assignments: {},
    });
    expect(answer).toEqual({ skipped: { code: 'domain_check_off', values: {} } });
  });
});
