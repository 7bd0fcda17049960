import type { Detail } from '../../foundation/errors.ts';
import { LONGEST_TEXT, type RerankRequest } from './contract.ts';
import { errors } from './errors.ts';

type Document = RerankRequest['documents'][number];

/** Texts, numbers and truth values can be read; lists and objects cannot. */
const isReadable = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** What is read of a document: it itself, or the fields of an object that are to be read, those that it has. */
function textOf(document: Document, fields: readonly string[]): string | undefined {
  if (typeof document === 'string') return document;
  const values = fields.flatMap((field) => {
    const value = Object.hasOwn(document, field) ? document[field] : undefined;
    return isReadable(value) ? [String(value)] : [];
  });
  return values.length === 0 ? undefined : values.join('\n');
}

/** The text of each document; throws with every one that has none, or too much. */
export function documentTexts({ documents, rank_fields: fields }: RerankRequest): string[] {
  const details: Detail[] = [];
  const texts = documents.map((document, index) => {
    const text = textOf(document, fields ?? ['text']);
    const path = ['body', 'documents', index];
    if (text === undefined) {
      const message = `has none of the fields that are read: ${(fields ?? ['text']).join(', ')}`;
      details.push({ path, message, type: 'missing' });
    } else if (text.length > LONGEST_TEXT)
      details.push({ path, message: `has more than ${LONGEST_TEXT} characters`, type: 'string_too_long' });
    return text ?? '';
  });
  if (details.length > 0) throw errors.validation_failed({ details });
  return texts;
}
