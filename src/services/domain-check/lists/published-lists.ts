import { packageFile } from '../../../foundation/files.ts';
import type { Site } from '../site.ts';
import { lookupNames } from '../site.ts';
import { type ListSource, sources } from './sources.ts';
import { SortedTable } from './table.ts';

/** One row of one source about the site. */
export interface Hit {
  source: ListSource;
  /** The listed name: the host, or a parent of it down to the registrable name. */
  listedName: string;
  cells: string[];
}

/** Looks sites up in the published lists. */
export interface PublishedLists {
  /** The sources that are switched on. */
  sources: readonly ListSource[];
  lookUp(site: Site): Hit[];
}

/** Opens the tables of every source that is not switched off; each file is read on the first lookup. */
export function openPublishedLists(disabled: readonly string[]): PublishedLists {
  const enabled = sources.filter((source) => !disabled.includes(source.code));
  const tables = new Map<string, SortedTable>();
  const tableOf = (source: ListSource) => {
    const known = tables.get(source.code);
    if (known !== undefined) return known;
    const table = SortedTable.open(packageFile('data', 'domains', source.file));
    tables.set(source.code, table);
    return table;
  };
  return {
    sources: enabled,
    lookUp(site) {
      const names = lookupNames(site);
      return enabled.flatMap((source) => {
        const table = tableOf(source);
        for (const listedName of names) {
          const cells = table.find(listedName);
          if (cells !== undefined) return [{ source, listedName, cells }];
        }
        return [];
      });
    },
  };
}
