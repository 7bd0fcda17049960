import { z } from 'zod';

/** One of the codes of a table of `data/taxonomy`. */
export const codes = (rows: readonly { code: string }[]) => z.enum(rows.map((row) => row.code));

/** A score from 0 to 100. */
export const score = z.number().min(0).max(100);

/** A share from 0 to 1. */
export const share = z.number().min(0).max(1);

/** A whole number from 0. */
export const count = z.int().min(0);

/** Whole milliseconds. */
export const milliseconds = z.int().min(0);

/** A moment with its offset, as RFC 3339 writes it. */
export const dateTime = z.iso.datetime({ offset: true });

/** An object whose fields the contract leaves open. */
export const looseObject = z.record(z.string(), z.unknown());

/** An explanation in both languages. */
export const explanationPair = { explanation_en: z.string(), explanation_ro: z.string() };

/** A name in both languages. */
export const namePair = { name_en: z.string(), name_ro: z.string() };
