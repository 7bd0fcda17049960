import type { z } from 'zod';
import aiIndicators from '../../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import claimTaxonomy from '../../../../data/taxonomy/claims.json' with { type: 'json' };
import techniqueMeta from '../../../../data/taxonomy/technique-meta.json' with { type: 'json' };
import techniqueList from '../../../../data/taxonomy/techniques.json' with { type: 'json' };
import type { Handlers } from '../../../foundation/service.ts';
import type { taxonomyOperations } from '../contract/taxonomy.ts';
import { aiCategory, claimStatus, claimType, techniqueDefinition } from '../resources/taxonomy.ts';
import { pageOf } from './paging.ts';

/** The rows in the form of the contract; further fields of the data files are not published. */
function rowsOf<Schema extends z.ZodType>(schema: Schema, rows: readonly object[]): z.output<Schema>[] {
  return rows.map((row) => schema.parse(row));
}

const dimensions = new Map(techniqueMeta.dimensions.map((dimension) => [dimension.code, dimension]));
const examples = new Map(techniqueMeta.examples.map((example) => [example.code, example]));

const techniques = techniqueList.map((technique) => ({
  ...technique,
  dimension_name_en: dimensions.get(technique.dimension)?.name_en,
  dimension_name_ro: dimensions.get(technique.dimension)?.name_ro,
  example_en: examples.get(technique.code)?.example_en ?? null,
  example_ro: examples.get(technique.code)?.example_ro ?? null,
}));

/** The handlers of the lists of codes. */
export function taxonomyRoutes(): Handlers<typeof taxonomyOperations> {
  const categories = rowsOf(aiCategory, aiIndicators.categories);
  const statuses = rowsOf(claimStatus, claimTaxonomy.statuses);
  const types = rowsOf(claimType, claimTaxonomy.types);
  const definitions = rowsOf(techniqueDefinition, techniques);
  return {
    aiTamperedCategories: ({ query }) => pageOf(categories, query),
    claimsStatuses: ({ query }) => pageOf(statuses, query),
    claimsTypes: ({ query }) => pageOf(types, query),
    techniquesDefinitions: ({ query }) => pageOf(definitions, query),
  };
}
